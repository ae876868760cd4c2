"""Calls of a server that speaks JSON."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from froude.base.errors import TargetError
from froude.rest.calls import Bounds, JsonCalls, RefusedError
from tests.support.harvest.live.managers import serving

NO_ANSWER = "does not answer"


def test_what_is_asked_and_said() -> None:
    """Every call carries what all of them ask; an answer to a change may be no JSON."""
    with serving({"a": {"b": 1}, "c": "done"}) as (port, sent):
        calls = JsonCalls(f"127.0.0.1:{port}", "ws/v1/cluster/", query=[("who", "me")])
        assert calls.send("GET", "a", query=[("x", "1 2")]) == {"b": 1}
        assert calls.send("POST", "c", {"d": 2}) is None
        assert sent == [("POST", "c?who=me", {"d": 2})]
        with pytest.raises(TargetError, match=NO_ANSWER):
            calls.send("GET", "c")
        with pytest.raises(TargetError, match="refuses z; found not here"):
            calls.send("GET", "z")


def test_a_server_that_speaks_tls_alone(tls_alert: int) -> None:
    """One error, not a traceback."""
    with pytest.raises(TargetError, match=NO_ANSWER):
        JsonCalls(f"127.0.0.1:{tls_alert}", "").send("GET", "a")


def test_an_answer_that_is_too_large() -> None:
    """No more than the bound is kept of it."""
    with serving({"a": "x" * 1000}) as (port, _):
        calls = JsonCalls(f"127.0.0.1:{port}", "ws/v1/cluster/", bounds=Bounds(largest_bytes=999))
        with pytest.raises(TargetError, match="answers too much; allowed: at most 999 B"):
            calls.send("GET", "a")


@pytest.mark.parametrize(
    "said", [b"HTTP/1.1 200 OK\r\nX-a: ", b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n"]
)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_an_answer_that_drips(said: bytes, scheme: str) -> None:
    """Its head, its body or a handshake: a byte at a time is no answer, however long it goes on."""
    gone = threading.Event()

    def drip() -> None:
        connection, _ = listener.accept()
        with connection, suppress(OSError):
            if scheme == "http":
                connection.sendall(said)
            else:
                connection.sendall(b"\x16\x03\x03\x40\x00")  # the head of a long record of a handshake
            while not gone.wait(0.02):
                connection.sendall(b"x")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=drip)
        thread.start()
        port = listener.getsockname()[1]
        calls = JsonCalls(f"{scheme}://127.0.0.1:{port}", "", bounds=Bounds(timeout_s=30, whole_s=0.5))
        with pytest.raises(TargetError, match=r" 0\.5 s"):
            calls.send("GET", "a")
        gone.set()
        thread.join()


def test_a_change_that_is_sent_elsewhere_is_refused() -> None:
    """It was not made; a question is asked there."""

    class Elsewhere(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            if self.path == "/there":
                self.send_response(200)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")
                return
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(302)
            self.send_header("Location", "/there")
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_POST = do_PUT = _answer  # noqa: N815 - as the library calls them

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with HTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        calls = JsonCalls(f"127.0.0.1:{server.server_port}", "")
        assert calls.send("GET", "a") == {}
        for method in ("POST", "PUT"):
            with pytest.raises(RefusedError, match="302"):
                calls.send(method, "a", {"b": 1})
        server.shutdown()
        thread.join()
