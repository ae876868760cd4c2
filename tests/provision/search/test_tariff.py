"""What n pieces cost, and lines below it."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from froude.provision.search.tariff import Tariff

_STEPS = st.lists(st.tuples(st.integers(1, 9), st.integers(0, 40)), min_size=0, max_size=3).map(
    lambda pairs: _falling(100.0, pairs)
)


def _falling(price: float, pairs: list[tuple[int, int]]) -> tuple[tuple[int, float], ...]:
    steps = [(1, price)]
    for more, less in pairs:
        steps.append((steps[-1][0] + more, max(0.0, steps[-1][1] - less)))
    return tuple(steps)


_TARIFFS = st.builds(
    Tariff,
    steps=_STEPS,
    energy=st.sampled_from([0.0, 7.5]),
    owned=st.sampled_from([0, 0, 3, 11]),
    fixed=st.sampled_from([0.0, 50.0]),
    most=st.sampled_from([None, None, 12]),
)


def _paid(tariff: Tariff, count: int) -> float:
    """By trying every number of spares."""
    owned = min(count, tariff.owned)
    ways = []
    for spares in range(60):
        bought = count - owned + spares
        if spares and (count <= tariff.owned or (tariff.most is not None and owned + bought > tariff.most)):
            break
        price = [price for least, price in tariff.steps if least <= bought]
        ways.append(bought * price[-1] if bought else 0.0)
    return min(ways) + count * tariff.energy + (tariff.fixed if count else 0.0)


@given(_TARIFFS, st.integers(0, 45))
def test_the_cheapest_number_of_spares(tariff: Tariff, count: int) -> None:
    """T is the least over all numbers of spares, and those it names cost as much."""
    assert tariff.cost(count) == pytest.approx(_paid(tariff, count))
    spares = tariff.spares(count)
    bought = max(0, count - tariff.owned) + spares
    price = [price for least, price in tariff.steps if least <= bought]
    fixed = tariff.fixed if count else 0.0
    paid = fixed + count * tariff.energy + (bought * price[-1] if bought else 0.0)
    assert tariff.cost(count) == pytest.approx(paid)


@given(
    _TARIFFS,
    st.integers(0, 20),
    st.one_of(st.none(), st.integers(0, 25)),
    st.integers(0, 60),
    st.one_of(st.none(), st.floats(0, 300)),
)
@example(Tariff(_falling(100.0, [(1, 0), (7, 12)]), owned=11, most=12), 19, None, 0, None)
def test_a_line_is_never_above(
    tariff: Tariff, low: int, more: int | None, near: int, slope: float | None
) -> None:
    """Nowhere in its interval, whatever count or slope is asked for; T never falls over counts that can be had."""
    high = None if more is None else low + more
    line = tariff.line(low, high, near, slope)
    assert line.slope >= 0
    for n in range(low, 70 if high is None else high + 1):
        assert line.at(n) <= tariff.cost(n) + 1e-6
        if tariff.most is None or n < tariff.most:
            assert tariff.cost(n) <= tariff.cost(n + 1) + 1e-9


@given(_TARIFFS, st.integers(1, 20), st.integers(0, 25))
def test_an_interval_of_one_is_met(tariff: Tariff, count: int, slope: int) -> None:
    """For a single count the line has T there, at any slope."""
    assert tariff.line(count, count, count, float(slope)).at(count) == pytest.approx(tariff.cost(count))


def test_a_step_is_worth_spares() -> None:
    """Nine at 100 cost more than ten at 80."""
    tariff = Tariff(((1, 100.0), (10, 80.0)), energy=1.0)
    assert [tariff.cost(n) for n in (8, 9, 10, 11)] == [808, 809, 810, 891]
    assert [tariff.spares(n) for n in (7, 8, 9, 10)] == [0, 0, 1, 0]
    assert not tariff.linear
    assert Tariff(((1, 100.0),)).linear
