"""One port for all nodes, on real sockets of loopback."""

from __future__ import annotations

import select
import socket
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from froude.emulation import listener
from froude.emulation.inbound import Inbound
from froude.emulation.listener import Listener
from froude.emulation.programs.events import Answer, Called, NodeId
from froude.hadoop.rpc.client import ClientConnection
from froude.hadoop.rpc.events import Response

NODES = {"127.16.0.1": NodeId("nm", 0), "127.16.0.2": NodeId("nm", 1)}


class Served:
    """A listener with its epoll; every call is answered with the number of its node, and the size of its body."""

    def __init__(self) -> None:
        self.listener = Listener()
        self.inbound = Inbound(self._called)
        self.epoll = select.epoll()
        self.listener.serve(self.inbound, NODES.get)
        self.listener.begin(self.epoll)

    def _called(self, node: NodeId, call: Called, now_s: float) -> None:
        self.inbound.answer(Answer(call.ticket, bytes([node.number]) * max(1, len(call.body))))

    def turn(self) -> None:
        """Take what is there, and send what is to be sent."""
        for descriptor, mask in self.epoll.poll(0.01):
            assert self.listener.takes(descriptor)
            self.listener.handle(descriptor, mask, 0.0)
        self.listener.flush()

    def until(self, done: Callable[[], bool]) -> None:
        """Until something is so."""
        for _ in range(1000):
            if done():
                return
            self.turn()
        raise AssertionError("it never came")


@pytest.fixture
def served() -> Iterator[Served]:
    """It is closed afterwards."""
    served = Served()
    yield served
    served.listener.close()
    served.epoll.close()


def ask(served: Served, host: str, body: bytes = b"") -> bytes:
    """One call, and its answer."""
    with closing(socket.create_connection((host, served.listener.port))) as sock:
        sock.setblocking(False)
        client = ClientConnection("protocol", client_id=bytes(16), user="u")
        data, answers = bytearray(client.open() + client.request(1, "method", body)), list[Response]()

        def answered() -> bool:
            try:
                if data:
                    del data[: sock.send(data)]
                answers.extend(
                    each for each in client.receive(sock.recv(1 << 16)) if isinstance(each, Response)
                )
            except BlockingIOError:
                pass
            return bool(answers)

        served.until(answered)
        return answers[0].body


def test_the_address_says_which_node_is_meant(served: Served) -> None:
    """One port, on all of them."""
    assert [ask(served, host) for host in NODES] == [b"\0", b"\1"]


def test_an_answer_may_be_larger_than_a_socket_takes_at_once(served: Served) -> None:
    """The rest follows."""
    body = b"x" * (4 << 20)
    assert ask(served, "127.16.0.2", body) == b"\1" * len(body)


def test_addresses_of_nobody_are_hung_up_on(served: Served) -> None:
    """At once, and without a word."""
    with closing(socket.create_connection(("127.0.0.1", served.listener.port))) as sock:
        sock.settimeout(10)
        served.turn()
        assert sock.recv(1) == b""


def test_a_caller_that_goes_is_forgotten(served: Served) -> None:
    """Also in the middle of a call; others are served."""
    sock = socket.create_connection(("127.16.0.1", served.listener.port))
    served.until(lambda: len(served.listener._links) == 1)
    sock.send(b"hrpc")
    sock.close()
    served.until(lambda: not served.listener._links)
    assert ask(served, "127.16.0.1") == b"\0"


def test_every_play_has_the_same_port(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ResourceManager takes its nodes for those of the play before; plays at one time have ports of their own."""
    with closing(Listener()) as free:
        port = free.port
    monkeypatch.setattr(listener, "PORT", port)
    for _ in range(2):
        served = Served()
        assert served.listener.port == port
        with closing(Listener()) as other:
            assert other.port == port + 64, "also while the usual one is taken"
        assert ask(served, "127.16.0.1") == b"\0"
        served.listener.close()
        served.epoll.close()
