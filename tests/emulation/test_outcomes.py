"""What became of a player's calls, counted without a player."""

from __future__ import annotations

import pytest

from froude.emulation.channel import Channel, Pending, PlayedCall
from froude.emulation.notes import UNSENT
from froude.emulation.outcomes import MOST_OVERDUE, Outcomes
from froude.emulation.programs.events import DECLINED, LOST, Declined, Endpoint, NodeId, Send
from froude.emulation.run.tally import Tally
from froude.hadoop.rpc.client import ClientConnection

CLIENT = NodeId("client", 3)
ENDPOINT = Endpoint("P")
SEND = Send("P", "mkdirs", b"request", 7, 10.0)


class Written:
    """A journal of one node's calls."""

    def __init__(self, node: NodeId) -> None:
        self.node = node
        self.calls: list[PlayedCall] = []

    def wants(self, node: NodeId) -> bool:
        """Only that node's."""
        return node == self.node

    def call(self, played: PlayedCall) -> None:
        """Keep it."""
        self.calls.append(played)


@pytest.fixture
def tally() -> Tally:
    """Nothing is counted."""
    return Tally()


def outcomes(tally: Tally, journal: Written | None = None) -> Outcomes:
    """Of a play that began at second 4."""
    made = Outcomes(tally, journal, lambda send: f"path of {send.method}")
    made.begun_s = 4.0
    return made


def pending(tally: Tally) -> Pending:
    """A call that was sent a second late."""
    return Pending(0, tally.of("mkdirs"), SEND.intended_s, 11.0, SEND)


def test_a_failure_is_counted_with_its_times_and_its_first_example(tally: Tally) -> None:
    """Latencies count from when it was sent and from when it should have been; the path is of the first."""
    made = outcomes(tally)
    made.failed(pending(tally), ("E", "no"), 13.0)
    series = tally.of("mkdirs")
    assert (series.errors["E"], list(series.actual), list(series.intended)) == (1, [2.0], [3.0])
    (failure,) = tally.failures
    assert (failure.method, failure.path, failure.first_s) == ("mkdirs", "path of mkdirs", 9.0)


def test_an_answer_that_nothing_was_done_is_a_failure_of_its_own_kind(tally: Tally) -> None:
    """It has a path of its own, and no time beside that of its answer."""
    made = outcomes(tally)
    made.declined(Declined("mkdirs", "false", "/a"), 5.0)
    assert tally.of("mkdirs").errors[DECLINED] == 1
    assert not tally.of("mkdirs").actual


def test_a_call_without_a_connection_counts_as_sent_and_lost(tally: Tally) -> None:
    """Who waits for a target that is gone has waited since the call was due."""
    made = outcomes(tally)
    made.lost(SEND, "namenode", "refused", 12.5)
    series = tally.of("mkdirs")
    assert (series.daemon, series.sent, series.errors[LOST], list(series.intended)) == (
        "namenode",
        1,
        1,
        [2.5],
    )


def test_calls_that_were_due_are_named_and_too_many_are_not_counted(tally: Tally) -> None:
    """The end of a play is not delayed by counting without end."""
    made = outcomes(tally)
    made.unsent([("mkdirs", 5.0), ("create", 6.0)], 7.0)
    assert tally.notes == {f"{UNSENT}mkdirs": 1, f"{UNSENT}create": 1}
    made.unsent((("delete", 5.0) for _ in range(MOST_OVERDUE + 5)), 7.0)
    assert tally.notes[f"{UNSENT}delete"] == MOST_OVERDUE
    assert sum(note.startswith(f"{UNSENT}more than") for note in tally.notes) == 1


def test_calls_are_written_where_a_journal_wants_them(tally: Tally) -> None:
    """A response, or the class and message of an error; nothing without a journal."""
    journal = Written(CLIENT)
    made = outcomes(tally, journal)
    channel = Channel(2, ENDPOINT, ClientConnection("P", client_id=b"0" * 16))
    made.write(channel, 5, (CLIENT, pending(tally)), (13.0, b"answer"))
    made.write(channel, 6, (CLIENT, pending(tally)), (None, ("E", "no")))
    assert [(call.call_id, call.response, call.error, call.answered_s) for call in journal.calls] == [
        (5, b"answer", None, 13.0),
        (6, None, "E", None),
    ]
    assert made.wants(CLIENT)
    assert not made.wants(NodeId("client", 4))
    assert not outcomes(tally).wants(CLIENT)
