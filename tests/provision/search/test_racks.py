"""The number of racks as a decision."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from froude.provision.check.checker import check
from froude.provision.search.compile import compile_plan
from froude.provision.search.racks import best_racks
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types import Problem, Rack, RackLoss
from froude.provision.types.plan import Group, ProvisionPlan, Status
from testbed.virtual_clock import VirtualClock
from tests.support.provision.small import DATA, small

_RACK = Rack(4, 1e9, 50.0)


def _problem(**rack: object) -> Problem:
    problem = small(data=replace(DATA, replication=2))
    return replace(problem, catalog=replace(problem.catalog, rack=replace(_RACK, **rack)))  # type: ignore[arg-type]


def _solver(
    servers: Callable[[int | None], int], dollars: Callable[[int | None], float]
) -> Callable[..., ProvisionPlan]:
    """A stand-in whose clusters have so many servers at a number of racks, within the servers there may be."""

    def solve(part: Problem, racks: int | None, gap: float, seconds: float) -> ProvisionPlan:
        assert min(gap, seconds) > 0
        count, cost = servers(racks), dollars(racks)
        most = part.catalog.servers[0].max_count
        if most is not None and most < count:
            return ProvisionPlan(Status.INFEASIBLE)
        return ProvisionPlan(Status.PROVED, (Group("box", count),), lower=cost, upper=cost)

    return solve


def _best(solve: Callable[..., ProvisionPlan]) -> ProvisionPlan:
    return best_racks(_problem(), solve, SolveLimits(1e-6, 1e6), clock=VirtualClock())


def test_racks_are_paid_whole() -> None:
    """Nine servers fill two racks and begin a third; its price is in the cost and in the bound."""
    plan = _best(_solver(lambda _: 9, lambda _: 900.0))
    assert (plan.upper, plan.lower, plan.status) == (1050.0, 1050.0, Status.PROVED)
    assert plan.notes == ("in 3 racks of up to 4 servers",)


def test_fewer_racks_send_less_across() -> None:
    """What two racks carry with eight servers takes twelve where all may leave: both are looked at."""
    plan = _best(
        _solver(
            lambda racks: 8 if racks in {1, 2} else 12, lambda racks: 800.0 if racks in {1, 2} else 1200.0
        )
    )
    assert (plan.upper, plan.servers) == (900.0, 8)
    assert plan.status is Status.PROVED


def test_a_plan_that_needs_more_racks_is_none() -> None:
    """With types that are capped one by one a plan may outgrow its racks: its bound stays, and so does the gap."""

    def solve(part: Problem, racks: int | None, gap: float, seconds: float) -> ProvisionPlan:
        cost = 2000.0 if racks is None else 1000.0
        groups = (Group("box", 4), Group("box", 3))
        return ProvisionPlan(Status.PROVED, groups, lower=cost, upper=cost)

    plan = best_racks(_problem(), solve, SolveLimits(1e-6, 1e6), clock=VirtualClock())
    assert plan.upper == 1100.0  # two racks at 1000
    assert plan.lower <= 1050.0 + 1e-9
    assert plan.status is Status.GAP


def test_why_there_is_none() -> None:
    """A problem without any plan says so."""
    plan = _best(lambda *_: ProvisionPlan(Status.INFEASIBLE))
    assert plan.status is Status.INFEASIBLE


@pytest.mark.parametrize("loss", [RackLoss.NONE, RackLoss.DATA])
def test_a_narrow_uplink_costs_more(loss: RackLoss) -> None:
    """With an uplink that holds the load back more servers or racks are bought, and the check agrees."""
    pytest.importorskip("highspy")
    costs = []
    for uplink in (1e9, 150.0):
        problem = _problem(uplink=uplink, servers=1)
        problem = replace(problem, options=replace(problem.options, survive_rack=loss))
        plan = compile_plan(problem, SolveLimits(0.1, 60))
        assert plan.found
        assert check(problem, plan).sound
        costs.append(plan.upper)
    assert costs[0] < costs[1]
