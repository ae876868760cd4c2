"""Every cluster of up to three tiny servers for one dataset and one task, from the inputs alone.

Clusters are combinations of contents, a content is what one server is filled with in whole numbers. Those whose
totals cannot do are left out before anything is asked of `evaluate`; needs come from `Demand`.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from froude.provision.check.checker import cost_of
from froude.provision.check.demand import Demand
from froude.provision.check.executions import core_type, grown
from froude.provision.check.pieces import memory_of
from froude.provision.types import Cpu, Discount, Isolation, Problem, Server, StorageUnit
from froude.provision.types.plan import Group, Held, LocalHeld, ProvisionPlan, Running, Status

MOST_INSTANCES = 7
"""As many as the memory of a tiny server takes."""

_BEFORE_COPIES = 4
"""Features of the task; then come units and servers of each copy."""


@dataclass(frozen=True)
class _Way:
    """How data is stored and on which cores the task runs, with the least that any cluster for it has."""

    chosen: tuple[str, ...]
    cpu: str
    demand: Demand


def cheaper(problem: Problem, below: float, servers: int = 2) -> Iterator[ProvisionPlan]:
    """Clusters that cost less and whose totals may do, cheapest first for each way to store the data."""
    problem = grown(problem)
    for way in _ways(problem):
        cluster = _combined(problem, way, below, servers)
        yield from (plan for plan in cluster if plan.upper < below and _in_stock(problem, plan))


def best_cost(problem: Problem, plan: ProvisionPlan) -> ProvisionPlan:
    """With the spares that make it cheapest, and its cost."""
    spares: dict[str, int] = {}
    cost = cost_of(problem, plan)
    catalog = problem.catalog
    things: list[StorageUnit | Cpu | Server] = [*catalog.servers, *catalog.units, *catalog.cpus]
    for thing in things:
        for count in range(1, max([step.count for step in thing.discounts], default=0) + 1):
            more = cost_of(problem, replace(plan, spares={**spares, thing.name: count}))
            limit = thing.max_count if isinstance(thing, Server) else None
            used = sum(g.count for g in plan.groups if g.server == thing.name)
            if more < cost and (limit is None or used + count <= limit):
                spares, cost = {**spares, thing.name: count}, more
    return replace(plan, spares=spares, upper=cost)


def equal_parts(plan: ProvisionPlan) -> ProvisionPlan:
    """The cluster with as much on each unit and in each instance as on any other."""
    whole: Counter[tuple[str, bool | None]] = Counter()
    for group in plan.groups:
        whole.update({(h.dataset, h.cache): h.units * group.count for h in group.held})
        whole.update({(r.task, None): r.instances * group.count for r in group.running})
    groups = (
        replace(
            group,
            held=tuple(replace(h, share=h.units / whole[h.dataset, h.cache]) for h in group.held),
            running=tuple(replace(r, share=r.instances / whole[r.task, None]) for r in group.running),
        )
        for group in plan.groups
    )
    return replace(plan, groups=tuple(groups))


def _in_stock(problem: Problem, plan: ProvisionPlan) -> bool:
    return all(
        server.max_count is None
        or sum(g.count for g in plan.groups if g.server == server.name) <= server.max_count
        for server in problem.catalog.servers
    )


def _ways(problem: Problem) -> Iterator[_Way]:
    dataset, task = problem.application.datasets[0], problem.application.tasks[0]
    units = [unit.name for unit in problem.catalog.units]
    stored: list[tuple[str, ...]] = [(name,) for name in units]
    if dataset.remote:
        stored += list(itertools.permutations(units, 2))
    for chosen, cpu in itertools.product(stored, problem.catalog.cpus):
        plan = ProvisionPlan(Status.GAP, (), {dataset.name: chosen}, cpus={task.name: cpu.name})
        free = tuple(replace(t, latency=None, quantile=None) for t in problem.sla.targets)
        demand = Demand(replace(problem, sla=replace(problem.sla, targets=free)), plan)
        if not any(demand.forbidden(dataset.name)):
            yield _Way(chosen, cpu.name, demand)


def _contents(problem: Problem, way: _Way) -> list[Group]:
    """Everything that one server can be filled with, empty ones apart."""
    results: list[Group] = []
    for server in problem.catalog.servers:
        numbers = _numbers(problem, way, server)
        for *units, instances in itertools.product(*numbers, range(MOST_INSTANCES + 1)):
            if any(units) or instances:
                results += _filled(problem, way, server, units, instances)
    return results


def _numbers(problem: Problem, way: _Way, server: Server) -> list[range]:
    results = []
    for name in way.chosen:
        unit = problem.catalog.unit(name)
        bus = server.bus(unit.bus)
        results.append(range(1 if unit.service or bus is None else bus.slots + 1))
    return results


def _filled(problem: Problem, way: _Way, server: Server, units: list[int], instances: int) -> Iterator[Group]:
    """With the memory that it needs, and every number of cores that may be of use."""
    application, memory = problem.application, memory_of(problem)
    dataset, task = application.datasets[0], application.tasks[0]
    hosts = dataset.remote and any(units)
    if hosts and instances and problem.options.isolation is Isolation.COMPUTE_STORAGE:
        return
    if instances and core_type(problem, server.name).name != way.cpu:
        return
    if not dataset.remote and units[0] < instances * way.demand.whole(dataset.name):
        return
    bytes_needed = task.memory * instances + (application.host_memory if hosts else 0.0)
    dimms = math.ceil(bytes_needed / memory.capacity * (1 - 1e-9))
    used: dict[str, int] = {memory.bus: dimms}
    for count, name in zip(units, way.chosen, strict=True):
        bus = problem.catalog.unit(name).bus
        used[bus] = used.get(bus, 0) + count
    for bus, count in used.items():
        at = server.bus(bus)
        if count > (at.slots if at else 0):
            return
    held = tuple(
        Held(dataset.name, name, n, 0.0, bool(number))
        for number, (n, name) in enumerate(zip(units, way.chosen, strict=True))
        if n and dataset.remote
    )
    local = tuple(LocalHeld(dataset.name, way.chosen[0], n) for n in units if n and not dataset.remote)
    running = (Running(task.name, instances, 0.0),) if instances else ()
    least = application.host_cores if hosts else 0
    busy = instances or (hosts and dataset.host_time)
    for cores in range(least, server.cpus + 1) if busy else [least]:
        included = server.bundle.cores if server.bundle else 0
        if busy and cores < min(included, server.cpus):
            continue  # more would cost nothing
        if cores <= server.cpus:
            yield Group(server.name, 1, held, local, running, cores, dimms)


def _combined(problem: Problem, way: _Way, below: float, servers: int) -> list[ProvisionPlan]:
    """Plans of one to so many contents, by cost."""
    contents = _contents(problem, way)
    if not contents:
        return []
    floor = _cheapest(problem)
    dataset, task = problem.application.datasets[0], problem.application.tasks[0]
    cost = np.array([cost_of(floor, (group,)) for group in contents])
    order = np.argsort(cost, kind="stable")
    contents, cost = [contents[at] for at in order], cost[order]
    have, least = _features(problem, way, contents)
    results = []
    for count in range(1, servers + 1):
        for numbers in _chosen(cost, have, least, below, count):
            if problem.options.survive_hosts and not _survives(have[list(numbers)], least):
                continue
            groups = tuple(contents[at] for at in numbers)
            plan = ProvisionPlan(Status.GAP, groups, {dataset.name: way.chosen}, cpus={task.name: way.cpu})
            results.append(best_cost(problem, plan))
    return sorted(results, key=lambda plan: plan.upper)


def _features(
    problem: Problem, way: _Way, contents: list[Group]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """(what each content has, the least that all have together): units, servers and work of the copies and task."""
    dataset, task = problem.application.datasets[0], problem.application.tasks[0]
    demand, host = way.demand, problem.application.host_cores
    have = [[float(sum(r.instances for r in g.running)) for g in contents]]
    least = [demand.rates[task.name] * demand.run_times[task.name]]
    free = [float(max(0, g.cores - (host if g.held else 0))) for g in contents]
    hosting = sum(
        max(demand.host_cores(name, phase, cache=cache) for phase in demand.phases)
        for name, cache in demand.copies(dataset)
    )
    for part, cores in (
        ([bool(g.running) for g in contents], demand.cores(task.name)),
        ([bool(g.held) for g in contents], hosting),
        ([True for _ in contents], demand.cores(task.name) + hosting),
    ):
        have.append([count * there for count, there in zip(free, part, strict=True)])
        least.append(cores)
    for name, cache in demand.copies(dataset):
        have.append([float(sum(h.units for h in g.held if h.cache == cache)) for g in contents])
        least.append(demand.need(name, cache=cache))
        have.append([float(any(h.units for h in g.held if h.cache == cache)) for g in contents])
        least.append(float(demand.layout(name, cache=cache).servers))
    return np.array(have).T, np.array(least) * (1 - 1e-9)


def _chosen(
    cost: npt.NDArray[np.float64],
    have: npt.NDArray[np.float64],
    least: npt.NDArray[np.float64],
    below: float,
    count: int,
) -> Iterator[tuple[int, ...]]:
    """Multisets of contents, as ascending numbers."""
    if count == 1:
        good = (cost < below) & (have >= least).all(axis=1)
        yield from ((int(at),) for at in np.flatnonzero(good))
        return
    for first in range(len(cost)):
        if cost[first] * count >= below:
            return
        for rest in _chosen(
            cost[first:], have[first:], least - have[first], below - float(cost[first]), count - 1
        ):
            yield (first, *(first + at for at in rest))


def _survives(have: npt.NDArray[np.float64], least: npt.NDArray[np.float64]) -> bool:
    """Whether totals may do without the largest server; a replica may be missing then."""
    left = have.sum(axis=0) - have.max(axis=0)
    counts = np.arange(len(least)) >= _BEFORE_COPIES
    apart = counts & ((np.arange(len(least)) - _BEFORE_COPIES) % 2 == 1)
    return bool((left >= np.where(apart, 0.0, least)).all())


def _cheapest(problem: Problem) -> Problem:
    """Prices that no quantity undercuts: then costs of servers add up."""
    catalog = problem.catalog

    def price(listed: float, discounts: tuple[Discount, ...], owned: int = 0) -> float:
        lowest = min([listed, *(step.price for step in discounts)])
        return 0.0 if owned else lowest

    return replace(
        problem,
        catalog=replace(
            catalog,
            diversity=0.0,
            rack=None,
            units=tuple(
                replace(u, price=price(u.price, u.discounts, u.owned), discounts=(), owned=0)
                for u in catalog.units
            ),
            servers=tuple(
                replace(s, price=price(s.price, s.discounts, s.owned), discounts=(), owned=0)
                for s in catalog.servers
            ),
            cpus=tuple(replace(c, price=price(c.price, c.discounts), discounts=()) for c in catalog.cpus),
        ),
    )
