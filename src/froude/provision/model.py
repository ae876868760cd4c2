"""From inputs to the numeric problem: rates, choices, run times, traffic; everything nonlinear happens here.

`build` is pure. What no cluster can ever do, such as a persistent dataset without a non-volatile unit, comes
back as conflicts instead of an Instance.

Source: scc 4.2 to 4.4; spec: the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from froude.provision.choices import Beside, Stored, local_choices, remote_choices
from froude.provision.instance import (
    Choice,
    Copy,
    DatasetNeed,
    Instance,
    LocalUnits,
    NetworkRow,
    Path,
    ServerType,
    TaskNeed,
    UnitType,
)
from froude.provision.plan import Conflict
from froude.provision.rates import task_rates
from froude.provision.service import Access, accesses
from froude.provision.types import (
    Catalog,
    Compute,
    Dataset,
    Dependency,
    Duplex,
    Io,
    Isolation,
    Op,
    Operation,
    Placement,
    Problem,
    StorageUnit,
    Task,
)

Ways = list[Stored] | list[Beside]


def build(problem: Problem) -> Instance | tuple[Conflict, ...]:
    """The numeric problem of an SLA, or why no cluster can meet it.

    Raises:
        RunawayError: a loop of calls has a gain of 1 or more.
        KeyError: a name that is not there; validated inputs have none.
    """
    model = _Model.of(problem)
    ways = [model.ways(dataset) for dataset in problem.application.datasets]
    conflicts = [*model.unstorable(ways), *model.too_large()]
    if conflicts:
        return tuple(conflicts)
    return model.instance(ways)


def memory_unit(problem: Problem) -> StorageUnit:
    """The unit that tasks' memory is bought as.

    Raises:
        KeyError: none is named and there is no volatile unit.
    """
    catalog, name = problem.catalog, problem.options.memory_unit
    if name is not None:
        return catalog.unit(name)
    volatile = [unit for unit in catalog.units if unit.volatile]
    if not volatile:
        raise KeyError("a volatile unit for memory")
    return min(volatile, key=lambda unit: catalog.cost(unit) / unit.capacity)


def owner(problem: Problem, dataset: Dataset) -> str | None:
    """The task that a local dataset stands beside; None for a remote one, and where it is not clear."""
    if dataset.remote:
        return None
    if dataset.local_to is not None:
        return dataset.local_to
    users = {
        task.name
        for task in problem.application.tasks
        for op in task.operations
        if isinstance(op, Io) and op.dataset == dataset.name
    }
    return users.pop() if len(users) == 1 else None


@dataclass(frozen=True, slots=True)
class _Model:
    """What all parts of an instance are computed from."""

    problem: Problem
    rates: dict[str, float]
    phases: tuple[str, ...]
    rows: tuple[NetworkRow, ...]
    buses: tuple[str, ...]
    accesses: dict[str, list[Access]]
    """By dataset."""

    @classmethod
    def of(cls, problem: Problem) -> _Model:
        application = problem.application
        rates = task_rates(application, problem.sla)
        both = problem.options.duplex is Duplex.HALF
        directions = ("both",) if both else ("in", "out")
        rows = (NetworkRow(p, d) for p in range(len(application.phases)) for d in directions)
        buses = dict.fromkeys(
            [unit.bus for unit in problem.catalog.units]
            + [bus.name for server in problem.catalog.servers for bus in server.buses]
        )
        found = {d.name: accesses(application, d, rates) for d in application.datasets}
        return cls(problem, rates, application.phases, tuple(rows), tuple(buses), found)

    def by_phase(self, dataset: Dataset) -> list[list[Access]]:
        """The accesses to a dataset, per phase."""
        found = self.accesses[dataset.name]
        return [[a for a in found if a.task.phase == phase] for phase in self.phases]

    def ways(self, dataset: Dataset) -> Ways:
        """How a dataset can be stored."""
        problem, phases = self.problem, self.by_phase(dataset)
        if dataset.remote:
            return remote_choices(problem.catalog, dataset, phases, problem.options)
        name = owner(problem, dataset)
        if name is None:
            raise KeyError(f"the task that {dataset.name} is local to")
        task = problem.application.task(name)

        own = [op for op in task.operations if isinstance(op, Io) and op.dataset == dataset.name]

        def instances(beside: Beside) -> float:
            """F times a bound on the run time from below: own operations alone, as they block or overlap."""
            blocking = sum(beside.seconds(op, dataset.profile) for op in own if op.blocking)
            blocking += _compute_seconds([op for op in task.operations if op.blocking])
            others = [beside.seconds(op, dataset.profile) for op in own if not op.blocking]
            return self.rates[task.name] * max(blocking, 0.0, *others)

        return local_choices(problem.catalog, dataset, phases, problem.options, instances)

    def unstorable(self, ways: Sequence[Ways]) -> list[Conflict]:
        """Datasets without any choice."""
        datasets = zip(self.problem.application.datasets, ways, strict=True)
        return [_nowhere(self.problem.catalog, dataset) for dataset, found in datasets if not found]

    def too_large(self) -> list[Conflict]:
        """Tasks of which not even one instance fits any server."""
        unit = memory_unit(self.problem)
        slots = [b.slots for s in self.problem.catalog.servers for b in s.buses if b.name == unit.bus]
        most = max(slots, default=0) * unit.capacity
        return [
            Conflict(f"memory of task {task.name}", task.memory, most, "bytes per server")
            for task in self.problem.application.tasks
            if task.memory > most and self.rates[task.name] > 0
        ]

    def instance(self, ways: Sequence[Ways]) -> Instance:
        """All parts together."""
        problem = self.problem
        catalog, application, options = problem.catalog, problem.application, problem.options
        return Instance(
            phases=self.phases,
            network_rows=self.rows,
            buses=self.buses,
            units=tuple(self._unit(unit) for unit in catalog.units),
            servers=tuple(
                ServerType(
                    server.name,
                    catalog.cost(server),
                    server.cpus,
                    server.bandwidth,
                    tuple(b.slots if (b := server.bus(name)) else 0 for name in self.buses),
                    tuple(b.bandwidth if (b := server.bus(name)) else 0.0 for name in self.buses),
                    server.max_count,
                    catalog.cost(catalog.cpu(server.cpu)),
                    [cpu.name for cpu in catalog.cpus].index(catalog.cpu(server.cpu).name),
                )
                for server in catalog.servers
            ),
            datasets=tuple(
                self._dataset(d, found) for d, found in zip(application.datasets, ways, strict=True)
            ),
            tasks=tuple(self._task(task, ways) for task in application.tasks),
            cpus=tuple(cpu.name for cpu in catalog.cpus),
            memory_unit=catalog.units.index(memory_unit(problem)),
            host_cores=application.host_cores,
            host_memory=application.host_memory,
            isolation=options.isolation is Isolation.COMPUTE_STORAGE,
            placement=options.placement,
        )

    def _unit(self, unit: StorageUnit) -> UnitType:
        bus = self.buses.index(unit.bus)
        return UnitType(unit.name, self.problem.catalog.cost(unit), bus, unit.capacity)

    def _dataset(self, dataset: Dataset, ways: Ways) -> DatasetNeed:
        phases = self.by_phase(dataset)
        choices = []
        for way in ways:
            if isinstance(way, Beside):
                choices.append(self._beside(way, phases))
            else:
                copies = tuple(self._copy(dataset, way, number) for number in range(len(way.parts)))
                names = tuple(part.unit.name for part in way.parts)
                choices.append(Choice(" + ".join(names), copies, names=names))
        name = owner(self.problem, dataset)
        tasks = [task.name for task in self.problem.application.tasks]
        return DatasetNeed(dataset.name, tuple(choices), None if name is None else tasks.index(name))

    def _beside(self, way: Beside, phases: Sequence[Sequence[Access]]) -> Choice:
        unit = self.problem.catalog.units.index(way.unit)
        through = tuple(sum(a.device_bytes for a in phase) for phase in phases)
        return Choice(
            f"{way.per_instance} x {way.unit.name}",
            (),
            LocalUnits(unit, way.per_instance, through),
            names=(way.unit.name,),
        )

    def _copy(self, dataset: Dataset, way: Stored, number: int) -> Copy:
        """One copy with what passes its bus and its hosts' network."""
        part = way.parts[number]
        reads, fills = _read_shares(len(way.parts), number, way.hit_ratio)
        phases = self.by_phase(dataset)
        bus = tuple(sum(_through_bus(a, reads, fills) for a in phase) for phase in phases)
        nic = tuple(
            sum(_through_host(a, row.direction, reads, fills) for a in phases[row.phase]) for row in self.rows
        )
        units = part.units
        if self.problem.options.placement is Placement.UNIFORM:
            widest = max(server.bandwidth for server in self.problem.catalog.servers)
            units = max(units, *(-int(-flow // widest) for flow in nic))
        return Copy(self.problem.catalog.units.index(part.unit), part.need, units, bus, nic)

    def _task(self, task: Task, ways: Sequence[Ways]) -> TaskNeed:
        rate = self.rates[task.name]
        seconds = _compute_seconds(task.operations)
        floors = tuple(
            (number, tuple(way.floor for way in found if isinstance(way, Beside)))
            for number, (dataset, found) in enumerate(
                zip(self.problem.application.datasets, ways, strict=True)
            )
            if owner(self.problem, dataset) == task.name
        )
        return TaskNeed(
            task.name,
            self.phases.index(task.phase),
            rate,
            tuple(rate * seconds for _ in self.problem.catalog.cpus),
            task.memory,
            tuple(self._task_bytes(task, row) for row in self.rows),
            self._paths(task, ways),
            floors,
        )

    def _task_bytes(self, task: Task, row: NetworkRow) -> float:
        """Remote records read and written, calls made and taken, and own local data that others reach for."""
        application = self.problem.application
        total = 0.0
        for dataset in application.datasets:
            at = owner(self.problem, dataset)
            for access in self.accesses[dataset.name]:
                if self.phases.index(access.task.phase) != row.phase:
                    continue
                if access.task.name == task.name and at != task.name:
                    total += _through_client(access, row.direction)
                elif at == task.name and access.task.name != task.name:
                    total += _through_host(access, row.direction, 1.0, 0.0)
        for caller in application.tasks:
            if self.phases.index(caller.phase) == row.phase:
                for op in caller.operations:
                    if isinstance(op, Dependency):
                        ends = (caller.name == task.name) + (op.task == task.name)
                        calls = self.rates[caller.name] * op.probability * op.num_invocations
                        total += ends * calls * op.bytes
        return total

    def _paths(self, task: Task, ways: Sequence[Ways]) -> tuple[Path, ...]:
        """The blocking operations in a row, and for each other one: what precedes it, and it."""
        blocking: list[Operation] = []
        paths = []
        for op in task.operations:
            if op.blocking:
                blocking.append(op)
            else:
                paths.append(self._path([*blocking, op], ways))
        return (self._path(blocking, ways), *paths)

    def _path(self, operations: Sequence[Operation], ways: Sequence[Ways]) -> Path:
        application = self.problem.application
        names = [dataset.name for dataset in application.datasets]
        io: dict[int, list[float]] = {}
        calls: dict[int, float] = {}
        for op in operations:
            if isinstance(op, Io):
                at = names.index(op.dataset)
                profile = application.datasets[at].profile
                times = [way.seconds(op, profile) for way in ways[at]]
                io[at] = [a + b for a, b in zip(io.get(at, [0.0] * len(times)), times, strict=True)]
            elif isinstance(op, Dependency):
                child = application.tasks.index(application.task(op.task))
                times_called = 1.0 if op.parallel and op.num_invocations else op.num_invocations
                calls[child] = calls.get(child, 0.0) + op.probability * times_called
        return Path(
            _compute_seconds(operations),
            tuple((at, tuple(times)) for at, times in io.items()),
            tuple(calls.items()),
        )


def _compute_seconds(operations: Sequence[Operation]) -> float:
    """Core seconds, whether they block or not."""
    return sum(op.probability * op.time for op in operations if isinstance(op, Compute))


def _nowhere(catalog: Catalog, dataset: Dataset) -> Conflict:
    if all(unit.volatile for unit in catalog.units):
        return Conflict(f"dataset {dataset.name} is persistent and every storage unit is volatile")
    room = max(
        b.slots * unit.capacity
        for unit in catalog.units
        for s in catalog.servers
        for b in s.buses
        if b.name == unit.bus
    )
    return Conflict(f"size of local dataset {dataset.name}", dataset.size, room, "bytes per server")


def _read_shares(copies: int, number: int, hit_ratio: float) -> tuple[float, float]:
    """(share of reads served, share of reads that are written in after a miss) of a copy."""
    if copies == 1:
        return 1.0, 0.0
    return (1 - hit_ratio, 0.0) if number == 0 else (hit_ratio, 1 - hit_ratio)


def _through_bus(access: Access, reads: float, fills: float) -> float:
    if access.io.op is Op.WRITE:
        return access.device_bytes
    return access.device_bytes * reads + access.logical_bytes * fills


def _through_host(access: Access, direction: str, reads: float, fills: float) -> float:
    """Bytes per second through the network of the servers that hold a copy."""
    inward = access.logical_bytes * (1.0 if access.io.op is Op.WRITE else fills)
    outward = access.logical_bytes * (reads if access.io.op is Op.READ else 0.0)
    return {"in": inward, "out": outward, "both": inward + outward}[direction]


def _through_client(access: Access, direction: str) -> float:
    """Bytes per second through the network of the servers of the task that asks."""
    inward = access.io.op is Op.READ
    here = direction == "both" or (direction == "in") == inward
    return access.logical_bytes if here else 0.0
