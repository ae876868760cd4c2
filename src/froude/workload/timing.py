"""When a call is made and how long its answer takes: a middle that may follow the Scale, and how values lie about it.

A distribution is kept as a few of its quantiles, joined by straight lines: three, five or seven of them, as many as
the recorded values bear out. They are seconds, as at the largest recorded Scale; at another one all of them move with
the median.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from froude.base.units import Quantity
from froude.workload.scale import Count

LEVELS = {
    3: (0.0, 0.5, 1.0),
    5: (0.0, 0.25, 0.5, 0.75, 1.0),
    7: (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0),
}
"""The shares of values at or below each quantile, by the number of quantiles."""


class Duration(NamedTuple):
    """A duration at one Scale: its median, and how values lie about it."""

    median_s: float
    quantiles_s: tuple[float, ...]
    """As recorded; none where it does not vary."""
    grown: float
    """The median over the recorded one."""

    def at(self, share: float) -> float:
        """The duration that a share of all does not exceed, seconds.

        Args:
            share: 0 to 1; 0.5 for the median.
        """
        if not self.quantiles_s or share == 0.5:
            return self.median_s
        return self.grown * value_at(self.quantiles_s, share)


@dataclass(frozen=True, slots=True)
class Timing:
    """When a call is made and how long its answer takes (PatternMiner III.B.4).

    Think time and service time alternate: a client thinks, calls, is answered, thinks again.
    """

    think: Count = field(default_factory=Count)
    """Median seconds from the previous answer to this call."""
    think_quantiles_s: tuple[float, ...] = ()
    """Quantiles of the think time (`LEVELS`), as at the largest recorded Scale; none where it does not vary."""
    service: Count | None = None
    """Median seconds from this call to its answer, attempts of a poll included; None where it was not recorded."""
    service_quantiles_s: tuple[float, ...] = ()
    """Quantiles of the service time."""

    def think_s(self, scale: Mapping[str, Quantity], share: float = 0.5) -> float:
        """The think time that a share of all does not exceed, seconds.

        Args:
            scale: quantity of each Scale variable.
            share: 0 to 1; 0.5 for the median.
        """
        return self.think_at(scale).at(share)

    def think_at(self, scale: Mapping[str, Quantity]) -> Duration:
        """The think times at a Scale.

        Args:
            scale: quantity of each Scale variable.
        """
        return _duration(self.think, self.think_quantiles_s, scale)

    def service_s(self, scale: Mapping[str, Quantity], share: float = 0.5) -> float:
        """The service time that a share of all does not exceed, seconds; 0 where it was not recorded.

        Args:
            scale: quantity of each Scale variable.
            share: 0 to 1; 0.5 for the median.
        """
        return self.service_at(scale).at(share)

    def service_at(self, scale: Mapping[str, Quantity]) -> Duration:
        """The service times at a Scale; all of them 0 where they were not recorded.

        Args:
            scale: quantity of each Scale variable.
        """
        if self.service is None:
            return Duration(0.0, (), 1.0)
        return _duration(self.service, self.service_quantiles_s, scale)

    def mean_s(self, scale: Mapping[str, Quantity]) -> float:
        """Mean think and service time together, seconds.

        Args:
            scale: quantity of each Scale variable.
        """
        think_s = self.think_s(scale) * _mean_over_median(self.think_quantiles_s)
        return think_s + self.service_s(scale) * _mean_over_median(self.service_quantiles_s)


def value_at(quantiles_s: tuple[float, ...], share: float) -> float:
    """The value at a share of a distribution, between two quantiles on the line through them.

    Args:
        quantiles_s: three, five or seven (`LEVELS`), rising.
        share: 0 to 1.
    """
    levels = LEVELS[len(quantiles_s)]
    above = min(max(1, bisect_right(levels, share)), len(levels) - 1)
    part = (share - levels[above - 1]) / (levels[above] - levels[above - 1])
    return quantiles_s[above - 1] + part * (quantiles_s[above] - quantiles_s[above - 1])


def _duration(middle: Count, quantiles_s: tuple[float, ...], scale: Mapping[str, Quantity]) -> Duration:
    median_s = max(0.0, middle.at(scale))
    recorded_s = quantiles_s[len(quantiles_s) // 2] if quantiles_s else 0.0
    return Duration(median_s, quantiles_s, median_s / recorded_s if recorded_s > 0 else 1.0)


def _mean_over_median(quantiles_s: tuple[float, ...]) -> float:
    """How far the mean lies above the median, as a factor; 1 where the median is 0."""
    if not quantiles_s or quantiles_s[len(quantiles_s) // 2] <= 0:
        return 1.0
    steps = zip(pairwise(LEVELS[len(quantiles_s)]), pairwise(quantiles_s), strict=True)
    mean_s = sum((high - low) * (first + second) / 2 for (low, high), (first, second) in steps)
    return mean_s / quantiles_s[len(quantiles_s) // 2]
