"""From inputs to a checked plan, and to the curve of cost against SLA with its homogeneous baselines.

Every plan that leaves here has passed the independent check; one that does not is a bug of ours and is said
to be one, never handed on. Clusters with more pieces of a kind than a plan can have are no clusters. Whether they are is
asked here and not of the inputs: a split of a batch job that leaves a phase next to no time asks for as many, and is
merely one that the search passes by.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from froude.base.errors import MissingError
from froude.base.parallel import Workers
from froude.base.parallel import map as parallel_map
from froude.provision.check.checker import check
from froude.provision.model.build import build
from froude.provision.model.growth import grown
from froude.provision.model.instance import Instance, Open
from froude.provision.model.spreading import least_servers
from froude.provision.search.frontier import Adapt
from froude.provision.search.plain import plain_cluster
from froude.provision.search.purchase import Restriction, best_purchase, by_quantity
from froude.provision.search.racks import best_racks
from froude.provision.search.safe_rules import has_safe_rules, within_safe_rules
from froude.provision.search.solve_limits import SolveLimits, Watch
from froude.provision.search.split import as_it_is, best_split, decided, undecided
from froude.provision.search.survive import Losses, best_spread
from froude.provision.types import Catalog, Problem
from froude.provision.types.plan import Conflict, ProvisionPlan, Status

MOST = 1e9
"""Pieces of a kind that a plan can have."""


class UnsoundPlanError(RuntimeError):
    """The optimiser made a plan that the check refuses."""


@dataclass(frozen=True, slots=True)
class Point:
    """One SLA of a sweep."""

    factor: float
    """The SLA's rates times this."""
    plan: ProvisionPlan
    baselines: dict[str, ProvisionPlan]
    """By unit type: every dataset on it alone, at the same SLA; types that may not hold all are left out."""


Only = Mapping[str, Sequence[tuple[str, ...]]]
"""Per dataset, the names of the choices that stay open, as in `ProvisionPlan.choices`; a dataset left out keeps all."""


def compile_plan(
    problem: Problem, limits: SolveLimits | None = None, *, only: Only | None = None
) -> ProvisionPlan:
    """The cheapest cluster for the SLA, with bounds, or the constraints in conflict.

    What is no linear problem is searched around it, each in its own module with a bound over all that it searches:
    quantities, then racks, then hosts to survive, then the split of a batch job's time.

    Args:
        only: choices that stay open, for what-if questions; None leaves all. Bounds hold among these.

    Raises:
        MissingError: the solver is not installed.
        UnsoundPlanError: the plan does not pass the check.
    """
    limits = limits or SolveLimits()
    if limits.watch is not None and not only and (plain := plain_cluster(problem, math.inf)):
        limits.watch(0.0, plain.upper)
    layers = _Layers(only or {}, limits.seed, watch=limits.watch)
    whole = grown(problem)
    if has_safe_rules(whole):
        layers = replace(layers, least_servers=least_servers(whole))
        beginning, sound = layers.beginning(), partial(_sound, problem)

        def solve(part: Problem, gap: float, seconds: float) -> ProvisionPlan:
            return next(beginning).bought(part, gap, seconds)

        plan = within_safe_rules(whole, solve, sound, limits)
        plan = _of_servers(whole.catalog, plan, layers.least_servers, limits.gap)
    else:
        plan = layers.bought(whole, limits.gap, limits.time_limit_s)
    if plan.status in {Status.GAP, Status.UNDECIDED} and not only:
        plan = _or_plain(problem, plan, limits.gap)
    if plan.found:
        _checked(problem, plan)
        if limits.watch is not None:
            limits.watch(plan.lower, plan.upper)
    return plan


def _of_servers(catalog: Catalog, plan: ProvisionPlan, least: int, gap: float) -> ProvisionPlan:
    """A plan with the bound of what so many servers cost, where any cluster has as many."""
    if least < 2 or plan.status is Status.INFEASIBLE or any(server.owned for server in catalog.servers):
        return plan
    each = min(min([server.price, *(d.price for d in server.discounts)]) for server in catalog.servers)
    bounded = replace(plan, lower=max(plan.lower, min(plan.upper, least * each)))
    return replace(bounded, status=Status.PROVED) if bounded.found and bounded.gap <= gap else bounded


def _or_plain(problem: Problem, plan: ProvisionPlan, gap: float) -> ProvisionPlan:
    """What was found, or a cheaper cluster of equal servers, under the same bound."""
    plain = plain_cluster(problem, plan.upper)
    if plain is None:
        return plan
    note = f"{plain.servers} equal servers, which the search did not find"
    better = replace(
        plain, lower=min(plan.lower, plain.upper), seconds=plan.seconds, notes=(*plan.notes, note)
    )
    return replace(better, status=Status.PROVED) if better.gap <= gap else better


def _sound(problem: Problem, plan: ProvisionPlan) -> bool:
    return check(problem, plan).sound


@dataclass(frozen=True, slots=True)
class _Layers:
    """From the outermost search to the linear problem; a layer with nothing to decide hands on as it is.

    The outermost that has something to decide is the one that is watched: it knows the bounds of the whole. Each begins
    with a problem without what it decides, whose lower bound is shown too.
    """

    only: Only
    seed: int
    restriction: Restriction = field(default_factory=Restriction)
    racks: int | None = None
    least_servers: int = 1
    """That any cluster has."""
    watch: Watch | None = None

    def beginning(self) -> Iterator[_Layers]:
        """For the problems of a search, of which the first is over all."""
        yield replace(self, watch=self.watch and partial(_show_lower, self.watch))
        while True:
            yield replace(self, watch=None)

    def bought(self, problem: Problem, gap: float, seconds: float) -> ProvisionPlan:
        """Over the quantities bought."""
        if not by_quantity(problem):
            return self.racked(problem, gap, seconds)

        def solve(part: Problem, restriction: Restriction, gap: float, seconds: float) -> ProvisionPlan:
            return replace(self, restriction=restriction, watch=None).racked(part, gap, seconds)

        return best_purchase(problem, solve, self._limits(gap, seconds))

    def racked(self, problem: Problem, gap: float, seconds: float) -> ProvisionPlan:
        """Over the number of racks."""
        if problem.catalog.rack is None:
            return self.spread(problem, gap, seconds)

        layers = self.beginning()

        def solve(part: Problem, racks: int | None, gap: float, seconds: float) -> ProvisionPlan:
            return replace(next(layers), racks=racks).spread(part, gap, seconds)

        return best_racks(problem, solve, self._limits(gap, seconds), least=self.least_servers)

    def spread(self, problem: Problem, gap: float, seconds: float) -> ProvisionPlan:
        """Over the hosts to spread over."""
        losses = Losses.of(problem)
        if not losses.data:
            return self.split(problem, as_it_is, gap, seconds)
        layers = self.beginning()

        def solve(adapt: Adapt, gap: float, seconds: float) -> ProvisionPlan:
            return next(layers).split(problem, adapt, gap, seconds)

        return best_spread(losses, solve, self._limits(gap, seconds))

    def split(self, problem: Problem, adapt: Adapt, gap: float, seconds: float) -> ProvisionPlan:
        """Over the splits of a batch job's time."""
        phases = undecided(problem)
        if phases is None:
            return self.linear(problem, adapt, gap, seconds)

        def solve(part: Problem, first: Adapt, gap: float, seconds: float) -> ProvisionPlan:
            inner = replace(self, watch=None)
            return inner.linear(part, lambda instance: adapt(first(instance)), gap, seconds)

        return best_split(problem, phases, solve, self._limits(gap, seconds))

    def linear(self, problem: Problem, adapt: Adapt, gap: float, seconds: float) -> ProvisionPlan:
        """The linear problem of a choice per dataset and shares per server."""
        built = build(problem, self.racks)
        if not isinstance(built, Instance):
            return ProvisionPlan(Status.INFEASIBLE, conflict=built, lower=math.inf)
        open_ = _open(built, self.only, self.restriction)
        if isinstance(open_, Conflict):
            return ProvisionPlan(Status.INFEASIBLE, conflict=(open_,), lower=math.inf)
        return _solved(adapt(built), open_, self._limits(gap, seconds))

    def _limits(self, gap: float, seconds: float) -> SolveLimits:
        return SolveLimits(gap, seconds, self.seed, self.watch)


def _show_lower(watch: Watch, lower: float, upper: float) -> None:
    del upper
    watch(lower, math.inf)


def _open(instance: Instance, only: Only, restriction: Restriction) -> Open | Conflict:
    """The choices of those names alone, as far as a plan can have their pieces."""
    kept: list[tuple[int, ...]] = []
    for dataset in instance.datasets:
        names = only.get(dataset.name)
        open_ = [i for i, c in enumerate(dataset.choices) if names is None or c.names in names]
        kept.append(tuple(i for i in open_ if restriction.allows(dataset.name, dataset.choices[i].names)))
        if not kept[-1]:
            allowed = " or ".join(" + ".join(units) for units in names or ())
            stored = "stored as" if dataset.cpu_of is None else "run on"
            return Conflict(f"dataset {dataset.name} cannot be {stored} {allowed}")
    return countable(instance, kept)


def homogeneous(problem: Problem, limits: SolveLimits | None = None) -> dict[str, ProvisionPlan]:
    """Clusters with a single storage type, the scale-out that the paper compares with (5.2).

    Memory and core types stay open; a batch job's split must be given.

    Returns:
        By unit type; types that not every dataset can be stored on are left out.
    """
    built = build(grown(problem))
    if not isinstance(built, Instance):
        return {}
    stored = [dataset for dataset in built.datasets if dataset.cpu_of is None]
    plans = {}
    for unit in problem.catalog.units:
        names = (unit.name,)
        if not unit.volatile and all(any(c.names == names for c in d.choices) for d in stored):
            only = {dataset.name: [names] for dataset in stored}
            plans[unit.name] = compile_plan(problem, limits, only=only)
    return plans


def sweep(
    problem: Problem,
    factors: Sequence[float],
    limits: SolveLimits | None = None,
    *,
    baselines: bool = True,
    workers: Workers = 1,
    done: Callable[[Point], None] | None = None,
) -> list[Point]:
    """Plans at multiples of the SLA.

    Args:
        problem: the inputs; the SLA is scaled as a whole, so its mix stays.
        factors: multiples, in the order wanted.
        baselines: whether the homogeneous clusters are compiled too.
        done: called with each point as soon as it is compiled.
    """
    at = partial(_point, problem, limits or SolveLimits(), baselines)
    return parallel_map(at, factors, workers, done)


def _point(problem: Problem, limits: SolveLimits, baselines: bool, factor: float) -> Point:
    scaled = replace(problem, sla=problem.sla.scaled(factor))
    plan = compile_plan(scaled, limits)
    fixed = decided(scaled, plan)
    wanted = baselines and (plan.found or undecided(scaled) is None)
    return Point(factor, plan, homogeneous(fixed, limits) if wanted else {})


def _solved(instance: Instance, open_: Open, limits: SolveLimits) -> ProvisionPlan:
    try:
        from froude.provision.search.optimise.solving import solve
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("froude"):
            raise
        remedy = "pip install 'froude[provision]'"
        raise MissingError(f"{error.name} is not installed", remedy=remedy) from error
    plan: ProvisionPlan = solve(instance, limits, allowed=open_)
    if plan.status is Status.INFEASIBLE and not plan.conflict:
        return replace(plan, conflict=(Conflict("the constraints of the servers, taken together"),))
    return plan


def _checked(problem: Problem, plan: ProvisionPlan) -> None:
    verdict = check(problem, plan)
    if not verdict.sound:
        raise UnsoundPlanError("; ".join(map(str, verdict.violations[:5])))


def countable(instance: Instance, open_: Sequence[Sequence[int]]) -> Open | Conflict:
    """The choices whose pieces a plan can have, or what there would be too many of.

    Args:
        open_: open choices per dataset; each has one at least.
    """
    kept: list[tuple[int, ...]] = []
    for dataset, choices in zip(instance.datasets, open_, strict=True):
        units = {c: sum(copy.min_units for copy in dataset.choices[c].copies) for c in choices}
        kept.append(tuple(c for c in choices if units[c] <= MOST))
        if not kept[-1]:
            return _too_many(f"units of dataset {dataset.name}", float(min(units.values())))
    wanted = instance.parallelism_among(kept)
    for task, instances in zip(instance.tasks, wanted, strict=True):
        for what, count in (("instances", instances), ("cores", min(task.cores, default=0.0))):
            if not count <= MOST:
                return _too_many(f"{what} of task {task.name}", count)
    return tuple(kept)


def _too_many(what: str, count: float) -> Conflict:
    return Conflict(f"number of {what}", count, MOST)
