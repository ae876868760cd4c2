"""A connection to a service: it must make progress, and makes way where there are too many.

uvicorn waits without end for the first request, and for a client that does not read. A connection looks at the kernel's
count of bytes that its client has acknowledged, which moves whenever a client takes anything, through TLS and all
buffers in between; the length of a buffer may be equal twice while much has passed through it.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from froude.rest.bounded import MOST_AT_ONCE, Patience

_TCP_INFO = struct.Struct("24x I 92x Q 16x I")
"""`tcpi_unacked`, `tcpi_bytes_acked` and `tcpi_notsent_bytes` in the `tcp_info` of linux/tcp.h."""


class Connection(H11Protocol):
    """uvicorn's, which ends where its client makes no progress."""

    def __init__(self, *, patience: Patience, **parts: Any) -> None:
        """A connection of the parts that uvicorn gives it, not made yet."""
        super().__init__(**parts)
        self._patience, self._began, self._moved, self._taken = patience, 0.0, 0.0, 0
        self._look: asyncio.TimerHandle | None = None

    @property
    def waits(self) -> bool:
        """Whether the next step is the client's: to send a whole request, or to read an answer."""
        asks = self.conn.their_state in {h11.IDLE, h11.SEND_BODY}
        return asks or self.flow.write_paused or self.transport.is_closing()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take it in; where there are too many, the oldest that waits for its client goes."""
        super().connection_made(transport)
        self._began = self._moved = self.loop.time()
        self._look_on()
        if len(self.connections) >= MOST_AT_ONCE:
            waiting = [each for each in self.connections if isinstance(each, Connection) and each.waits]
            oldest = min(waiting, key=lambda each: each._began)
            self.connections.discard(oldest)
            oldest.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Let it go."""
        if self._look is not None:
            self._look.cancel()
        super().connection_lost(exc)

    def _look_on(self) -> None:
        """End the connection if its client has made no progress for too long; else look again later."""
        connected: socket.socket = self.transport.get_extra_info("socket")
        info = connected.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO.size)
        now, (unacknowledged, taken, unsent) = self.loop.time(), _TCP_INFO.unpack(info)
        unread = unacknowledged or unsent
        if taken != self._taken or not self.waits:
            self._moved, self._taken = now, taken
        elif now - self._moved >= (self._patience.stalled_s if unread else self._patience.request_s):
            self.transport.abort()
            return
        self._look = self.loop.call_later(self._patience.stalled_s / 10, self._look_on)
