"""The proxy's forward path, over real sockets on loopback."""

from __future__ import annotations

import asyncio
import random
import socket
import struct
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import uvloop

from froude.base.errors import InputError, TargetError
from froude.trace.capture.legs import Listener
from froude.trace.capture.proxy import Proxy, check_target
from froude.trace.tape import RecordKind
from tests.trace.capture.tokens import before

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Kept:
    """A tape that keeps its records."""

    def __init__(self) -> None:
        self.records: list[tuple[int, RecordKind, bytes]] = []

    def record(self, connection: int, kind: RecordKind, payload: bytes) -> None:
        self.records.append((connection, kind, payload))

    def bytes_of(self, connection: int, kind: RecordKind) -> bytes:
        return b"".join(p for c, k, p in self.records if (c, k) == (connection, kind))

    def closings(self) -> list[bytes]:
        return [p for _, k, p in self.records if k is RecordKind.CLOSE]


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Echo to the end, then say goodbye: works only if half-closes are passed on."""
    while data := await reader.read(70_000):
        writer.write(data)
        await writer.drain()
    writer.write(b"bye")
    writer.close()


def run(handler: Handler, client: Callable[[tuple[str, int], Kept], Awaitable[Any]], **listener: Any) -> Kept:
    """A server, the proxy before it, and a client."""

    async def main() -> Kept:
        server = await asyncio.start_server(handler, "127.0.0.1", 0)
        kept = Kept()
        proxy = Proxy(kept)
        address = await proxy.listen(before(server.sockets[0].getsockname()[:2], **listener))
        try:
            async with asyncio.timeout(30):
                await client(address, kept)
        finally:
            await proxy.close(0.2)
            server.close()
        return kept

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main())


async def exchange(address: tuple[str, int], data: bytes, rng: random.Random) -> bytes:
    """Send in random pieces, half-close, read to the end."""
    reader, writer = await asyncio.open_connection(*address)

    async def send() -> None:
        at = 0
        while at < len(data):
            size = rng.choice([1, 7, 1000, 65_536, 300_000])
            writer.write(data[at : at + size])
            at += size
            await writer.drain()
        writer.write_eof()

    sending = asyncio.ensure_future(send())
    answer = await reader.read()
    await sending
    writer.close()
    return answer


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


def test_two_hundred_connections_do_not_mix() -> None:
    """Each gets its own bytes back."""

    async def client(address: tuple[str, int], kept: Kept) -> None:
        data = [f"connection {n} ".encode() * 500 for n in range(200)]
        answers = await asyncio.gather(*(exchange(address, one, random.Random(0)) for one in data))
        assert answers == [one + b"bye" for one in data]

    kept = run(echo, client)
    assert len(kept.closings()) == 200
    assert {c for c, k, _ in kept.records if k is RecordKind.OPEN} == set(range(1, 201))


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


def test_a_target_that_refuses_resets_the_client() -> None:
    """A proxy has accepted already and cannot refuse; the tape has the reason, nobody waits."""

    async def main() -> Kept:
        closed = socket.socket()
        closed.bind(("127.0.0.1", 0))
        kept = Kept()
        proxy = Proxy(kept)
        reader, writer = await asyncio.open_connection(*await proxy.listen(before(closed.getsockname())))
        with pytest.raises(ConnectionResetError):
            async with asyncio.timeout(10):
                await reader.read()
        writer.close()
        await proxy.close(0)
        closed.close()
        return kept

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        assert runner.run(main()).closings() == [b"refused: Connection refused"]


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


def test_held_traffic_waits_and_arrives_whole() -> None:
    """Nothing is read from either side while held, neither of old connections nor of new ones; ends wait, too."""

    async def main() -> tuple[bytes, list[bytes]]:
        server = await asyncio.start_server(echo, "127.0.0.1", 0)
        kept = Kept()
        proxy = Proxy(kept)
        address = await proxy.listen(before(server.sockets[0].getsockname()[:2]))
        old, old_writer = await asyncio.open_connection(*address)
        old_writer.write(b"one ")
        assert await old.readexactly(4) == b"one "
        proxy.hold(True)
        opened = len(kept.records)
        new, new_writer = await asyncio.open_connection(*address)
        await asyncio.sleep(0.05)
        for writer in (old_writer, new_writer):
            writer.write(b"two " * 1000)
            writer.write_eof()
        await asyncio.sleep(0.2)
        assert [kind for _, kind, _ in kept.records[opened:]] == [RecordKind.OPEN]
        proxy.hold(False)
        async with asyncio.timeout(20):
            answers = [await reader.read() for reader in (old, new)]
        for writer in (old_writer, new_writer):
            writer.close()
        await proxy.close(0.2)
        server.close()
        return kept.bytes_of(1, RecordKind.TO_SERVER), answers

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        sent, answers = runner.run(main())
    assert sent == b"one " + b"two " * 1000
    assert answers == [b"two " * 1000 + b"bye"] * 2


def test_connections_go_onward_from_the_address_told() -> None:
    """A node's address is the one its connection comes from."""
    peers: list[str] = []

    async def server(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peers.append(writer.get_extra_info("peername")[0])
        writer.close()

    async def client(address: tuple[str, int], kept: Kept) -> None:
        sock = socket.create_connection(address, source_address=("127.7.7.7", 0))
        sock.setblocking(False)
        assert await asyncio.get_running_loop().sock_recv(sock, 1) == b""
        sock.close()

    run(server, client, source="127.9.8.7")
    kept = run(server, client, preserve_source=True)
    assert peers == ["127.9.8.7", "127.7.7.7"]
    assert b'"peer": ["127.7.7.7"' in kept.records[0][2]


def test_what_cannot_be_listened_on_or_reached_is_a_clear_error() -> None:
    """An address that is taken; a target that is not there."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = taken.getsockname()
        with pytest.raises(TargetError, match="does not accept connections"):
            check_target(address, 1.0)
        taken.listen()

        async def listen() -> None:
            await Proxy(Kept()).listen(Listener(*address))

        with pytest.raises(InputError, match="cannot listen here"):
            asyncio.run(listen())
