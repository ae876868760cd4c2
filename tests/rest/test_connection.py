"""Who connects and does not ask."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress

import pytest
import requests

from froude.rest import connection
from froude.rest.application import application
from froude.rest.bounded import MOST_AT_ONCE
from froude.rest.serving import listener, served

_ASK = b"GET /health HTTP/1.1\r\nHost: h\r\n\r\n"


@pytest.fixture
def address() -> Iterator[tuple[str, int]]:
    """Of a service."""
    bound = listener("127.0.0.1:0")
    host, port = bound.socket.getsockname()
    with served(application("test", "0123456789abcdef"), bound):
        yield host, port


@pytest.mark.parametrize(
    "sent",
    [b"", _ASK[:9], b"PUT /health HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhalf", _ASK + _ASK[:9]],
)
def test_whoever_asks_too_late_is_left(
    address: tuple[str, int], sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether nothing comes, or half a head, or half a body, or half of a second request."""
    monkeypatch.setattr(connection, "IDLE_S", 0.2)
    with socket.create_connection(address, 30) as peer:
        peer.sendall(sent)
        with suppress(ConnectionResetError):
            while peer.recv(4096):
                pass


def test_those_who_are_silent_make_way(address: tuple[str, int]) -> None:
    """However many there are, who asks is served: the first ones are cut off."""
    silent = [socket.create_connection(address, 30) for _ in range(2 * MOST_AT_ONCE)]
    try:
        for _ in range(3):
            answer = requests.get("http://{}:{}/health".format(*address), timeout=30)
            assert answer.json() == {"status": "ok"}
        silent[0].settimeout(30)
        with suppress(ConnectionResetError):
            assert not silent[0].recv(1)
    finally:
        for each in silent:
            each.close()


def test_one_connection_serves_many_requests(address: tuple[str, int]) -> None:
    """Each has its own time."""
    with requests.Session() as session:
        for _ in range(5):
            assert session.get("http://{}:{}/health".format(*address), timeout=30).status_code == 200
