"""Calls from outside to emulated nodes: bytes in, events out, answers back."""

from __future__ import annotations

import pytest

from froude.emulation.inbound import Accepted, Inbound
from froude.emulation.programs.events import Answer, Called, NodeId, Ticket
from froude.hadoop.rpc.client import ClientConnection
from froude.hadoop.rpc.events import Authenticated, ErrorResponse, Response
from froude.hadoop.rpc.states import State

NODE, PROTOCOL = NodeId("nm", 3), "org.apache.hadoop.yarn.api.ContainerManagementProtocolPB"


class Talk:
    """A client, and the player's side of its connection."""

    def __init__(self) -> None:
        self.calls: list[tuple[NodeId, Called, float]] = []
        self.inbound = Inbound(lambda *call: self.calls.append(call))
        self.accepted: Accepted = self.inbound.accept(NODE)
        self.client = ClientConnection(PROTOCOL, client_id=bytes(16), user="appattempt_1", sasl=True)
        self.seen: list[object] = []

    def say(self, data: bytes) -> None:
        """Bytes of the client, and what comes back, until both are silent."""
        while data:
            self.inbound.received(self.accepted, data, 5.0)
            self.seen += self.client.receive(self.take())
            data = self.client.data_to_send()

    def take(self) -> bytes:
        """What the player sends."""
        self.inbound.dirty.clear()
        data = b"".join(self.accepted.out)
        self.accepted.out.clear()
        return data


@pytest.fixture
def talk() -> Talk:
    """A connection that is open: a client with tokens, which prove nothing here."""
    talk = Talk()
    talk.say(talk.client.open())
    assert talk.seen == [Authenticated("SIMPLE", "")] or talk.client.state is State.READY
    return talk


def test_a_call_comes_to_its_node_and_is_answered(talk: Talk) -> None:
    """With the time, and a ticket that brings the answer back."""
    talk.say(talk.client.request(7, "startContainers", b"body"))
    ticket = Ticket(0, 7)
    assert talk.calls == [(NODE, Called(ticket, PROTOCOL, "startContainers", b"body"), 5.0)]
    talk.inbound.answer(Answer(ticket, b"answer"))
    assert talk.inbound.dirty == [talk.accepted]
    assert talk.client.receive(talk.take()) == [Response(7, b"answer")]


def test_a_refusal_has_its_class(talk: Talk) -> None:
    """And its text."""
    talk.say(talk.client.request(7, "stopContainers", b""))
    talk.inbound.answer(Answer(Ticket(0, 7), b"no", "java.io.IOException"))
    (event,) = talk.client.receive(talk.take())
    assert isinstance(event, ErrorResponse)
    assert (event.error_class, event.message) == ("java.io.IOException", "no")


def test_answers_to_who_is_gone_are_dropped(talk: Talk) -> None:
    """And to who broke the rules."""
    talk.say(talk.client.request(7, "startContainers", b""))
    talk.inbound.ended(talk.accepted)
    talk.inbound.answer(Answer(Ticket(0, 7), b""))
    assert talk.take() == b""
    other = talk.inbound.accept(NODE)
    talk.inbound.received(other, b"GET / HTTP/1.1\r\n", 1.0)
    assert b"404" in b"".join(other.out)
    talk.inbound.answer(Answer(Ticket(other.number, 1), b""))


def test_connections_are_told_apart(talk: Talk) -> None:
    """Each call's ticket names its own."""
    second = talk.inbound.accept(NodeId("nm", 4))
    client = ClientConnection(PROTOCOL, client_id=bytes(16), user="u")
    talk.inbound.received(second, client.open() + client.request(7, "startContainers", b""), 1.0)
    assert [(node.number, call.ticket) for node, call, _ in talk.calls] == [(4, Ticket(1, 7))]
