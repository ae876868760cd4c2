"""Rates out of counters: a sliding window whose older samples weigh less, begun again when the load has changed.

Counters since the start tell of the past: a split by them follows a load that is gone. A window alone lags by half of
its length after a change; so the change is looked for, and what was before it is forgotten.

Whether a rate has changed for good, cumulative sums of what it departs from its usual level say, in both directions.
Rates of I/O differ by factors, so that logarithms are compared: twice as much weighs as half. A departure within
`_SLACK` is noise; what is beyond it adds up, and a sum over `_ALARM` is a change: at once for a factor of some four,
after a few samples for a factor of two.

Source: Page, "Continuous inspection schemes", Biometrika 1954 (CUSUM); the constants are ours.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_SLACK = 0.3
"""Of the logarithm: rates up to 35 % above, or 26 % below, are as usual."""
_ALARM = 1.1
_FOLLOW = 0.2
"""Share by which the usual level follows a rate that is within the slack."""
_FLOOR = 1.0
"""Added to both: below one request per second a factor means nothing."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Counters at one moment."""

    instance: str
    """Of whoever counts: others begin anew."""
    time_s: float
    counts: Mapping[str, float]


class Window:
    """The rates of one set of counters."""

    def __init__(self, window_s: float, *, watched: Sequence[str] = ()) -> None:
        """Nothing is known yet.

        Args:
            window_s: how far back samples count; their weight falls by e over half of it.
            watched: counters whose rate tells that the load has changed.
        """
        self._window_s = window_s
        self._watched = tuple(watched)
        self._changes = {name: Changes() for name in self._watched}
        self._last: Sample | None = None
        self._grown: deque[tuple[float, float, dict[str, float]]] = deque()
        """Ends, lengths and growths of intervals, the oldest first."""

    @property
    def covered_s(self) -> float:
        """How long the time is that the rates are of."""
        return sum(length for _, length, _ in self._grown)

    def add(self, sample: Sample) -> bool:
        """Take a sample.

        Args:
            sample: later than the one before; one at the same moment, or earlier, is passed over.

        Returns:
            Whether it shows that the load has changed: what was before it is forgotten then.
        """
        last, self._last = self._last, sample
        if last is None or last.instance != sample.instance:
            return False
        length = sample.time_s - last.time_s
        if length <= 0:
            self._last = last
            return False
        growth = {name: value - last.counts.get(name, value) for name, value in sample.counts.items()}
        changed = self._look(growth, length)
        if changed:
            self._grown.clear()
        self._grown.append((sample.time_s, length, growth))
        while self._grown[0][0] < sample.time_s - self._window_s:
            self._grown.popleft()
        return changed

    def rates(self) -> dict[str, float]:
        """Growth per second of every counter; empty before the second sample."""
        if not self._grown:
            return {}
        now = self._grown[-1][0]
        weights = [math.exp(2 * (end - now) / self._window_s) for end, _, _ in self._grown]
        seconds = sum(weight * length for weight, (_, length, _) in zip(weights, self._grown, strict=True))
        names = self._grown[-1][2]
        return {
            name: sum(
                weight * grown.get(name, 0.0)
                for weight, (_, _, grown) in zip(weights, self._grown, strict=True)
            )
            / seconds
            for name in names
        }

    def _look(self, growth: Mapping[str, float], length: float) -> bool:
        seen = [self._changes[name].add(growth.get(name, 0.0) / length) for name in self._watched]
        if any(seen):
            for name in self._watched:
                self._changes[name] = Changes(growth.get(name, 0.0) / length)
        return any(seen)


class Changes:
    """Watches one rate."""

    def __init__(self, level: float | None = None) -> None:
        """Nothing has been seen yet.

        Args:
            level: its usual level; None to take the first rate as that.
        """
        self._level = None if level is None else math.log(level + _FLOOR)
        self._above = self._below = 0.0

    def add(self, rate: float) -> bool:
        """Take a rate.

        Args:
            rate: per second, 0 or more.

        Returns:
            Whether the level has changed; the watcher is of no use then, and another one begins at the new level.
        """
        value = math.log(max(0.0, rate) + _FLOOR)
        if self._level is None:
            self._level = value
            return False
        departure = value - self._level
        self._above = max(0.0, self._above + departure - _SLACK)
        self._below = max(0.0, self._below - departure - _SLACK)
        if abs(departure) <= _SLACK:
            self._level += _FOLLOW * departure
        return max(self._above, self._below) > _ALARM
