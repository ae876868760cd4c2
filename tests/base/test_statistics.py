"""The statistics of a comparison: false alarms and power are what they are said to be."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from froude.base.statistics import (
    LARGEST_LOG,
    mean_interval,
    obrien_fleming,
    power,
    runs_needed,
    shift_of,
    weighted_holm,
)

Floats = npt.NDArray[np.float64]
VALUES = st.lists(st.floats(-5, 5), min_size=2, max_size=8)


def test_it_is_welchs_test_and_that_of_pairs() -> None:
    """As scipy has them."""
    a, b = [1.0, 1.2, 0.9, 1.1], [1.3, 1.9, 1.1, 1.6]
    welch, pairs = stats.ttest_ind(b, a, equal_var=False), stats.ttest_rel(b, a)
    assert shift_of(a, b).p == pytest.approx(welch.pvalue)
    assert shift_of(a, b).interval(0.05) == pytest.approx(tuple(welch.confidence_interval(0.95)))
    assert shift_of(a, b, paired=True).p == pytest.approx(pairs.pvalue)
    assert shift_of(a, b, paired=True).interval(0.05) == pytest.approx(tuple(pairs.confidence_interval(0.95)))
    with pytest.raises(ValueError, match="two runs"):
        shift_of([1.0], b)


def test_what_the_measure_cannot_tell_apart_is_no_difference() -> None:
    """Runs that are all alike, one step of the measure away from the others, which are alike, too."""
    assert shift_of([1.0, 1.0, 1.0], [1.0, 1.0, 1.0]).p == 1
    assert shift_of([1.0, 1.0, 1.0], [1.001, 1.001, 1.001]).p == 0
    assert shift_of([1.0, 1.0, 1.0], [1.001, 1.001, 1.001], least_error=0.001).p > 0.3


@given(VALUES, VALUES, st.floats(0.001, 0.2))
def test_an_interval_leaves_out_nothing_that_is_not_rejected(
    a: list[float], b: list[float], level: float
) -> None:
    """And 0 exactly where it is: a table and its verdicts cannot disagree."""
    shift = shift_of(a, b, least_error=1e-3)
    low, high = shift.interval(level)
    if abs(shift.p - level) > 1e-9:
        assert (shift.p < level) is not (low <= 0 <= high)


PS = st.lists(st.tuples(st.floats(0, 1), st.floats(0.1, 10)), min_size=1, max_size=12)


@given(PS, st.floats(0.001, 0.3))
def test_holm_rejects_as_its_closed_form(tests: list[tuple[float, float]], level: float) -> None:
    """A test is rejected where all before it are; what it is held against is its share of what is left."""
    ps, weights = zip(*tests, strict=True)
    tested = weighted_holm(ps, weights, level)
    order = sorted(range(len(ps)), key=lambda at: ps[at] / weights[at])
    for one, next_ in pairwise(order):
        assert tested[one].rejected >= tested[next_].rejected
    left, rejecting = sum(weights), True
    for at in order:
        share = level * weights[at] / left
        assert tested[at].level == pytest.approx(share)
        if abs(ps[at] - share) > 1e-9:
            rejecting = rejecting and ps[at] < share
            assert tested[at].rejected == rejecting
        left -= weights[at] if tested[at].rejected else 0


def test_a_p_at_its_level_is_rejected() -> None:
    """As each test of the family would be on its own."""
    assert [each.rejected for each in weighted_holm([0.025, 0.5], [1, 1], 0.05)] == [True, False]
    assert not weighted_holm([0.0251, 0.5], [1, 1], 0.05)[0].rejected


TIMES = 2000


def ps_of(a: Floats, b: Floats, *, paired: bool = False) -> Floats:
    """`shift_of(...).p` of each row at once, by formulas of their own; the first twenty rows are those of `shift_of`.

    Args:
        a: (times, runs) of the baseline.
        b: (times, runs) of the candidate.
        paired: whether they are pairs.
    """
    sizes = a.shape[1], b.shape[1]
    if paired:
        apart = b - a
        errors = apart.std(axis=1, ddof=1) / math.sqrt(sizes[0])
        freedoms = np.full(len(a), sizes[0] - 1.0)
    else:
        parts = np.stack([each.var(axis=1, ddof=1) / each.shape[1] for each in (a, b)])
        errors = np.sqrt(parts.sum(axis=0))
        welch = errors**4 / (parts[0] ** 2 / (sizes[0] - 1) + parts[1] ** 2 / (sizes[1] - 1))
        fewest = min(sizes) - 1.0
        freedoms = np.maximum(fewest, welch) if max(sizes) <= 2 * min(sizes) else np.full(len(a), fewest)
    ps: Floats = 2 * stats.t.sf(abs(b.mean(axis=1) - a.mean(axis=1)) / errors, freedoms)
    for own, *row in zip(ps[:20].tolist(), a.tolist(), b.tolist(), strict=False):
        assert shift_of(*row, paired=paired).p == pytest.approx(own)
    return ps


DRAWS: dict[str, Callable[[np.random.Generator, tuple[int, int]], Floats]] = {
    "normal": lambda rng, shape: rng.normal(0, 0.05, shape),
    "skewed": lambda rng, shape: 0.05 * rng.exponential(1, shape),
    "one run in ten slow": lambda rng, shape: rng.normal(0, 0.05, shape) + 0.5 * (rng.random(shape) < 0.1),
}


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("runs", [(2, 2), (3, 3), (5, 5), (5, 8), (3, 6), (3, 7), (3, 10), (10, 10)])
def test_false_alarms_are_no_more_than_stated(name: str, runs: tuple[int, int]) -> None:
    """Of few and of many runs, of one size and of two, normal or not; three standard errors are the simulation's."""
    rng = np.random.default_rng(7)
    a, b = (DRAWS[name](rng, (TIMES, number)) for number in runs)
    ps = ps_of(a, b)
    for level in (0.05, 0.025):
        rate = (ps <= level).mean()
        assert rate <= level + 3 * math.sqrt(level * (1 - level) / TIMES), (name, runs, level, rate)


@pytest.mark.parametrize(("runs", "shift"), [(3, 0.15), (4, 0.1), (5, 0.1), (8, 0.05), (8, 0.1)])
@pytest.mark.parametrize("paired", [False, True])
def test_power_is_as_computed(runs: int, shift: float, paired: bool) -> None:
    """Within 4 points."""
    rng = np.random.default_rng(3)
    a, b = (rng.normal(mean, 0.05, (TIMES, runs)) for mean in (0, shift))
    hits = (ps_of(a, b, paired=paired) <= 0.025).mean()
    assert hits == pytest.approx(power(runs, 0.05, shift, 0.025, paired=paired), abs=0.04)


def test_the_runs_needed_are_the_fewest() -> None:
    """Of any spread; endless ones are said to be."""
    for spread, paired in itertools.product((0.0001, 0.01, 0.02, 0.03, 0.05, 0.1), (False, True)):
        enough = (n for n in itertools.count(2) if power(n, spread, 0.05, 0.025, paired=paired) >= 0.8)
        assert runs_needed(spread, 0.05, 0.025, paired=paired) == next(enough)
    assert runs_needed(0.0, 0.05, 0.025) == 2
    assert runs_needed(100.0, 0.05, 0.025) is None


def test_the_most_runs_that_are_planned() -> None:
    """Ten thousand; one more is too many."""
    for runs, needed in ((10_000, 10_000), (10_001, None)):
        wanted = power(runs, 1.0, 0.03, 0.05)
        assert power(runs - 1, 1.0, 0.03, 0.05) < wanted
        assert runs_needed(1.0, 0.03, 0.05, wanted=wanted) == needed


@pytest.mark.parametrize("paired", [False, True])
def test_power_is_that_of_the_noncentral_t(paired: bool) -> None:
    """Of n - 1 degrees of freedom, or of 2n - 3, which is less than those of equal variances that are known to be so."""
    for runs in (2, 3, 5, 20):
        freedom = runs - 1 if paired else 2 * runs - 3
        bound = stats.t.ppf(1 - 0.05 / 2, freedom)
        apart = 0.7 / 0.5 * math.sqrt(runs / 2)
        for shift in (0.7, -0.7):
            assert power(runs, 0.5, shift, 0.05, paired=paired) == pytest.approx(
                1 - stats.nct.cdf(bound, freedom, apart)
            )
    assert power(100, 1e-4, 1.0, 0.05, paired=paired) == 1


def test_the_interval_of_a_mean() -> None:
    """Of values above 0 the geometric one; of a single run it has no length, and errors may be 0."""
    mean, low, high = mean_interval([1.0, 4.0, 2.0], 0.05)
    assert mean == pytest.approx(2.0)
    assert low * high == pytest.approx(4.0)
    assert mean_interval([3.0], 0.05) == pytest.approx((3.0, 3.0, 3.0))
    mean, low, high = mean_interval([0.0, 2.0], 0.05)
    assert (mean, low + high) == pytest.approx((1.0, 2.0))
    assert mean_interval([1.0, 1e200], 0.01)[2] == math.exp(LARGEST_LOG)


@given(VALUES, st.floats(0.001, 0.2))
def test_the_interval_of_a_mean_is_that_of_the_t_test(values: list[float], level: float) -> None:
    """Of the values, or of their logarithms."""
    if np.std(values) < 1e-3:
        return
    expected = (np.mean(values), *stats.ttest_1samp(values, 0).confidence_interval(1 - level))
    assert mean_interval(values, level, ratio=False) == pytest.approx(expected)
    ratios = mean_interval([math.exp(value) for value in values], level)
    assert ratios == pytest.approx([math.exp(min(each, LARGEST_LOG)) for each in expected], rel=1e-4)


@given(VALUES, st.data())
def test_how_much_runs_of_one_arm_differ(a: list[float], data: st.DataObject) -> None:
    """The deviation of both arms together; of pairs that of their differences, which have it twice."""
    b = data.draw(st.lists(st.floats(-5, 5), min_size=len(a), max_size=len(a)))
    assert shift_of(a, b).spread ** 2 == pytest.approx((np.var(a, ddof=1) + np.var(b, ddof=1)) / 2)
    apart = np.subtract(b, a)
    assert 2 * shift_of(a, b, paired=True).spread ** 2 == pytest.approx(np.var(apart, ddof=1))


def test_two_runs_of_each_arm_are_the_least() -> None:
    """One of either is refused; of two the formula gives one degree of freedom at least."""
    for a, b in (([1.0], [1.0, 2.0]), ([1.0, 2.0], [1.0])):
        with pytest.raises(ValueError, match="two runs"):
            shift_of(a, b)
    assert shift_of([1.0, 2.0], [3.0, 3.0]).freedom == 1


@pytest.mark.parametrize(
    ("looks", "bound"), [(1, 1.960), (2, 1.977), (3, 2.004), (4, 2.024), (5, 2.040), (10, 2.087)]
)
def test_bounds_of_looks_are_the_published_ones(looks: int, bound: float) -> None:
    """Jennison and Turnbull's table 2.3; those of earlier looks grow with the square root of what is left."""
    levels = obrien_fleming(looks, 0.05)
    assert stats.norm.isf(levels[-1] / 2) == pytest.approx(bound, abs=6e-4)
    for look, level in enumerate(levels, 1):
        assert stats.norm.isf(level / 2) == pytest.approx(bound * math.sqrt(looks / look), abs=2e-3)


@pytest.mark.parametrize("level", [0.001, 0.05, 0.3])
def test_looks_at_a_random_walk_cross_their_bounds_as_often_as_asked(level: float) -> None:
    """The bound of the last look is above that of a single one, and levels rise."""
    levels = obrien_fleming(5, level)
    assert list(levels) == sorted(levels)
    assert levels[-1] < level < sum(levels)
    rng = np.random.default_rng(7)
    walks = rng.standard_normal((40_000, 5)).cumsum(axis=1) / np.sqrt(np.arange(1, 6))
    bounds = stats.norm.isf(np.array(levels) / 2)
    crossed = (np.abs(walks) >= bounds).any(axis=1).mean()
    assert crossed == pytest.approx(level, abs=4 * math.sqrt(level / 40_000))
