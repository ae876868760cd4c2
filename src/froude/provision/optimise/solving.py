"""The entry: an instance in, a plan with its bounds out."""

from __future__ import annotations

import math
from collections.abc import Sequence

from froude.base.clock import Clock, RealClock
from froude.provision.instance import Instance
from froude.provision.optimise import certificate
from froude.provision.optimise.conflicts import conflicts
from froude.provision.optimise.packing import Pool
from froude.provision.optimise.search import Effort, Search
from froude.provision.plan import Plan, Status


def solve(
    instance: Instance,
    *,
    gap: float = 0.01,
    time_limit_s: float = 60.0,
    seed: int = 0,
    certify: bool = False,
    allowed: Sequence[Sequence[int]] | None = None,
    pool: Pool | None = None,
    clock: Clock | None = None,
) -> Plan:
    """The cheapest cluster between two bounds.

    The same arguments give the same plan, unless the time limit cuts the search short or a used pool is given.

    Args:
        instance: the numeric problem.
        gap: relative gap of the bounds at which it stops.
        time_limit_s: seconds after which it stops with what it has.
        seed: of the solver's own randomness.
        certify: ask for a second opinion (see `froude.provision.optimise.certificate`); takes longer.
        allowed: open choices per dataset, for what-if questions; None opens all.
        pool: server patterns kept from neighbouring SLAs; filled further.
        clock: where time comes from.

    Raises:
        SolverError: HiGHS failed, or (with `certify`) another solver contradicts a proved bound.
        ValueError: a gap outside [0, 1) or a time limit not above 0.
    """
    if not 0 <= gap < 1 or not time_limit_s > 0:
        raise ValueError(f"gap must lie in [0, 1) and time_limit_s above 0, got {gap:g} and {time_limit_s:g}")
    clock = clock or RealClock()
    begin = clock.now()
    search = Search(instance, Effort(gap, time_limit_s, seed), clock, pool or Pool(), allowed)
    search.run()
    if certify:
        certificate.certify(search)
    return _plan(instance, search, clock.now() - begin)


def _plan(instance: Instance, search: Search, seconds: float) -> Plan:
    best = search.best
    if math.isfinite(best.cost):
        units = {
            dataset.name: dataset.choices[choice].names
            for dataset, choice in zip(instance.datasets, best.choices, strict=True)
        }
        status = Status.PROVED if search.closed else Status.GAP
        lower = min(search.lower, best.cost)
        return Plan(
            status,
            best.groups,
            units,
            lower=lower,
            upper=best.cost,
            seconds=seconds,
            notes=tuple(search.notes),
        )
    if not search.feasible or not search.expired():
        found = conflicts(instance, search.allowed)
        if found:
            return Plan(Status.INFEASIBLE, conflict=found, lower=math.inf, seconds=seconds)
    return Plan(Status.UNDECIDED, lower=search.lower, seconds=seconds, notes=tuple(search.notes))
