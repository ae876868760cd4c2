"""Clusters that follow the times of day: a plan per period, with what it costs to move data between them.

Every period's cheapest cluster is known between bounds (`compile_plan` at the period's load), but going from one to
the next moves data. So more clusters are considered: those of the cheapest architectures of every period, each
compiled at every period's load, and those of busier periods, kept through quieter ones. The cheapest way around the
day through these is found by dynamic programming. The periods' own lower bounds, without moves, bound every schedule.

Source: ours; defined in docs/design/2026-11-21-provisioning-features.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice, pairwise

from froude.base.errors import InputError
from froude.base.parallel import Workers
from froude.base.parallel import map as parallel_map
from froude.provision.check.bill import bill
from froude.provision.check.checker import check, cost_of
from froude.provision.model.growth import grown
from froude.provision.search.architecture import (
    Architecture,
    architecture_of,
    architectures,
    at_factor,
    choices_of,
    held_cost,
)
from froude.provision.search.compile import compile_plan, linear_plan
from froude.provision.search.ranking import Open, ranked
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.search.split import undecided
from froude.provision.types import Dataset, Period, Problem, Schedule
from froude.provision.types.plan import ProvisionPlan, Status

MOVING = "moving data"
"""The part of a day's cost that is no part of a cluster."""
_ARCHITECTURES = 3
"""Cheapest ones of each period that are considered in all."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A period of the day and its cluster."""

    period: Period
    plan: ProvisionPlan
    """Sound at the period's load; without servers where no cluster is known."""
    cluster_per_day: float
    """Dollars a day for the cluster, in this period."""
    moved_bytes: float
    """On the change to the next period; from the last to the first."""
    moves_per_day: float
    """Dollars for that."""


@dataclass(frozen=True, slots=True)
class Scheduled:
    """A day, and what is proved about its cost."""

    slots: tuple[Slot, ...]
    lower_per_day: float
    """No schedule costs less a day, dollars."""
    peak_per_day: float
    """Dollars a day of the busiest period's cluster, kept all day."""
    parts: dict[str, float]
    """Dollars a day by kind of part, and for moving data."""
    proved: bool
    """Whether each period's own optimum is known to the gap that was asked for."""

    @property
    def per_day(self) -> float:
        """Dollars a day."""
        return sum(slot.cluster_per_day + slot.moves_per_day for slot in self.slots)

    @property
    def saving(self) -> float:
        """Against the peak's cluster all day, as a share of its cost."""
        return 1 - self.per_day / self.peak_per_day if self.peak_per_day else 0.0

    @property
    def gap(self) -> float:
        """(cost - lower) / cost, in [0, 1]; moves are in the cost alone."""
        return max(0.0, 1 - self.lower_per_day / self.per_day) if self.per_day else 0.0

    @property
    def found(self) -> bool:
        """Whether every period has a cluster."""
        return all(slot.plan.found for slot in self.slots)


def schedule(problem: Problem, limits: SolveLimits | None = None, *, workers: Workers = 1) -> Scheduled:
    """The cheapest day known.

    Dynamic programming over n periods and c clusters takes n * c^3 steps; the clusters take most of the time.

    Args:
        limits: per plan.
        workers: see `froude.base.parallel`.

    Raises:
        InputError: no schedule, owned hardware, or a term of no time.
    """
    periods = _periods(problem)
    limits = limits or SolveLimits()
    factors = list(dict.fromkeys(period.factor for period in periods.periods))
    optima = dict(
        zip(factors, parallel_map(partial(_optimum, problem, limits), factors, workers), strict=True)
    )
    if not all(plan.found for plan in optima.values()):
        return _without(problem, periods, optima)
    near = parallel_map(partial(_near, problem, limits), factors, workers)
    known = sorted({*architectures(optima.values()), *chain.from_iterable(near)})
    pairs = [(f, a) for f in factors for a in known if a != architecture_of(optima[f])]
    more = parallel_map(partial(_held, problem, limits), pairs, workers)
    plans = [*optima.values(), *(plan for plan in more if plan.found)]
    fitting = {factor: _fitting(problem, factor, optima[factor], plans) for factor in factors}
    around = _around(problem, periods, fitting)
    peak = optima[max(factors)]
    return _day(problem, periods, around, optima, peak)


def moved_bytes(problem: Problem, before: ProvisionPlan, after: ProvisionPlan) -> float:
    """Bytes that change places between two clusters.

    Of each remote dataset the persistent copy, replicas and parity included: all of it when it goes to another type
    of unit, else the part that follows the number of units. A dataset that stays on a service does not move.
    """
    return sum(
        _moved(problem, dataset, before, after)
        for dataset in grown(problem).application.datasets
        if dataset.remote
    )


def _moved(problem: Problem, dataset: Dataset, before: ProvisionPlan, after: ProvisionPlan) -> float:
    kept, next_ = (plan.choices[dataset.name][0] for plan in (before, after))
    data, parity = dataset.erasure or (1, 0)
    service = problem.catalog.unit(next_).service
    stored = dataset.size * (1 if service else dataset.replication * (data + parity) / data)
    if kept != next_:
        return stored
    fewer, more = sorted(_units(plan, dataset.name) for plan in (before, after))
    return stored * (1 - fewer / more) if more and not service else 0.0


def _units(plan: ProvisionPlan, dataset: str) -> int:
    """Units of the persistent copy."""
    return sum(
        held.units * group.count
        for group in plan.groups
        for held in group.held
        if held.dataset == dataset and not held.cache
    )


def _periods(problem: Problem) -> Schedule:
    """The schedule, if it can be followed."""
    if problem.sla.schedule is None:
        raise InputError("has no schedule", place="sla", allowed="an element schedule with its periods")
    owned = {unit.name: unit.owned for unit in problem.catalog.units}
    owned |= {server.name: server.owned for server in problem.catalog.servers}
    for name, count in owned.items():
        if count:
            message = "is owned, and a schedule hires everything by the hour"
            raise InputError(message, place=name, found=f"{count} owned", allowed="nothing owned")
    if not problem.catalog.hours:
        raise InputError("of the term is 0, so there is no day to pay", place="time", allowed="above 0")
    return problem.sla.schedule


def _optimum(problem: Problem, limits: SolveLimits, factor: float) -> ProvisionPlan:
    return compile_plan(at_factor(problem, factor), limits)


def _near(problem: Problem, limits: SolveLimits, factor: float) -> tuple[Architecture, ...]:
    """The cheapest architectures at one load, as far as they are seen without quantities and hosts to survive."""
    there = at_factor(problem, factor)
    if undecided(there):
        return ()
    quick = replace(limits, time_limit_s=limits.time_limit_s / 10)
    first = linear_plan(there, quick, only={})
    if not first.found:
        return ()

    def solve(part: Open) -> ProvisionPlan | None:
        plan = linear_plan(there, quick, only=part)
        return plan if plan.found else None

    return architectures(islice(ranked(first, choices_of(there, first), solve), _ARCHITECTURES))


def _held(problem: Problem, limits: SolveLimits, pair: tuple[float, Architecture]) -> ProvisionPlan:
    """The cheapest cluster of an architecture at a load."""
    factor, architecture = pair
    return held_cost(at_factor(problem, factor), architecture, limits)


def _fitting(
    problem: Problem, factor: float, optimum: ProvisionPlan, plans: Sequence[ProvisionPlan]
) -> list[ProvisionPlan]:
    """The plans that are sound at a load, at what they cost there; not one twice."""
    there = at_factor(problem, factor)
    fitting: dict[object, ProvisionPlan] = {}
    for plan in (optimum, *plans):
        cost = plan.upper if plan is optimum else cost_of(there, plan)
        here = replace(plan, upper=cost, lower=min(optimum.lower, cost))
        if plan is optimum or (math.isfinite(cost) and check(there, here).sound):
            fitting.setdefault((plan.groups, architecture_of(plan)), here)
    return list(fitting.values())


def _around(
    problem: Problem, periods: Schedule, fitting: dict[float, list[ProvisionPlan]]
) -> list[ProvisionPlan]:
    """A plan per period: the cheapest way around the day."""
    stages = [fitting[period.factor] for period in periods.periods]
    costs = [
        [plan.upper * period.hours / problem.catalog.hours for plan in stage]
        for period, stage in zip(periods.periods, stages, strict=True)
    ]

    def moves(before: list[ProvisionPlan], after: list[ProvisionPlan]) -> list[list[float]]:
        return [[_move_dollars(problem, periods, a, b) for b in after] for a in before]

    changes = [moves(a, b) for a, b in pairwise([*stages, stages[0]])]
    ways = (_from(first, costs, changes) for first in range(len(stages[0])))
    _, best = min(ways)
    return [stage[at] for stage, at in zip(stages, best, strict=True)]


def _from(
    first: int, costs: list[list[float]], changes: list[list[list[float]]]
) -> tuple[float, tuple[int, ...]]:
    """(dollars a day, plan per period) of the cheapest way around that begins with a given plan."""
    ways: dict[int, tuple[float, tuple[int, ...]]] = {first: (costs[0][first], (first,))}
    for stage, change in zip(costs[1:], changes[:-1], strict=True):
        ways = {
            at: min((cost + change[last][at] + here, (*way, at)) for last, (cost, way) in ways.items())
            for at, here in enumerate(stage)
        }
    return min((cost + changes[-1][last][first], way) for last, (cost, way) in ways.items())


def _move_dollars(problem: Problem, periods: Schedule, before: ProvisionPlan, after: ProvisionPlan) -> float:
    return periods.price_per_gb_moved * moved_bytes(problem, before, after) / 1e9


def _day(
    problem: Problem,
    periods: Schedule,
    around: list[ProvisionPlan],
    optima: dict[float, ProvisionPlan],
    peak: ProvisionPlan,
) -> Scheduled:
    """The plans with their costs a day."""
    slots: list[Slot] = []
    parts: dict[str, float] = {}
    for period, (plan, after) in zip(periods.periods, pairwise([*around, around[0]]), strict=True):
        share = period.hours / problem.catalog.hours
        moved = moved_bytes(problem, plan, after)
        dollars = periods.price_per_gb_moved * moved / 1e9
        slots.append(Slot(period, plan, plan.upper * share, moved, dollars))
        for line in bill(at_factor(problem, period.factor), plan):
            parts[line.kind] = parts.get(line.kind, 0.0) + line.total * share
        parts[MOVING] = parts.get(MOVING, 0.0) + dollars
    return Scheduled(
        tuple(slots),
        _per_day(problem, periods, lambda period: optima[period.factor].lower),
        _per_day(problem, periods, lambda period: _kept(problem, peak, period.factor)),
        parts,
        all(plan.status is Status.PROVED for plan in optima.values()),
    )


def _kept(problem: Problem, peak: ProvisionPlan, factor: float) -> float:
    """What the peak's cluster costs at a smaller load: less where requests are paid."""
    return min(peak.upper, cost_of(at_factor(problem, factor), peak))


def _per_day(problem: Problem, periods: Schedule, dollars: Callable[[Period], float]) -> float:
    return sum(dollars(period) * period.hours / problem.catalog.hours for period in periods.periods)


def _without(problem: Problem, periods: Schedule, optima: dict[float, ProvisionPlan]) -> Scheduled:
    """A day in which some period has no cluster."""
    slots = tuple(Slot(period, optima[period.factor], math.inf, 0.0, 0.0) for period in periods.periods)
    lower = _per_day(problem, periods, lambda period: optima[period.factor].lower)
    return Scheduled(slots, lower, math.inf, {}, proved=False)
