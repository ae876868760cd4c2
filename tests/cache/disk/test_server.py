"""The sockets of a disk, on an event loop of the test."""

from __future__ import annotations

import asyncio
import os
import socket
import struct
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from froude.base.errors import InputError, MissingError
from froude.cache.disk import server as under_test
from froude.cache.disk.commands import LINE_LIMIT
from froude.cache.disk.nbd.connection import Export
from froude.cache.disk.nbd.wire import PAYLOAD_LIMIT, BlockSizes
from froude.cache.disk.server import NbdServer, serve_commands, tcp_listener, unix_listener
from testbed.nbd_client import NbdClient
from tests.support.cache.disk.service import Clocked

T = TypeVar("T")
_EXPORT = Export(1 << 20, 0x16D, BlockSizes(1, 4096, PAYLOAD_LIMIT))


def with_server(client: Callable[[Path, Clocked, NbdServer], T], folder: Path) -> tuple[T, list[str]]:
    """Run a client in a thread against a server in this one; gives what it gives, and the server's remarks."""

    async def main() -> tuple[T, list[str]]:
        disk, notes = Clocked(), list[str]()
        server = NbdServer(disk.service, _EXPORT, notes.append)
        server.listen(unix_listener(folder / "s"))
        try:
            found = await asyncio.wait_for(asyncio.to_thread(client, folder / "s", disk, server), 60)
        finally:
            server.close()
        return found, notes

    return asyncio.run(main())


def test_clients_that_have_gone_before_they_are_let_in_take_no_place(tmp_path: Path) -> None:
    """Looks of health checks and port scans: somebody is served all the same."""

    def client(path: Path, disk: Clocked, server: NbdServer) -> None:
        for _ in range(200):
            with socket.socket(socket.AF_UNIX) as scan:
                scan.connect(str(path))
        one = NbdClient(path)
        one.write(0, b"a")
        assert one.read(0, 1) == b"a"
        assert disk.service.connections == 1

    with_server(client, tmp_path)


def test_clients_read_and_write(tmp_path: Path) -> None:
    """Several of them, what one writes the others read; answers to what came together leave together."""

    def client(path: Path, disk: Clocked, server: NbdServer) -> None:
        one, two = NbdClient(path), NbdClient(path)
        assert (one.size, one.features) == (1 << 20, 0x16D)
        one.write(4096, b"a" * 10_000)
        assert two.read(4095, 3) == b"\0aa"
        assert two.ask(0, 1 << 20, 1) == 22
        for _ in range(20):
            one.send(0, 4096, 1000)
        one.send(2)
        assert one.take(20 * 1016).count(b"a" * 1000) == 20
        with pytest.raises(EOFError):
            one.take(1)
        while disk.service.connections != 1:
            os.sched_yield()
        two.close()
        while disk.service.connections:
            os.sched_yield()

    assert with_server(client, tmp_path)[1] == []


def test_who_does_not_read_is_not_read_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits for it stays within bounds; it gets all of it when it reads at last."""
    monkeypatch.setattr(under_test, "_MOST_BYTES", 4 << 20)

    def client(path: Path, disk: Clocked, server: NbdServer) -> int:
        one = NbdClient(path)
        for _ in range(64):
            one.send(0, 0, 1 << 20)
        other = NbdClient(path)
        other.read(0, 1)  # everything that could be done has been done
        most = max(each._out_bytes for each in server._clients)
        assert one.take(64 * (16 + (1 << 20))).count(b"\x67\x44\x66\x98") == 64
        return most

    assert with_server(client, tmp_path)[0] <= 6 << 20


def test_a_peer_that_breaks_the_protocol_is_sent_away(tmp_path: Path) -> None:
    """With a remark; others are served on."""

    def client(path: Path, disk: Clocked, server: NbdServer) -> None:
        good = NbdClient(path)
        bad = socket.socket(socket.AF_UNIX)
        bad.connect(str(path))
        bad.sendall(b"GET / HTTP/1.1\r\n\r\n")
        bad.settimeout(60)
        while bad.recv(100):
            pass
        broken = NbdClient(path)
        broken.socket.sendall(bytes(28))
        with pytest.raises(EOFError):
            broken.take(1)
        good.write(0, b"x")

    _, notes = with_server(client, tmp_path)
    assert len(notes) == 2
    assert all(note.startswith("a client was sent away: ") for note in notes)


def test_there_are_not_too_many_clients(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next one is sent away."""
    monkeypatch.setattr(under_test, "_MOST_CLIENTS", 2)

    def client(path: Path, disk: Clocked, server: NbdServer) -> None:
        held = [NbdClient(path), NbdClient(path)]
        with pytest.raises((EOFError, ConnectionError)):
            NbdClient(path)
        assert held[0].read(0, 1) == b"\0"

    assert with_server(client, tmp_path)[1] == ["a client was sent away: there are 2"]


def test_clients_of_a_port_take_no_place_of_the_sockets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every user of the machine can reach a port; the owner of the socket is served all the same."""
    monkeypatch.setattr(under_test, "_MOST_CLIENTS", 2)

    def client(path: Path, disk: Clocked, server: NbdServer) -> None:
        listener = tcp_listener(0)
        port = listener.getsockname()[1]
        server.loop.call_soon_threadsafe(server.listen, listener)
        others = [NbdClient(port), NbdClient(port)]
        with pytest.raises((EOFError, ConnectionError)):
            NbdClient(port)
        assert NbdClient(path).read(0, 1) == b"\0"
        assert all(other.read(0, 1) == b"\0" for other in others)

    with_server(client, tmp_path)


def test_a_client_without_a_handshake_makes_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest one goes, so that silent connections do not keep the disk from its VM."""
    monkeypatch.setattr(under_test, "_MOST_CLIENTS", 2)

    def client(path: Path, disk: Clocked, server: NbdServer) -> None:
        good = NbdClient(path)
        with socket.socket(socket.AF_UNIX) as silent:
            silent.settimeout(60)
            silent.connect(str(path))
            assert silent.recv(100)
            assert NbdClient(path).read(0, 1) == b"\0"
            assert not silent.recv(100)
        assert good.read(0, 1) == b"\0"

    assert with_server(client, tmp_path)[1] == []


def test_a_client_that_says_nothing_is_sent_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is through its handshake may be silent for ever."""
    monkeypatch.setattr(under_test, "_HANDSHAKE_S", 0.05)

    def client(path: Path, disk: Clocked, server: NbdServer) -> None:
        good = NbdClient(path)
        silent = socket.socket(socket.AF_UNIX)
        silent.settimeout(60)
        silent.connect(str(path))
        while silent.recv(100):
            pass
        good.write(0, b"x")

    with_server(client, tmp_path)


def test_one_that_vanishes_is_forgotten(tmp_path: Path) -> None:
    """In the middle of a write, and with answers on their way."""

    def client(path: Path, disk: Clocked, server: NbdServer) -> None:
        half, gone = NbdClient(path), NbdClient(path)
        half.socket.sendall(struct.pack(">IHHQQI", 0x25609513, 0, 1, 1, 0, 4096) + b"x" * 100)
        for _ in range(64):
            gone.send(0, 0, 1 << 20)
        half.close()
        gone.close()
        while disk.service.connections:
            os.sched_yield()
        assert NbdClient(path).read(0, 100) == bytes(100)

    with_server(client, tmp_path)


def test_commands_are_answered_in_their_order(tmp_path: Path) -> None:
    """A wrong one with an error, and the connection goes on; one without an end is not waited for."""

    async def main() -> list[bytes]:
        disk = Clocked()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await serve_commands(disk.service, reader, writer)

        listener = unix_listener(tmp_path / "c")
        server = await asyncio.start_unix_server(serve, sock=listener, limit=LINE_LIMIT)
        reader, writer = await asyncio.open_unix_connection(str(tmp_path / "c"))
        writer.write(b'{"cmd":"resize","bytes":8192}\nnonsense\n{"cmd":"limit","iops":7}\n')
        lines = [await reader.readline() for _ in range(3)]
        writer.write(b"x" * (2 * LINE_LIMIT))
        lines.append(await reader.readline())
        writer.close()
        server.close()
        return lines

    resized, wrong, limited, end = asyncio.run(main())
    assert resized == b'{"cache_bytes": 8192, "used_bytes": 0, "dropped_chunks": 0}\n'
    assert b'"error": {"message": "is not JSON"' in wrong
    assert limited == b'{"iops": 7, "bytes_per_s": null}\n'
    assert end == b""


def test_sockets_are_their_owner_s(tmp_path: Path) -> None:
    """One that nobody serves is replaced; anything else is not."""
    path = tmp_path / "s"
    first = unix_listener(path)
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(InputError, match="somebody listens there"):
        unix_listener(path)
    first.close()
    unix_listener(path).close()
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="is no socket"):
        unix_listener(tmp_path / "file")
    with pytest.raises(InputError, match="too long"):
        unix_listener(tmp_path / ("x" * 120))
    with pytest.raises(MissingError, match="cannot be made"):
        unix_listener(tmp_path / "no" / "s")


def test_ports_are_of_this_machine_only() -> None:
    """A taken one is stated."""
    listener = tcp_listener(0)
    host, port = listener.getsockname()
    assert host == "127.0.0.1"
    with pytest.raises(InputError, match="--port: cannot be used"):
        tcp_listener(port)
    listener.close()
