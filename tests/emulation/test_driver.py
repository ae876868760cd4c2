"""The driver against targets that do wrong: each is one clear error, and what was played is kept."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from froude.base.limits import raise_descriptor_limit
from froude.emulation.controller import Controller, Group
from froude.emulation.core import Core
from froude.emulation.driver import Driver
from froude.emulation.programs.events import Endpoint, NodeId, Program
from froude.emulation.programs.stream import Ready, Stream
from froude.hadoop.rpc.client import ClientConnection
from froude.hadoop.rpc.events import Request
from froude.hadoop.rpc.server import ServerConnection
from froude.hadoop.rpc.target import Target
from froude.workload.types import StartRule

CALLS = 200


class _Streams:
    """One stream of calls a node."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.target = Target("echo", f"{address[0]}:{address[1]}")

    def program(self, node: NodeId) -> Program:
        return Stream(iter([Ready("p", "echo", bytes([n % 256])) for n in range(CALLS)]), window=8)

    def endpoint(self, node: NodeId, protocol: str, service: str) -> Endpoint:
        return Endpoint(protocol, "tester", None, node.number, self.target)

    def client_id(self, node: NodeId) -> bytes | None:
        return None

    def caller_context(self, node: NodeId) -> str | None:
        return None


def core(address: tuple[str, int], nodes: int = 1, call_timeout_s: float = 60.0) -> Core:
    """A core that plays streams."""
    return Core(
        _Streams(address),
        Controller([Group("stream", nodes, StartRule())]),
        connect=lambda e, i: ClientConnection(e.protocol, client_id=i or bytes(16), user=e.user),
        call_timeout_s=call_timeout_s,
    )


@contextmanager
def target(serve: Callable[[socket.socket], None]) -> Iterator[tuple[str, int]]:
    """A server that treats every connection in its own way."""
    listener = socket.create_server(("127.0.0.1", 0))
    threads: list[threading.Thread] = []

    def accept() -> None:
        while True:
            try:
                sock, _ = listener.accept()
            except OSError:
                return
            threads.append(threading.Thread(target=_quietly, args=(serve, sock), daemon=True))
            threads[-1].start()

    accepting = threading.Thread(target=accept, daemon=True)
    accepting.start()
    try:
        yield listener.getsockname()[:2]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        accepting.join(5)
        for thread in threads:
            thread.join(5)


def _quietly(serve: Callable[[socket.socket], None], sock: socket.socket) -> None:
    with sock:
        try:
            serve(sock)
        except OSError:
            return


def echo(sock: socket.socket, limit: int = 10**9) -> None:
    """Answer calls with their own bodies, up to a number of them."""
    server, served = ServerConnection(), 0
    while data := sock.recv(65536):
        out = []
        for event in server.receive(data):
            if isinstance(event, Request) and served < limit:
                out.append(server.respond(event.call_id, event.body))
                served += 1
        sock.sendall(b"".join(out))
        if served >= limit:
            return


def hold(sock: socket.socket) -> None:
    """Take everything, answer nothing."""
    while sock.recv(65536):
        pass


def test_every_call_is_sent_answered_and_measured() -> None:
    """Several connections at once; each call has one latency."""
    with target(echo) as address:
        played = core(address, nodes=5)
        Driver(played).run()
    assert played.failure is None
    assert played.tally.counts == {"echo": (5 * CALLS, 5 * CALLS)}
    assert played.tally.series["echo"].from_intended.total == 5 * CALLS


def test_a_target_that_refuses() -> None:
    """Nobody listens there."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = taken.getsockname()
    played = core(address)
    Driver(played).run()
    assert str(played.failure) == f"{address[0]}:{address[1]}: refuses connections"


def test_a_target_that_hangs() -> None:
    """Calls are taken and never answered."""
    with target(hold) as address:
        played = core(address, call_timeout_s=0.3)
        Driver(played).run()
    assert "does not answer" in str(played.failure)
    assert played.tally.series["echo"].errors["Unanswered"] == 8


def test_a_target_that_closes_connections_is_called_again() -> None:
    """Every fifty answers the connection ends; the calls in flight are sent again, and each is answered once."""
    with target(lambda sock: echo(sock, limit=50)) as address:
        played = core(address)
        Driver(played).run()
    series = played.tally.series["echo"]
    assert played.failure is None
    assert (series.sent, series.answered) == (CALLS, CALLS)
    assert series.resent > 0
    assert sum(times for note, times in played.tally.notes.items() if note.startswith("connection lost")) >= 3


@pytest.mark.parametrize(
    "said", [b"HTTP/1.1 404 Not Found\r\n\r\n", b"\x00\x00\x00\x04\xff\xff\xff\xff", b"\x7f" * 64]
)
def test_a_target_that_answers_garbage(said: bytes) -> None:
    """Bytes that are no Hadoop RPC are named as such."""

    def garble(sock: socket.socket) -> None:
        sock.recv(65536)
        sock.sendall(said)
        hold(sock)

    with target(garble) as address:
        played = core(address, call_timeout_s=2)
        Driver(played).run()
    assert played.failure is not None
    assert f"{address[0]}:{address[1]}" in str(played.failure)


def test_a_watch_can_end_a_play() -> None:
    """Returning False ends it at once, without an error, and what is in flight is reported."""
    with target(hold) as address:
        played = core(address)
        Driver(played).run(watch=lambda _core, time_s: time_s < 0.2)
    assert played.failure is None
    assert played.tally.series["echo"].errors["Unanswered"] == 8


def test_a_duration_ends_a_play() -> None:
    """The time is over."""
    with target(hold) as address:
        played = core(address)
        Driver(played).run(duration_s=0.1)
    assert played.failure is None


def test_descriptor_limit_is_the_hard_one() -> None:
    """As many connections as the system allows."""
    import resource

    assert raise_descriptor_limit() == resource.getrlimit(resource.RLIMIT_NOFILE)[1]
