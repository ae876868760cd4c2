"""Fixtures of the capture tests."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from tests.support.trace.capture.tokens import serve


@pytest.fixture
def target() -> Iterator[tuple[str, int]]:
    """A server that gives tokens."""
    with socket.create_server(("127.0.0.1", 0)) as sock:
        threading.Thread(target=serve, args=(sock,), daemon=True).start()
        yield sock.getsockname()
