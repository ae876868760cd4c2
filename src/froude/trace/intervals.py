"""How far two sets of intervals agree, call site by call site: of two runs, or of a run and a prediction.

A site is a place in a program from which calls are made. The interval before its calls, from the start of the sender's
call before to its own, has a distribution of which the median and the 90th percentile are compared. Call by call two
runs of one job agree far less.

Sites with few intervals say nothing, since two of them agree by chance; and intervals below a capture's resolution are
compared with nothing, for their length is that of the capture's own turns on the processor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

WITHIN = 0.1
"""Two statistics agree where they differ by no more than this share of the larger."""
FEWEST = 5
"""Intervals that a site needs on each side."""
RESOLUTION_S = 0.001
"""Below it intervals are too short to tell: a capture stamps what it reads when it gets the processor, and a scheduler
gives that in turns of about a millisecond."""


class Statistic(StrEnum):
    """What of a distribution is compared."""

    MEDIAN = "median"
    P90 = "90th percentile"


class Observed(NamedTuple):
    """The intervals before the calls of one site."""

    number: int
    median_s: float
    p90_s: float

    def at(self, statistic: Statistic) -> float:
        """A statistic, seconds."""
        return self.median_s if statistic is Statistic.MEDIAN else self.p90_s


def observed(intervals_s: Sequence[float]) -> Observed:
    """What is compared of a site's intervals.

    Args:
        intervals_s: at least one, seconds.
    """
    median_s, p90_s = (float(each) for each in np.quantile(intervals_s, (0.5, 0.9)))
    return Observed(len(intervals_s), median_s, p90_s)


@dataclass(frozen=True, slots=True)
class Agreement:
    """How many sites of two runs agree, by one statistic."""

    statistic: Statistic
    sites: int
    """That both runs have."""
    few: int
    """Of them, those with fewer than `FEWEST` intervals in either run."""
    short: int
    """Of the others, those below the resolution in both runs."""
    agreeing: tuple[str, ...]
    """Names of those of the rest that agree, sorted."""

    @property
    def compared(self) -> int:
        """Sites that can be compared."""
        return self.sites - self.few - self.short


def agreement(left: Mapping[str, Observed], right: Mapping[str, Observed], statistic: Statistic) -> Agreement:
    """The sites at which two runs agree.

    Args:
        left: the sites of one run, by name.
    """
    both = sorted(left.keys() & right.keys())
    enough = [name for name in both if min(left[name].number, right[name].number) >= FEWEST]
    values = {name: (left[name].at(statistic), right[name].at(statistic)) for name in enough}
    told = [name for name in enough if max(values[name]) >= RESOLUTION_S]
    agreeing = tuple(name for name in told if agree(*values[name]))
    return Agreement(statistic, len(both), len(both) - len(enough), len(enough) - len(told), agreeing)


def agree(one_s: float, other_s: float) -> bool:
    """Whether two intervals differ by no more than `WITHIN` of the larger.

    Args:
        one_s: seconds.
        other_s: seconds.
    """
    return abs(one_s - other_s) <= WITHIN * max(abs(one_s), abs(other_s))
