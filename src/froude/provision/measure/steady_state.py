"""When a device is in steady state: the rule of the SNIA's Performance Test Specification over rounds of equal length.

fio has a rule of its own (`steadystate`), which we do not use: a job takes one criterion, the largest deviation
or the slope, where the specification asks for both; its samples are seconds, in which a disk completes too few
large records to tell anything; and its verdict would be one more thing that tests cannot give another device
for. Here fio runs the rounds, and this pure rule judges them.

Source: SNIA Solid State Storage Performance Test Specification 2.0, definition of steady state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """What counts as steady state; the defaults are the specification's."""

    window: int = 5
    """Last rounds that are looked at; 2 or more."""
    excursion: float = 0.20
    """Largest difference between two rounds of the window, as a share of their mean."""
    slope: float = 0.10
    """Largest rise or fall of the best line through the window, end to end, as a share of the mean."""
    rounds: int = 25
    """Rounds after which a device counts as not steady."""

    def __post_init__(self) -> None:
        if not 2 <= self.window <= self.rounds:
            raise ValueError(f"window must be 2 to rounds ({self.rounds}), got {self.window}")


def excursion(values: Sequence[float]) -> float:
    """Largest difference between two values, as a share of their mean.

    Raises:
        ValueError: no values, or their mean is not positive.
    """
    mean = _mean(values)
    return (max(values) - min(values)) / mean


def drift(values: Sequence[float]) -> float:
    """Rise or fall of the least-squares line from the first value to the last, as a share of the mean; not negative.

    Raises:
        ValueError: no values, or their mean is not positive.
    """
    mean, count = _mean(values), len(values)
    if count < 2:
        return 0.0
    middle = (count - 1) / 2
    spread = sum((at - middle) ** 2 for at in range(count))
    slope = sum((at - middle) * value for at, value in enumerate(values)) / spread
    return abs(slope) * (count - 1) / mean


def is_steady(values: Sequence[float], rule: Rule) -> bool:
    """Whether the last `rule.window` values, one a round, are steady.

    Args:
        values: throughput of each round so far, in any unit; positive.
    """
    window = values[-rule.window :]
    if len(window) < rule.window:
        return False
    return excursion(window) <= rule.excursion and drift(window) <= rule.slope


def _mean(values: Sequence[float]) -> float:
    mean = sum(values) / len(values) if values else 0.0
    if not mean > 0:
        raise ValueError(f"rounds must have a positive mean, got {mean}")
    return mean
