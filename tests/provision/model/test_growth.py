"""Growth until more can be bought."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.provision.check.executions import grown as grown_of_the_check
from froude.provision.model.growth import YEAR, grown
from froude.provision.types import Batch, BatchTarget, Growth, Problem, RateTarget, Sla
from tests.support.provision.small import DATA, small


def _growing(growth: Growth | None) -> Problem:
    batch = Batch(100.0, (BatchTarget("serve", 50.0),))
    problem = small(data=replace(DATA, cache_size=60.0))
    return replace(problem, sla=Sla((RateTarget("serve", 10.0, latency=2.0),), batch, growth))


def test_two_years() -> None:
    """40 % a year for two years is 1.96 times the load; 10 % is 1.21 times the data. Latencies stay."""
    later = grown(_growing(Growth(0.4, 0.1, 2 * YEAR)))
    assert later.sla.batch is not None
    (target,), (job,), (data,) = later.sla.targets, later.sla.batch.targets, later.application.datasets
    assert (target.rate, target.latency, job.executions) == pytest.approx((19.6, 2.0, 98.0))
    assert (data.size, data.cache_size) == pytest.approx((726.0, 72.6))
    assert later.sla.growth is None


def test_no_growth_changes_nothing() -> None:
    """None, and none over any time."""
    problem = _growing(None)
    assert grown(problem) is problem
    assert grown(_growing(Growth(0.0, 0.0, YEAR))) == problem


@given(st.floats(0, 3), st.floats(0, 3), st.floats(0, 3e8))
def test_the_check_grows_alike(load: float, data: float, lead: float) -> None:
    """Two separate computations; and demand never shrinks."""
    problem = _growing(Growth(load, data, lead))
    ours, theirs = grown(problem), grown_of_the_check(problem)
    assert ours.sla.targets[0].rate == pytest.approx(theirs.sla.targets[0].rate)
    assert ours.application.datasets[0].size == pytest.approx(theirs.application.datasets[0].size)
    assert ours.sla.targets[0].rate >= 10.0
    assert ours.application.datasets[0].size >= 600.0
