"""Counts and latencies."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.emulation.run.tally import Histogram, Tally

DURATIONS = st.lists(st.floats(0, 3600, allow_nan=False), min_size=1, max_size=200)


@given(DURATIONS)
def test_quantiles_are_right_to_three_digits(durations: list[float]) -> None:
    """A quantile is the exact one, rounded down by less than a thousandth."""
    histogram = Histogram()
    histogram.add(durations)
    ordered = sorted(int(d * 1e6) for d in durations)
    for q, found_ms in zip((0.5, 0.9), histogram.quantiles_ms((0.5, 0.9)), strict=True):
        exact = ordered[max(0, math.ceil(q * len(ordered)) - 1)]
        assert exact * 0.999 - 1 <= found_ms * 1e3 <= exact + 1e-6
    assert histogram.quantiles_ms((1.0,)) == [max(ordered) / 1e3]


@given(DURATIONS, DURATIONS)
def test_histograms_merge(one: list[float], two: list[float]) -> None:
    """Two players' histograms together are the histogram of both."""
    first, second, both = Histogram(), Histogram(), Histogram()
    first.add(one)
    second.add(two)
    both.add(one + two)
    first.merge(second)
    assert (first.counts, first.total, first.max_us) == (both.counts, both.total, both.max_us)


def test_an_interval_gives_a_row_a_method() -> None:
    """Rows hold what happened in their second only; idle methods have none."""
    tally = Tally()
    series = tally.of("create")
    series.sent, series.answered = 2, 2
    series.intended += [0.001, 0.003]
    series.actual += [0.001, 0.002]
    tally.close_interval(1.0)
    tally.close_interval(2.0)
    (row,) = tally.rows
    assert (row.time_s, row.method, row.sent, row.answered, row.errors) == (1.0, "create", 2, 2, 0)
    assert row.max_ms == pytest.approx(3.0)
    assert series.from_intended.percentiles().max_ms == 3.0
    assert series.from_actual.percentiles().max_ms == 2.0


def test_tallies_merge() -> None:
    """Counts, errors and notes of two players add up."""
    first, second = Tally(), Tally()
    for tally in (first, second):
        tally.of("a").sent = tally.of("a").answered = 3
        tally.of("a").errors["X"] += 1
        tally.notes["n"] += 1
        tally.grants.append(0.5)
        tally.close_interval(1.0)
    first.merge(second)
    assert first.counts == {"a": (6, 6)}
    assert first.series["a"].errors["X"] == 2
    assert first.notes["n"] == 2
    assert (first.allocation.total, first.allocation.max_us) == (2, 500_000)


def test_a_ramp_is_told_from_the_load() -> None:
    """A call counts where it was sent; one that was in flight at the ramp's end too, and the row has both."""
    tally = Tally()
    tally.begin_ramp()
    before = tally.of("register")
    before.sent += 1
    tally.late.append(0.5)
    tally.grants.append(0.3)
    tally.end_ramp(0.7)
    tally.grants.append(0.002)
    after = tally.of("register")
    after.sent += 2
    for series, seconds in ((before, 0.010), (after, 0.020), (after, 0.030)):
        series.answered += 1
        series.intended.append(seconds)
        series.actual.append(seconds)
    tally.late.append(0.001)
    tally.close_interval(1.0)
    assert (tally.steady_from_s, tally.counts, tally.ramp.counts) == (
        0.7,
        {"register": (2, 2)},
        {"register": (1, 1)},
    )
    assert (tally.lateness.max_us, tally.ramp.lateness.max_us) == (1000, 500_000)
    assert (tally.allocation.max_us, tally.ramp.allocation.max_us) == (2000, 300_000)
    assert tally.whole.counts == {"register": (3, 3)}
    (row,) = tally.rows
    assert (row.sent, row.answered, row.max_ms) == (3, 3, 30.0)


def test_a_ramp_that_never_ended() -> None:
    """All that was counted is there, and it is said."""
    tally = Tally()
    tally.begin_ramp()
    tally.of("register").sent += 1
    tally.close_interval(1.0)
    assert (tally.steady_from_s, tally.counts, tally.ramp.counts) == (None, {"register": (1, 0)}, {})


def test_two_daemons_may_have_a_method_of_one_name() -> None:
    """Their calls are not mixed: the later one's series is named with the daemon, here and where tallies are merged."""
    tally, other = Tally(), Tally()
    first = tally.of("getDelegationToken", "namenode")
    second = tally.of("getDelegationToken", "resourcemanager")
    assert second is tally.of("getDelegationToken", "resourcemanager") is not first
    assert tally.of("getDelegationToken") is first
    first.sent, second.sent = 2, 5
    other.merge(tally)
    assert {name: (each.daemon, each.sent) for name, each in other.series.items()} == {
        "getDelegationToken": ("namenode", 2),
        "getDelegationToken (resourcemanager)": ("resourcemanager", 5),
    }
    unsent = tally.of("create")
    assert tally.of("create", "namenode") is unsent
    assert unsent.daemon == "namenode"
