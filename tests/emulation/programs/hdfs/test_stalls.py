"""DataNodes whose disks stand still."""

from __future__ import annotations

from collections.abc import Sequence

from froude.emulation.programs.events import (
    Event,
    Instruction,
    MessageReceived,
    NodeId,
    Note,
    Reply,
    SendMessage,
    Started,
    Timer,
    WakeAt,
)
from froude.emulation.programs.hdfs.stalls import Stall, StalledDatanode

BEAT, BLOCK, ANSWER = Timer(1, 5.0), MessageReceived("block"), Reply(3, b"")
SENT = SendMessage(NodeId("datanode", 1), "copy")


class Told:
    """Notes what it is told; an answer makes it send a block."""

    def handle(self, event: Event, now_s: float) -> Sequence[Instruction]:
        note = Note(f"{type(event).__name__} at {now_s:g}")
        return [note, SENT] if type(event) is Reply else [note]

    def overdue(self, now_s: float) -> Sequence[tuple[str, float]]:
        return [("sendHeartbeat", now_s)]


def node(*, asynchronous: bool) -> StalledDatanode:
    """One that started at 1 s; its disk stands still from 4 s to 14 s."""
    stalled = StalledDatanode(Told(), Stall(range(1), 3.0, 10.0, asynchronous))
    assert stalled.handle(Started(1.0), 1.0) == [Note("Started at 1")]
    return stalled


def test_before_and_after_it_is_like_any_other() -> None:
    """A disk that works."""
    for now_s in (3.9, 14.0):
        assert node(asynchronous=False).handle(BEAT, now_s) == [Note(f"Timer at {now_s:g}")]
    assert node(asynchronous=False).overdue(7.0) == [("sendHeartbeat", 7.0)]


def test_heartbeats_that_wait_for_the_disk_are_held_up() -> None:
    """All that comes meanwhile is dealt with at the end, in its order."""
    stalled = node(asynchronous=False)
    (wake,) = stalled.handle(BEAT, 5.0)
    assert isinstance(wake, WakeAt)
    assert wake.time_s == 14.0
    assert stalled.handle(BLOCK, 6.0) == []
    assert stalled.handle(ANSWER, 7.0) == []
    done = stalled.handle(Timer(wake.token, 14.0), 14.0)
    assert done == [Note("Timer at 14"), Note("MessageReceived at 14"), Note("Reply at 14"), SENT]


def test_heartbeats_that_do_not_wait_go_on() -> None:
    """Only blocks that come or go wait."""
    stalled = node(asynchronous=True)
    assert stalled.handle(BEAT, 5.0) == [Note("Timer at 5")]
    note, wake = stalled.handle(ANSWER, 6.0)
    assert note == Note("Reply at 6")
    assert isinstance(wake, WakeAt)
    assert stalled.handle(BLOCK, 7.0) == []
    assert stalled.handle(Timer(wake.token, 14.0), 14.0) == [SENT, Note("MessageReceived at 14")]
