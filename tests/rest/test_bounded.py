"""A request's body is bounded."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.exceptions import HTTPException

from froude.rest.bounded import LARGEST_BYTES, BoundedBody


@pytest.mark.parametrize(("pieces", "kept"), [(1, 1), (2, 2), (3, 2), (100, 2)])
def test_no_more_is_read_than_may_be(pieces: int, kept: int) -> None:
    """Piece by piece; the first one that is too much ends it, and what came before has been passed on."""
    read: list[bytes] = []
    body = iter([{"type": "http.request", "body": b"x" * (LARGEST_BYTES // 2), "more_body": True}] * pieces)

    async def receive() -> Any:
        return next(body)

    async def send(_: Any) -> None:
        """Nothing is answered here."""

    async def app(_scope: Any, receive: Any, _send: Any) -> None:
        while len(read) < pieces:
            message = await receive()
            read.append(message["body"])

    serving = BoundedBody(app)({"type": "http"}, receive, send)
    if pieces == kept:
        asyncio.run(serving)
    else:
        with pytest.raises(HTTPException) as caught:
            asyncio.run(serving)
        assert caught.value.status_code == 413
    assert len(read) == kept
