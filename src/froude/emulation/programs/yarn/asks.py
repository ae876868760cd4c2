"""What an application master has asked for and not been given: the state behind the `ask` list of `allocate`.

Each container that is wanted was asked for on the nodes that hold its input, in their rack, and anywhere; what is given
counts down, and a call says only what changed since the last one.

Source: org.apache.hadoop.mapreduce.v2.app.rm.RMContainerRequestor (addContainerReq, decContainerReq) and
RMContainerAllocator (assignMapsWithLocality).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from typing import NamedTuple

ANY = "*"


class Ask(NamedTuple):
    """How many containers of a priority are wanted in a place, from now on."""

    priority: int
    place: str
    """A host, a rack, or `*`."""
    number: int


class Asks:
    """The asks of one application master; each operation takes the time of one container's places."""

    def __init__(self, rack: str | None = None) -> None:
        """Nothing is asked for.

        Args:
            rack: name of the rack of all nodes, asked for where nodes are; None where racks are not asked for.
        """
        self._rack = rack
        self._open: dict[int, Counter[str]] = defaultdict(Counter)
        self._wishes: dict[int, tuple[int, tuple[str, ...]]] = {}
        """Priority and hosts of what is wanted, by number."""
        self._queues: dict[tuple[int, str], deque[int]] = defaultdict(deque)
        """Numbers of wishes by priority and place, in order; those that were fulfilled may still stand there."""
        self._changed: dict[tuple[int, str], None] = {}
        self._count = self._said = 0
        self._asked_s: dict[int, float] = {}
        """When a call first asked for what is wanted, by number."""

    def want(self, priority: int, hosts: Sequence[str] = ()) -> None:
        """Ask for one more container.

        Args:
            hosts: where its input lies; none for anywhere.
        """
        self._count += 1
        self._wishes[self._count] = (priority, tuple(dict.fromkeys(hosts)))
        for place in self._places(self._count):
            self._queues[priority, place].append(self._count)
            self._change(priority, place, 1)

    def given(self, priority: int, host: str) -> float | None:
        """A container was given: to a wish for its node where there is one.

        Returns:
            When a call first asked for it, seconds on the play's clock, infinite where none has yet; None where no more
            are wanted.
        """
        number = self._first(priority, host)
        if number is None:
            number = self._first(priority, ANY)
        if number is None:
            return None
        for place in self._places(number):
            self._change(priority, place, -1)
        del self._wishes[number]
        return self._asked_s.pop(number, math.inf)

    @property
    def total(self) -> int:
        """How many containers are wanted."""
        return len(self._wishes)

    def due(self, now_s: float) -> list[Ask]:
        """What changed since this was asked last.

        Args:
            now_s: when the call that says so is due, seconds on the play's clock.
        """
        if not self._changed:
            return []
        self._asked_s.update(dict.fromkeys(range(self._said + 1, self._count + 1), now_s))
        self._said = self._count
        changed, self._changed = self._changed, {}
        return [Ask(priority, place, self._open[priority][place]) for priority, place in changed]

    def again(self, asks: Sequence[Ask]) -> None:
        """Ask once more for what a call said that failed."""
        for ask in asks:
            self._change(ask.priority, ask.place, 0)

    def _first(self, priority: int, place: str) -> int | None:
        queue = self._queues.get((priority, place))
        while queue:
            if queue[0] in self._wishes:
                return queue[0]
            queue.popleft()
        return None

    def _places(self, number: int) -> tuple[str, ...]:
        _, hosts = self._wishes[number]
        rack = (self._rack,) if hosts and self._rack is not None else ()
        return (*hosts, *rack, ANY)

    def _change(self, priority: int, place: str, by: int) -> None:
        self._open[priority][place] += by
        self._changed[priority, place] = None
