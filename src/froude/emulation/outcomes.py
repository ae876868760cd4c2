"""What became of one player's calls: failures are counted, what was never sent is named, calls are written down."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice

from froude.emulation.channel import Channel, Journal, Pending, played
from froude.emulation.notes import UNSENT
from froude.emulation.programs.events import DECLINED, LOST, Declined, NodeId, Send
from froude.emulation.run.tally import Tally

MOST_OVERDUE = 1_000_000
"""Calls due and not sent that are counted at the end: a few seconds' work."""
UNANSWERED = "Unanswered"
"""Error class of a call that was in flight when the play ended."""


class Outcomes:
    """Where a player counts what is not a plain answer; see the module."""

    def __init__(self, tally: Tally, journal: Journal | None, about: Callable[[Send], str | None]) -> None:
        """Nothing has happened.

        Args:
            journal: where calls are written down; None for nowhere.
            about: says which path a call names; asked for the first call of each kind of failure.
        """
        self.begun_s = 0.0
        """When the play began, on its clock."""
        self._tally = tally
        self._journal = journal
        self._about = about

    def wants(self, node: NodeId) -> bool:
        """Whether a node's calls are written down."""
        return self._journal is not None and self._journal.wants(node)

    def write(
        self,
        channel: Channel,
        call_id: int,
        call: tuple[NodeId, Pending],
        answer: tuple[float | None, bytes | tuple[str, str]],
    ) -> None:
        """Write a call down.

        Args:
            answer: when it was answered, None for never; the response, or the class and message of an error.
        """
        assert self._journal is not None
        node, pending = call
        self._journal.call(played(node, channel, call_id, pending, *answer))

    def failed(self, call: Pending, error: tuple[str, str], now_s: float) -> None:
        """Count a call that failed, with an answer or without."""
        call.series.errors[error[0]] += 1
        call.took(now_s)
        first = self._tally.failures.add(call.send.method, *error, now_s - self.begun_s)
        if first is not None:
            first.path = self._about(call.send)

    def declined(self, declined: Declined, now_s: float) -> None:
        """Count a call as failed whose answer says that nothing was done."""
        self._tally.of(declined.method).errors[DECLINED] += 1
        first = self._tally.failures.add(declined.method, DECLINED, declined.message, now_s - self.begun_s)
        if first is not None:
            first.path = declined.path

    def lost(self, send: Send, daemon: str, how: str, now_s: float) -> None:
        """Count a call that waited for a connection which cannot be made."""
        series = self._tally.of(send.method, daemon)
        series.sent += 1
        series.errors[LOST] += 1
        self._tally.failures.add(send.method, LOST, how, now_s - self.begun_s)
        series.intended.append(now_s - send.intended_s)

    def unsent(self, due: Iterable[tuple[str, float]], now_s: float) -> None:
        """Count calls that were due when the play ended, with the time that they have waited."""
        left = iter(due)
        for method, due_s in islice(left, MOST_OVERDUE):
            self._tally.of(method).intended.append(now_s - due_s)
            self._tally.notes[f"{UNSENT}{method}"] += 1
        if next(left, None) is not None:
            self._tally.notes[f"{UNSENT}more than {MOST_OVERDUE:,}, which were not counted"] += 1
