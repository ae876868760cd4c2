"""Figures of repeated runs: their mean, between which the true one lies, the least and the most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from froude.base.statistics import mean_interval
from froude.base.summary import counted

LEVEL = 0.05
"""Chance that an interval leaves out the true mean."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Of one figure over some runs."""

    mean: float
    low: float
    """The mean lies between it and `high` with a chance of 95 %, if runs are about normal; of one run all are equal."""
    high: float
    least: float
    most: float


def runs_text(runs: int) -> str:
    """What a spread is over, for a page: chance within one datacenter, which others do not share.

    Args:
        runs: how many, from 1.
    """
    return f"{counted(runs, 'run')} on this datacenter"


def spread(values: Sequence[float]) -> Spread:
    """The spread of a figure.

    Args:
        values: of each run, one at least.
    """
    mean, low, high = mean_interval(values, LEVEL, ratio=False)
    return Spread(mean, low, high, min(values), max(values))
