"""DataNodes whose disks stand still for a while, with heartbeats that wait for the disk or do not.

A DataNode whose heartbeat thread asks the disk for what it reports is held up with it: it looks dead, and its NameNode
begins to copy all that it holds. One that reports what it found last goes on.

Source: harvesting paper, section 7 (the replication storm, and the asynchronous heartbeat that ended it).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from froude.emulation.programs.events import (
    Event,
    Instruction,
    MessageReceived,
    Program,
    SendMessage,
    Started,
    Timer,
    WakeAt,
)

_OVER = 99
"""Token of the timer that ends a stall; the DataNode's own are below."""


@dataclass(frozen=True, slots=True)
class Stall:
    """Some DataNodes' disks stand still."""

    nodes: range
    after_s: float
    """From a node's start, seconds."""
    for_s: float
    """How long, seconds."""
    asynchronous: bool = False
    """Whether heartbeats go on, with what was found last; else all that a node does waits."""


class StalledDatanode:
    """A DataNode under a stall."""

    __slots__ = ("_asked", "_begin_s", "_datanode", "_events", "_messages", "_stall")

    def __init__(self, datanode: Program, stall: Stall) -> None:
        """One that has not started."""
        self._datanode = datanode
        self._stall = stall
        self._begin_s = 0.0
        self._events: list[Event] = []
        self._messages: list[Instruction] = []
        self._asked = False

    def handle(self, event: Event, now_s: float) -> Sequence[Instruction]:
        """Take an event; see `Program`."""
        if type(event) is Started:
            self._begin_s = now_s + self._stall.after_s
        if type(event) is Timer and event.token == _OVER:
            return self._go_on(now_s)
        if not self._begin_s <= now_s < self._begin_s + self._stall.for_s:
            return self._datanode.handle(event, now_s)
        if self._stall.asynchronous and type(event) is not MessageReceived:
            return self._without_disk(event, now_s)
        self._events.append(event)
        return self._until_over()

    def overdue(self, now_s: float) -> Iterable[tuple[str, float]]:
        """See `Program`."""
        return self._datanode.overdue(now_s)

    def _without_disk(self, event: Event, now_s: float) -> list[Instruction]:
        """What it does, but for blocks that it would read to send them."""
        done = self._datanode.handle(event, now_s)
        self._messages += [each for each in done if type(each) is SendMessage]
        return [*(each for each in done if type(each) is not SendMessage), *self._until_over()]

    def _until_over(self) -> list[Instruction]:
        if self._asked or not (self._events or self._messages):
            return []
        self._asked = True
        return [WakeAt(self._begin_s + self._stall.for_s, _OVER)]

    def _go_on(self, now_s: float) -> list[Instruction]:
        """All that has waited, in its order."""
        out, self._messages = self._messages, []
        events, self._events = self._events, []
        for event in events:
            out += self._datanode.handle(event, now_s)
        return out
