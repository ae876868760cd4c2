"""Rules that are kept on the safe side cost money, and prove nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.provision.check.checker import check
from froude.provision.search.compile import compile_plan
from froude.provision.search.safe_rules import has_safe_rules, within_safe_rules
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types import Problem, Rack, ReReplication
from froude.provision.types.plan import Group, ProvisionPlan, Status
from testbed.virtual_clock import VirtualClock
from tests.support.provision.small import DATA, small

_TIME = ReReplication(3600.0)


def _problem() -> Problem:
    problem = small(data=replace(DATA, replication=2))
    catalog = replace(problem.catalog, rack=Rack(4, 1e9, 50.0))
    return replace(problem, catalog=catalog, sla=replace(problem.sla, re_replication=_TIME))


def _plan(cost: float, lower: float | None = None) -> ProvisionPlan:
    lower = cost if lower is None else lower
    return ProvisionPlan(Status.PROVED, (Group("box", 1),), lower=lower, upper=cost)


def _rules(problem: Problem) -> tuple[bool, bool]:
    """(whether an uplink limits anything, whether a time does)."""
    rack = problem.catalog.rack
    return rack is not None and rack.uplink < 1e20, problem.sla.re_replication is not None


def _within(
    costs: dict[tuple[bool, bool], ProvisionPlan], sound: set[float], gap: float = 0.01
) -> ProvisionPlan:
    return within_safe_rules(
        _problem(),
        lambda part, *_: costs[_rules(part)],
        lambda plan: plan.upper in sound,
        SolveLimits(gap, 1.0),
        clock=VirtualClock(),
    )


FREE, UPLINK, TIME, BOTH = (False, False), (True, False), (False, True), (True, True)


def test_a_plan_that_keeps_them_anyhow_is_the_answer() -> None:
    """Nothing else is looked at, and its proof holds."""
    assert _within({FREE: _plan(100.0)}, {100.0}) == _plan(100.0)


def test_the_bound_is_that_without_them() -> None:
    """The cheapest that passes the check is taken, whichever rules it was made with."""
    costs = {FREE: _plan(100.0, 90.0), UPLINK: _plan(120.0), TIME: _plan(110.0), BOTH: _plan(130.0)}
    plan = _within(costs, {120.0, 130.0})
    assert (plan.upper, plan.lower, plan.status) == (120.0, 90.0, Status.GAP)
    near = _within(costs, {110.0}, gap=0.2)
    assert (near.upper, near.lower, near.status) == (110.0, 90.0, Status.PROVED)


def test_a_bound_as_far_off_as_the_gap_is_looked_at_closer() -> None:
    """Where time is left; no cluster is taken that breaks the rules."""

    def solve(part: Problem, gap: float, seconds: float) -> ProvisionPlan:
        del seconds
        return _plan(100.0, 100.0 - 100.0 * gap) if _rules(part) == FREE else _plan(101.0)

    plan = within_safe_rules(
        _problem(), solve, lambda plan: plan.upper == 101.0, SolveLimits(0.02, 1.0), clock=VirtualClock()
    )
    assert (plan.upper, plan.lower, plan.status) == (101.0, 99.5, Status.PROVED)


def test_infeasible_is_said_without_them_only() -> None:
    """With them it is not known."""
    none = ProvisionPlan(Status.INFEASIBLE)
    assert _within({FREE: none}, set()) == none
    refused = {FREE: _plan(100.0), UPLINK: none, TIME: none, BOTH: none}
    assert _within(refused, set()).status is Status.UNDECIDED


def test_what_has_such_rules() -> None:
    """Racks, or a time."""
    assert has_safe_rules(_problem())
    assert not has_safe_rules(small())


@pytest.mark.parametrize("size", [10.0, 3000.0])
def test_a_little_data_is_not_spread_far(size: float) -> None:
    """However full its disks might be: what passes the check is the answer, and the bound is below it."""
    pytest.importorskip("highspy")
    problem = small(data=replace(DATA, replication=2, size=size))
    timed = replace(problem, sla=replace(problem.sla, re_replication=ReReplication(600.0)))
    free, plan = (compile_plan(each, SolveLimits(0.01, 20.0, 0)) for each in (problem, timed))
    assert plan.found
    assert check(timed, plan).sound
    assert plan.lower >= free.lower * (1 - 1e-9)
    assert size > 10 or plan.upper == free.upper
