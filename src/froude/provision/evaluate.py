"""How much of an SLA a given cluster meets, and what holds it back.

All rates of the SLA are scaled by one factor; the cluster's load is spread over its units and instances as
well as can be (the largest factor is a linear program in shares times factor). The fraction is the largest
factor, at most what the caller caps it with; the bottleneck is the constraint with the largest price there.

Source: scc 5.2 (fraction of the SLA, alternatives of Figure 5); the linear program is ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from froude.base.errors import MissingError
from froude.provision.demand import Demand
from froude.provision.plan import Group, Held, Plan, Running
from froude.provision.server_flow import bus_bytes, network_bytes
from froude.provision.types import Problem, Scope

_Content = TypeVar("_Content", Held, Running)
CAP = 1000.0
"""Factors beyond it are not told apart: the cluster is not loaded by this SLA."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A constraint that holds the cluster back."""

    constraint: str
    weight: float
    """How much of the fraction's growth hangs on it, in [0, 1]; all limits add up to 1."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a cluster reaches."""

    fraction: float
    """Of the SLA's rates; 1 or more means that it is met."""
    limits: tuple[Limit, ...]
    """Tightest first; empty where nothing bounds it."""

    @property
    def met(self) -> bool:
        """Whether the SLA is met."""
        return self.fraction >= 1 - 1e-9

    @property
    def bottleneck(self) -> str:
        """The tightest limit."""
        return self.limits[0].constraint if self.limits else "none"


@dataclass
class _Rows:
    """`sum of coefficients * variables <= right side`, each with a name."""

    names: list[str] = field(default_factory=list)
    coefficients: list[dict[int, float]] = field(default_factory=list)
    right: list[float] = field(default_factory=list)

    def add(self, name: str, coefficients: Mapping[int, float], right: float) -> None:
        """A constraint; one without coefficients is left out."""
        if any(coefficients.values()):
            self.names.append(name)
            self.coefficients.append(dict(coefficients))
            self.right.append(right)


def evaluate(problem: Problem, plan: Plan) -> Evaluation:
    """The fraction of the SLA that a cluster meets, and its bottleneck.

    Units of a local dataset serve all instances on their server, as they do where it stands; a compiled plan
    gives each instance units of its own.

    Args:
        problem: the inputs; the SLA's targets must not all be zero for a finite answer.
        plan: groups with units, instances and cores, and the choice of each dataset; shares are not read.

    Raises:
        MissingError: scipy is not installed.
    """
    missing = _missing(problem, plan)
    if missing:
        return Evaluation(0.0, tuple(Limit(one, 1 / len(missing)) for one in missing))
    return _Program(problem, plan).solve()


def _missing(problem: Problem, plan: Plan) -> list[str]:
    """What is not there at all: a copy without units, a task with work and without instances."""
    demand = Demand(problem, plan, actual_units=True)
    found = []
    for dataset in problem.application.datasets:
        for cache in (False, True)[: len(plan.choices[dataset.name])] if dataset.remote else ():
            held = [h for g in plan.groups for h in g.held if h.dataset == dataset.name and h.cache == cache]
            if not sum(h.units for h in held):
                found.append(f"no units of {plan.choices[dataset.name][cache]} for dataset {dataset.name}")
    for task in problem.application.tasks:
        running = sum(r.instances for g in plan.groups for r in g.running if r.task == task.name)
        if not running and demand.rates[task.name] > 0:
            found.append(f"no instances of task {task.name}")
    return found


class _Program:
    """The linear program: variable 0 is the factor, the others are share times factor on each group."""

    def __init__(self, problem: Problem, plan: Plan) -> None:
        self.problem = problem
        self.plan = plan
        self.demand = Demand(problem, plan, actual_units=True)
        self.rows = _Rows()
        self.equal: list[tuple[dict[int, float], float]] = []
        self.variables: dict[tuple[int, str, str, bool], int] = {}

    def solve(self) -> Evaluation:
        try:
            from scipy.optimize import linprog
        except ImportError as error:
            remedy = "pip install 'froude[provision]'"
            raise MissingError("scipy is not installed", remedy=remedy) from error
        self._declare()
        for number, group in enumerate(self.plan.groups):
            self._group(number, group, f"group {number + 1} ({group.server})")
        size = len(self.variables) + 1
        result = linprog(
            [-1.0] + [0.0] * (size - 1),
            A_ub=[_dense(row, size) for row in self.rows.coefficients] or None,
            b_ub=self.rows.right or None,
            A_eq=[_dense(row, size) for row, _ in self.equal] or None,
            b_eq=[right for _, right in self.equal] or None,
            bounds=[(0, CAP)] + [(0, None)] * (size - 1),
            method="highs",
        )
        if result.status != 0:
            return Evaluation(0.0, (Limit("no share of the load fits this cluster", 1.0),))
        prices = [] if not self.rows.right else [-float(price) for price in result.ineqlin.marginals]
        return Evaluation(float(-result.fun), self._limits(prices))

    def _limits(self, prices: list[float]) -> tuple[Limit, ...]:
        weights = [p * abs(r) if r else p for p, r in zip(prices, self.rows.right, strict=True)]
        total = sum(weights)
        by_name: dict[str, float] = {}
        for name, weight in zip(self.rows.names, weights, strict=True):
            if total > 0 and weight > 1e-9 * total:
                by_name[name] = by_name.get(name, 0.0) + weight / total
        return tuple(Limit(*one) for one in sorted(by_name.items(), key=lambda one: -one[1]))

    def _declare(self) -> None:
        """A variable per group and content; those of one copy or task add up to the factor."""
        for number, group in enumerate(self.plan.groups):
            for held in group.held:
                self._variable(number, "dataset", held.dataset, held.cache)
            for running in group.running:
                self._variable(number, "task", running.task)
        whole: dict[tuple[str, str, bool], dict[int, float]] = {}
        for (number, kind, name, cache), at in self.variables.items():
            whole.setdefault((kind, name, cache), {0: -1.0})[at] = float(self.plan.groups[number].count)
        self.equal = [(row, 0.0) for row in whole.values()]

    def _variable(self, number: int, kind: str, name: str, cache: bool = False) -> int:
        return self.variables.setdefault((number, kind, name, cache), len(self.variables) + 1)

    def _group(self, number: int, group: Group, where: str) -> None:
        self._units(number, group, where)
        self._instances(number, group, where)
        self._local(number, group, where)
        self._flows(number, group, where)
        application = self.problem.application
        host = any(held.units for held in group.held)
        free = group.cores - (application.host_cores if host else 0)
        for phase in application.phases:
            row = {
                self._variable(number, "task", r.task): self.demand.cores(r.task)
                for r in group.running
                if application.task(r.task).phase == phase
            }
            self.rows.add(f"cores of {where}", row, max(0.0, free))

    def _units(self, number: int, group: Group, where: str) -> None:
        for held in group.held:
            filled, busy = self.demand.need_parts(held.dataset, cache=held.cache)
            at = self._variable(number, "dataset", held.dataset, held.cache)
            name = f"{held.unit} of {held.dataset} in {where}"
            self.rows.add(f"speed of {name}", {at: busy}, held.units)
            # share * size <= capacity, and share is the variable over the factor.
            self.rows.add(f"capacity of {name}", {at: filled, 0: -float(held.units)}, 0.0)

    def _instances(self, number: int, group: Group, where: str) -> None:
        for running in group.running:
            wanted = self.demand.rates[running.task] * self.demand.run_times[running.task]
            at = self._variable(number, "task", running.task)
            self.rows.add(f"instances of {running.task} in {where}", {at: wanted}, running.instances)

    def _local(self, number: int, group: Group, where: str) -> None:
        for dataset in self.problem.application.datasets:
            task = None if dataset.remote else self.demand.owner(dataset.name)
            if task not in {r.task for r in group.running}:
                continue
            assert task is not None
            units = sum(local.units for local in group.local if local.dataset == dataset.name)
            instances = sum(r.instances for r in group.running if r.task == task)
            at = self._variable(number, "task", task)
            name = f"units of local {dataset.name} in {where}"
            busy = self.demand.local_load(dataset.name) / self.problem.options.peak_utilization
            self.rows.add(f"speed of {name}", {at: busy}, units)
            capacity = self.problem.catalog.unit(self.plan.choices[dataset.name][0]).capacity
            if dataset.scope is Scope.PARTITIONED:
                self.rows.add(f"capacity of {name}", {at: dataset.size / capacity, 0: -float(units)}, 0.0)
            elif dataset.size / capacity * instances > units * (1 + 1e-9):
                self.rows.add(f"capacity of {name}", {at: 1.0}, 0.0)

    def _flows(self, number: int, group: Group, where: str) -> None:
        """Buses and network are linear in the shares: one unit of each in turn gives the coefficients."""
        server = self.problem.catalog.server(group.server)
        parts = [
            (self._variable(number, "dataset", h.dataset, h.cache), replace(_bare(group), held=(_whole(h),)))
            for h in group.held
        ]
        parts += [
            (
                self._variable(number, "task", r.task),
                replace(_bare(group), running=(_whole(r),), local=group.local),
            )
            for r in group.running
        ]
        for phase in self.problem.application.phases:
            for bus in server.buses:
                row = {at: bus_bytes(self.demand, part, bus.name, phase) for at, part in parts}
                self.rows.add(f"bus {bus.name} of {where}", row, bus.bandwidth)
            flows = {at: network_bytes(self.demand, part, phase) for at, part in parts}
            for direction in next(iter(flows.values()), {}):
                row = {at: flow[direction] for at, flow in flows.items()}
                self.rows.add(f"network of {where}", row, server.bandwidth)


def _whole(content: _Content) -> _Content:
    return replace(content, share=1.0)


def _bare(group: Group) -> Group:
    return replace(group, held=(), local=(), running=())


def _dense(row: Mapping[int, float], size: int) -> list[float]:
    return [row.get(at, 0.0) for at in range(size)]
