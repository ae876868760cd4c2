"""A connection to a service: it must make progress, and makes way where there are too many.

uvicorn waits without end for the first request, and for a client that does not read. Every second a connection looks at
the kernel's count of bytes that its client has acknowledged. That count moves whenever a client takes anything,
through TLS and whatever buffers lie between; the length of a buffer may be equal twice while much has passed through it.
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
        """Not connected yet.

        Args:
            patience: how long it waits for its client.
            parts: what uvicorn makes it of.
        """
        super().__init__(**parts)
        self._patience = patience
        self._began = self._moved = 0.0
        self._taken = 0
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

    def timeout_keep_alive_handler(self) -> None:
        """Do nothing: uvicorn counts from when an answer was written, not from when it was read."""

    def _look_on(self) -> None:
        """End the connection if its client has made no progress for too long; else look again later."""
        now, (unread, taken) = self.loop.time(), _progress(self.transport)
        if taken != self._taken or not self.waits:
            self._moved, self._taken = now, taken
        elif now - self._moved >= (self._patience.stalled_s if unread else self._patience.request_s):
            self.transport.abort()
            return
        self._look = self.loop.call_later(self._patience.look_s, self._look_on)


def _progress(transport: asyncio.Transport) -> tuple[bool, int]:
    """Whether the client has not read everything that was sent, and how many bytes its kernel has acknowledged."""
    connected: socket.socket = transport.get_extra_info("socket")
    info = connected.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO.size)
    unacknowledged, taken, unsent = _TCP_INFO.unpack(info)
    return bool(unacknowledged or unsent), taken
