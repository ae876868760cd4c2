"""An independent check of a plan: every constraint and the cost, recomputed from the inputs alone.

It shares no arithmetic with the model and the optimiser: it imports the values only, walks the plan server
group by server group, and adds up what each server would have to do at the SLA's peak. A plan is accepted
only when this finds nothing.

Tolerance: shares and rates are floating-point sums, so a constraint may be exceeded by `TOLERANCE` of its
right side; counts of things are exact.

Source: scc Figure 4; spec: per-server constraints.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace

from froude.provision.demand import Demand
from froude.provision.plan import Group, Held, LocalHeld, Plan
from froude.provision.types import Cpu, Isolation, Placement, Problem, Scope, Server, StorageUnit

TOLERANCE = 1e-6
"""Relative."""
_CENT = 0.01


@dataclass(frozen=True, slots=True)
class Violation:
    """A constraint that a plan breaks."""

    rule: str
    """Such as `slots`, `network`, `share of dataset`, `cost`."""
    where: str
    """Server group, dataset or task."""
    needed: float
    allowed: float

    def __str__(self) -> str:
        return f"{self.rule} of {self.where}: {self.needed:.6g} where {self.allowed:.6g} is allowed"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check found."""

    violations: tuple[Violation, ...]
    cost: float
    """Dollars, recomputed."""

    @property
    def sound(self) -> bool:
        """Whether nothing is broken."""
        return not self.violations


def check(problem: Problem, plan: Plan) -> Verdict:
    """Every constraint and the cost of a plan.

    Args:
        problem: the inputs that it claims to meet.
        plan: a plan with servers; an infeasible one has nothing to check. Where the inputs leave a batch job's
            split open, the plan's is used, which must cover the phases and add up to one at most.
    """
    batch = problem.sla.batch
    if batch is not None and not batch.split and plan.split:
        phases = {problem.application.task(t.task).phase for t in batch.targets}
        shares = sum(plan.split.values())
        if phases != plan.split.keys() or min(plan.split.values()) <= 0 or shares > 1 + TOLERANCE:
            return Verdict((Violation("split of the time", "plan", shares, 1),), math.nan)
        problem = replace(problem, sla=replace(problem.sla, batch=replace(batch, split=plan.split)))
    return _Check(problem, plan).run()


def cost_of(problem: Problem, groups: tuple[Group, ...]) -> float:
    """Dollars of a cluster: servers, units, cores and memory, each with its energy."""
    total = 0.0
    for group in groups:
        held = [(h.unit, h.units) for h in group.held] + [(h.unit, h.units) for h in group.local]
        one = _price(problem, problem.catalog.server(group.server))
        one += sum(_price(problem, problem.catalog.unit(name)) * count for name, count in held)
        one += group.cores * _price(problem, problem.catalog.cpu(problem.catalog.server(group.server).cpu))
        one += group.dimms * _price(problem, _memory(problem))
        total += one * group.count
    return total


def _stored(group: Group) -> list[Held | LocalHeld]:
    return [*group.held, *group.local]


def _price(problem: Problem, thing: StorageUnit | Cpu | Server) -> float:
    return thing.price + thing.power * problem.catalog.hours * problem.catalog.dollars_per_kwh / 1000


def _memory(problem: Problem) -> StorageUnit:
    if problem.options.memory_unit is not None:
        return problem.catalog.unit(problem.options.memory_unit)
    volatile = [unit for unit in problem.catalog.units if unit.volatile]
    return min(volatile, key=lambda unit: _price(problem, unit) / unit.capacity)


class _Check:
    """One check; collects what is broken."""

    def __init__(self, problem: Problem, plan: Plan) -> None:
        self.problem = problem
        self.plan = plan
        self.found: list[Violation] = []
        self.memory = _memory(problem)

    def run(self) -> Verdict:
        if not self._known():
            return Verdict(tuple(self.found), math.nan)
        self.demand = Demand(self.problem, self.plan)
        self._datasets()
        self._tasks()
        for number, group in enumerate(self.plan.groups):
            self._server(group, f"group {number + 1} ({group.count} x {group.server})")
        self._counts()
        cost = cost_of(self.problem, self.plan.groups)
        slack = max(_CENT, cost * TOLERANCE)
        self._expect("cost", "plan", abs(cost - self.plan.upper), slack, exact=True)
        self._expect("lower bound", "plan", self.plan.lower, cost + slack)
        return Verdict(tuple(self.found), cost)

    def _expect(self, rule: str, where: str, needed: float, allowed: float, *, exact: bool = False) -> None:
        slack = 0.0 if exact else TOLERANCE * max(abs(allowed), abs(needed), 1e-12)
        if not needed <= allowed + slack:
            self.found.append(Violation(rule, where, needed, allowed))

    def _known(self) -> bool:
        """Every name of the plan stands in the inputs, and no number is negative or none."""
        catalog, application = self.problem.catalog, self.problem.application
        units = {unit.name for unit in catalog.units}
        datasets = {dataset.name: dataset for dataset in application.datasets}
        servers = {server.name for server in catalog.servers}
        tasks = {task.name for task in application.tasks}
        for name in datasets.keys() - self.plan.choices.keys():
            self.found.append(Violation("missing choice", f"dataset {name}", 1, 0))
        for name, chosen in self.plan.choices.items():
            if name not in datasets or not 1 <= len(chosen) <= 2 or not set(chosen) <= units:
                self.found.append(Violation("unknown choice", f"dataset {name}", 1, 0))
        for group in self.plan.groups:
            names = [group.server in servers, group.count >= 1, group.cores >= 0, group.dimms >= 0]
            names += [h.dataset in datasets and h.unit in units for h in _stored(group)]
            names += [h.units >= 0 for h in _stored(group)]
            names += [r.task in tasks and r.instances >= 0 for r in group.running]
            shares = [h.share for h in group.held] + [r.share for r in group.running]
            names += [0 <= share <= 1 + TOLERANCE for share in shares]
            if not all(names):
                self.found.append(Violation("names and numbers", f"group of {group.server}", 1, 0))
        return not self.found

    def _datasets(self) -> None:
        """Each copy is whole, on units of its choice that may hold it, and as many as the model asks for."""
        uniform = self.problem.options.placement is Placement.UNIFORM
        for dataset in self.problem.application.datasets:
            where = f"dataset {dataset.name}"
            self._media(dataset.name)
            if not dataset.remote:
                self._expect("remote units", where, self._units(dataset.name, None), 0)
                continue
            chosen = self.plan.choices[dataset.name]
            for cache in (False, True)[: len(chosen)]:
                need, units = self.demand.need(dataset.name, cache=cache), self._units(dataset.name, cache)
                self._expect("units", where, math.ceil(max(need, 1) - TOLERANCE * max(need, 1)), units)
                share = sum(
                    h.share * g.count
                    for g in self.plan.groups
                    for h in g.held
                    if h.dataset == dataset.name and h.cache == cache
                )
                self._expect("share", where, abs(share - 1), TOLERANCE, exact=True)
                if uniform:
                    self._equal_units(dataset.name, units, cache=cache)
            if len(chosen) == 1:
                self._expect("units of a cache that is none", where, self._units(dataset.name, True), 0)

    def _equal_units(self, dataset: str, units: int, *, cache: bool) -> None:
        for group in self.plan.groups:
            for held in group.held:
                if held.dataset == dataset and held.cache == cache:
                    off = abs(held.share - held.units / units) if units else 1.0
                    self._expect("equal share", f"dataset {dataset}", off, TOLERANCE, exact=True)

    def _media(self, name: str) -> None:
        """The units are of the choice, and the choice is allowed."""
        chosen = self.plan.choices[name]
        where = f"dataset {name}"
        for flaw in self.demand.forbidden(name):
            self.found.append(Violation(flaw, where, 1, 0))
        for group in self.plan.groups:
            for held in group.held:
                if held.dataset == name:
                    right = len(chosen) > held.cache and held.unit == chosen[int(held.cache)]
                    self._expect("units of another type", where, 0 if right else held.units, 0)
            for local in group.local:
                if local.dataset == name:
                    self._expect("units of another type", where, local.units * (local.unit != chosen[0]), 0)

    def _units(self, dataset: str, cache: bool | None) -> int:
        return sum(
            held.units * group.count
            for group in self.plan.groups
            for held in group.held
            if held.dataset == dataset and cache in (None, held.cache)
        )

    def _tasks(self) -> None:
        """Shares add up to one, and every server has the instances of its share."""
        uniform = self.problem.options.placement is Placement.UNIFORM
        for task in self.problem.application.tasks:
            where = f"task {task.name}"
            rate = self.demand.rates[task.name]
            ran = [(g, r) for g in self.plan.groups for r in g.running if r.task == task.name]
            total = sum(r.instances * g.count for g, r in ran)
            if rate > 0:
                off = abs(sum(r.share * g.count for g, r in ran) - 1)
                self._expect("share", where, off, TOLERANCE, exact=True)
            wanted = self.demand.parallelism(task.name)
            for _, running in ran:
                if uniform:
                    off = abs(running.share - running.instances / total) if total else running.share
                    self._expect("equal share", where, off, TOLERANCE, exact=True)
                else:
                    self._expect("instances", where, wanted * running.share, running.instances)
            if rate > 0:
                self._expect("instances in all", where, wanted, total)

    def _server(self, group: Group, where: str) -> None:
        server = self.problem.catalog.server(group.server)
        remote = any(held.units or held.share for held in group.held)
        works = any(r.instances or r.share for r in group.running)
        if self.problem.options.isolation is Isolation.COMPUTE_STORAGE and remote:
            self._expect("isolation", where, float(works), 0)
        self._slots(group, server, where)
        self._held(group, where)
        self._local(group, where)
        self._buses(group, server, where)
        self._network(group, server, where)
        self._cores_and_memory(group, server, where, remote=remote)

    def _slots(self, group: Group, server: Server, where: str) -> None:
        used: Counter[str] = Counter({self.memory.bus: group.dimms})
        for held in _stored(group):
            used[self.problem.catalog.unit(held.unit).bus] += held.units
        for bus, count in used.items():
            slots = next((b.slots for b in server.buses if b.name == bus), 0)
            self._expect(f"slots of {bus}", where, count, slots, exact=True)

    def _held(self, group: Group, where: str) -> None:
        """Units here hold and serve their share."""
        for held in group.held:
            need = self.demand.need(held.dataset, cache=held.cache) * held.share
            self._expect(f"units of {held.dataset}", where, need, held.units)

    def _local(self, group: Group, where: str) -> None:
        """Beside each instance stand as many units as its part of the local data needs."""
        for dataset in self.problem.application.datasets:
            task = None if dataset.remote else self.demand.owner(dataset.name)
            if task is None:
                continue
            units = sum(local.units for local in group.local if local.dataset == dataset.name)
            instances = sum(r.instances for r in group.running if r.task == task)
            share = sum(r.share for r in group.running if r.task == task)
            unit = self.problem.catalog.unit(self.plan.choices[dataset.name][0])
            rule = f"local units of {dataset.name}"
            self._expect(f"{rule}, per instance", where, instances * self.demand.beside(dataset.name), units)
            busy = self.demand.local_load(dataset.name) * share / self.problem.options.peak_utilization
            self._expect(f"{rule}, load", where, busy, units)
            if dataset.scope is Scope.PARTITIONED:
                self._expect(f"{rule}, capacity", where, dataset.size * share / unit.capacity, units)
            else:
                whole = math.ceil(dataset.size / unit.capacity * (1 - TOLERANCE))
                self._expect(f"{rule}, capacity", where, instances * max(1, whole), units)

    def _buses(self, group: Group, server: Server, where: str) -> None:
        for bus in server.buses:
            for phase in self.problem.application.phases:
                flow = self.demand.bus_bytes(group, bus.name, phase)
                self._expect(f"bus {bus.name} in {phase}", where, flow, bus.bandwidth)

    def _network(self, group: Group, server: Server, where: str) -> None:
        for phase in self.problem.application.phases:
            for direction, flow in self.demand.network_bytes(group, phase).items():
                self._expect(f"network ({direction}) in {phase}", where, flow, server.bandwidth)

    def _cores_and_memory(self, group: Group, server: Server, where: str, *, remote: bool) -> None:
        application = self.problem.application
        host_cores = application.host_cores if remote else 0
        host_memory = application.host_memory if remote else 0.0
        self._expect("cores of server", where, group.cores, server.cpus, exact=True)
        for phase in application.phases:
            ran = [r for r in group.running if application.task(r.task).phase == phase]
            cores = sum(self.demand.cores(r.task) * r.share for r in ran)
            memory = sum(application.task(r.task).memory * r.instances for r in ran)
            self._expect(f"cores in {phase}", where, cores + host_cores, group.cores)
            self._expect(
                f"memory in {phase}", where, memory + host_memory, group.dimms * self.memory.capacity
            )

    def _counts(self) -> None:
        used: Counter[str] = Counter()
        for group in self.plan.groups:
            used[group.server] += group.count
        for server in self.problem.catalog.servers:
            if server.max_count is not None:
                self._expect("count", f"server {server.name}", used[server.name], server.max_count)
