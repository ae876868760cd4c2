"""Calls that others make to emulated nodes: connections as byte machines, the server's side of a player.

A real ResourceManager calls the NodeManager on which it starts an application master. Which node is meant tells the
address that was called: all of them are this machine's. A client is taken as whoever it says it is: its tokens prove
nothing to a node that holds nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from froude.emulation.programs.events import Answer, Called, NodeId, Ticket
from froude.hadoop.rpc.events import Request
from froude.hadoop.rpc.server import ServerConnection
from froude.hadoop.rpc.states import State

CALL_LIMIT_BYTES = 8 << 20
"""Largest call taken: a launch context with all its tokens has some tens of kilobytes."""


class Accepted:
    """One connection that a node was called on."""

    __slots__ = ("connection", "node", "number", "out")

    def __init__(self, number: int, node: NodeId) -> None:
        self.number = number
        """Number within the play."""
        self.node = node
        self.connection = ServerConnection(limit_bytes=CALL_LIMIT_BYTES)
        self.out: list[bytes] = []


class Inbound:
    """All of them, in one play."""

    def __init__(self, dispatch: Callable[[NodeId, Called, float], None]) -> None:
        """Nobody has called yet.

        Args:
            dispatch: hands a call to its node, at a time.
        """
        self.dirty: list[Accepted] = []
        """Connections with bytes to send; the shell empties the list."""
        self._dispatch = dispatch
        self._open: dict[int, Accepted] = {}
        self._count = 0

    def accept(self, node: NodeId) -> Accepted:
        """Somebody connects to a node."""
        accepted = self._open[self._count] = Accepted(self._count, node)
        self._count += 1
        return accepted

    def received(self, accepted: Accepted, data: bytes, now_s: float) -> None:
        """Bytes came."""
        for event in accepted.connection.receive(data):
            if isinstance(event, Request):
                ticket = Ticket(accepted.number, event.call_id)
                self._dispatch(accepted.node, Called(ticket, event.protocol, event.method, event.body), now_s)
        self._queue(accepted, accepted.connection.data_to_send())

    def ended(self, accepted: Accepted) -> None:
        """A connection is over; answers to it are dropped."""
        self._open.pop(accepted.number, None)

    def answer(self, answer: Answer) -> None:
        """Send a node's answer to who called it, if that is still there."""
        accepted = self._open.get(answer.ticket.connection)
        if accepted is None or accepted.connection.state is State.CLOSED:
            return
        call_id = answer.ticket.call_id
        if answer.error:
            self._queue(
                accepted,
                accepted.connection.fail(call_id, answer.error, answer.body.decode(errors="replace")),
            )
        else:
            self._queue(accepted, accepted.connection.respond(call_id, answer.body))

    def _queue(self, accepted: Accepted, data: bytes) -> None:
        if data:
            if not accepted.out:
                self.dirty.append(accepted)
            accepted.out.append(data)
