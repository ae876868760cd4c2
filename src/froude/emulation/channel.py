"""Calls and connections of one player: what is in flight, on which connection, and how a played call is kept."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from froude.emulation.programs.events import Endpoint, NodeId, Send
from froude.emulation.run.tally import Series
from froude.hadoop.rpc.client import ClientConnection
from froude.hadoop.rpc.target import answers_for


class PlayedCall(NamedTuple):
    """One call as its player saw it."""

    node: NodeId
    channel: int
    call_id: int
    retry: int
    service: str
    protocol: str
    method: str
    intended_s: float
    sent_s: float
    """First sent."""
    answered_s: float | None
    """None when no answer came."""
    request: bytes | None
    """None where a journal could not keep it."""
    response: bytes | None
    error: str | None
    message: str | None


class Journal(Protocol):
    """Where calls are written down."""

    def wants(self, node: NodeId) -> bool:
        """Whether this node's calls are."""
        ...

    def call(self, played: PlayedCall) -> None:
        """Write one down."""
        ...


class Pending(NamedTuple):
    """A call in flight."""

    node: int
    series: Series
    intended_s: float
    """When it should have been sent."""
    sent_s: float
    """First sent."""
    send: Send
    retry: int = 0

    def took(self, now_s: float) -> None:
        """Count how long it took, or at least: it was answered, or given up, or the play ended before either."""
        series, expected_s = self.series, self.send.expected_s
        service_s = now_s - self.sent_s
        series.actual.append(service_s)
        series.intended.append(now_s - self.intended_s)
        if 0.0 < expected_s < service_s:
            series.held_up[int(service_s * 1e6), int(expected_s * 1e6)] += 1


class Proof(NamedTuple):
    """The only call on its way on a connection whose server has not shown yet who it is."""

    call_id: int
    sent_s: float
    """When, on the play's clock."""
    question: str = ""
    """The method of a call that asks who the server is; empty for a node's own call."""


class Channel:
    """One connection as the core sees it."""

    __slots__ = (
        "ask_at_s", "attempts", "client_id", "connection", "daemon", "endpoint", "heard_s", "number", "opened_s", "out",
        "pending", "proof", "ready", "refusals", "up", "waiting",
    )  # fmt: skip

    def __init__(self, number: int, endpoint: Endpoint, connection: ClientConnection) -> None:
        self.number = number
        """Number within the play."""
        self.endpoint = endpoint
        self.daemon = answers_for(endpoint.target.service)
        """The daemon called, by the service that names it."""
        self.connection = connection
        self.client_id = connection.client_id
        """Of calls whose node has none; the same on every connection that is made for the channel."""
        self.attempts = 0
        """How often it was lost, or not made, since it last answered a call."""
        self.refusals = 0
        """How often its server has refused to be asked who it is, since it last showed it."""
        self.ask_at_s = 0.0
        """It is not asked before."""
        self.opened_s = 0.0
        self.heard_s: float | None = None
        """When bytes last came; None for never."""
        self.up = True
        """Whether there is a connection, or one is being made."""
        self.ready = False
        """Whether calls may pass: the connection is authenticated, and its server has shown who it is."""
        self.proof: Proof | None = None
        """What is to show who the server is; None while nothing is on its way for that."""
        self.out: list[bytes] = []
        self.pending: dict[int, Pending] = {}
        """Calls in flight, in order of sending."""
        self.waiting: list[tuple[int, Send]] = []
        """Calls that wait until the connection is ready, or for a new one."""


def played(  # noqa: PLR0917 - what there is to say of a call
    node: NodeId,
    channel: Channel,
    call_id: int,
    call: Pending,
    answered_s: float | None,
    answer: bytes | memoryview | tuple[str, str],
) -> PlayedCall:
    """A call as a journal keeps it.

    Args:
        answered_s: when the answer came; None for none.
        answer: the response, or the class and message of an error.
    """
    send = call.send
    error, message = answer if isinstance(answer, tuple) else (None, None)
    response = None if isinstance(answer, tuple) else bytes(answer)
    return PlayedCall(
        node, channel.number, call_id, call.retry, channel.endpoint.target.service, send.protocol, send.method,
        call.intended_s, call.sent_s, answered_s, send.body, response, error, message,
    )  # fmt: skip
