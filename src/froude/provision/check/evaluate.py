"""How much of an SLA a given cluster meets, and what holds it back.

All rates of the SLA are scaled by one factor; the cluster's load is spread over its units and instances as
well as can be (`load_lp`). The fraction is the largest factor, at most what the caller caps it with; the
bottleneck is the constraint with the largest price there. With a latency the waits depend on the factor, which
is then found by bisection; with servers that may fail, the worst of them are taken away.

Source: scc 5.2 (fraction of the SLA, alternatives of Figure 5); the linear program is ours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from froude.provision.check.as_built import as_built, says_shares
from froude.provision.check.checker import Verdict, check, cost_of, standing
from froude.provision.check.demand import Copy, Demand
from froude.provision.check.executions import core_types, failing
from froude.provision.check.load_lp import CAP, Limit, LoadLp
from froude.provision.check.violation import Violation
from froude.provision.types import Problem
from froude.provision.types.plan import Group, ProvisionPlan

__all__ = ["CAP", "Evaluation", "Limit", "evaluate", "judge", "meets"]

_MET = 1 - 1e-9
_CLOSE = 1e-6
"""Relative, of the fraction that bisection finds."""
_STRETCHES = (1.0, 0.9, 0.8, 0.65, 0.5)
"""How even load over units is tried to be: the fullest has that of one of so many times all units."""
_HOPELESS = 1e20
"""Seconds: of run times whose accesses wait for ever."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a cluster reaches."""

    fraction: float
    """Of the SLA's rates; 1 or more means that it is met."""
    limits: tuple[Limit, ...]
    """Tightest first; empty where nothing bounds it."""
    notes: tuple[str, ...] = ()
    """What was not counted."""

    @property
    def met(self) -> bool:
        """Whether the SLA is met."""
        return self.fraction >= _MET

    @property
    def bottleneck(self) -> str:
        """The tightest limit."""
        return self.limits[0].constraint if self.limits else "none"


def evaluate(problem: Problem, plan: ProvisionPlan) -> Evaluation:
    """The fraction of the SLA that a cluster meets, and its bottleneck.

    As in a compiled plan, every instance has units of a local dataset of its own; instances beyond those do not
    count. Where servers may fail, one linear program is solved for every way in which they can, by groups: some
    groups ** failures.

    Args:
        problem: the inputs; the SLA's targets must not all be zero for a finite answer. Its growth is not
            counted: the question is about today.
        plan: groups with units, instances, cores and memory; what follows from them (choices, core types) is taken
            from them. Shares are read where accesses wait, as one way to spread them. A cluster that cannot be built
            as it is, whatever the load, meets nothing of it, and its limits say why.

    Raises:
        MissingError: scipy is not installed.
    """
    notes = _notes(problem, plan)
    problem, plan = _today(problem), as_built(problem, plan)
    flaws = standing(problem, plan)
    if flaws:
        return Evaluation(0.0, _equally([str(flaw) for flaw in flaws]), notes)
    evaluations = [_reached(problem, left, lost) for lost, left in _left(problem, plan)]
    return replace(min(evaluations, key=lambda evaluation: evaluation.fraction), notes=notes)


def meets(problem: Problem, plan: ProvisionPlan) -> bool:
    """Whether a cluster meets all of the SLA; faster than to ask how much, where accesses wait.

    Raises:
        MissingError: scipy is not installed.
    """
    problem, plan = _today(problem), as_built(problem, plan)
    if standing(problem, plan):
        return False
    for lost, left in _left(problem, plan):
        if _missing(problem, left):
            return False
        if not (_in_time(problem, left, lost) if _waits(problem) else _free(problem, left, lost).met):
            return False
    return True


def judge(problem: Problem, plan: ProvisionPlan) -> Verdict:
    """What is wrong with a cluster for these inputs, however it came to be.

    Every constraint where it says how its load is spread; else what it cannot be built for, or that no spread meets
    the SLA. What follows from its groups is taken from them, and a cost that it does not say is what it costs.

    Args:
        problem: the inputs; the split of a batch job decided.

    Raises:
        MissingError: scipy is not installed, and the shares are left open.
    """
    built = as_built(problem, plan)
    flaws = standing(problem, built)
    if flaws:
        return Verdict(flaws, math.nan)
    cost = cost_of(problem, built)
    if says_shares(built):
        upper = plan.upper if math.isfinite(plan.upper) else cost
        return check(problem, replace(built, cpus=core_types(problem, built), upper=upper))
    reached = evaluate(problem, built)
    missed = (
        () if reached.met else (Violation("share of the SLA", reached.bottleneck, 1.0, reached.fraction),)
    )
    return Verdict(missed, cost)


def _today(problem: Problem) -> Problem:
    return replace(problem, sla=replace(problem.sla, growth=None))


def _notes(problem: Problem, plan: ProvisionPlan) -> tuple[str, ...]:
    notes = []
    if problem.sla.growth is not None:
        notes.append("growth is not counted: the fraction is of today's demand")
    for task, types in _several_types(problem, plan):
        notes.append(f"task {task} runs on cores of {types}: its slowest is counted for all")
    return tuple(notes)


def _several_types(problem: Problem, plan: ProvisionPlan) -> Iterator[tuple[str, str]]:
    for task in problem.application.tasks:
        there = {
            problem.catalog.cpu(problem.catalog.server(group.server).cpu).name
            for group in plan.groups
            if any(r.task == task.name and r.instances for r in group.running)
        }
        if len(there) > 1:
            yield task.name, " and ".join(sorted(there))


def _waits(problem: Problem) -> bool:
    return any(target.latency is not None for target in problem.sla.targets)


# Failures


def _left(problem: Problem, plan: ProvisionPlan) -> Iterator[tuple[int, ProvisionPlan]]:
    """(servers lost, what is left): the whole cluster, and every way to lose as many as may fail."""
    yield 0, plan
    failures = failing(problem)
    if failures:
        for counts in _losses([group.count for group in plan.groups], failures):
            left = (
                replace(group, count=group.count - lost)
                for group, lost in zip(plan.groups, counts, strict=True)
                if group.count > lost
            )
            yield failures, replace(plan, groups=tuple(left), spread=None)


def _losses(counts: list[int], failures: int) -> Iterator[tuple[int, ...]]:
    """How many of each group; all of them when there are no more than may fail."""
    if sum(counts) <= failures:
        yield tuple(counts)
        return
    if not failures:
        yield (0,) * len(counts)
        return
    first, rest = counts[0], counts[1:]
    for lost in range(min(first, failures) + 1):
        if sum(rest) >= failures - lost:
            yield from ((lost, *others) for others in _losses_of(rest, failures - lost))


def _losses_of(counts: list[int], failures: int) -> Iterator[tuple[int, ...]]:
    return _losses(counts, failures) if counts else iter([()])


# Fractions


def _reached(problem: Problem, plan: ProvisionPlan, lost: int) -> Evaluation:
    missing = _missing(problem, plan)
    if missing:
        return Evaluation(0.0, _equally(missing))
    free = _free(problem, plan, lost)
    return _waiting(problem, plan, lost, free) if _waits(problem) else free


def _equally(constraints: list[str]) -> tuple[Limit, ...]:
    return tuple(Limit(constraint, 1 / len(constraints)) for constraint in constraints)


def _missing(problem: Problem, plan: ProvisionPlan) -> list[str]:
    """What is not there at all: a copy without units, a task with work and without instances."""
    demand = Demand(problem, plan, actual_units=True)
    missing = []
    for dataset in problem.application.datasets:
        for name, cache in demand.copies(dataset):
            held = [h for g in plan.groups for h in g.held if h.dataset == name and h.cache == cache]
            if not sum(h.units for h in held):
                missing.append(f"no units of {plan.choices[name][cache]} for dataset {name}")
    for task in problem.application.tasks:
        running = sum(r.instances for g in plan.groups for r in g.running if r.task == task.name)
        if not running and demand.rates[task.name] > 0:
            missing.append(f"no instances of task {task.name}")
    return missing


def _free(problem: Problem, plan: ProvisionPlan, lost: int) -> Evaluation:
    """Without latencies and waits."""
    targets = tuple(replace(target, latency=None, quantile=None) for target in problem.sla.targets)
    problem = replace(problem, sla=replace(problem.sla, targets=targets))
    return Evaluation(*LoadLp(Demand(problem, plan, actual_units=True), lost=lost).solve())


def _waiting(problem: Problem, plan: ProvisionPlan, lost: int, free: Evaluation) -> Evaluation:
    """The largest fraction at which all are in time, by bisection below that without waits."""

    def in_time(fraction: float) -> bool:
        return _in_time(replace(problem, sla=problem.sla.scaled(fraction)), plan, lost)

    low, high = 0.0, free.fraction
    if high <= 0 or in_time(high):
        return free
    if high > 1 and in_time(1.0):
        low = 1.0
    while high - low > _CLOSE * high:
        middle = (low + high) / 2
        if in_time(middle):
            low = middle
        else:
            high = middle
        if high < _CLOSE:
            break
    return Evaluation(low, (Limit("latency, or the instances and units that waits ask for", 1.0),))


def _in_time(problem: Problem, plan: ProvisionPlan, lost: int) -> bool:
    """Whether some way to spread the load meets all rates and latencies."""
    for equal_units in _spreads(problem, plan):
        demand = Demand(problem, plan, actual_units=True, equal_units=equal_units)
        worked = [time for task, time in demand.run_times.items() if demand.rates[task] > 0]
        late = any(time > longest * (1 + 1e-9) for _, time, longest in demand.latencies())
        if late or max(worked, default=0.0) > _HOPELESS:
            continue
        fraction, _ = LoadLp(demand, lost=lost, equal_units=equal_units).solve()
        if fraction >= _MET:
            return True
    return False


def _spreads(problem: Problem, plan: ProvisionPlan) -> Iterator[dict[Copy, float]]:
    """Ways to spread load over units: as the plan's shares do, evenly, and less evenly."""
    parts = _parts(Demand(_without_load(problem), plan), plan)
    own = {copy: _fullest(groups) for copy, groups in parts.items()}
    if all(own.values()):
        yield own
    units = {copy: sum(n * count for _, n, count in groups) for copy, groups in parts.items()}
    for stretch in _STRETCHES:
        yield {copy: max(1.0, total * stretch) for copy, total in units.items()}


def _without_load(problem: Problem) -> Problem:
    return replace(problem, sla=problem.sla.scaled(0.0))


_Part = tuple[float, int, int]
"""(share, units, servers)."""


def _parts(demand: Demand, plan: ProvisionPlan) -> dict[Copy, list[_Part]]:
    parts: dict[Copy, list[_Part]] = {}
    for dataset in demand.problem.application.datasets:
        if not dataset.remote:
            task = demand.owner(dataset.name)
            parts[dataset.name, False] = [_local_part(g, dataset.name, task) for g in plan.groups]
        for name, cache in demand.copies(dataset):
            parts[name, cache] = [
                (h.share, h.units, g.count)
                for g in plan.groups
                for h in g.held
                if h.dataset == name and h.cache == cache
            ]
    return parts


def _local_part(group: Group, dataset: str, task: str | None) -> _Part:
    share = sum(r.share for r in group.running if r.task == task)
    return share, sum(h.units for h in group.local if h.dataset == dataset), group.count


def _fullest(parts: list[_Part]) -> float:
    """So many equal units have no more load each than the fullest, those that failed taken over; 0 without shares."""
    total = sum(share * count for share, _, count in parts)
    if total <= 0 or any(share > 0 and not units for share, units, _ in parts):
        return 0.0
    return total / max(share / units for share, units, _ in parts if share > 0)
