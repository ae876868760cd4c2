"""From inputs to the numeric problem: rates, choices, run times, traffic; everything nonlinear happens here.

`build` is pure. What no cluster can ever do, such as a persistent dataset without a non-volatile unit, comes
back as conflicts instead of an Instance. What is priced or searched outside one instance is not read here:
pieces that are owned or discounted, diversity, hosts to survive, and growth.

Source: scc 4.2 to 4.4; spec: the model; beyond the paper: docs/design/2026-11-21-provisioning-features.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from froude.provision.model.assembly import InstanceAssembly
from froude.provision.model.choices import Beside, local_choices, may_keep, remote_choices
from froude.provision.model.copies import Redundancy
from froude.provision.model.frame import Frame
from froude.provision.model.instance import Instance
from froude.provision.model.paths import Ways, compute_seconds
from froude.provision.types import Dataset, Io, Persistence, Problem, StorageUnit
from froude.provision.types.plan import Conflict

_FASTEST = 1e30
"""Executions per second: beyond, products with sizes and times leave what a float can say."""


def build(problem: Problem, racks: int | None = None) -> Instance | tuple[Conflict, ...]:
    """The numeric problem of an SLA, or why no cluster can meet it.

    Args:
        racks: how many the cluster has, if the catalog has racks; None for any number.

    Raises:
        RunawayError: a loop of calls has a gain of 1 or more.
        KeyError: a name that is not there; validated inputs have none.
    """
    frame = Frame.of(problem, racks)
    memory = memory_unit(problem)
    too_frequent = _too_frequent(frame)
    if too_frequent:
        return tuple(too_frequent)
    ways = [_ways(frame, dataset) for dataset in problem.application.datasets]
    conflicts = [*_unstorable(frame, ways), *_too_large(frame, memory)]
    if conflicts:
        return tuple(conflicts)
    instance = InstanceAssembly(frame, ways).instance(memory)
    return tuple(_too_slow(instance)) or instance


def _too_frequent(frame: Frame) -> list[Conflict]:
    """Loads that are beyond any arithmetic; what is merely beyond any cluster, `search.compile` refuses."""
    rates = frame.rates.items()
    return [
        Conflict(f"executions of task {n}", rate, _FASTEST, "per second")
        for n, rate in rates
        if not rate <= _FASTEST
    ]


def memory_unit(problem: Problem) -> StorageUnit:
    """The unit that tasks' memory is bought as: the named one, else the volatile one that is cheapest per byte.

    Of several as cheap, such as all that servers' prices include, the fastest (least gap, then highest rate, then the
    first by name): so the order of a catalog decides nothing, and local disks are not taken for memory.

    Raises:
        KeyError: none is named and there is no volatile unit.
    """
    catalog, name = problem.catalog, problem.options.memory_unit
    if name is not None:
        return catalog.unit(name)
    volatile = [unit for unit in catalog.units if unit.volatile]
    if not volatile:
        raise KeyError("a volatile unit for memory")

    def order(unit: StorageUnit) -> tuple[float, float, float, str]:
        cost = catalog.cost(unit) / unit.capacity
        return cost, unit.gap_r + unit.gap_w, -(unit.rate_r + unit.rate_w), unit.name

    return min(volatile, key=order)


def _ways(frame: Frame, dataset: Dataset) -> Ways:
    """How a dataset can be stored."""
    if dataset.remote:
        return remote_choices(frame, dataset)
    name = frame.owners[dataset.name]
    if name is None:
        raise KeyError(f"the task that {dataset.name} is local to")
    task = frame.problem.application.task(name)
    own = [op for op in task.operations if isinstance(op, Io) and op.dataset == dataset.name]
    blocking = [op for op in task.operations if op.blocking]
    computing = min(compute_seconds(blocking, cpu.name) for cpu in frame.problem.catalog.cpus)

    def instances(beside: Beside) -> float:
        """F times a bound on the run time from below: own operations alone, as they block or overlap."""
        waited = sum(beside.seconds(op, dataset.profile) for op in own if op.blocking) + computing
        others = [beside.seconds(op, dataset.profile) for op in own if not op.blocking]
        return frame.rates[task.name] * max(waited, 0.0, *others)

    return local_choices(frame, dataset, instances)


def _unstorable(frame: Frame, ways: Sequence[Ways]) -> list[Conflict]:
    """Datasets without any choice."""
    datasets = zip(frame.problem.application.datasets, ways, strict=True)
    return [_nowhere(frame, dataset) for dataset, choices in datasets if not choices]


def _nowhere(frame: Frame, dataset: Dataset) -> Conflict:
    units = frame.problem.catalog.units
    if dataset.persistent is Persistence.REQUIRED and all(unit.volatile for unit in units):
        return Conflict(f"dataset {dataset.name} is persistent and every storage unit is volatile")
    if dataset.remote:
        pieces = Redundancy.of(dataset).pieces
        keeping = [unit for unit in units if may_keep(unit, dataset) and frame.usable(unit)]
        hosts = max((frame.hosts[unit.bus] for unit in keeping), default=0.0)
        if keeping and hosts < pieces:
            what = "fragments" if dataset.erasure else "replicas"
            return Conflict(f"servers for the {what} of dataset {dataset.name}", pieces, hosts, "servers")
        return Conflict(f"dataset {dataset.name} may be kept on no storage unit that servers take")
    room = max(frame.slots.get(unit.bus, 0) * frame.capacity(unit) for unit in units)
    return Conflict(f"size of local dataset {dataset.name}", dataset.size, room, "bytes per server")


def _too_large(frame: Frame, memory: StorageUnit) -> list[Conflict]:
    """Tasks of which not even one instance fits any server."""
    most = frame.slots.get(memory.bus, 0) * memory.capacity
    return [
        Conflict(f"memory of task {task.name}", task.memory, most, "bytes per server")
        for task in frame.problem.application.tasks
        if task.memory > most and frame.rates[task.name] > 0
    ]


def _too_slow(instance: Instance) -> list[Conflict]:
    """Tasks whose latency is out of reach of even the fastest choice of everything."""
    fastest = instance.run_times_among(instance.every)
    return [
        Conflict(f"latency of task {task.name}", seconds, task.latency, "s")
        for task, seconds in zip(instance.tasks, fastest, strict=True)
        if task.latency is not None and seconds > task.latency * (1 + 1e-9)
    ]
