"""The capture proxy's forward path: passes every byte on, and a copy of it to a `Tape`.

Transparent means: bytes are never altered, a half-close is passed on as a half-close, a reset as a reset, a
slow reader slows its writer and nobody else. Each listener may connect onward from a source address of its
own, so that a NameNode sees distinct DataNodes (a node's address is the one its connection comes from).

uvloop protocols rather than streams: two callbacks a call instead of two task switches and four futures.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, cast

from froude.base.errors import InputError, TargetError
from froude.trace.tape import Kind

_RESET_ON_CLOSE = struct.pack("ii", 1, 0)
_CONNECT_TIMEOUT_S = 20.0  # Hadoop's ipc.client.connect.timeout


@dataclass(frozen=True, slots=True)
class Listener:
    """One door of the proxy."""

    host: str
    """Address to listen on."""
    port: int = 0
    """Port to listen on; 0 takes a free one."""
    source: str | None = None
    """Address from which connections go onward; None lets the system choose."""
    preserve_source: bool = False
    """Connect onward from the client's own address, which must be one of this machine's (all of 127/8 is)."""


class Tape(Protocol):
    """Where copies of the traffic go; must never block."""

    def record(self, connection: int, kind: Kind, payload: bytes) -> None:
        """Take one record."""
        ...


class Proxy:
    """Forwards connections of several listeners to one target, within a running event loop."""

    def __init__(self, target: tuple[str, int], tape: Tape) -> None:
        """Forward to `target` (host, port), copying to `tape`."""
        self.target = target
        self.tape = tape
        self.refused = 0
        """Connections that the target did not take."""
        self._servers: list[asyncio.Server] = []
        self._legs: set[_Leg] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._count = 0

    async def listen(self, listener: Listener) -> tuple[str, int]:
        """Open one listener.

        Returns:
            The address it listens on, with the port that port 0 became.

        Raises:
            InputError: the address is taken or not this machine's.
        """
        loop = asyncio.get_running_loop()
        place = f"{listener.host}:{listener.port}"
        try:
            server = await loop.create_server(
                lambda: _ClientLeg(self, listener), listener.host, listener.port, backlog=1024
            )
        except OSError as error:
            remedy = "Choose another address or port 0"
            raise InputError(f"cannot listen here ({_reason(error)})", file=place, remedy=remedy) from error
        self._servers.append(server)
        host, port = server.sockets[0].getsockname()[:2]
        return str(host), int(port)

    async def close(self, grace_s: float = 1.0) -> None:
        """Stop listening, give open connections `grace_s` to end by themselves, then end them."""
        for server in self._servers:
            server.close()
        deadline = time.perf_counter() + grace_s
        while self._legs and time.perf_counter() < deadline:
            await asyncio.sleep(0.01)
        for leg in list(self._legs):
            leg.end()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    @property
    def connections(self) -> int:
        """Connections accepted so far."""
        return self._count

    def _next_number(self) -> int:
        self._count += 1
        return self._count

    async def _connect(self, client: _ClientLeg, source: str | None) -> None:
        """Connect onward for an accepted client, then let its bytes flow."""
        loop = asyncio.get_running_loop()
        server = _ServerLeg(self, client)
        local = (source, 0) if source else None
        try:
            async with asyncio.timeout(_CONNECT_TIMEOUT_S):
                await loop.create_connection(lambda: server, *self.target, local_addr=local)
        except (OSError, TimeoutError) as error:
            self.refused += 1
            client.reason = f"refused: {_reason(error)}"
            client.reset()

    def _spawn(self, client: _ClientLeg, source: str | None) -> None:
        task = asyncio.get_running_loop().create_task(self._connect(client, source))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


class _Leg(asyncio.Protocol):
    """One socket of a forwarded connection; its mate is the other."""

    kind: Kind

    def __init__(self, proxy: Proxy) -> None:
        self.proxy = proxy
        self.number = 0
        self.mate: _Leg | None = None
        self.transport: asyncio.Transport | None = None
        self.ended = False
        self.early: list[bytes] = []
        self._record = proxy.tape.record
        self._forward: Callable[[bytes], None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)  # uvloop's do not say so by inheritance
        self.proxy._legs.add(self)

    def data_received(self, data: bytes) -> None:
        forward = self._forward
        if forward is None:  # a pause takes effect one read late
            self.early.append(data)
            return
        forward(data)
        self._record(self.number, self.kind, data)

    def eof_received(self) -> bool:
        """Pass a half-close on; when both sides have ended, close both."""
        self.ended = True
        mate = self.mate
        if mate is None or mate.transport is None:
            return True  # not joined yet: `joined` passes it on
        if not mate.transport.is_closing():
            mate.transport.write_eof()
        if mate.ended:
            mate.close()
            return False
        return True

    def pause_writing(self) -> None:
        """This side's reader is slow: stop reading from the other side."""
        if self.mate is not None and self.mate.transport is not None and not self.mate.transport.is_closing():
            self.mate.transport.pause_reading()

    def resume_writing(self) -> None:
        """This side has caught up."""
        if self.mate is not None and self.mate.transport is not None and not self.mate.transport.is_closing():
            self.mate.transport.resume_reading()

    def connection_lost(self, error: Exception | None) -> None:
        """Pass a reset on as a reset, anything else as an end."""
        self.proxy._legs.discard(self)
        self.transport = None
        mate = self.mate
        if mate is not None and mate.transport is not None:
            if error is not None or not self.ended:
                mate.reset()
            elif mate.ended:
                mate.close()
        self.lost(error)

    def lost(self, error: Exception | None) -> None:
        """Hook: this side's socket is gone."""

    def close(self) -> None:
        """End this side once what is queued for it has gone out."""
        if self.transport is not None:
            self.transport.close()

    def reset(self) -> None:
        """End this side the hard way, so that its peer sees a reset, too."""
        if self.transport is not None:
            _linger_nothing(self.transport)
            self.transport.abort()

    def end(self) -> None:
        """End this side because the proxy ends."""
        if self.transport is not None:
            self.ended = True
            self.transport.abort()


class _ClientLeg(_Leg):
    """The accepted socket."""

    kind = Kind.TO_SERVER

    def __init__(self, proxy: Proxy, listener: Listener) -> None:
        super().__init__(proxy)
        self.listener = listener
        self.reason = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        assert self.transport is not None
        self.number = self.proxy._next_number()
        self.transport.pause_reading()  # nothing can be forwarded before the target has answered
        peer = self.transport.get_extra_info("peername") or ("", 0)
        here = self.transport.get_extra_info("sockname") or ("", 0)
        source = str(peer[0]) if self.listener.preserve_source else self.listener.source
        # The peer is the sender as the target sees it; `from` is where it really came from.
        facts = {"peer": [source or peer[0], peer[1]], "from": peer[0], "at": here[0], "port": here[1]}
        self.proxy.tape.record(self.number, Kind.OPEN, json.dumps(facts).encode())
        self.proxy._spawn(self, source)

    def joined(self, server: _ServerLeg) -> None:
        """The target has answered: let bytes flow both ways."""
        if self.transport is None or server.transport is None:
            server.reset()
            return
        server._forward, self._forward = self.transport.write, server.transport.write
        for data in self.early:
            self.data_received(data)
        self.early.clear()
        if self.ended:
            server.transport.write_eof()
        self.transport.resume_reading()

    def lost(self, error: Exception | None) -> None:
        reason = self.reason or ("reset" if error is not None else "")
        self.proxy.tape.record(self.number, Kind.CLOSE, reason.encode())


class _ServerLeg(_Leg):
    """The socket to the target."""

    kind = Kind.TO_CLIENT

    def __init__(self, proxy: Proxy, client: _ClientLeg) -> None:
        super().__init__(proxy)
        self.client = client
        self.number = client.number

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.mate, self.client.mate = self.client, self
        self.client.joined(self)

    def lost(self, error: Exception | None) -> None:
        if error is not None and not self.client.reason:
            self.client.reason = "reset by the target"


def parse_address(text: str, *, place: str) -> tuple[str, int]:
    """Read `HOST:PORT`.

    Raises:
        InputError: not of that form, or the port is out of range.
    """
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit() or int(port) > 65535:
        raise InputError(
            "not an address", place=place, found=repr(text), allowed="HOST:PORT, port 0 to 65535"
        )
    return host.strip("[]"), int(port)


def check_target(target: tuple[str, int], timeout_s: float = 5.0) -> None:
    """Connect once and hang up, so that a wrong target is an error now and not a refusal per client.

    Raises:
        TargetError: it refuses or does not answer in time.
    """
    try:
        socket.create_connection(target, timeout=timeout_s).close()
    except OSError as error:
        remedy = "Start it first, or correct --target"
        raise TargetError(
            f"does not accept connections ({_reason(error)})", file=f"{target[0]}:{target[1]}", remedy=remedy
        ) from error


def _reason(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return str(getattr(error, "strerror", None) or error)


def _linger_nothing(transport: asyncio.Transport) -> None:
    sock = transport.get_extra_info("socket")
    if sock is None:
        return
    duplicate = socket.socket(fileno=socket.dup(sock.fileno()))
    try:
        duplicate.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
    except OSError:
        return  # gone already: nothing left to reset
    finally:
        duplicate.close()
