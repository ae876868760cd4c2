"""What a search outside the linear problem takes next, and what it may claim."""

from __future__ import annotations

import pytest

from froude.provision.search.frontier import Frontier
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types.plan import Conflict, Group, ProvisionPlan, Status
from testbed.virtual_clock import VirtualClock


def _frontier(gap: float = 0.0, most: int = 100) -> Frontier[str]:
    return Frontier(SolveLimits(gap, 30.0), most=most, clock=VirtualClock())


def _plan(upper: float) -> ProvisionPlan:
    return ProvisionPlan(Status.PROVED, (Group("s", 1),), upper=upper)


def test_the_least_bound_is_taken_first() -> None:
    """And among equals the one that came first; what the best plan beats is not taken at all."""
    frontier = _frontier()
    for part, lower in (("c", 3.0), ("a", 1.0), ("b", 1.0), ("d", 9.0)):
        frontier.push(part, lower)
    assert frontier.pop() == ("a", 1.0)
    assert frontier.pop() == ("b", 1.0)
    frontier.offer(_plan(5.0))
    frontier.offer(_plan(7.0))
    frontier.push("e", 6.0)
    assert frontier.best.upper == 5.0
    assert frontier.pop() == ("c", 3.0)
    frontier.give_up(4.5)
    assert frontier.lower == 4.5
    assert frontier.pop() == ("d", 9.0)
    assert frontier.pop() is None
    plan = frontier.result("done")
    assert (plan.status, plan.lower, plan.upper, plan.notes) == (Status.GAP, 4.5, 5.0, ("done",))


def test_it_is_over_within_the_gap() -> None:
    """The plan is proved then, whatever is open."""
    frontier = _frontier(gap=0.1)
    frontier.push("a", 9.5)
    frontier.offer(_plan(10.0))
    assert frontier.pop() is None
    plan = frontier.result()
    assert (plan.status, plan.lower) == (Status.PROVED, 9.5)


def test_it_is_over_with_the_time_or_the_parts() -> None:
    """What is open counts in the bound."""
    clock = VirtualClock()
    frontier: Frontier[str] = Frontier(SolveLimits(0.0, 30.0), most=100, clock=clock)
    frontier.push("a", 2.0)
    assert frontier.seconds == pytest.approx(30 / 8)
    assert (frontier.seconds_left, frontier.seconds_close) == (30.0, 15.0)
    clock.advance_to(31.0)
    assert frontier.pop() is None
    assert frontier.seconds > 0
    plan = frontier.result()
    assert (plan.status, plan.lower, plan.seconds) == (Status.UNDECIDED, 2.0, 31.0)
    short = _frontier(most=0)
    short.push("a", 2.0)
    assert short.pop() is None


def test_why_there_is_nothing() -> None:
    """A refusal is the answer only when nothing is left open or given up."""
    refused = ProvisionPlan(Status.INFEASIBLE, conflict=(Conflict("slots"),))
    frontier = _frontier()
    frontier.refuse(refused)
    assert frontier.result().conflict == refused.conflict
    frontier.give_up(1.0)
    assert frontier.result().status is Status.UNDECIDED
