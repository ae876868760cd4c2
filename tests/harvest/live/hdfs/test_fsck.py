"""Locations from a NameNode's web server; a real one is in `tests/integration/test_placement.py`."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from froude.base.errors import TargetError
from froude.harvest.live.hdfs.fsck import fsck_lines


@contextmanager
def web(status: int, body: bytes) -> Iterator[tuple[int, list[str]]]:
    """A server that answers everything so, and what was asked."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_address[1], asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_line_by_line() -> None:
    """All that is needed is asked for, in the name of whoever asks."""
    with (
        web(200, b"one\ntwo \xff\n") as (port, asked),
        fsck_lines("127.0.0.1", port, path="/a b", user="u") as lines,
    ):
        assert list(lines) == ["one\n", "two \ufffd\n"]
    assert asked == ["/fsck?ugi=u&path=%2Fa+b&files=1&blocks=1&locations=1&replicadetails=1"]


def test_who_refuses_or_is_not_there() -> None:
    """Is named."""
    with (
        web(403, b"no") as (port, _),
        pytest.raises(TargetError, match=f"{port}: refuses fsck .403"),
        fsck_lines("127.0.0.1", port),
    ):
        pass
    with pytest.raises(TargetError, match=f"{port}: does not answer"), fsck_lines("127.0.0.1", port):
        pass
