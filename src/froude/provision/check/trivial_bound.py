"""A bound on the cost of any cluster for an SLA, cheap and apart from the optimiser: cores and stored bytes.

A task that runs at all needs a server, and a core of it where it computes. Every core and every byte has to stand
somewhere, so no cluster costs less than all of them at the place where they are cheapest, whatever fits together. It is
far from the optimum; a plan below it is wrong.
"""

from __future__ import annotations

import math

from froude.provision.check.device_load import layout
from froude.provision.check.executions import cores_of, grown, rates_of
from froude.provision.check.pieces import energy_of
from froude.provision.types import Compute, Dataset, Persistence, Problem, Scope, Server, StorageUnit


def trivial_bound(problem: Problem) -> float:
    """Dollars that no cluster for these inputs undercuts: cores with their servers, and bytes, at their cheapest."""
    problem = grown(problem)
    stored = sum(_stored(problem, dataset) for dataset in problem.application.datasets)
    return stored + _computed(problem)


def _stored(problem: Problem, dataset: Dataset) -> float:
    """All bytes on the unit that keeps them most cheaply; what stands beside instances may be only one of them."""
    if not dataset.remote and dataset.scope is Scope.REPLICATED:
        return 0.0
    keeps = [
        unit
        for unit in problem.catalog.units
        if not (unit.volatile and dataset.persistent is Persistence.REQUIRED)
    ]
    return min((_bytes_on(problem, dataset, unit) for unit in keeps), default=0.0)


def _bytes_on(problem: Problem, dataset: Dataset, unit: StorageUnit) -> float:
    size = dataset.size * layout(dataset, unit, cache=False).stored
    months = problem.catalog.hours / 730
    paid = size / 1e9 * unit.price_per_gb_month * months
    if unit.service:
        return paid
    pieces = size / (unit.capacity * problem.options.peak_fill)
    return paid + pieces * _cheapest_piece(problem, unit)


def _cheapest_piece(problem: Problem, unit: StorageUnit) -> float:
    """Nothing where a server's price includes one; energy alone where one is owned."""
    bundles = (server.bundle for server in problem.catalog.servers)
    if any(bundle is not None and dict(bundle.units).get(unit.name, 0) for bundle in bundles):
        return 0.0
    return _lowest(problem, unit)


def _lowest(problem: Problem, thing: StorageUnit | Server) -> float:
    price = min([thing.price, *(step.price for step in thing.discounts)])
    return (0.0 if thing.owned else price) + energy_of(problem.catalog, thing)


def _computed(problem: Problem) -> float:
    """Cores of the fullest phase, each task on the type that does it for the least."""
    rates = rates_of(problem)
    each: dict[str, float] = {}
    for server in problem.catalog.servers:
        name = cores_of(problem.catalog, server).name
        each[name] = min(each.get(name, math.inf), _dollars_per_core(problem, server))
    total = dict.fromkeys(problem.application.phases, 0.0)
    for task in problem.application.tasks:
        took = [op for op in task.operations if isinstance(op, Compute)]
        seconds = {name: sum(op.probability * op.on(name) for op in took) for name in each}
        cheapest = min(
            (seconds[name] * dollars for name, dollars in each.items() if math.isfinite(dollars)), default=0.0
        )
        total[task.phase] += rates[task.name] * cheapest
    return max(_least_server(problem, rates), *total.values(), 0.0)


def _least_server(problem: Problem, rates: dict[str, float]) -> float:
    """What runs at all, however seldom, runs on a server; and on a core of it, if it computes on every type."""
    running = [task for task in problem.application.tasks if rates[task.name] > 0]
    if not running:
        return 0.0
    computing = any(
        all(op.probability * op.on(cpu.name) > 0 for cpu in problem.catalog.cpus)
        for task in running
        for op in task.operations
        if isinstance(op, Compute)
    )
    servers = [s for s in problem.catalog.servers if s.max_count != 0 and s.cpus >= computing]
    return min((_with_cores(problem, server, int(computing)) for server in servers), default=0.0)


def _dollars_per_core(problem: Problem, server: Server) -> float:
    """A server and its cores per core: least where it has as many as its price includes, or as many as it takes."""
    free = server.bundle.cores if server.bundle else 0
    counts = [count for count in (free, server.cpus) if count]
    return min((_with_cores(problem, server, count) / count for count in counts), default=math.inf)


def _with_cores(problem: Problem, server: Server, count: int) -> float:
    """A server with so many cores, at their lowest prices."""
    cpu = cores_of(problem.catalog, server)
    core = min([cpu.price, *(step.price for step in cpu.discounts)]) + energy_of(problem.catalog, cpu)
    free = server.bundle.cores if server.bundle else 0
    return _lowest(problem, server) + max(0, count - free) * core
