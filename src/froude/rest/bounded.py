"""Bounds on what a client of HTTP may take: bytes of a request, connections, and time without progress."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BYTES = 64 << 10
"""Of a request's body."""
MOST_AT_ONCE = 64
"""Connections and requests that a server holds at a time; uvicorn's `limit_concurrency`."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a server waits for its clients, in seconds."""

    request_s: float = 5.0
    """For a whole request once the last answer was read, for a handshake of TLS, and at the end for the last answers."""
    stalled_s: float = 10.0
    """For a client to take the next byte of its answer; a connection ends at most a tenth of that later."""


class BoundedBody:
    """Middleware of an ASGI application that refuses a body which is too long, before it is kept."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand before an application."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; see ASGI.

        Raises:
            HTTPException: 413, from within `receive`, which Starlette turns into an answer.
        """
        taken = 0

        async def bounded() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > LARGEST_BYTES:
                raise HTTPException(413, f"a request has at most {LARGEST_BYTES} bytes")
            return message

        await self._app(scope, bounded, send)
