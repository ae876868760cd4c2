"""A connection to a service: it must ask in time, and makes way where there are too many."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from froude.rest.bounded import IDLE_S, MOST_AT_ONCE


class Connection(H11Protocol):
    """Of uvicorn, which waits without end for the first request, and counts who is silent among those it serves."""

    _began = 0.0
    _late: asyncio.TimerHandle | None = None

    @property
    def waits(self) -> bool:
        """Whether no whole request has come since the last answer."""
        return self.conn.their_state in {h11.IDLE, h11.SEND_BODY}

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take it in; where there are too many, the one that waits longest goes."""
        super().connection_made(transport)
        self._began = self.loop.time()
        self._watch()
        if len(self.connections) >= MOST_AT_ONCE:
            waiting = [each for each in self.connections if isinstance(each, Connection) and each.waits]
            longest = min(waiting, key=lambda each: each._began)
            self.connections.discard(longest)
            longest.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Let it go."""
        self._unwatch()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """From now on the next request is waited for."""
        super().on_response_complete()
        self._unwatch()
        self._watch()

    def _watch(self) -> None:
        self._late = self.loop.call_later(IDLE_S, self._give_up)

    def _unwatch(self) -> None:
        if self._late is not None:
            self._late.cancel()

    def _give_up(self) -> None:
        if self.waits:
            self.transport.abort()
