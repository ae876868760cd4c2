"""A bound on what a request of HTTP may bring: else a server keeps any body before it asks who sends it."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BYTES = 64 << 10
"""Of a request's body."""
MOST_AT_ONCE = 64
"""Connections and requests that a server holds at a time; uvicorn's `limit_concurrency`."""
IDLE_S = 5
"""For which a connection is kept that asks nothing, and for which a server waits for the last ones at its end."""


class BoundedBody:
    """Middleware of an ASGI application that refuses a body which is too long, before it is kept."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand before an application.

        Args:
            app: that is served.
        """
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
