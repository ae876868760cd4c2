"""Where a load stops being kept: raised until it breaks, halved in between, and repeated at both sides. Pure.

Loads are factors of the first one. How far one step goes follows from how much of the machine the last play used.
Outcomes of one load may differ from play to play, since a machine is noisy: the majority of its plays counts, and where
they are as many, the worse.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

_LEAST = 1 / 64
"""Smallest factor that is tried where the first load breaks already."""
_SMALL_STEP, _LARGE_STEP = 1.5, 8.0
"""By how much a load that was kept is raised, at least and at most."""


class Outcome(Enum):
    """What came of a play at some load."""

    KEPT = "kept"
    """Every limit was."""
    BROKE = "broke"
    """A limit was not kept, or the target failed."""
    UNCLEAR = "unclear"
    """A limit was not kept, and the target was not the reason: the player was late, or the machine busy."""


@dataclass(slots=True)
class Search:
    """A search in progress: ask for `next_level`, play it, and `record` what came of it."""

    most: float = 1024.0
    """Largest factor that is tried."""
    resolution: float = 0.1
    """How far apart the two sides of the knee may lie, as a share of the lower."""
    repeats: int = 3
    """Plays at each side."""
    most_plays: int = 40
    """After which the search ends wherever it is."""
    same: Callable[[float, float], bool] = field(default=lambda a, b: a == b)
    """Whether two factors give the same load, since there is no half of a node."""
    plays: list[tuple[float, Outcome]] = field(default_factory=list)
    """Factor and outcome of every play, in order."""
    _step: float = 2.0

    def record(self, level: float, outcome: Outcome, headroom: float = 2.0) -> None:
        """Take note of a play.

        Args:
            headroom: how many times as much the machine could have done, as far as its CPU tells.
        """
        self.plays.append((level, outcome))
        if level == self.low:
            self._step = min(_LARGE_STEP, max(_SMALL_STEP, headroom))

    def next_level(self) -> float | None:
        """The factor to play next; None where the search is over."""
        return None if len(self.plays) >= self.most_plays else self._wanted()

    def _wanted(self) -> float | None:
        low, high = self.low, self.high
        if low is None and high is None:
            return 1.0
        if high is None:
            assert low is not None
            if low >= self.most:
                return self._repeat(low)
            raised = min(self._step * low, self.most)
            return self.most if self.same(raised, low) else raised
        if self.masked:
            return None
        if low is None:
            return self._repeat(high) if high <= _LEAST else high / 2
        between = math.sqrt(low * high)
        apart = high / low > 1 + self.resolution
        if apart and not self.same(between, low) and not self.same(between, high):
            return between
        return self._repeat(low, high)

    def _repeat(self, *levels: float) -> float | None:
        """The one of these that was played least, unless all were often enough."""
        least = min(levels, key=lambda level: sum(self.at(level).values()))
        return least if sum(self.at(least).values()) < self.repeats else None

    def at(self, level: float) -> dict[Outcome, int]:
        """How often a load came to each outcome."""
        outcomes = [outcome for played, outcome in self.plays if played == level]
        return {outcome: outcomes.count(outcome) for outcome in Outcome if outcome in outcomes}

    def _kept(self, level: float) -> bool:
        outcomes = self.at(level)
        return outcomes.get(Outcome.KEPT, 0) * 2 > sum(outcomes.values())

    @property
    def masked(self) -> bool:
        """Whether the smallest load that was not kept shows nothing of the target: smaller ones would show no more."""
        return self.high is not None and Outcome.UNCLEAR in self.at(self.high)

    @property
    def high(self) -> float | None:
        """The smallest load that was not kept."""
        return min((level for level, _ in self.plays if not self._kept(level)), default=None)

    @property
    def low(self) -> float | None:
        """The largest load that was kept, below the smallest that was not."""
        high = self.high
        kept = [level for level, _ in self.plays if self._kept(level)]
        return max((level for level in kept if high is None or level < high), default=None)

    @property
    def settled(self) -> bool:
        """Whether the search came to its end, not only to its number of plays."""
        return self._wanted() is None
