"""Weighted max-min with floors and ceilings."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.cache.solve.max_min import fill, split_iops

Vessels = list[tuple[float, float, float]]


@st.composite
def vessels(draw: st.DrawFn) -> tuple[float, Vessels]:
    """A capacity; weight, floor and ceiling of each vessel."""
    amount = st.floats(0, 1e6)
    each = st.tuples(st.floats(0.01, 100), amount, st.one_of(amount, st.just(math.inf)))
    found = draw(st.lists(each, min_size=1, max_size=8))
    return draw(st.floats(0, 4e6)), [(w, min(a, b), max(a, b)) for w, a, b in found]


@given(vessels())
def test_it_gives_all_there_is_within_floors_and_ceilings(problem: tuple[float, Vessels]) -> None:
    """Never more than the capacity; floors are kept where they fit together."""
    capacity, each = problem
    weights, floors, ceilings = map(list, zip(*each, strict=True))
    amounts = fill(capacity, weights, floors, ceilings)
    slack = 1e-9 * max(1.0, capacity, sum(floors))
    assert amounts.sum() == pytest.approx(
        min(capacity, sum(ceilings)) if sum(floors) < capacity else capacity, abs=slack
    )
    for amount, floor, ceiling in zip(amounts, floors, ceilings, strict=True):
        assert amount <= ceiling + slack
        assert sum(floors) >= capacity or amount >= floor - slack


@given(vessels())
def test_nobody_who_may_rise_has_less_for_its_weight_than_one_above_its_floor(
    problem: tuple[float, Vessels],
) -> None:
    """What max-min means."""
    capacity, each = problem
    weights, floors, ceilings = map(list, zip(*each, strict=True))
    amounts = fill(capacity, weights, floors, ceilings)
    if sum(floors) >= capacity:
        return
    rising = [a / w for a, (w, _, high) in zip(amounts, each, strict=True) if a < high * (1 - 1e-9) - 1e-9]
    above = [a / w for a, (w, low, _) in zip(amounts, each, strict=True) if a > low * (1 + 1e-9) + 1e-9]
    if rising and above:
        assert min(rising) >= max(above) * (1 - 1e-6) - 1e-6


def test_a_plain_case() -> None:
    """Twice the weight, twice the amount, up to a ceiling whose rest goes to the others."""
    assert fill(90, [1, 2, 3], [0, 0, 0], [math.inf] * 3).tolist() == pytest.approx([15, 30, 45])
    assert fill(90, [1, 2, 3], [0, 0, 0], [math.inf, math.inf, 30]).tolist() == pytest.approx([20, 40, 30])
    assert fill(90, [1, 2, 3], [60, 0, 0], [math.inf] * 3).tolist() == pytest.approx([60, 12, 18])
    assert fill(10, [0, 0], [0, 0], [9, 9]).tolist() == [5, 5]
    assert fill(10, [0, 1], [2, 0], [9, 9]).tolist() == [2, 8]
    assert fill(10, [], [], []).tolist() == []


def test_floors_that_do_not_fit_shrink_in_proportion() -> None:
    """The capacity holds."""
    assert fill(30, [1, 1], [40, 20], [50, 50]).tolist() == [20, 10]
    assert fill(0, [1, 1], [0, 0], [50, 50]).tolist() == [0, 0]


@given(
    st.floats(0, 1e6),
    st.lists(st.tuples(st.floats(0, 10), st.floats(0, 1e5), st.floats(0, 1e4)), min_size=1, max_size=10),
)
def test_caps_in_iops_never_exceed_the_ssd(capacity: float, vms: list[tuple[float, float, float]]) -> None:
    """Whole numbers; what is wanted comes before what may be."""
    weights, demands, floors = map(list, zip(*vms, strict=True))
    caps = split_iops(capacity, weights, demands, floors, [math.inf] * len(vms))
    assert sum(caps) <= capacity * (1 + 1e-9) + 1e-3
    assert all(cap >= 0 for cap in caps)


def test_a_demand_that_is_met_leaves_the_rest_for_all() -> None:
    """300 of 1,000 are wanted: all get more than they want, by weight."""
    assert split_iops(1000, [1, 1], [100, 200], [0, 0], [math.inf, math.inf]) == [500, 500]
    assert split_iops(1000, [1, 1], [100, 900], [0, 0], [math.inf, math.inf]) == [100, 900]
    assert split_iops(1000, [3, 1], [900, 900], [0, 0], [math.inf, math.inf]) == [750, 250]
    assert split_iops(1000, [1, 1], [100, 200], [0, 0], [50, 60]) == [50, 60]


def test_nobody_is_left_without_an_operation_where_there_is_one_for_each() -> None:
    """Busy ones give it up, but for what their floors are; where a ceiling allows none there is none."""
    free = [math.inf] * 6
    assert split_iops(150, [1] * 6, [300, 0, 0, 0, 0, 0], [0.25] * 6, free) == [145, 1, 1, 1, 1, 1]
    assert split_iops(3, [1] * 3, [9, 0, 0], [3, 0, 0], free[:3]) == [3, 0, 0]
    assert split_iops(4, [1] * 3, [9, 0, 0], [2, 0, 0], [math.inf, math.inf, 0]) == [3, 1, 0]
    assert split_iops(2, [1] * 3, [9, 9, 9], [0] * 3, free[:3]) == [1, 1, 0]
