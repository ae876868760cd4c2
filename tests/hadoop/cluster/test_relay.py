"""Relays: bytes pass, and the target sees the address that was dialled."""

from __future__ import annotations

import contextlib
import socket

import pytest

from froude.hadoop.cluster.relay import Relay


def _listen(address: str) -> socket.socket:
    server = socket.create_server((address, 0))
    server.settimeout(5)
    return server


def test_onward_connections_leave_from_the_address_that_was_dialled() -> None:
    """Bytes arrive unchanged in both directions, and the end is passed on."""
    with _listen("127.8.8.1") as target:
        port = target.getsockname()[1]
        with Relay(dict.fromkeys((("127.8.8.10", port), ("127.8.8.11", port)), ("127.8.8.1", port))):
            for host in ("127.8.8.10", "127.8.8.11"):
                with socket.create_connection((host, port), 5) as client:
                    served, peer = target.accept()
                    with served:
                        assert peer[0] == host
                        client.sendall(b"hrpc\x09" * 50_000)
                        client.shutdown(socket.SHUT_WR)
                        with served.makefile("rb") as data:
                            assert data.read() == b"hrpc\x09" * 50_000
                        served.sendall(b"answer")
                        served.shutdown(socket.SHUT_WR)
                        assert client.recv(100) == b"answer"
                        assert client.recv(100) == b""


def test_a_target_that_refuses_resets_the_client() -> None:
    """Nothing hangs."""
    with _listen("127.8.8.1") as taken:
        port = taken.getsockname()[1]
    with (
        Relay({("127.8.8.10", port): ("127.8.8.1", port)}),
        socket.create_connection(("127.8.8.10", port), 5) as client,
    ):
        client.settimeout(5)
        with contextlib.suppress(ConnectionResetError):
            assert client.recv(1) == b""


def test_a_taken_address_is_an_error_at_once() -> None:
    """In the thread that asked."""
    with _listen("127.8.8.10") as taken, pytest.raises(OSError, match="in use"):
        Relay({("127.8.8.10", taken.getsockname()[1]): ("127.8.8.1", 1)}).__enter__()


def test_the_end_with_open_connections_is_silent(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """Asyncio would tell of each as of an error."""
    with _listen("127.8.8.1") as target:
        port = target.getsockname()[1]
        with (
            Relay({("127.8.8.10", port): ("127.8.8.1", port)}),
            socket.create_connection(("127.8.8.10", port), 5) as client,
        ):
            served, _ = target.accept()
            client.sendall(b"x")
            with served:
                assert served.recv(1) == b"x"
    assert not caplog.records
    assert capfd.readouterr().err == ""
