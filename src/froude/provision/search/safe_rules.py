"""Rules that the model keeps on the safe side: what they may cost too much is never part of a proof.

The uplinks of racks and the time to re-replicate are not linear in what a server holds and does. The model asks for
more than they do: each server has its own part of an uplink, and data is spread over so many servers that the time is
kept whatever they hold. A cluster that the model refuses may therefore be one that the check accepts. So the problem is
solved without these rules first: what no cluster undercuts there, none does, and a cluster that keeps them all the same
is the answer. Otherwise it is solved with each of them and with both, the cheapest cluster that passes the check is
taken, and what is left between the two is a gap. That there is no cluster is said only where there is none without them.

Source: ours; docs/design/2026-11-22-hdfs-sizing.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from froude.base.clock import Clock, RealClock
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types import Problem
from froude.provision.types.plan import ProvisionPlan, Status

_NO_LIMIT = 1e30
"""Bytes per second of an uplink that nothing fills."""
_FIRST = 0.4
"""Share of the time for the problem without the rules: its bound is the only one."""

Solve = Callable[[Problem, float, float], ProvisionPlan]
"""Compiles a problem to a relative gap within seconds."""
Sound = Callable[[ProvisionPlan], bool]
"""Whether a plan passes the check of the problem with all its rules."""


def has_safe_rules(problem: Problem) -> bool:
    """Whether a problem has any of these rules."""
    return problem.catalog.rack is not None or problem.sla.re_replication is not None


def within_safe_rules(
    problem: Problem,
    solve: Solve,
    sound: Sound,
    limits: SolveLimits,
    clock: Clock | None = None,
) -> ProvisionPlan:
    """The cheapest plan that keeps the rules, with a bound that does not rest on them.

    Args:
        problem: with racks, or a time to re-replicate.
    """
    clock = clock or RealClock()
    gap, end = limits.gap, clock.now() + limits.time_limit_s
    without = _without(problem, uplinks=True, time=True)
    free = solve(without, gap, limits.time_limit_s * _FIRST)
    if free.status is Status.INFEASIBLE or (free.found and sound(free)):
        return free
    best = ProvisionPlan(Status.UNDECIDED, lower=free.lower)
    parts = list(_parts(problem))
    for number, part in enumerate(parts):
        plan = solve(part, gap / 2, max(0.1, end - clock.now()) / (len(parts) - number))
        if plan.found and plan.upper < best.upper and sound(plan):
            best = replace(plan, lower=min(free.lower, plan.upper))
        if limits.watch is not None:
            limits.watch(best.lower, best.upper)
        if best.found and best.gap <= gap:
            break
    if not best.found:
        return best
    if (
        best.gap > gap and free.status is Status.PROVED and end > clock.now()
    ):  # its bound may be as far off as the gap
        closer = solve(without, gap / 4, end - clock.now())
        best = replace(best, lower=max(best.lower, min(closer.lower, best.upper)))
    return replace(best, status=Status.PROVED if best.gap <= gap else Status.GAP)


def _parts(problem: Problem) -> Iterator[Problem]:
    """The problem with one of its rules, then with both."""
    if problem.catalog.rack is not None and problem.sla.re_replication is not None:
        yield _without(problem, uplinks=False, time=True)
        yield _without(problem, uplinks=True, time=False)
    yield problem


def _without(problem: Problem, *, uplinks: bool, time: bool) -> Problem:
    rack, sla = problem.catalog.rack, problem.sla
    catalog = problem.catalog
    if uplinks and rack is not None:
        catalog = replace(catalog, rack=replace(rack, uplink=_NO_LIMIT))
    return replace(problem, catalog=catalog, sla=replace(sla, re_replication=None) if time else sla)
