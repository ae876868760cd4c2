"""Waits at units, and the numbers of units at which they are computed."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.provision.model.copies import Work
from froude.provision.model.waiting import levels, mean_wait

ONE = Work(0.5, 5.0, 0.0, 0.05)
"""Five accesses of 0.1 s a second."""


def test_one_unit_with_constant_service() -> None:
    """M/D/1 at half load waits half a service: 5 * 0.01 / (2 * 0.5) = 0.05 s; two units: 0.05 / (2 * 1.5)."""
    assert mean_wait([ONE], 1) == pytest.approx(0.05)
    assert mean_wait([ONE], 2) == pytest.approx(0.05 / 3)


def test_exponential_service_waits_twice_as_long() -> None:
    """M/M/1: E[sigma^2] = 2 / mu^2, so W = rho / (mu - lambda) = 0.5 / 5 = 0.1 s."""
    assert mean_wait([Work(0.5, 5.0, 0.0, 5 * 2 * 0.1**2)], 1) == pytest.approx(0.1)


def test_the_longest_wait_of_any_phase() -> None:
    """Few long accesses make others wait longer than many short ones that keep the unit as busy."""
    assert mean_wait([ONE, Work(0.5, 0.5, 0.0, 0.5)], 1) == pytest.approx(0.5)


def test_full_units_never_serve() -> None:
    """At a load of all the time the queue grows for ever; without accesses there is none."""
    assert mean_wait([Work(3.0, 30.0, 0.0, 0.3)], 3) == math.inf
    assert mean_wait([Work()], 1) == 0
    assert mean_wait([], 1) == 0


def test_levels_are_the_next_eight_and_then_by_a_quarter() -> None:
    """From 10: 11 to 18, then 23, 29, 37; 47 is more than four times as many."""
    heavy = [Work(9.5, 95.0, 0.0, 95 * 0.1)]
    assert list(levels(heavy, 10)) == [*range(10, 19), 23, 29, 37]
    assert list(levels(heavy, 9)) == [*range(10, 19), 23, 29, 37]
    assert next(levels([Work(10.0, 95.0, 0.0, 9.5)], 10)) == 11


def test_no_more_units_than_a_wait_asks_for() -> None:
    """Without accesses one level; with few, until the wait is a thousandth of the service."""
    assert list(levels([Work()], 3)) == [3]
    quick = [Work(1e-6, 1.0, 0.0, 1e-12)]
    assert list(levels(quick, 1)) == [1]


def test_broken_numbers_go_on_whole() -> None:
    """A number of instances may be broken to begin with."""
    assert list(levels([ONE], 1.5))[:3] == [1.5, 2.0, 3.0]


@given(st.floats(0.01, 0.98), st.floats(0.01, 0.98), st.floats(1e-4, 1.0), st.floats(1.0, 5.0))
def test_waits_rise_with_load_and_fall_with_units(a: float, b: float, sigma: float, spread: float) -> None:
    """More accesses never wait less; more units never more; any spread of service times waits at least as long."""
    low, high = sorted((a, b))

    def at(load: float, factor: float = 1.0) -> Work:
        return Work(load, load / sigma, 0.0, load * sigma * factor)

    assert mean_wait([at(low)], 1) <= mean_wait([at(high)], 1)
    assert mean_wait([at(high)], 2) <= mean_wait([at(high)], 1)
    assert mean_wait([at(low)], 1) <= mean_wait([at(low, spread)], 1)
