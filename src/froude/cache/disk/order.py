"""Writes that touch the same block are done one after the other, in the order in which they came.

Otherwise two writes that are under way together could reach the image in one order and the cache in the other. Others,
such as neighbouring blocks of one chunk, go on side by side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from froude.cache.disk.table import BLOCK


@dataclass(slots=True, eq=False)
class Turn:
    """A range that is being written, or waits to be; whole blocks."""

    start: int
    end: int
    go: Callable[[Turn], None]

    def overlaps(self, start: int, end: int) -> bool:
        """Whether it shares a byte with a range."""
        return self.start < end and start < self.end


class Order:
    """Gives each write its turn."""

    __slots__ = ("_active", "_waiting")

    def __init__(self) -> None:
        self._active: list[Turn] = []
        self._waiting: list[Turn] = []

    @property
    def idle(self) -> bool:
        """Whether nothing is being written."""
        return not self._active

    def enter(self, start: int, end: int, go: Callable[[Turn], None]) -> None:
        """Call `go` as soon as no earlier write shares a block with this one: now, or when that leaves.

        Args:
            start: first byte.
            end: byte after the last.
            go: begins the write; `leave` ends it.
        """
        turn = Turn(start - start % BLOCK, -(-end // BLOCK) * BLOCK, go)
        if self._free(turn, self._waiting):
            self._active.append(turn)
            go(turn)
        else:
            self._waiting.append(turn)

    def leave(self, turn: Turn) -> None:
        """A write has ended; those that waited for it begin."""
        self._active.remove(turn)
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        ready = []
        for each in waiting:
            if self._free(each, self._waiting):
                self._active.append(each)
                ready.append(each)
            else:
                self._waiting.append(each)
        for each in ready:
            each.go(each)

    def writing(self, start: int, end: int) -> bool:
        """Whether a write to any byte of a range is under way."""
        return any(turn.overlaps(start, end) for turn in self._active)

    def _free(self, turn: Turn, before: list[Turn]) -> bool:
        return not any(
            other.overlaps(turn.start, turn.end) for others in (self._active, before) for other in others
        )
