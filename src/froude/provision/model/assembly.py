"""The instance out of its parts: catalog, copies with what passes their buses and networks, tasks, paths."""

from __future__ import annotations

import math
from collections.abc import Sequence

from froude.provision.model.choices import Beside, Part, Stored
from froude.provision.model.copies import (
    PLAIN,
    Redundancy,
    Role,
    bus_accesses,
    bus_bytes,
    client_bytes,
    host_bytes,
)
from froude.provision.model.frame import Frame
from froude.provision.model.instance import (
    Choice,
    Copy,
    DatasetNeed,
    Instance,
    LocalUnits,
    NetworkRow,
    ServerType,
    TaskNeed,
    UnitType,
)
from froude.provision.model.paths import Paths, Ways, compute_seconds
from froude.provision.model.racks import client_crossing, host_crossing, uplink_weight
from froude.provision.model.service import Access
from froude.provision.model.spreading import Spreading
from froude.provision.types import (
    Dataset,
    Dependency,
    Isolation,
    Placement,
    Server,
    StorageUnit,
    Task,
)

_Flows = tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]


class InstanceAssembly:
    """Everything of an instance, from the ways to store each dataset."""

    def __init__(self, frame: Frame, ways: Sequence[Ways]) -> None:
        """Index what is looked up often.

        Args:
            ways: per dataset, none empty.
        """
        self.frame = frame
        self.ways = ways
        self.problem = frame.problem
        catalog, application = self.problem.catalog, self.problem.application
        self.cpus = tuple(cpu.name for cpu in catalog.cpus)
        self.core_costs = [catalog.cost(cpu) for cpu in catalog.cpus]
        self.unit_at = {unit.name: number for number, unit in enumerate(catalog.units)}
        self.bus_at = {name: number for number, name in enumerate(frame.buses)}
        self.task_at = {task.name: number for number, task in enumerate(application.tasks)}
        self.apart = Spreading.of(self.problem, across_racks=frame.away > 0)
        self.uplink_weight = uplink_weight(catalog)
        self.widest = max((server.bandwidth for server in catalog.servers), default=math.inf)
        several = [task.name for task in application.tasks if len(self.cpus) > 1 and self._runs(task)]
        self.cpu_at = {name: len(application.datasets) + number for number, name in enumerate(several)}

    def instance(self, memory: StorageUnit) -> Instance:
        """All parts together.

        Args:
            memory: the unit that memory is bought as.
        """
        application, options = self.problem.application, self.problem.options
        paths = Paths(self.frame, self.ways, self.cpu_at)
        stored = [self._dataset(d, way) for d, way in zip(application.datasets, self.ways, strict=True)]
        return Instance(
            phases=self.frame.phases,
            network_rows=self.frame.rows,
            buses=self.frame.buses,
            units=tuple(self._unit(unit) for unit in self.problem.catalog.units),
            servers=tuple(self._server(server) for server in self.problem.catalog.servers),
            datasets=(*stored, *(self._core_type(name) for name in self.cpu_at)),
            tasks=tuple(self._task(task, paths) for task in application.tasks),
            cpus=self.cpus,
            memory_unit=self.unit_at[memory.name],
            host_cores=application.host_cores,
            host_memory=application.host_memory,
            isolation=options.isolation is Isolation.COMPUTE_STORAGE,
            placement=options.placement,
        )

    def _runs(self, task: Task) -> bool:
        """Whether it has instances: some that never work may be there for the data beside them."""
        return self.frame.rates[task.name] > 0 or any(any(row) for _, row in self._floors(task))

    # What can be bought

    def _unit(self, unit: StorageUnit) -> UnitType:
        bus = -1 if unit.service else self.bus_at[unit.bus]
        return UnitType(unit.name, self.problem.catalog.cost(unit), bus, unit.capacity)

    def _server(self, server: Server) -> ServerType:
        buses = {bus.name: bus for bus in reversed(server.buses)}
        cpu = 0 if server.cpu is None else self.cpus.index(server.cpu)
        bundle = server.bundle
        included = dict(bundle.units) if bundle else {}
        return ServerType(
            server.name,
            self.problem.catalog.cost(server),
            server.cpus,
            server.bandwidth,
            tuple(buses[name].slots if name in buses else 0 for name in self.frame.buses),
            tuple(buses[name].bandwidth if name in buses else 0.0 for name in self.frame.buses),
            server.max_count,
            self.core_costs[cpu],
            cpu,
            bundle.cores if bundle else 0,
            tuple(included.get(name, 0) for name in self.unit_at) if included else (),
            tuple(buses[name].iops if name in buses else math.inf for name in self.frame.buses),
        )

    # What is stored

    def _dataset(self, dataset: Dataset, ways: Ways) -> DatasetNeed:
        copies: dict[Part, Copy] = {}
        flows: dict[Role, _Flows] = {}
        choices = []
        for way in ways:
            if isinstance(way, Beside):
                choices.append(self._beside(way, dataset))
                continue
            for part in way.parts:
                if part.role not in flows:
                    flows[part.role] = self._flows(dataset, part.role)
                if part not in copies:
                    copies[part] = self._copy(dataset, part, flows[part.role])
            choices.append(self._choice(way, copies))
        owner = self.frame.owners[dataset.name]
        return DatasetNeed(dataset.name, tuple(choices), None if owner is None else self.task_at[owner])

    def _flows(self, dataset: Dataset, role: Role) -> _Flows:
        """Per second of a copy: bytes and accesses on buses per phase, bytes of hosts' network per row."""
        phases = self.frame.accesses[dataset.name]
        bus = tuple(bus_bytes(role, phase) for phase in phases)
        nic = tuple(self._host_bytes(role, row, phases[row.phase]) for row in self.frame.rows)
        return bus, nic, tuple(bus_accesses(role, phase) for phase in phases)

    def _host_bytes(self, role: Role, row: NetworkRow, accesses: Sequence[Access]) -> float:
        """Of a row of the network, or of the uplinks as they weigh on it."""
        if not row.racks:
            return host_bytes(role, row.direction, accesses)
        crossing = host_crossing(self.problem.catalog, role, row.direction, accesses, self.frame.away)
        return crossing * self.uplink_weight

    def _client_bytes(self, redundancy: Redundancy, row: NetworkRow, access: Access) -> float:
        """Of a row of the network, or of the uplinks as they weigh on it."""
        if not row.racks:
            return client_bytes(redundancy, row.direction, access)
        crossing = client_crossing(self.problem.catalog, redundancy, row.direction, access, self.frame.away)
        return crossing * self.uplink_weight

    def _copy(self, dataset: Dataset, part: Part, flows: _Flows) -> Copy:
        bus, nic, accesses = flows
        apart = 1 if part.role.cache else self.apart.servers(dataset, part.unit)
        units = 0 if part.unit.service else max(apart, int(part.units))
        if self.problem.options.placement is Placement.UNIFORM:
            units = max(units, *(-int(-flow // self.widest) for flow in nic))
        return Copy(
            self.unit_at[part.unit.name],
            part.need,
            units,
            bus,
            nic,
            part.cores,
            1 / apart,
            part.role.stored / self.frame.capacity(part.unit),
            part.role.cache,
            accesses,
        )

    def _choice(self, way: Stored, copies: dict[Part, Copy]) -> Choice:
        """Services have no copy; where accesses wait, the number of units is said."""
        copied = [part for part in way.parts if not part.unit.service]
        label = " + ".join(way.names)
        if self.frame.waits and copied:
            label += f" ({' + '.join(f'{part.units:g}' for part in copied)})"
        dollars = sum(part.dollars for part in way.parts)
        return Choice(label, tuple(copies[part] for part in copied), cost=dollars, names=way.names)

    def _beside(self, way: Beside, dataset: Dataset) -> Choice:
        phases = self.frame.accesses[dataset.name]
        through = tuple(sum(a.device_bytes for a in phase) for phase in phases)
        accesses = tuple(sum(a.device_records for a in phase) for phase in phases)
        units = LocalUnits(self.unit_at[way.unit.name], way.per_instance, through, way.dollars_each, accesses)
        label = f"{way.per_instance} x {way.unit.name}"
        if self.frame.waits:
            label += f" ({way.floor:g})"
        return Choice(label, (), units, way.dollars, (way.unit.name,))

    def _core_type(self, task: str) -> DatasetNeed:
        choices = tuple(Choice(name, names=(name,)) for name in self.cpus)
        return DatasetNeed(f"core type of {task}", choices, cpu_of=self.task_at[task])

    # What runs

    def _task(self, task: Task, paths: Paths) -> TaskNeed:
        rate = self.frame.rates[task.name]
        return TaskNeed(
            task.name,
            self.frame.phases.index(task.phase),
            rate,
            tuple(rate * compute_seconds(task.operations, cpu) for cpu in self.cpus),
            task.memory,
            tuple(self._task_bytes(task, row) for row in self.frame.rows),
            paths.of(task),
            self._floors(task),
            self._latency(task),
        )

    def _floors(self, task: Task) -> tuple[tuple[int, tuple[float, ...]], ...]:
        """Least number of instances for the data beside them, per local dataset and choice."""
        return tuple(
            (number, tuple(way.floor for way in ways if isinstance(way, Beside)))
            for number, (dataset, ways) in enumerate(
                zip(self.problem.application.datasets, self.ways, strict=True)
            )
            if self.frame.owners[dataset.name] == task.name
        )

    def _latency(self, task: Task) -> float | None:
        """Longest mean run time; a quantile is that of an exponential tail. What never runs keeps any."""
        if self.frame.rates[task.name] <= 0:
            return None
        asked = [
            t.latency / (1.0 if t.quantile is None else -math.log(1 - t.quantile))
            for t in self.problem.sla.targets
            if t.task == task.name and t.latency is not None
        ]
        return min(asked, default=None)

    def _task_bytes(self, task: Task, row: NetworkRow) -> float:
        """Remote records read and written, calls made and taken, and own local data that others reach for."""
        total = 0.0
        for dataset in self.problem.application.datasets:
            at = self.frame.owners[dataset.name]
            redundancy = Redundancy.of(dataset)
            for access in self.frame.accesses[dataset.name][row.phase]:
                if access.task.name == task.name and at != task.name:
                    total += self._client_bytes(redundancy, row, access)
                elif at == task.name and access.task.name != task.name:
                    total += self._host_bytes(Role(dataset.size, redundancy=PLAIN), row, [access])
        called = self._called_bytes(task, row.phase)
        return total + called * (self.frame.away * self.uplink_weight if row.racks else 1.0)

    def _called_bytes(self, task: Task, phase: int) -> float:
        """Of calls that a task makes or takes in a phase, both ways together."""
        total = 0.0
        for caller in self.problem.application.tasks:
            if self.frame.phases.index(caller.phase) == phase:
                for op in caller.operations:
                    if isinstance(op, Dependency):
                        ends = (caller.name == task.name) + (op.task == task.name)
                        calls = self.frame.rates[caller.name] * op.probability * op.num_invocations
                        total += ends * calls * op.bytes
        return total
