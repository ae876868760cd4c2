"""How many racks a cluster stands in, as a decision with a bound.

With R racks, (R - 1) / R of what goes to all servers alike leaves its rack, and the racks cost R times the price of
one; a single rack has no uplink to pass. For a given R the problem stays linear. For an interval [a, b] of R, the
traffic and the price of a racks and the servers of b bound every R in it. Intervals are parted, the least bound first.

That a cluster has servers for R racks and no more is kept per type of server: with several types a plan may need more
racks than were counted on. It then is no answer, its bound stays one, and what is left open stays as a gap.

Source: ours; defined in docs/design/2026-11-22-hdfs-sizing.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from froude.base.clock import Clock
from froude.provision.search.frontier import Frontier, halves
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types import Problem, RackLoss
from froude.provision.types.plan import ProvisionPlan, Status

_MOST_INTERVALS = 200

Solve = Callable[[Problem, int | None, float, float], ProvisionPlan]
"""Compiles a problem at a number of racks (None: any), to a relative gap within seconds; racks are not in its cost."""


@dataclass(frozen=True, slots=True)
class _Interval:
    start: int
    end: int | None
    """None: without end."""

    def halves(self) -> tuple[_Interval, ...]:
        return tuple(_Interval(start, end) for start, end in halves(self.start, self.end))


def best_racks(
    problem: Problem,
    solve: Solve,
    limits: SolveLimits,
    clock: Clock | None = None,
    *,
    least: int = 1,
) -> ProvisionPlan:
    """The cheapest plan over all numbers of racks, with a bound over all of them."""
    rack = problem.catalog.rack
    assert rack is not None
    each, gap = problem.catalog.cost(rack), limits.gap
    frontier: Frontier[_Interval] = Frontier(limits, most=_MOST_INTERVALS, clock=clock)

    def racks(plan: ProvisionPlan) -> int:
        return -(-plan.servers // rack.servers)

    first = max(1 if problem.options.survive_rack is RackLoss.NONE else 2, -(-least // rack.servers))

    def offer(plan: ProvisionPlan) -> None:
        if racks(plan) >= first:
            frontier.offer(replace(plan, upper=plan.upper + each * racks(plan)))

    def push(interval: _Interval, least: float) -> None:
        """Look into it, where `least`, its cost without racks, leaves room below the best plan."""
        start, end = interval.start, interval.end
        if least + each * start >= frontier.best.upper * (1 - gap):
            frontier.give_up(least + each * start)
            return
        part = problem if end is None else _at_most(problem, end * rack.servers)
        plan = solve(part, start, gap / 2, frontier.seconds)
        if plan.status is Status.INFEASIBLE:
            frontier.refuse(plan)
            return
        if plan.found and racks(plan) <= start:
            offer(plan)
        lower = max(least, plan.lower) + each * start
        if start == end:
            frontier.give_up(lower)
        else:
            frontier.push(interval, lower)

    # Half of the time, so that there is a plan at all; the rest is for a better one, and for bounds.
    any_number = solve(problem, None, gap / 2, frontier.seconds_left / 2)
    if any_number.found:
        offer(any_number)
    push(_Interval(first, None), 0.0)
    while (popped := frontier.pop()) is not None:
        interval, known = popped
        for half in interval.halves():
            push(half, known - each * interval.start)
    best = frontier.best
    return frontier.result(
        *([f"in {racks(best)} racks of up to {rack.servers} servers"] if best.found else [])
    )


def _at_most(problem: Problem, servers: int) -> Problem:
    """The problem with so many servers of each type at most."""

    def least(count: int | None) -> int:
        return servers if count is None else min(count, servers)

    types = (replace(server, max_count=least(server.max_count)) for server in problem.catalog.servers)
    return replace(problem, catalog=replace(problem.catalog, servers=tuple(types)))
