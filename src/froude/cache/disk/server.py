"""The sockets of a cached disk: NBD clients and the control socket, on one event loop.

NBD connections read and write their sockets themselves, without asyncio's transports: what is read goes from the cache
file to the socket without another copy, and all answers to what came together leave together. A client that sends
faster than it is served, or does not read its answers, is not read from until it has caught up.
"""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import stat
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from froude.base.errors import FroudeError, InputError, MissingError
from froude.cache.disk.commands import answer_line, parse_command
from froude.cache.disk.nbd import wire
from froude.cache.disk.nbd.connection import Export, Left, ServerConnection, State
from froude.cache.disk.nbd.wire import Request
from froude.cache.disk.seams import Data
from froude.cache.disk.service import Reply, Service

_ROOM_BYTES = 512 << 10
"""Read from a socket at once."""
_SOCKET_BYTES = 4 << 20
"""Asked of the kernel for a socket's buffers."""
_MOST_UNDER_WAY = 128
"""Requests of a client that are not answered yet; further ones are left in its socket."""
_MOST_BYTES = 64 << 20
"""Bytes of those, and of answers that a client has not taken."""
_MOST_CLIENTS = 64
"""Of each address: clients of a TCP port, which any user of the machine may be, take no place of the Unix socket's."""
_MOST_PARTS = 64
"""Buffers handed to the kernel at once."""
_HANDSHAKE_S = 10.0
_BACKLOG = 64
_LONGEST_PATH = 107
"""Bytes of a Unix socket's path, by the kernel's sockaddr_un."""


class _Client:
    """One NBD connection."""

    def __init__(
        self, server: NbdServer, connection: socket.socket, export: Export, room: memoryview
    ) -> None:
        self._server = server
        self._loop = server.loop
        self._socket = connection
        self._protocol = ServerConnection(export)
        self._room = room  # shared with all clients: what was read is copied before the next read
        self._out: deque[Data] = deque()
        self._out_bytes = 0
        self._under_way = 0
        self._under_way_bytes = 0
        self._reading = False
        self._writing = False
        self._flushing = False
        self._ended = False
        self._last = False
        """Whether the client sends nothing more, and the connection ends when it has its answers."""
        self._limit = self._loop.call_later(_HANDSHAKE_S, self.end_handshake)

    def begin(self) -> None:
        """Greet it, and listen to what it says."""
        self._send(self._protocol.data_to_send())
        self._read_on()
        self._flush()

    def end(self) -> None:
        """End the connection, whatever is under way."""
        if self._ended:
            return
        self._ended = True
        self._limit.cancel()
        self._loop.remove_reader(self._socket)
        self._loop.remove_writer(self._socket)
        self._socket.close()
        self._out.clear()
        self._server.left(self)

    def end_handshake(self) -> bool:
        """End it if its handshake goes on, whether it did; after that it may be silent as long as its VM is stopped."""
        if negotiates := self._protocol.state in {State.FLAGS, State.OPTIONS}:
            self.end()
        return negotiates

    def _full(self) -> bool:
        """Whether it has to catch up before anything more is taken from it."""
        return self._under_way >= _MOST_UNDER_WAY or self._under_way_bytes + self._out_bytes >= _MOST_BYTES

    def _read_on(self) -> None:
        if not self._reading and not self._ended and not self._last:
            self._reading = True
            self._loop.add_reader(self._socket, self._readable)

    def _read_off(self) -> None:
        if self._reading:
            self._reading = False
            self._loop.remove_reader(self._socket)

    def _readable(self) -> None:
        try:
            count = self._socket.recv_into(self._room)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            self.end()
            return
        if count == 0:
            self.end()
            return
        self._protocol.receive_data(self._room[:count])
        self._take()

    def _take(self) -> None:
        """Serve what has come, as far as there is room for it."""
        while True:
            self._flushing = True  # answers that come at once leave together
            self._serve()
            self._send(self._protocol.data_to_send())
            self._flushing = False
            self._flush()
            # Once its answers have left there may be room again, and nothing else that would tell.
            if self._ended or self._last or self._reading or self._full():
                return

    def _serve(self) -> None:
        """Serve until there is nothing more, or no room."""
        read_now = self._server.service.read_now
        while not self._ended:
            if self._full():
                self._read_off()
                return
            event = self._protocol.next_event()
            if event is None:
                self._read_on()
                return
            if isinstance(event, Request):
                data = read_now(event)
                if data is not None:
                    self._out.append(wire.reply(event.cookie))
                    self._out.append(data)
                    self._out_bytes += wire.REPLY_HEADER.size + event.length
                    continue
                self._under_way += 1
                self._under_way_bytes += event.length if event.length <= wire.PAYLOAD_LIMIT else 0
                self._server.service.submit(event, self._reply(event))
                continue
            self._last = True
            self._read_off()
            if not isinstance(event, Left):
                self._server.note(f"a client was sent away: {event.reason}")
                self._send(self._protocol.data_to_send())
                self._flush()
                self.end()
            return

    def _reply(self, request: Request) -> Reply:
        size = request.length if request.length <= wire.PAYLOAD_LIMIT else 0

        def reply(cookie: int, error: int, data: Data | None) -> None:
            self._under_way -= 1
            self._under_way_bytes -= size
            if self._ended:
                return
            self._send(wire.reply(cookie, error))
            if data is not None:
                self._send(data)
            if not self._flushing:
                self._flushing = True
                self._loop.call_soon(self._flush_soon)

        return reply

    def _flush_soon(self) -> None:
        self._flushing = False
        self._flush()
        if not self._ended and not self._last and not self._reading:
            self._take()

    def _send(self, data: Data) -> None:
        if data:
            self._out.append(data)
            self._out_bytes += len(data)

    def _flush(self) -> None:
        """Send what the socket takes."""
        while self._out and not self._ended:
            parts = list(islice(self._out, _MOST_PARTS))
            try:
                count = self._socket.sendmsg(parts)
            except (BlockingIOError, InterruptedError):
                break
            except OSError:
                self.end()
                return
            self._out_bytes -= count
            if not self._out_bytes:
                self._out.clear()
                break
            while count:
                part = self._out[0]
                if count < len(part):
                    self._out[0] = memoryview(part)[count:]
                    break
                count -= len(part)
                self._out.popleft()
        if self._ended:
            return
        if bool(self._out) is not self._writing:
            self._writing = bool(self._out)
            if self._writing:
                self._loop.add_writer(self._socket, self._writable)
            else:
                self._loop.remove_writer(self._socket)
        if self._last and not self._out and not self._under_way:
            self.end()

    def _writable(self) -> None:
        self._flush()
        if not self._ended and not self._last and not self._reading and not self._full():
            self._take()


class NbdServer:
    """Serves a disk to NBD clients."""

    def __init__(self, service: Service, export: Export, note: Callable[[str], None]) -> None:
        self.loop = asyncio.get_running_loop()
        self.service = service
        self.note = note
        self._export = export
        self._clients: dict[_Client, socket.socket] = {}
        """With the listener of each, the oldest first."""
        self._room = memoryview(bytearray(_ROOM_BYTES))
        self._listeners: list[socket.socket] = []

    def listen(self, listener: socket.socket) -> None:
        """Accept clients from a listening socket."""
        listener.setblocking(False)
        self._listeners.append(listener)
        self.loop.add_reader(listener, self._accept, listener)

    def left(self, client: _Client) -> None:
        """A client has gone."""
        self._clients.pop(client, None)
        self.service.connections = len(self._clients)

    def close(self) -> None:
        """Accept and serve nobody any more."""
        self.stop_accepting()
        for client in list(self._clients):
            client.end()

    def stop_accepting(self) -> None:
        """Let nobody in any more; those who are there are served."""
        while self._listeners:
            listener = self._listeners.pop()
            self.loop.remove_reader(listener)
            listener.close()

    def _accept(self, listener: socket.socket) -> None:
        try:
            connection, _ = listener.accept()
        except OSError:  # it has gone already, or too many files are open
            return
        here = [client for client, its in self._clients.items() if its is listener]
        if len(here) >= _MOST_CLIENTS and not any(client.end_handshake() for client in here):
            self.note(f"a client was sent away: there are {_MOST_CLIENTS}")
            connection.close()
            return
        connection.setblocking(False)
        if connection.family == socket.AF_INET:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            connection.setsockopt(socket.SOL_SOCKET, option, _SOCKET_BYTES)
        client = _Client(self, connection, self._export, self._room)
        self._clients[client] = listener  # before it begins: one that has gone already leaves at once
        client.begin()
        self.service.connections = len(self._clients)


async def serve_commands(
    service: Service, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """Answer the lines of one connection to the control socket.

    Args:
        reader: of the connection, with `commands.LINE_LIMIT`.
    """
    with suppress(OSError, asyncio.CancelledError):
        while line := await _line(reader):
            answer: asyncio.Future[Mapping[str, Any] | FroudeError] = (
                asyncio.get_running_loop().create_future()
            )
            try:
                service.carry_out(parse_command(line), answer.set_result)
                said = await answer
            except InputError as error:
                said = error
            writer.write(answer_line(said))
            await writer.drain()
    writer.close()


async def _line(reader: asyncio.StreamReader) -> bytes:
    """The next line; empty at the end, and where one is too long to be a command."""
    try:
        return await reader.readuntil(b"\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return b""


def unix_listener(path: Path) -> socket.socket:
    """A listening socket in the file system, for its owner only; one that a dead server left is replaced.

    Raises:
        InputError: something else is there, somebody listens there, or the path is too long.
        MissingError: no right to make it.
    """
    if len(os.fsencode(path)) > _LONGEST_PATH:
        raise InputError(
            "is too long for a socket", file=path, allowed=f"at most {_LONGEST_PATH} bytes of path"
        )
    listener = socket.socket(socket.AF_UNIX)
    try:
        _make_room(path)
        former = os.umask(0o177)
        try:
            listener.bind(str(path))
        finally:
            os.umask(former)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise MissingError(f"cannot be made ({error.strerror})", file=path) from error
    except InputError:
        listener.close()
        raise
    return listener


def tcp_listener(port: int) -> socket.socket:
    """A listening socket on this machine's loopback address: nothing on the way is encrypted.

    Args:
        port: 0 for any that is free.

    Raises:
        InputError: it is taken, or not allowed.
    """
    listener = socket.socket(socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise InputError(f"cannot be used ({error.strerror})", place="--port", found=port) from error
    return listener


def _make_room(path: Path) -> None:
    """Remove a socket on which nobody listens."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise InputError("is no socket, and is not replaced", file=path)
    probe = socket.socket(socket.AF_UNIX)
    with probe:
        probe.settimeout(1.0)
        try:
            probe.connect(str(path))
        except OSError as error:
            if error.errno == errno.ECONNREFUSED:
                path.unlink()
                return
            raise
    raise InputError("is in use: somebody listens there", file=path)
