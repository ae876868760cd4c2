"""The two sockets of a forwarded connection: what passes between them, and how either end passes on."""

from __future__ import annotations

import asyncio
import json
import random
import socket
import struct

import pytest
import uvloop

from froude.base.errors import InputError
from froude.hadoop.rpc.target import Target
from froude.trace.capture.legs import Listener
from froude.trace.capture.proxy import Proxy
from froude.trace.tape import RecordKind
from tests.support.trace.capture.forwarding import Kept, echo, exchange, run
from tests.support.trace.capture.tokens import before


@pytest.mark.parametrize("seed", range(4))
def test_no_byte_is_altered(seed: int) -> None:
    """Whatever the pieces, both sides get every byte in order, and the tape has the same."""
    rng = random.Random(seed)
    data = rng.randbytes(rng.choice([0, 1, 5_000, 3_000_000]))

    async def client(address: tuple[str, int], kept: Kept) -> None:
        assert await exchange(address, data, rng) == data + b"bye"

    kept = run(echo, client)
    assert kept.bytes_of(1, RecordKind.TO_SERVER) == data
    assert kept.bytes_of(1, RecordKind.TO_CLIENT) == data + b"bye"
    assert kept.closings() == [b""]


def test_a_reset_is_passed_on_as_a_reset() -> None:
    """In the middle of a frame, too; the tape says so."""
    seen: list[str] = []

    async def server(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.read(100)
            await reader.read(100)
        except ConnectionResetError:
            seen.append("reset")
        writer.close()

    async def client(address: tuple[str, int], kept: Kept) -> None:
        sock = socket.create_connection(address)
        sock.sendall(b"hrpc\x09\x00\x00\x00\x00\x01")
        await asyncio.sleep(0.1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        sock.close()
        await asyncio.sleep(0.1)

    kept = run(server, client)
    assert seen == ["reset"]
    assert kept.closings() == [b"reset"]


def test_a_target_that_resets_resets_the_client() -> None:
    """The client sees what the target did."""

    async def server(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(10)
        writer.get_extra_info("socket")
        sock = socket.socket(fileno=socket.dup(writer.get_extra_info("socket").fileno()))
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        sock.close()
        writer.transport.abort()

    async def client(address: tuple[str, int], kept: Kept) -> None:
        reader, writer = await asyncio.open_connection(*address)
        writer.write(b"x")
        with pytest.raises(ConnectionResetError):
            await reader.read()
        writer.close()

    assert run(server, client).closings() == [b"reset by the target"]


def test_a_client_that_comes_before_its_target_waits() -> None:
    """What it sends until the target has taken the connection stays in its own socket, not in the proxy."""

    async def main() -> int:
        listening = socket.create_server(("127.0.0.1", 0), backlog=1)
        full = [socket.create_connection(listening.getsockname()) for _ in range(2)]  # nobody accepts them
        proxy = Proxy(Kept())
        _, writer = await asyncio.open_connection(*await proxy.listen(before(listening.getsockname())))
        writer.write(bytes(30_000_000))
        await asyncio.sleep(0.5)
        held = sum(len(data) for leg in proxy.legs for data in leg.early)
        writer.transport.abort()
        await proxy.close(0)
        for sock in (listening, *full):
            sock.close()
        return held

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        assert runner.run(main()) < 1_000_000


def test_a_slow_reader_slows_its_writer_only() -> None:
    """The proxy holds a bounded part of what the reader has not taken, and others go on."""
    sent = 0

    async def flood(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        if await reader.read(4) == b"echo":
            writer.write(b"quick")
            writer.close()
            return
        try:
            for _ in range(1000):
                writer.write(bytes(1 << 16))
                await writer.drain()
                sent += 1 << 16
        except ConnectionError:
            return

    async def client(address: tuple[str, int], kept: Kept) -> None:
        _, slow_writer = await asyncio.open_connection(*address, limit=1 << 10)
        slow_writer.write(b"slow")
        await asyncio.sleep(0.5)
        stopped_at = sent
        await asyncio.sleep(0.2)
        assert sent == stopped_at < 1000 << 16
        reader, writer = await asyncio.open_connection(*address)
        writer.write(b"echo")
        assert await reader.read() == b"quick"
        writer.close()
        slow_writer.transport.abort()

    run(flood, client)


def test_what_is_known_of_a_connection_stands_on_the_tape() -> None:
    """Where it comes from, where it was accepted, and who is called."""

    async def client(address: tuple[str, int], kept: Kept) -> None:
        _, writer = await asyncio.open_connection(*address, local_addr=("127.7.7.7", 0))
        writer.write_eof()
        here = writer.get_extra_info("sockname")
        while not kept.closings():
            await asyncio.sleep(0.01)
        writer.close()
        facts = json.loads(kept.bytes_of(1, RecordKind.OPEN))
        assert facts["peer"] == ["127.9.8.7", here[1]]  # as the target sees it
        assert (facts["from"], facts["at"], facts["port"]) == ("127.7.7.7", *address)
        service, where, identity = facts["target"]
        assert (service, identity) == ("toy", "CID-1")
        assert where.startswith("127.0.0.1:")

    run(echo, client, source="127.9.8.7")


def test_a_listener_connects_onward_to_its_target() -> None:
    """An address of another form is an error that names the target."""
    assert Listener("h", target=Target("namenode", "nn:8020")).onward == ("nn", 8020)
    hidden = Listener("h", target=Target("nodemanager", "nm:8041"), behind=("elsewhere", 9))
    assert (hidden.onward, hidden.target.address) == (("elsewhere", 9), "nm:8041")
    with pytest.raises(InputError, match="target: "):
        _ = Listener("h").onward
