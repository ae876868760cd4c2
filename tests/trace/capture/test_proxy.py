"""The proxy's forward path, over real sockets on loopback."""

from __future__ import annotations

import asyncio
import random
import socket

import pytest
import uvloop

from froude.base.errors import InputError, TargetError
from froude.trace.capture.legs import Listener
from froude.trace.capture.proxy import Proxy, check_target
from froude.trace.tape import RecordKind
from tests.support.trace.capture.forwarding import Kept, echo, exchange, run
from tests.support.trace.capture.tokens import before


def test_two_hundred_connections_do_not_mix() -> None:
    """Each gets its own bytes back."""

    async def client(address: tuple[str, int], kept: Kept) -> None:
        data = [f"connection {n} ".encode() * 500 for n in range(200)]
        answers = await asyncio.gather(*(exchange(address, piece, random.Random(0)) for piece in data))
        assert answers == [piece + b"bye" for piece in data]

    kept = run(echo, client)
    assert len(kept.closings()) == 200
    assert {c for c, k, _ in kept.records if k is RecordKind.OPEN} == set(range(1, 201))


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
