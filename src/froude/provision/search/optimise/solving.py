"""The entry: an instance in, a plan with its bounds out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from froude.base.clock import Clock, RealClock
from froude.provision.model.instance import Instance
from froude.provision.search.optimise.benders import BendersSearch
from froude.provision.search.optimise.column_generation import ColumnPool
from froude.provision.search.optimise.conflicts import conflicts
from froude.provision.search.optimise.money import in_money, money_unit
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types.plan import ProvisionPlan, Status

EXACT = 1e-6
"""Relative gap that counts as none: what the solver's tolerances and rounding leave between equal bounds."""


def solve(
    instance: Instance,
    *,
    gap: float = 0.01,
    time_limit_s: float = 60.0,
    seed: int = 0,
    allowed: Sequence[Sequence[int]] | None = None,
    pool: ColumnPool | None = None,
    clock: Clock | None = None,
) -> ProvisionPlan:
    """The cheapest cluster between two bounds.

    The same arguments give the same plan, unless the time limit cuts the search short or a used pool is given.

    Args:
        gap: relative gap of the bounds at which it stops; below `EXACT` it is that.
        time_limit_s: seconds after which it stops with what it has.
        seed: of the solver's own randomness.
        allowed: open choices per dataset, for what-if questions; None opens all.
        pool: columns kept from neighbouring SLAs; filled further.
        clock: where time comes from.

    Raises:
        SolverError: HiGHS failed.
        ValueError: a gap outside [0, 1) or a time limit not above 0.
    """
    if not 0 <= gap < 1 or not time_limit_s > 0:
        raise ValueError(f"gap must lie in [0, 1) and time_limit_s above 0, got {gap:g} and {time_limit_s:g}")
    clock = clock or RealClock()
    begin = clock.now()
    unit = money_unit(instance)
    instance = in_money(instance, unit)
    search = BendersSearch(
        instance, SolveLimits(max(gap, EXACT), time_limit_s, seed), clock, pool or ColumnPool(), allowed
    )
    search.run()
    plan = _plan(instance, search, clock.now() - begin)
    return replace(plan, lower=plan.lower * unit, upper=plan.upper * unit)


def _plan(instance: Instance, search: BendersSearch, seconds: float) -> ProvisionPlan:
    best = search.best
    if math.isfinite(best.cost):
        chosen = list(zip(instance.datasets, best.choices, strict=True))
        status = Status.PROVED if search.closed else Status.GAP
        groups = best.groups()
        upper = best.paid(groups)
        return ProvisionPlan(
            status,
            groups,
            {dataset.name: dataset.choices[c].names for dataset, c in chosen if dataset.cpu_of is None},
            lower=min(search.lower, upper),
            upper=upper,
            seconds=seconds,
            notes=tuple(search.notes),
            cpus={instance.tasks[d.cpu_of].name: instance.cpus[c] for d, c in chosen if d.cpu_of is not None},
        )
    if not search.feasible:
        reasons = conflicts(instance, search.allowed)
        return ProvisionPlan(Status.INFEASIBLE, conflict=reasons, lower=math.inf, seconds=seconds)
    return ProvisionPlan(Status.UNDECIDED, lower=search.lower, seconds=seconds, notes=tuple(search.notes))
