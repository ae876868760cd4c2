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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from froude.provision.check.bill import bill
from froude.provision.check.demand import Demand
from froude.provision.check.executions import core_type, failing, losing
from froude.provision.check.losses import least_spread, load_flaws, rack_flaws
from froude.provision.check.pieces import memory_of, piece_lines
from froude.provision.check.server_flow import bus_flow, network_bytes
from froude.provision.check.trivial_bound import trivial_bound
from froude.provision.check.violation import Violation
from froude.provision.types import Application, Isolation, Placement, Problem, Scope, Server
from froude.provision.types.plan import Group, Held, LocalHeld, ProvisionPlan, Running

TOLERANCE = 1e-6
_CENT = 0.01
_SPLIT_SLACK = 1e-9
"""That of a `Batch`, which takes no split that adds up to more."""


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


def check(problem: Problem, plan: ProvisionPlan) -> Verdict:
    """Every constraint and the cost of a plan.

    Args:
        plan: a plan with servers; an infeasible one has nothing to check. Where the inputs leave a batch job's
            split open, the plan's is used, which must cover the phases and add up to one at most.
    """
    batch = problem.sla.batch
    if batch is not None and not batch.split and plan.split:
        phases = {problem.application.task(t.task).phase for t in batch.targets}
        shares = sum(plan.split.values())
        if phases != plan.split.keys() or min(plan.split.values()) <= 0 or shares > 1 + _SPLIT_SLACK:
            return Verdict((Violation("split of the time", "plan", shares, 1),), math.nan)
        problem = replace(problem, sla=replace(problem.sla, batch=replace(batch, split=plan.split)))
    return _Check(problem, plan).run()


def standing(problem: Problem, plan: ProvisionPlan) -> tuple[Violation, ...]:
    """What keeps a cluster from being built, or from holding the data, at any load however small.

    Names and numbers, slots, cores, memory of tasks and of the storage system, media, isolation, and how many servers
    can be had. How the load is spread, and whether it fits, is not looked at.

    Args:
        plan: the cluster; its choices are those of its groups (`as_built`).
    """
    return _Check(problem, plan).standing()


def cost_of(problem: Problem, plan: ProvisionPlan | tuple[Group, ...]) -> float:
    """Dollars of a cluster: its pieces with their energy, and what is paid by bytes, requests and types.

    Groups alone have neither choices nor spares, so of them only the pieces are counted.
    """
    lines = bill(problem, plan) if isinstance(plan, ProvisionPlan) else piece_lines(problem, plan, {})
    return sum(line.total for line in lines)


def _stored(group: Group) -> list[Held | LocalHeld]:
    return [*group.held, *group.local]


def _hosts(group: Group) -> bool:
    return any(held.units or held.share for held in group.held)


def _host(application: Application, group: Group) -> tuple[int, float]:
    """(cores, bytes) of the storage system on a server."""
    return (application.host_cores, application.host_memory) if _hosts(group) else (0, 0.0)


class _Check:
    """One check; collects what is broken."""

    def __init__(self, problem: Problem, plan: ProvisionPlan) -> None:
        self.problem = problem
        self.plan = plan
        self.found: list[Violation] = []
        self.memory = memory_of(problem)

    def run(self) -> Verdict:
        if not self._known():
            return Verdict(tuple(self.found), math.nan)
        self.demand = Demand(self.problem, self.plan)
        self.problem = self.demand.problem
        self.reserve = self.demand.reserve
        self._survival()
        self._datasets()
        self._tasks()
        self._latencies()
        for number, group in enumerate(self.plan.groups):
            self._server(group, f"group {number + 1} ({group.count} x {group.server})")
        self._counts()
        self.found += [*rack_flaws(self.demand), *load_flaws(self.demand)]
        cost = cost_of(self.problem, self.plan)
        slack = max(_CENT, cost * TOLERANCE)
        if abs(cost - self.plan.upper) > slack:
            wrong = f"cost of ${self.plan.upper:,.2f}, where its parts add up to ${cost:,.2f}"
            self.found.append(Violation(wrong, "plan"))
        self._expect("lower bound", "plan", self.plan.lower, cost + slack)
        self._expect("cost below what any cluster costs", "plan", trivial_bound(self.problem), cost + slack)
        return Verdict(tuple(self.found), cost)

    def standing(self) -> tuple[Violation, ...]:
        """What is broken whatever the load."""
        if self._known():
            self.demand = Demand(self.problem, self.plan, actual_units=True)
            for dataset in self.problem.application.datasets:
                self._media(dataset.name)
            for number, group in enumerate(self.plan.groups):
                self._fixed(group, f"group {number + 1} ({group.count} x {group.server})")
            self._counts()
            self.found += rack_flaws(self.demand)
        return tuple(self.found)

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
        cpus = {cpu.name for cpu in catalog.cpus}
        pieces = units | servers | cpus
        for name, cpu in self.plan.cpus.items():
            if name not in tasks or cpu not in cpus:
                self.found.append(Violation("unknown core type", f"task {name}"))
        for name, count in self.plan.spares.items():
            if name not in pieces or count < 0 or count != int(count):
                self.found.append(Violation("unknown spares", name))
        for name in datasets.keys() - self.plan.choices.keys():
            self.found.append(Violation("missing choice", f"dataset {name}"))
        for name, chosen in self.plan.choices.items():
            if name not in datasets or not 1 <= len(chosen) <= 2 or not set(chosen) <= units:
                self.found.append(Violation("unknown choice", f"dataset {name}"))
        for group in self.plan.groups:
            names = [group.server in servers, group.count >= 1, group.cores >= 0, group.dimms >= 0]
            names += [h.dataset in datasets and h.unit in units for h in _stored(group)]
            names += [h.units >= 0 for h in _stored(group)]
            names += [not h.cache or len(self.plan.choices.get(h.dataset, ())) > 1 for h in group.held]
            names += [r.task in tasks and r.instances >= 0 for r in group.running]
            names += [not catalog.unit(h.unit).service for h in _stored(group) if h.unit in units]
            shares = [h.share for h in group.held] + [r.share for r in group.running]
            names += [0 <= share <= 1 + TOLERANCE for share in shares]
            if not all(names):
                self.found.append(Violation("names and numbers", f"group of {group.server}"))
        return not self.found

    def _datasets(self) -> None:
        """Each copy is whole, on units of its choice that may hold it, and as many as the model asks for."""
        uniform = self.problem.options.placement is Placement.UNIFORM
        for dataset in self.problem.application.datasets:
            where = f"dataset {dataset.name}"
            self._media(dataset.name)
            if not dataset.remote:
                self._expect("remote units", where, self._units(dataset.name, None), 0)
            for name, cache in self.demand.copies(dataset):
                need, units = self.demand.sized(name, cache=cache), self._units(name, cache)
                least = max(need * (1 - TOLERANCE), self.demand.layout(name, cache=cache).servers)
                self._expect("units", where, math.ceil(least), units)
                share = sum(h.share * g.count for g, h in self._holding(name, cache))
                self._expect("share", where, abs(share - 1), TOLERANCE, exact=True)
                if uniform:
                    self._equal_units(name, units, cache=cache)
                self._apart(name, cache)

    def _holding(self, dataset: str, cache: bool) -> Iterator[tuple[Group, Held]]:
        for group in self.plan.groups:
            for held in group.held:
                if held.dataset == dataset and held.cache == cache:
                    yield group, held

    def _apart(self, dataset: str, cache: bool) -> None:
        """Replicas and fragments stand on different servers, and failing servers take little along."""
        spread = max(self._spread(losing(self.problem)), 1 if cache else least_spread(self.demand, dataset))
        most = 1 / max(self.demand.layout(dataset, cache=cache).servers, spread)
        for group, _ in self._holding(dataset, cache):
            share = sum(h.share for h in group.held if h.dataset == dataset and h.cache == cache)
            self._expect("largest share", f"dataset {dataset}", share, most)

    def _spread(self, lost: int) -> int:
        return (self.plan.spread or 1) if lost else 1

    def _survival(self) -> None:
        """A cluster that survives the loss of f servers is spread over more than f."""
        lost = losing(self.problem)
        if lost:
            self._expect("spread", "plan", lost + 1, self.plan.spread or 0, exact=True)

    def _latencies(self) -> None:
        for task, run_time, longest in self.demand.latencies():
            self._expect("latency", f"task {task}", run_time, longest)

    def _equal_units(self, dataset: str, units: int, *, cache: bool) -> None:
        for _, held in self._holding(dataset, cache):
            off = abs(held.share - held.units / units) if units else 1.0
            self._expect("equal share", f"dataset {dataset}", off, TOLERANCE, exact=True)

    def _media(self, name: str) -> None:
        """The units are of the choice, and the choice is allowed."""
        chosen = self.plan.choices[name]
        where = f"dataset {name}"
        for flaw in self.demand.forbidden(name):
            self.found.append(Violation(flaw, where))
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
            wanted = self.demand.parallelism(task.name) * self.reserve
            self._cores_of_type(task.name, ran)
            for group, running in ran:
                here = sum(r.share for r in group.running if r.task == task.name)
                self._expect("largest share", where, here, 1 / self._spread(failing(self.problem)))
                if uniform:
                    off = abs(running.share - running.instances / total) if total else running.share
                    self._expect("equal share", where, off, TOLERANCE, exact=True)
                else:
                    least = max(wanted * running.share, float(rate > 0 and running.share > 0))
                    self._expect("instances", where, least, running.instances)
            if rate > 0:
                self._expect("instances in all", where, max(wanted, 1.0), total)

    def _cores_of_type(self, task: str, ran: Sequence[tuple[Group, Running]]) -> None:
        """A task runs on servers of the core type that is chosen for it, and on no others."""
        if ran and len(self.problem.catalog.cpus) > 1:
            self._expect("missing core type", f"task {task}", float(task not in self.plan.cpus), 0)
        for group, running in ran:
            wrong = core_type(self.problem, group.server).name != self.demand.cpus[task]
            if wrong and (running.instances or running.share):
                self._expect("core type", f"task {task}", 1, 0)

    def _server(self, group: Group, where: str) -> None:
        server = self.problem.catalog.server(group.server)
        self._fixed(group, where)
        self._held(group, where)
        self._local(group, where)
        self._buses(group, server, where)
        self._network(group, server, where)
        self._cores(group, where)

    def _fixed(self, group: Group, where: str) -> None:
        """What a server must have at any load."""
        server, application = self.problem.catalog.server(group.server), self.problem.application
        remote = _hosts(group)
        works = any(r.instances or r.share for r in group.running)
        if self.problem.options.isolation is Isolation.COMPUTE_STORAGE and remote and works:
            self.found.append(Violation("isolation: tasks beside remote storage", where))
        self._slots(group, server, where)
        self._expect("cores of server", where, group.cores, server.cpus, exact=True)
        host_cores, host_memory = _host(application, group)
        self._expect("cores of the storage system", where, host_cores, group.cores, exact=True)
        for phase in application.phases:
            ran = (r for r in group.running if application.task(r.task).phase == phase)
            memory = sum(application.task(r.task).memory * r.instances for r in ran)
            self._expect(
                f"memory in {phase}", where, memory + host_memory, group.dimms * self.memory.capacity
            )

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
            need = self.demand.sized(held.dataset, cache=held.cache) * held.share
            self._expect(f"units of {held.dataset}", where, need, held.units)

    def _local(self, group: Group, where: str) -> None:
        """Beside each instance stand as many units as its part of the local data needs."""
        for dataset in self.problem.application.datasets:
            task = None if dataset.remote else self.demand.owner(dataset.name)
            if task is None:
                continue
            units = sum(local.units for local in group.local if local.dataset == dataset.name)
            instances = sum(r.instances for r in group.running if r.task == task)
            share = sum(r.share for r in group.running if r.task == task) * self.reserve
            unit = self.demand.units_of(dataset.name)[0]
            capacity = unit.capacity * self.problem.options.peak_fill
            rule = f"local units of {dataset.name}"
            self._expect(f"{rule}, per instance", where, instances * self.demand.beside(dataset.name), units)
            busy = self.demand.local_load(dataset.name) * share / self.problem.options.peak_utilization
            self._expect(f"{rule}, load", where, busy, units)
            if dataset.scope is Scope.PARTITIONED:
                self._expect(f"{rule}, capacity", where, dataset.size * share / capacity, units)
            else:
                whole = math.ceil(dataset.size / capacity * (1 - TOLERANCE))
                self._expect(f"{rule}, capacity", where, instances * max(1, whole), units)

    def _buses(self, group: Group, server: Server, where: str) -> None:
        for bus in server.buses:
            for phase in self.problem.application.phases:
                flow, accesses = bus_flow(self.demand, group, bus.name, phase)
                self._expect(f"bus {bus.name} in {phase}", where, flow * self.reserve, bus.bandwidth)
                rule = f"IOPS of {bus.name} in {phase}"
                self._expect(rule, where, accesses * self.reserve, bus.iops)

    def _network(self, group: Group, server: Server, where: str) -> None:
        for phase in self.problem.application.phases:
            for direction, flow in network_bytes(self.demand, group, phase).items():
                rule = f"network ({direction}) in {phase}"
                self._expect(rule, where, flow * self.reserve, server.bandwidth)

    def _cores(self, group: Group, where: str) -> None:
        application = self.problem.application
        host_cores, _ = _host(application, group)
        for phase in application.phases:
            ran = (r for r in group.running if application.task(r.task).phase == phase)
            cores = sum(self.demand.cores(r.task) * r.share for r in ran)
            cores += sum(
                self.demand.host_cores(h.dataset, phase, cache=h.cache) * h.share for h in group.held
            )
            self._expect(f"cores in {phase}", where, cores * self.reserve + host_cores, group.cores)

    def _counts(self) -> None:
        used: Counter[str] = Counter(self.plan.spares)
        for group in self.plan.groups:
            used[group.server] += group.count
        for server in self.problem.catalog.servers:
            if server.max_count is not None:
                self._expect("count", f"server {server.name}", used[server.name], server.max_count)
