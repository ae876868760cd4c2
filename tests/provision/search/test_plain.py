"""Clusters of equal servers: few numbers, decided by the check."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.provision.check.checker import check
from froude.provision.search.plain import plain_cluster
from froude.provision.types import BatchTarget, Bundle, Options, Problem, RateTarget
from froude.provision.types.demand import Batch
from froude.provision.types.plan import ProvisionPlan
from tests.support.provision.small import BOX, DATA, DISK, DRAM, small

REPLICATED = replace(DATA, size=9000.0, replication=3)


def _found(problem: Problem, below: float = 1e12) -> ProvisionPlan:
    plan = plain_cluster(problem, below)
    assert plan is not None
    assert check(problem, plan).sound
    return plan


def test_as_many_equal_servers_as_it_takes() -> None:
    """27,000 bytes of replicas on disks of 1,000, four a server: seven servers; with a lost host eight."""
    (group,) = _found(small(data=REPLICATED)).groups
    assert (group.count, group.held[0].units, group.held[0].share) == (7, 4, pytest.approx(1 / 7))
    plan = _found(small(data=REPLICATED, options=Options(survive_hosts=1)))
    assert (plan.groups[0].count, plan.spread) == (8, 8)


def test_the_cheapest_kind_is_taken() -> None:
    """Whichever server and unit; nothing is found that costs as much as is known already."""
    large = replace(DISK, name="large", capacity=4000.0, price=120.0)
    plan = _found(small(data=REPLICATED, units=(DISK, large, DRAM)))
    assert plan.choices == {"data": ("large",)}
    assert plain_cluster(small(data=REPLICATED, units=(DISK, large, DRAM)), plan.upper) is None


def test_disks_that_the_price_includes_are_all_used() -> None:
    """More disks hold less each, and are sooner filled again."""
    boxed = replace(BOX, bundle=Bundle(4, (("disk", 4), ("dram", 2))), price=900.0)
    (group,) = _found(small(data=replace(REPLICATED, size=600.0), servers=(boxed,))).groups
    assert (group.count, group.held[0].units) == (3, 4)


@pytest.mark.parametrize(
    "change",
    [
        {"data": replace(DATA, remote=False)},
        {"target": RateTarget("serve", 10.0, latency=9.0)},
        {"servers": (replace(BOX, cpus=0),)},
    ],
)
def test_what_is_not_looked_at(change: dict[str, object]) -> None:
    """Local data and latencies; and where no number of servers is enough."""
    assert plain_cluster(small(**change), 1e7) is None  # type: ignore[arg-type]


def test_a_batch_job_is_not_looked_at() -> None:
    """Its time may have to be split."""
    problem = small()
    batch = Batch(60.0, (BatchTarget("serve", 10.0),))
    assert plain_cluster(replace(problem, sla=replace(problem.sla, targets=(), batch=batch)), 1e7) is None
