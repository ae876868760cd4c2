"""Clusters of equal servers that each hold an equal part of one dataset: tried where the search has left a gap.

HDFS spreads its blocks so, and such a cluster has few numbers: a type of server, a unit, how many servers. The
independent check decides whether one does; the least number of servers that it accepts is found by halving. What a
cluster of a type costs at least orders the types, so that few are looked at.

Source: ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from froude.provision.check.checker import check, cost_of
from froude.provision.check.demand import Demand
from froude.provision.check.pieces import memory_of
from froude.provision.model.spreading import whole
from froude.provision.search.survive import Losses
from froude.provision.types import Problem, Server, StorageUnit
from froude.provision.types.plan import Group, Held, ProvisionPlan, Running, Status

_MOST_SERVERS = 100_000
_MOST_KINDS = 500
"""Kinds of clusters that are looked at, those that may be cheapest first."""
_Kind = tuple[float, int, Server, StorageUnit]
"""Dollars and servers that a cluster needs at least, and what it consists of."""


def plain_cluster(problem: Problem, below: float) -> ProvisionPlan | None:
    """The cheapest cluster of equal servers that passes the check, without a bound; None where there is none.

    Args:
        problem: with rates; one with a batch job, latencies, or other than one dataset on servers has none.
        below: dollars; a dearer cluster is not looked for.
    """
    application, sla = problem.application, problem.sla
    waits = any(target.latency is not None for target in sla.targets)
    if len(application.datasets) != 1 or not application.datasets[0].remote or sla.batch or waits:
        return None
    best = None
    for dollars, least, server, unit in sorted(_kinds(problem), key=lambda kind: kind[:2])[:_MOST_KINDS]:
        if dollars >= below:
            break
        plan = _fewest(_alone(problem, server, unit), server, unit, least, below)
        if plan is not None and plan.upper < below:
            best, below = plan, plan.upper
    return best


def _kinds(problem: Problem) -> Iterator[_Kind]:
    (dataset,) = problem.application.datasets
    for unit in problem.catalog.units:
        if unit.service:
            continue
        demand = Demand(problem, ProvisionPlan(Status.GAP, choices={dataset.name: (unit.name,)}))
        units = demand.least_units(dataset.name, cache=False)
        for server in problem.catalog.servers:
            bus = server.bus(unit.bus)
            if bus is None or not bus.slots or server.cpus < problem.application.host_cores:
                continue
            least = -(-units // bus.slots)
            included = dict(server.bundle.units).get(unit.name, 0) if server.bundle else 0
            bought = max(0, units - least * included - unit.owned)
            paid = 0.0 if server.owned or server.discounts else least * server.price
            yield paid + (0.0 if unit.discounts else bought * unit.price), least, server, unit


def _alone(problem: Problem, server: Server, unit: StorageUnit) -> Problem:
    """The problem with nothing else to buy: the check looks at all there is."""
    memory = memory_of(problem).name
    names = {memory, unit.name, *dict(server.bundle.units if server.bundle else ())}
    units = tuple(each for each in problem.catalog.units if each.name in names)
    catalog = replace(problem.catalog, servers=(server,), units=units)
    return replace(problem, catalog=catalog, options=replace(problem.options, memory_unit=memory))


def _fewest(
    problem: Problem, server: Server, unit: StorageUnit, least: int, below: float
) -> ProvisionPlan | None:
    """The smallest such cluster that passes the check; None where that is none, or too dear."""

    def sound(count: int) -> ProvisionPlan | None:
        plan = _equal(problem, server, unit, count)
        return plan if check(problem, plan).sound else None

    low, step, found = least, 1, sound(least)
    while found is None:
        if low + step > _MOST_SERVERS or _equal(problem, server, unit, low).upper >= below:
            return None
        if (found := sound(low + step)) is None:
            low, step = low + step, 2 * step
    high = low + step if found.servers > least else least
    while low + 1 < high:
        middle = (low + high) // 2
        if (plan := sound(middle)) is None:
            low = middle
        else:
            high, found = middle, plan
    return found


def _equal(problem: Problem, server: Server, unit: StorageUnit, count: int) -> ProvisionPlan:
    """So many servers with equal parts of everything; it may break any constraint."""
    (dataset,) = problem.application.datasets
    tasks = problem.application.tasks
    cpus = {task.name: server.cpu or "" for task in tasks} if len(problem.catalog.cpus) > 1 else {}
    spread = count if Losses.of(problem).data else None
    plan = ProvisionPlan(Status.GAP, choices={dataset.name: (unit.name,)}, cpus=cpus, spread=spread)
    demand = Demand(problem, plan)
    included = dict(server.bundle.units if server.bundle else ()).get(unit.name, 0)
    units = max(1, included, whole(demand.sized(dataset.name, cache=False) / count))
    running = tuple(
        Running(task.name, max(1, whole(demand.parallelism(task.name) * demand.reserve / count)), 1 / count)
        for task in tasks
        if demand.parallelism(task.name)
    )
    work = sum(demand.cores(task.name) for task in tasks)
    work += max(demand.host_cores(dataset.name, phase, cache=False) for phase in demand.phases)
    memory = sum(problem.application.task(each.task).memory * each.instances for each in running)
    group = Group(
        server.name,
        count,
        (Held(dataset.name, unit.name, units, 1 / count),),
        running=running,
        cores=problem.application.host_cores + whole(work * demand.reserve / count),
        dimms=whole((problem.application.host_memory + memory) / memory_of(problem).capacity),
    )
    plan = replace(plan, groups=(group,))
    return replace(plan, upper=cost_of(problem, plan))
