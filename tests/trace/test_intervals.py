"""Intervals of two runs, compared by call site."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from froude.trace.intervals import FEWEST, Observed, Statistic, agree, agreement, observed


def test_median_and_90th_percentile() -> None:
    """Of eleven intervals of 0 to 1 s."""
    assert observed([n / 10 for n in range(11)]) == Observed(11, 0.5, 0.9)


def test_sites_are_few_short_or_compared() -> None:
    """What one run lacks is no site of both; the rest agrees or not, by each statistic."""
    left = {
        "few": Observed(FEWEST - 1, 1, 1),
        "short": Observed(9, 0.0001, 0.0009),
        "median": Observed(9, 1, 2),
        "none": Observed(9, 1, 2),
        "lacks": Observed(9, 1, 1),
    }
    right = {
        "few": Observed(9, 1, 1),
        "short": Observed(9, 0.0009, 0.002),
        "median": Observed(9, 1.05, 3),
        "none": Observed(9, 2, 3),
    }
    by_median = agreement(left, right, Statistic.MEDIAN)
    assert (by_median.sites, by_median.few, by_median.short, by_median.compared) == (4, 1, 1, 2)
    assert by_median.agreeing == ("median",)
    assert agreement(left, right, Statistic.P90).agreeing == ()
    assert agreement({}, right, Statistic.P90).compared == 0


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_agreement_has_no_side(one_s: float, other_s: float) -> None:
    """And what is equal agrees, also nothing at all."""
    assert agree(one_s, other_s) == agree(other_s, one_s)
    assert agree(one_s, one_s)
