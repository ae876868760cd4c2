"""The two sockets of a forwarded connection: each passes its bytes to the other, and a copy to a `Tape`.

Transparent means: bytes are never altered, a half-close is passed on as a half-close, a reset as a reset, a
slow reader slows its writer and nobody else.

uvloop protocols rather than streams: two callbacks a call instead of two task switches and four futures.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, cast

from froude.hadoop.rpc.target import UNKNOWN, Target, parse_address
from froude.trace.tape import RecordKind

RESET_ON_CLOSE = struct.pack("ii", 1, 0)
"""SO_LINGER's value with which closing a socket resets its connection."""


class Tape(Protocol):
    """Where copies of the traffic go; must never block."""

    def record(self, connection: int, kind: RecordKind, payload: bytes) -> None:
        """Take one record.

        Args:
            payload: what belongs to it, such as the bytes that passed.
        """
        ...


@dataclass(frozen=True, slots=True)
class Listener:
    """An address that a capture listens on."""

    host: str
    """Address to listen on."""
    port: int = 0
    """Port to listen on; 0 takes a free one."""
    source: str | None = None
    """Address from which connections go onward; None lets the system choose."""
    preserve_source: bool = False
    """Connect onward from the client's own address, which must be one of this machine's (all of 127/8 is)."""
    target: Target = UNKNOWN
    """Where clients' bytes go, and who that is."""
    behind: tuple[str, int] | None = None
    """Host and port where the target listens, if not at the address that its clients know."""

    @property
    def onward(self) -> tuple[str, int]:
        """Host and port to connect to.

        Raises:
            InputError: the target's address is of another form.
        """
        if self.behind is not None:
            return self.behind
        return parse_address(self.target.address, place="target")


class Forwarder(Protocol):
    """What joins the two sockets of a connection; `proxy.Proxy`."""

    tape: Tape
    """Where copies go."""
    legs: set[Leg]
    """Sockets that are open."""
    held: bool
    """Whether nothing is read for now."""

    def connect_for(self, client: ClientLeg, source: str | None) -> None:
        """Connect onward for an accepted client, beside everything else.

        Args:
            source: the address to connect from; None lets the system choose.
        """
        ...


class Leg(asyncio.Protocol):
    """One socket of a forwarded connection; its mate is the other."""

    kind: RecordKind

    def __init__(self, proxy: Forwarder) -> None:
        self.proxy = proxy
        self.number = 0
        self.mate: Leg | None = None
        self.transport: asyncio.Transport | None = None
        self.ended = False
        self.blocked = False
        """Whether the other side's reader is slow."""
        self.early: list[bytes] = []
        self._record = proxy.tape.record
        self._forward: Callable[[bytes], None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The socket is ready."""
        self.transport = cast("asyncio.Transport", transport)  # uvloop's do not say so by inheritance
        self.proxy.legs.add(self)
        asyncio.get_running_loop().call_soon(self.settle)  # uvloop begins to read after this, pause or not

    def data_received(self, data: bytes) -> None:
        """Pass bytes on, then keep a copy."""
        forward = self._forward
        if forward is None:  # the pause takes effect one read late
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
        if self.mate is not None:
            self.mate.blocked = True
            self.mate.settle()

    def resume_writing(self) -> None:
        """This side has caught up."""
        if self.mate is not None:
            self.mate.blocked = False
            self.mate.settle()

    def settle(self) -> None:
        """Read, or not: nothing before it can be passed on, nothing while somebody is slower."""
        if self.transport is None or self.transport.is_closing() or self.ended:
            return
        if self._forward is None or self.blocked or self.proxy.held:
            self.transport.pause_reading()
        else:
            self.transport.resume_reading()

    def connection_lost(self, error: Exception | None) -> None:
        """Pass a reset on as a reset, anything else as an end."""
        self.proxy.legs.discard(self)
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


class ClientLeg(Leg):
    """The accepted socket."""

    kind = RecordKind.TO_SERVER

    def __init__(self, proxy: Forwarder, listener: Listener, number: int) -> None:
        super().__init__(proxy)
        self.listener = listener
        self.number = number
        self.reason = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Say where the connection comes from, and connect onward."""
        super().connection_made(transport)
        assert self.transport is not None
        peer = self.transport.get_extra_info("peername") or ("", 0)
        here = self.transport.get_extra_info("sockname") or ("", 0)
        source = str(peer[0]) if self.listener.preserve_source else self.listener.source
        # The peer is the sender as the target sees it; `from` is where it really came from.
        facts = {"peer": [source or peer[0], peer[1]], "from": peer[0], "at": here[0], "port": here[1]}
        facts["target"] = list(self.listener.target)
        self.proxy.tape.record(self.number, RecordKind.OPEN, json.dumps(facts).encode())
        self.proxy.connect_for(self, source)

    def joined(self, server: ServerLeg) -> None:
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
        self.settle()
        server.settle()

    def lost(self, error: Exception | None) -> None:
        """The connection is over, and why."""
        reason = self.reason or ("reset" if error is not None else "")
        self.proxy.tape.record(self.number, RecordKind.CLOSE, reason.encode())


class ServerLeg(Leg):
    """The socket to the target."""

    kind = RecordKind.TO_CLIENT

    def __init__(self, proxy: Forwarder, client: ClientLeg) -> None:
        super().__init__(proxy)
        self.client = client
        self.number = client.number

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The target has answered: join both sides."""
        super().connection_made(transport)
        self.mate, self.client.mate = self.client, self
        self.client.joined(self)

    def lost(self, error: Exception | None) -> None:
        """Remember who has reset it."""
        if error is not None and not self.client.reason:
            self.client.reason = "reset by the target"


def _linger_nothing(transport: asyncio.Transport) -> None:
    sock = transport.get_extra_info("socket")
    if sock is None:
        return
    duplicate = socket.socket(fileno=socket.dup(sock.fileno()))
    try:
        duplicate.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
    except OSError:
        return  # gone already: nothing left to reset
    finally:
        duplicate.close()
