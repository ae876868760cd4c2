"""Simulated time: callbacks in one heap, in order of time, then priority, then of their scheduling.

The player, `froude cache simulate` and the simulated worlds of the tests take their time from here. It is SimPy's core
without its processes: an event is a tuple in the heap, because a player has ten thousand of them and a simulated cache
runs millions.

Source: SimPy's `Environment`, in its module `core`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from heapq import heapify, heappop, heappush, heappushpop
from itertools import count
from typing import Any

Event = tuple[float, int, int, Callable[..., float | None], tuple[Any, ...]]
"""Its time in seconds, priority, serial number, callback, and the callback's arguments."""


class Events:
    """Events, and the time of the one that runs."""

    __slots__ = ("_heap", "_serials", "now")

    def __init__(self, now: float = 0.0) -> None:
        """No event is scheduled yet.

        Args:
            now: the time at first, seconds.
        """
        self.now = now
        """Seconds; never goes back. While an event runs, its time, or later if its time had passed already."""
        self._heap: list[Event] = []
        self._serials = count()

    @property
    def next_s(self) -> float:
        """When the next event is due, seconds; infinite without events."""
        return self._heap[0][0] if self._heap else math.inf

    def schedule(
        self, time_s: float, callback: Callable[..., float | None], *args: object, priority: int = 0
    ) -> Event:
        """Have a callback called at a time; logarithmic in the number of events.

        Args:
            time_s: when, seconds. A time that has passed is allowed: the event is late, and runs in order of its time.
            callback: returns None, or the time in seconds at which it is called again with the same arguments and
                priority. That is a new event, and cheaper than scheduling it: a heap gives and takes in one step.
            priority: of events of the same time, those of a lower one run first; with equal ones the order is that of
                scheduling.

        Returns:
            The event, for `cancel`.
        """
        assert not math.isnan(time_s), "an event is due at a time that is not a number"
        event = (time_s, priority, next(self._serials), callback, args)
        heappush(self._heap, event)
        return event

    def cancel(self, event: Event) -> None:
        """Remove an event; nothing happens if it has run or was cancelled. Linear in the number of events.

        Args:
            event: as `schedule` returned it.
        """
        with suppress(ValueError):
            self._heap.remove(event)
            heapify(self._heap)

    def step(self) -> None:
        """Run the next event.

        Raises:
            IndexError: there is none.
        """
        time_s, priority, _, callback, args = heappop(self._heap)
        self.now = max(self.now, time_s)
        again_s = callback(*args)
        if again_s is not None:
            self.schedule(again_s, callback, *args, priority=priority)

    def run(self, until_s: float = math.inf) -> None:
        """Run the events that are due by a time, those scheduled meanwhile included; `now` is that time afterwards.

        Args:
            until_s: the time, seconds, inclusive; infinite to run until no event is left, at whose time `now` stays.
        """
        heap, serials = self._heap, self._serials
        while heap and heap[0][0] <= until_s:
            event = heappop(heap)
            # As `step`, with both ends of a callback that goes on and on in one operation on the heap.
            while event[0] <= until_s:
                time_s, priority, _, callback, args = event
                if time_s > self.now:  # noqa: PLR1730 - `max` is a call, in the loop of millions
                    self.now = time_s
                again_s = callback(*args)
                if again_s is None:
                    break
                event = heappushpop(heap, (again_s, priority, next(serials), callback, args))
            else:
                heappush(heap, event)
        if self.now < until_s < math.inf:
            self.now = until_s

    def catch_up(self, now_s: float) -> None:
        """Move the time on at once, and run what is due by then: `now` is the same for all of it, also for late events.

        What a shell that waits for `next_s` by itself calls when it is back, as the player's does with its sockets.

        Args:
            now_s: the time, seconds.
        """
        if now_s > self.now:  # noqa: PLR1730 - as in `run`: the player is here for every timer
            self.now = now_s
        if self._heap and self._heap[0][0] <= now_s:
            self.run(now_s)
