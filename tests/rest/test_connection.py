"""Clients that connect and do not ask, or ask and do not read."""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
import requests
import uvicorn
from fastapi.responses import StreamingResponse
from uvicorn.server import ServerState

from froude.rest.application import application
from froude.rest.bounded import MOST_AT_ONCE, Patience
from froude.rest.connection import Connection
from froude.rest.serving import Tls, listener, served
from tests.support.rest.certificates import needs_openssl
from tests.support.rest.certificates import tls as tls

_ASK = b"GET /health HTTP/1.1\r\nHost: h\r\n\r\n"
_SOON = Patience(request_s=0.2, stalled_s=0.2)
_NEVER = Patience(request_s=1e6, stalled_s=1e6)


@contextmanager
def _service(patience: Patience, tls: Tls | None = None) -> Iterator[tuple[tuple[str, int], threading.Event]]:
    """The address of a service with an answer without end at `/endless`, and whether one of those was given up."""
    app, gone = application("test", "0123456789abcdef"), threading.Event()

    @app.get("/endless")
    async def endless() -> StreamingResponse:
        async def pieces() -> AsyncIterator[bytes]:
            try:
                while True:
                    yield bytes(1 << 16)
                    await asyncio.sleep(0)  # else nothing else runs once the client has gone
            finally:
                gone.set()

        return StreamingResponse(pieces())

    bound = listener("127.0.0.1:0", tls)
    with served(app, bound, patience):
        yield bound.socket.getsockname(), gone


@pytest.mark.parametrize(
    "sent",
    [b"", _ASK[:9], b"PUT /health HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhalf", _ASK + _ASK[:9]],
)
def test_a_request_that_is_late_ends_its_connection(sent: bytes) -> None:
    """Whether nothing comes, or half a head, or half a body, or half of a second request."""
    with _service(_SOON) as (address, _), socket.create_connection(address, 30) as peer:
        peer.sendall(sent)
        with suppress(ConnectionResetError):
            while peer.recv(4096):
                pass


def test_a_client_that_does_not_read_loses_its_connection() -> None:
    """The answer is given up."""
    with _service(_SOON) as (address, gone), socket.create_connection(address, 30) as peer:
        peer.sendall(_ASK.replace(b"health", b"endless"))
        assert gone.wait(30)


@needs_openssl
def test_a_client_of_tls_that_does_not_read_loses_its_connection(tls: Tls) -> None:
    """What waits in TLS itself does not count as progress."""
    context = ssl.create_default_context(cafile=tls.certificate)
    with (
        _service(_SOON, tls) as (address, gone),
        context.wrap_socket(socket.create_connection(address, 30), server_hostname=address[0]) as peer,
    ):
        peer.sendall(_ASK.replace(b"health", b"endless"))
        assert gone.wait(30)


@pytest.mark.parametrize("path", [b"", b"endless"])
def test_clients_that_wait_make_way(path: bytes) -> None:
    """However many connections are silent or do not read, clients that ask are served: the oldest ones are cut off."""
    with _service(_NEVER) as (address, gone):
        others = [socket.create_connection(address, 30) for _ in range(2 * MOST_AT_ONCE)]
        try:
            for each in others if path else ():
                with suppress(OSError):  # it had to make way already
                    each.sendall(_ASK.replace(b"health", path))
            status = 0
            while status != 200:  # until what could be sent without being read has been sent
                with suppress(requests.ConnectionError):
                    status = requests.get("http://{}:{}/health".format(*address), timeout=30).status_code
            assert not path or gone.wait(30)
        finally:
            for each in others:
                each.close()


def test_one_connection_serves_many_requests() -> None:
    """Each has its own time."""
    with _service(Patience()) as (address, _), requests.Session() as session:
        for _ in range(5):
            assert session.get("http://{}:{}/health".format(*address), timeout=30).status_code == 200


class _Loop(asyncio.AbstractEventLoop):
    """A loop whose time is set by the test; tasks are never run."""

    def __init__(self) -> None:
        self.now, self.due = 100.0, []  # type: ignore[var-annotated]

    def time(self) -> float:
        return self.now

    def call_later(self, delay: float, call: Callable[..., Any], *_: Any, **__: Any) -> Any:
        self.due.append((self.now + delay, call))
        return asyncio.Handle(call, (), self)

    def create_task(self, coroutine: Any, **_: Any) -> Any:
        coroutine.close()
        return asyncio.Future(loop=self)

    def get_debug(self) -> bool:
        return False

    def run_until(self, end: float) -> None:
        while self.due and min(self.due, key=lambda each: each[0])[0] <= end:
            due = min(self.due, key=lambda each: each[0])
            self.due.remove(due)
            self.now = due[0]
            due[1]()
        self.now = end


class _Transport(asyncio.Transport):
    """A connection whose client has taken so many bytes, and has not taken others."""

    def __init__(self) -> None:
        super().__init__()
        self.taken, self.unsent, self.aborted = 0, 0, False

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self if name == "socket" else default

    def getsockname(self) -> tuple[str, int]:
        return "127.0.0.1", 1

    getpeername = getsockname

    def getsockopt(self, *_: int) -> bytes:
        return struct.pack("24x I 92x Q 16x I", 0, self.taken, self.unsent)

    def is_closing(self) -> bool:
        return self.aborted

    def abort(self) -> None:
        self.aborted = True


@pytest.fixture
def connected() -> tuple[_Loop, _Transport, Connection]:
    """A connection that was made just now, with requests within 5 seconds and 10 seconds for answers."""
    loop, transport = _Loop(), _Transport()
    config = uvicorn.Config(application("test", "0123456789abcdef"), log_config=None)
    connection = Connection(
        patience=Patience(), config=config, server_state=ServerState(), app_state={}, _loop=loop
    )
    connection.connection_made(transport)
    return loop, transport, connection


def test_an_answer_is_given_up_after_ten_seconds_without_progress(
    connected: tuple[_Loop, _Transport, Connection],
) -> None:
    """A single byte that the client takes is progress, whatever is still to be sent."""
    loop, transport, connection = connected
    connection.data_received(_ASK)
    connection.pause_writing()
    transport.unsent = 1 << 20
    for second in range(9, 100, 9):
        transport.taken += 1
        loop.run_until(100.0 + second)
        assert not transport.aborted
    loop.run_until(loop.now + 11)
    assert transport.aborted


def test_the_next_request_is_due_once_the_answer_was_read(
    connected: tuple[_Loop, _Transport, Connection],
) -> None:
    """A long answer that was written at once and is read slowly, through TLS for instance, is not cut off."""
    loop, transport, _ = connected
    transport.unsent = 1 << 20
    for _ in range(5):
        transport.taken += 1 << 10
        loop.run_until(loop.now + 9)
    transport.unsent = 0
    assert not transport.aborted
    transport.taken += 1
    loop.run_until(loop.now + 5)
    assert not transport.aborted
    loop.run_until(loop.now + 2)
    assert transport.aborted


def test_the_server_may_take_its_time(connected: tuple[_Loop, _Transport, Connection]) -> None:
    """A client that waits for its answer is not the one that makes no progress."""
    loop, transport, connection = connected
    connection.data_received(_ASK)
    loop.run_until(1000.0)
    assert not transport.aborted
