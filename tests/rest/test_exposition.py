"""Figures that every client that reaches an address may read."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest
import requests
from prometheus_client import CollectorRegistry, Gauge

from froude.rest.exposition import MOST_READERS, exposed, names_this
from froude.rest.serving import listener
from testbed.polling import until

_NAMES = {"localhost", "nn1.example.com"}


@pytest.mark.parametrize(
    ("header", "allowed"),
    [
        (None, True),
        ("127.0.0.1:9100", True),
        ("10.0.0.1", True),
        ("[::1]:9100", True),
        ("localhost:9100", True),
        ("LocalHost", True),
        ("NN1.example.com.:80", True),
        ("elsewhere.example.com:9100", False),
        ("localhost.example.com", False),
        ("127.0.0.1.example.com", False),
        ("", False),
        ("[", False),
    ],
)
def test_a_request_names_this_machine(header: str | None, allowed: bool) -> None:
    """By an address, or by one of its names; a page of another site has neither."""
    assert names_this(header, _NAMES) is allowed


@pytest.fixture
def registry() -> CollectorRegistry:
    """One figure."""
    registry = CollectorRegistry()
    Gauge("a_figure", "For tests", registry=registry).set(7)
    return registry


def test_another_name_is_refused(registry: CollectorRegistry) -> None:
    """With what is allowed, and without a figure."""
    bound = listener("127.0.0.1:0")
    with exposed(registry, bound):
        url = f"{bound.url}/metrics"
        assert "a_figure 7.0" in requests.get(url, timeout=30).text
        refused = requests.get(url, timeout=30, headers={"Host": "elsewhere.example.com"})
    assert refused.status_code == 421
    assert "Host may be an IP address, 127.0.0.1" in refused.text
    assert "a_figure" not in refused.text


def _until_closed(peer: socket.socket) -> Iterator[bytes]:
    with suppress(ConnectionResetError):
        while data := peer.recv(4096):
            yield data


def test_a_client_that_stops_asking_loses_its_connection(
    registry: CollectorRegistry, capfd: pytest.CaptureFixture[str]
) -> None:
    """Wherever it stops; nothing is printed."""
    bound = listener("127.0.0.1:0")
    with exposed(registry, bound, stalled_s=0.1):
        for sent in (b"", b"GET /met", b"GET /metrics HTTP/1.1\r\nHost: loc"):
            with socket.create_connection(bound.socket.getsockname(), 30) as peer:
                peer.sendall(sent)
                assert not list(_until_closed(peer))
    assert not capfd.readouterr().err


def test_a_client_that_stops_reading_loses_its_connection(
    registry: CollectorRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer that fits no buffer does not keep a thread."""
    Gauge("long", "x" * (32 << 20), registry=registry)
    threads = threading.active_count()
    bound = listener("127.0.0.1:0")
    with exposed(registry, bound, stalled_s=0.1):
        peer = socket.create_connection(bound.socket.getsockname(), 30)
        with peer:
            peer.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert peer.recv(1)
            _joined(threads + 1)  # that of the server itself


def _joined(most: int) -> None:
    while threading.active_count() > most:
        for each in threading.enumerate():
            if "process_request_thread" in each.name:
                each.join(30)
                assert not each.is_alive()


def _readers() -> int:
    """Threads that serve connections."""
    return sum("process_request_thread" in each.name for each in threading.enumerate())


def test_the_oldest_connection_makes_way(registry: CollectorRegistry) -> None:
    """However many are silent, a client that asks is served, and there are not more threads than connections."""
    bound = listener("127.0.0.1:0")
    with exposed(registry, bound), ExitStack() as opened:
        silent = [
            opened.enter_context(socket.create_connection(bound.socket.getsockname(), 30))
            for _ in range(3 * MOST_READERS)
        ]
        assert "a_figure 7.0" in requests.get(f"{bound.url}/metrics", timeout=30).text
        for each in silent[: 2 * MOST_READERS]:
            assert not list(_until_closed(each))
        until(lambda: _readers() <= MOST_READERS, "more threads than connections")  # they end a little later
