"""How often tasks execute and on which cores, and the demand of then, recomputed from the inputs for the checker.

Deliberately apart from `rates`, `growth` and `frame`.
"""

from __future__ import annotations

from dataclasses import replace

from froude.provision.types import (
    Batch,
    BatchTarget,
    Catalog,
    Compute,
    Cpu,
    Dependency,
    Problem,
    RackLoss,
    Server,
)
from froude.provision.types.plan import ProvisionPlan

_ROUNDS = 100_000
_STILL = 1e-14
_YEAR_S = 365 * 86400.0


def core_types(problem: Problem, plan: ProvisionPlan) -> dict[str, str]:
    """The core type of every task: the plan's, or that of the servers it stands on (of several, the slowest).

    Args:
        plan: the cluster; need not say the core types.
    """
    types = {}
    for task in problem.application.tasks:
        there = {
            core_type(problem, group.server).name
            for group in plan.groups
            if any(r.task == task.name and r.instances for r in group.running)
        }
        took = [op for op in task.operations if isinstance(op, Compute)]
        slowest = max(
            (cpu.name for cpu in problem.catalog.cpus if cpu.name in there),
            key=lambda name, took=took: sum(op.probability * op.on(name) for op in took),  # type: ignore[misc]
            default=problem.catalog.cpus[0].name,
        )
        types[task.name] = plan.cpus.get(task.name, slowest)
    return types


def core_type(problem: Problem, server: str) -> Cpu:
    """The cores that a server takes, by its name."""
    return cores_of(problem.catalog, problem.catalog.server(server))


def cores_of(catalog: Catalog, server: Server) -> Cpu:
    """The cores that a server takes: the first of the catalog where it names none.

    Args:
        catalog: with all core types.
    """
    return next(cpu for cpu in catalog.cpus if server.cpu is None or cpu.name == server.cpu)


def grown(problem: Problem) -> Problem:
    """The inputs at the end of the lead time: rates, executions and sizes as they will be, and no growth."""
    growth = problem.sla.growth
    if growth is None:
        return problem
    years = growth.lead_time / _YEAR_S
    load, data = (1 + growth.load) ** years, (1 + growth.data) ** years
    datasets = tuple(
        replace(d, size=d.size * data, cache_size=None if d.cache_size is None else d.cache_size * data)
        for d in problem.application.datasets
    )
    batch = problem.sla.batch
    if batch is not None:
        jobs = tuple(BatchTarget(job.task, job.executions * load) for job in batch.targets)
        batch = Batch(batch.time, jobs, batch.split)
    targets = tuple(replace(target, rate=target.rate * load) for target in problem.sla.targets)
    sla = replace(problem.sla, targets=targets, batch=batch, growth=None)
    return replace(problem, application=replace(problem.application, datasets=datasets), sla=sla)


def failing(problem: Problem) -> int:
    """Servers that may be lost while the others still meet the SLA: a whole rack where that is asked for."""
    asked = [problem.options.survive_hosts]
    if problem.catalog.rack is not None and problem.options.survive_rack is RackLoss.SERVICE:
        asked.append(problem.catalog.rack.servers)
    return max(asked)


def losing(problem: Problem) -> int:
    """Servers that may be lost while the others can still hold all data; as many or more."""
    rack = problem.catalog.rack
    lost = 0 if rack is None or problem.options.survive_rack is RackLoss.NONE else rack.servers
    return max(failing(problem), lost)


def rates_of(problem: Problem) -> dict[str, float]:
    """Executions per second: passed on along the calls, wave by wave, until no wave is left."""
    wave = dict.fromkeys((task.name for task in problem.application.tasks), 0.0)
    for target in problem.sla.targets:
        wave[target.task] += target.rate
    batch = problem.sla.batch
    for job in batch.targets if batch else ():
        assert batch is not None
        share = batch.split.get(problem.application.task(job.task).phase, 1.0)
        wave[job.task] += job.executions / (batch.time * share)
    total = dict(wave)
    for _ in range(_ROUNDS):
        after = dict.fromkeys(wave, 0.0)
        for task in problem.application.tasks:
            for op in task.operations:
                if isinstance(op, Dependency):
                    after[op.task] += wave[task.name] * op.probability * op.num_invocations
        wave = after
        if sum(wave.values()) <= _STILL * sum(total.values()):
            break
        total = {name: total[name] + wave[name] for name in total}
    return total
