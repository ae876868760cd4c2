"""Speaking to agents that answer, refuse, drip or talk nonsense."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Iterator

import pytest

from froude.base.errors import TargetError
from froude.cache.agents.client import AgentClient
from froude.cache.monitor.limits import Limits
from tests.support.cache.agents.hypervisor import hypervisor

NOT_ALLOWED = "sends what it may not"


_SECRET = "0123456789abcdef"


class Peer:
    """Answers each connection with the same bytes, piece by piece; and keeps what it was asked."""

    def __init__(
        self, status: str, body: bytes, *, pieces: int = 1, more: str = "", missing: int = 0
    ) -> None:
        """Serve from now on.

        Args:
            status: number and word.
            body: of each answer.
            pieces: in which it is sent.
            more: further lines of the head, with their ends.
            missing: bytes that the head promises and that never come.
        """
        self.asked: list[bytes] = []
        length = len(body) + missing
        self._head = (
            f"HTTP/1.1 {status}\r\nContent-Length: {length}\r\n{more}Connection: close\r\n\r\n".encode()
        )
        self._body, self._pieces = body, pieces
        self._ended = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                self.asked.append(_request(connection))
                try:
                    connection.sendall(self._head)
                    step = -(-len(self._body) // self._pieces)
                    for at in range(0, len(self._body), step):
                        connection.sendall(self._body[at : at + step])
                        self._ended.wait(0.0 if self._pieces == 1 else 0.15)
                except OSError:
                    continue

    def close(self) -> None:
        """End it."""
        self._ended.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


def _request(connection: socket.socket) -> bytes:
    """Head and body."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    length = re.search(rb"Content-Length: (\d+)", data)
    while length is not None and len(data.partition(b"\r\n\r\n")[2]) < int(length[1]):
        data += connection.recv(65536)
    return data


@pytest.fixture
def peers() -> Iterator[list[Peer]]:
    """Those that a test has started."""
    started: list[Peer] = []
    yield started
    for each in started:
        each.close()


def _client(peer: Peer, peers: list[Peer], timeout_s: float = 10.0) -> AgentClient:
    peers.append(peer)
    return AgentClient(peer.url, _SECRET, timeout_s)


def test_a_report(peers: list[Peer]) -> None:
    """It is asked for with the secret."""
    peer = Peer("200 OK", hypervisor().report().model_dump_json().encode())
    assert _client(peer, peers).hypervisor().name == "h1"
    assert f"Authorization: Bearer {_SECRET}".encode() in peer.asked[0]


def test_a_change(peers: list[Peer]) -> None:
    """All limits are sent, also those that are lifted; a name may hold anything."""
    peer = Peer("200 OK", hypervisor().report().vms[0].model_dump_json().encode())
    _client(peer, peers).apply("vm/1", 5, Limits(7))
    head, _, body = peer.asked[0].partition(b"\r\n\r\n")
    assert head.startswith(b"PUT /v1/vms/vm%2F1/limits ")
    limits = {"cache_bytes": 7, "iops": None, "bytes_per_s": None}
    assert json.loads(body) == {"number": 5, "instance": None, "limits": limits}


def test_a_change_names_whom_it_is_for(peers: list[Peer]) -> None:
    """The agent as it last reported."""
    report = hypervisor().report()
    peer = Peer("200 OK", report.model_dump_json().encode())
    client = _client(peer, peers)
    client.hypervisor()
    with pytest.raises(TargetError, match=NOT_ALLOWED):
        client.apply("vm1", 5, Limits(7))
    assert json.loads(peer.asked[1].partition(b"\r\n\r\n")[2])["instance"] == report.instance


@pytest.mark.parametrize(
    ("status", "body", "why"),
    [
        ("409 Conflict", b'{"message": "is late", "found": "7"}', "refuses with 409: is late; found 7"),
        ("500 Error", b'["x"]', "500: no reason"),
        ("200 OK", b"<html>", "answers no JSON"),
        ("200 OK", b"[" * 100_000, "found status 200"),
        ("200 OK", b'{"name": "h1"}', NOT_ALLOWED),
        ("302 Found", b"{}", "302"),
    ],
)
def test_what_is_no_report(peers: list[Peer], status: str, body: bytes, why: str) -> None:
    """One error, with the agent's address."""
    peer = Peer(status, body)
    with pytest.raises(TargetError, match=why) as caught:
        _client(peer, peers).hypervisor()
    assert caught.value.file == peer.url


def test_an_agent_that_drips(peers: list[Peer]) -> None:
    """Each piece comes in time and all of them do not: the loop is not held up."""
    peer = Peer("200 OK", b" " * 1000, pieces=1000)
    with pytest.raises(TargetError, match=r" 0\.3 s"):
        _client(peer, peers, 0.3).vm()


@pytest.mark.parametrize(
    ("more", "missing"), [("", 10), ("Content-Encoding: gzip\r\n", 0)], ids=["cut off", "not packed"]
)
def test_an_agent_that_dies_in_mid_answer(peers: list[Peer], more: str, missing: int) -> None:
    """Or sends other bytes than it says: one error, as of one that is not there."""
    peer = Peer("200 OK", b'{"name": "h1"', more=more, missing=missing)
    with pytest.raises(TargetError, match=r"127\.0\.0\.1:\d+: "):
        _client(peer, peers).hypervisor()


def test_an_agent_that_stalls(peers: list[Peer]) -> None:
    """Its head came, and nothing after it; on a busy machine perhaps not even that in time."""
    peer = Peer("200 OK", b" " * 1000, pieces=2)
    peer._ended.wait = lambda _=None: threading.Event().wait(2.0)  # type: ignore[method-assign, assignment]
    with pytest.raises(TargetError, match=r" 0\.8 s|timed out"):
        _client(peer, peers, 0.8).vm()


def test_nobody_there() -> None:
    """The innermost reason is told."""
    with pytest.raises(TargetError, match="Connection refused"):
        AgentClient("http://127.0.0.1:1", _SECRET).vm()
