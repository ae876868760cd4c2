"""How two groups of runs differ in one measure, and how sure that is.

The unit is the run: calls of one run share a JVM, a heap and a moment of the machine, and are not independent, so that
a run gives one value of a measure, however many calls it made. Of positive values the logarithms are compared, so
that a difference is a ratio; Welch's t-test takes two groups of different variance, and the one-sample t-test runs
that were made in pairs. Where many measures are looked at, Holm's step-down procedure with weights keeps the chance
of any false alarm among all of them at the level asked for.

Source: Welch, Biometrika 34 (1947); Satterthwaite, Biometrics Bulletin 2 (1946); Holm, Scandinavian Journal of
Statistics 6 (1979), its weighted form on p. 69; Kalibera and Jones, ISMM 2013, on what is repeated.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean, variance

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri, stdtr, stdtrit

_UNEQUAL = 2
"""How many times the runs of one arm the other may have, for Welch's formula to be used."""
LARGEST_LOG = 700.0
"""Logarithm of about the largest number."""
_NODES = 80
"""Of the integration over a random walk; its bounds are then right to six digits."""
_MOST_RUNS = 10_000
"""Beyond so many runs of an arm nobody plans."""


@dataclass(frozen=True, slots=True)
class Shift:
    """How far the candidate's mean lies from the baseline's, in the values' own unit."""

    mean: float
    error: float
    """Standard error of it; 0 where no run differs from another."""
    freedom: float
    """Degrees of freedom of the error."""
    spread: float
    """Standard deviation between runs of one arm; of pairs, between their differences over the square root of 2."""

    @property
    def p(self) -> float:
        """Chance of a shift at least so large, either way, where there is none."""
        if not self.error:
            return 1.0 if not self.mean else 0.0
        return float(2 * stdtr(self.freedom, -abs(self.mean) / self.error))

    def interval(self, level: float) -> tuple[float, float]:
        """Between which the true shift lies with a chance of 1 - level.

        Args:
            level: chance that it does not, 0 to 1.
        """
        half = -float(stdtrit(self.freedom, level / 2)) * self.error if self.error else 0.0
        return self.mean - half, self.mean + half


def shift_of(
    baseline: Sequence[float], candidate: Sequence[float], *, paired: bool = False, least_error: float = 0.0
) -> Shift:
    """Compare two groups of runs.

    Args:
        baseline: a value for each run, two at least.
        candidate: the same; as many, in the same order, where they are pairs.
        paired: whether each run of one was made beside the run of the other in the same place.
        least_error: standard error below which the measure itself cannot tell (its resolution).

    Raises:
        ValueError: fewer than two runs of an arm, or pairs that are none.
    """
    if min(len(baseline), len(candidate)) < 2:
        raise ValueError("two runs of each arm are the least that show how runs differ")
    if paired:
        apart = [b - a for a, b in zip(baseline, candidate, strict=True)]
        error = math.sqrt(variance(apart) / len(apart))
        spread = math.sqrt(variance(apart) / 2)
        return Shift(fmean(apart), max(error, least_error), len(apart) - 1, spread)
    parts = [variance(values) / len(values) for values in (baseline, candidate)]
    error = math.sqrt(sum(parts))
    weights = [part**2 / (len(values) - 1) for part, values in zip(parts, (baseline, candidate), strict=True)]
    # The fewest that the formula can give, where it has no value, and where one group is so small beside the other that
    # the test would reject more often than it says (3 runs beside 10: 6.7 % at 5 %, simulated).
    sizes = len(baseline), len(candidate)
    freedom = float(min(sizes) - 1)
    if sum(weights) and max(sizes) <= _UNEQUAL * min(sizes):
        freedom = max(freedom, error**4 / sum(weights))
    spread = math.sqrt((variance(baseline) + variance(candidate)) / 2)
    return Shift(fmean(candidate) - fmean(baseline), max(error, least_error), freedom, spread)


def mean_interval(values: Sequence[float], level: float, *, ratio: bool = True) -> tuple[float, float, float]:
    """The mean of some runs, and between which the true one lies with a chance of 1 - level.

    Args:
        values: one of each run, one at least; of a single one the interval has no length.
        level: chance that it does not, 0 to 1.
        ratio: whether they are compared by their logarithms, where all are above 0; the mean is then the geometric one.
    """
    if ratio and min(values) > 0:
        mean, low, high = mean_interval([math.log(value) for value in values], level, ratio=False)
        return math.exp(mean), math.exp(low), math.exp(min(high, LARGEST_LOG))
    mean, half = fmean(values), 0.0
    if len(values) > 1:
        half = -float(stdtrit(len(values) - 1, level / 2)) * math.sqrt(variance(values) / len(values))
    return mean, mean - half, mean + half


@dataclass(frozen=True, slots=True)
class Tested:
    """What a family of tests says of one of them."""

    level: float
    """At which it was tested: its interval at this level leaves out 0 exactly where it is rejected."""
    rejected: bool
    """Whether there is a difference, with a chance of any false one in the family of at most the family's level."""


def weighted_holm(ps: Sequence[float], weights: Sequence[float], level: float) -> list[Tested]:
    """Test a family: from the smallest p on, each at its share of what is left of the level, until one is not rejected.

    Args:
        ps: a p of each test.
        weights: the share that each has of the level, above 0; only their ratios count.
        level: chance of one false difference or more among all, 0 to 1.
    """
    order = sorted(range(len(ps)), key=lambda at: ps[at] / weights[at])
    tested = [Tested(level, rejected=False)] * len(ps)
    left = 0.0
    rejecting = True
    for step, at in enumerate(order):
        if rejecting:  # what comes behind the first that is kept is held against the same that is left
            left = math.fsum(weights[each] for each in order[step:])
        share = level * weights[at] / left
        rejecting = rejecting and ps[at] <= share
        tested[at] = Tested(share, rejecting)
    return tested


@cache
def obrien_fleming(looks: int, level: float) -> tuple[float, ...]:
    """Levels for tests of data that grows, so that the chance of a false difference in any of them is `level`.

    At each look a test of all data so far is made at the level of that look, whatever its distribution is; looks are
    evenly far apart. Of a random walk with as many normal steps, O'Brien and Fleming's bound is one value for its whole
    way; the chance to stay within it is integrated step by step.

    Args:
        looks: how many there are at most, 1 or more.
        level: chance of a false difference at any of them, two-sided, 0 to 1.

    Returns:
        A two-sided level for each look, rising.

    Source: O'Brien and Fleming, Biometrics 35 (1979); Armitage, McPherson and Rowe, JRSS A 132 (1969), for the
    integration; Jennison and Turnbull, Group Sequential Methods (2000), tables 2.3 and 3.8 on levels for t-tests.
    """
    from scipy.optimize import brentq  # slow to load, and only needed here

    nodes, weights = np.polynomial.legendre.leggauss(_NODES)

    def beyond(bound: float) -> float:
        x, w = bound * nodes, bound * weights
        step = _density(x[:, None] - x[None, :]) * w[None, :]
        density = _density(x)
        for _ in range(looks - 1):
            density = step @ density
        return float(1 - w @ density) - level

    bound = float(brentq(beyond, 1e-3, -math.sqrt(looks) * float(ndtri(level / 2 / looks))))
    return tuple(float(2 * ndtr(-bound / math.sqrt(look))) for look in range(1, looks + 1))


def _density(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.exp(-0.5 * x**2) / math.sqrt(2 * math.pi)


def power(runs: int, spread: float, shift: float, level: float, *, paired: bool = False) -> float:
    """The chance that a shift is seen with so many runs of each arm.

    Args:
        runs: of each arm, 2 or more.
        spread: as of a `Shift`; above 0.
        paired: whether runs are pairs.
    """
    from scipy.stats import nct  # slow to load, and only needed here

    # Of arms of equal variance the samples' variances differ all the same, and Welch's formula gives less than 2n - 2.
    freedom = runs - 1 if paired else 2 * runs - 3
    apart = abs(shift) / (spread * math.sqrt(2 / runs))
    bound = -float(stdtrit(freedom, level / 2))
    seen = float(nct.sf(bound, freedom, apart))
    return seen if math.isfinite(seen) else 1.0  # so far apart that the tail cannot be computed


def runs_needed(
    spread: float, shift: float, level: float, *, wanted: float = 0.8, paired: bool = False
) -> int | None:
    """The fewest runs of each arm with which a shift is seen with the chance wanted; None for more than 10,000.

    Args:
        spread: as of a `Shift`.
        shift: the one that shall be seen, not 0.
        wanted: the chance, 0 to 1.
        paired: whether runs are pairs.
    """
    if not spread:
        return 2
    numbers = range(2, _MOST_RUNS + 1)
    fewest = bisect_left(numbers, wanted, key=lambda runs: power(runs, spread, shift, level, paired=paired))
    return numbers[fewest] if fewest < len(numbers) else None
