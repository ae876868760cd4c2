"""Whether a rate has changed for good: cumulative sums of what it departs from its usual level, in both directions.

Rates of I/O differ by factors, so that logarithms are compared: twice as much weighs as half. A departure within
`_SLACK` is noise; what is beyond it adds up, and a sum over `_ALARM` is a change: at once for a factor of some four,
after a few samples for a factor of two.

Source: Page, "Continuous inspection schemes", Biometrika 1954 (CUSUM); the constants are ours.
"""

from __future__ import annotations

import math

_SLACK = 0.3
"""Of the logarithm: rates up to 35 % above, or 26 % below, are as usual."""
_ALARM = 1.1
_FOLLOW = 0.2
"""Share by which the usual level follows a rate that is within the slack."""
_FLOOR = 1.0
"""Added to both: below one request per second a factor means nothing."""


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
