"""When a node's periodic calls are due: from its start on, or while something is open, as a lease while files are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

from froude.emulation.programs.context import Place
from froude.workload.types import Periodic

_SHORTEST_S = 1e-3
_GRID_S = 0.02


def on_grid(time_s: float) -> float:
    """The next moment at which emulated daemons send heartbeats: those of one moment travel in one write."""
    return math.ceil(time_s / _GRID_S) * _GRID_S


def next_due(due_s: float, every_s: float, now_s: float) -> float:
    """The next moment of an interval after one that was due; those that have passed are left out."""
    return due_s + every_s * (max(0, math.floor((now_s - due_s) / every_s)) + 1)


class Beats:
    """The periodic calls of one node, by their number among those of its type."""

    __slots__ = ("_open", "_periodic", "_planned", "_sent")

    def __init__(self, periodic: Sequence[Periodic]) -> None:
        """None is due, and nothing open."""
        self._periodic = periodic
        self._open: dict[int, int] = {}
        self._planned: set[int] = set()
        self._sent: dict[int, int] = {}

    def from_start(self) -> list[int]:
        """Those that begin with the node."""
        return [number for number, periodic in enumerate(self._periodic) if not periodic.opened_by]

    def reached(self, call: str) -> list[int]:
        """Take note of a call that may open or close something.

        Returns:
            Those that begin with it.
        """
        beginning = []
        for number, periodic in enumerate(self._periodic):
            if call in periodic.closed_by:
                self._open[number] = max(0, self._open.get(number, 0) - 1)
            if call in periodic.opened_by:
                self._open[number] = self._open.get(number, 0) + 1
                if number not in self._planned:
                    beginning.append(number)
        return beginning

    def next_s(self, number: int, now_s: float, rng: Random) -> float:
        """When the next beat is due.

        Args:
            now_s: when the one before was, or was answered where the pause after that counts (`waits`), seconds on the
                play's clock.
        """
        self._planned.add(number)
        periodic = self._periodic[number]
        jitter_s = rng.uniform(-periodic.jitter_s, periodic.jitter_s)
        period_s = periodic.every_s if periodic.pause_s is None else periodic.pause_s
        return now_s + max(_SHORTEST_S, period_s + jitter_s)

    def waits(self, number: int) -> bool:
        """Whether the next beat is due so long after the answer to the one before."""
        return self._periodic[number].pause_s is not None

    def is_over(self, number: int, *, at_work: bool) -> bool:
        """Whether a beat that is due is made no more: what it keeps open is closed, or the node is through.

        It is planned no more from then on, until `next_s` is asked again.
        """
        self._planned.discard(number)
        return not (self._open.get(number) if self._periodic[number].opened_by else at_work)

    def place(self, number: int) -> Place:
        """Where the next beat stands: in a loop of its own, named as the call is."""
        return Place({self._periodic[number].call.id: self._sent.get(number, 0)}, ())

    def sent(self, number: int) -> None:
        """Count a beat that was made."""
        self._sent[number] = self._sent.get(number, 0) + 1
