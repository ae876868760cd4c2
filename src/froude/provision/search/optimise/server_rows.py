"""What a server may hold, as variables and rows: written once, used at four scales.

The same rows describe one server (pricing, per-server programs: the count is 1 or a binary) and a whole kind of
server at once (the master: the count is an integer variable). Summing the rows of single servers gives those of
the kind, so the aggregated program is a relaxation and its optimum a lower bound.

Kinds and scales are those of `subproblem`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from froude.provision.model.instance import Copy, LocalUnits
from froude.provision.search.optimise.highs import Program
from froude.provision.search.optimise.subproblem import (
    FIT,
    Beside,
    ServerKind,
    Subproblem,
    flow_of_one,
    whole_up,
)

Term = tuple[int, float]


@dataclass(slots=True)
class ServerVariables:
    """Where the contents of one kind (or one server) stand in a program."""

    kind: ServerKind
    units: dict[int, int] = field(default_factory=dict)
    """Per item."""
    load: dict[int, int] = field(default_factory=dict)
    """Per item, in the item's own unit."""
    instances: dict[int, int] = field(default_factory=dict)
    """Per task."""
    work: dict[int, int] = field(default_factory=dict)
    """Per task, in the task's own unit."""
    beside: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    """(dataset, choice) of a local dataset: instances that have it, and their work."""
    cores: int = -1
    """For tasks and copies: the storage system's own are in the server's base cost."""
    dimms: int = -1
    """For tasks and storage system."""
    count: int | None = None
    """Variable of how many servers; None is one server."""
    paid: list[int] = field(default_factory=list)
    """What is used beyond that which the server's price includes, of cores and of each unit of which it does."""

    def every(self) -> list[int]:
        """All its variables, each once."""
        pairs = [variable for pair in self.beside.values() for variable in pair]
        counts = [] if self.count is None else [self.count]
        maps = (self.units, self.load, self.instances, self.work)
        single = [variable for places in maps for variable in places.values()]
        return sorted({*single, *pairs, self.cores, self.dimms, *counts, *self.paid})


PENALTY = 1e5
"""Dollars for exceeding a limit by one unit of it (a slot, a core, a server's bandwidth) in an elastic solve."""


@dataclass(frozen=True, slots=True)
class Excess:
    """A limit that an elastic program may exceed."""

    constraint: str
    variable: int
    """By how much it is exceeded, over all servers."""
    capacity: float
    count: int | None
    """Variable of the number of servers; None where the limit is one of all servers together."""
    taken: float = 0.0
    """What the storage system takes of each server besides: not in `capacity`."""
    unit: str = "per server"
    scale: float = 1.0
    """How many of its unit one is."""


class ServerRows:
    """Adds the variables and rows of one kind to a program."""

    def __init__(
        self,
        program: Program,
        sub: Subproblem,
        kind: ServerKind,
        *,
        count: int | None = None,
        most: float = 1.0,
        label: str = "",
        whole: bool = True,
        elastic: list[Excess] | None = None,
    ) -> None:
        """Name the place.

        Args:
            count: variable of the number of servers; None is one.
            label: begins the names of variables and rows.
            elastic: limits may be exceeded at `PENALTY`; filled with how to read it.
        """
        self.elastic = elastic
        self.program, self.sub, self.kind = program, sub, kind
        self.server, self.instance = sub.server(kind), sub.instance
        self.label = label or f"{self.server.name}/{'host' if kind.host else 'worker'}"
        self.most, self.whole = most, whole
        self.variables = ServerVariables(kind, count=count)

    def add(self) -> ServerVariables:
        """All of it."""
        if self.kind.host:
            self._storage_variables()
        for task in self.sub.tasks:
            if self.sub.runs(task, self.kind):
                self._task_variables(task)
        self._bought_variables()
        self._included()
        self._spread()
        self._slots()
        self._bus_bandwidth()
        self._network()
        self._cores()
        self._memory()
        if self.elastic is not None:
            self._there()
        return self.variables

    def _there(self) -> None:
        """Limits may be exceeded, but nothing is held by no server."""
        assert self.variables.count is not None
        held = [(variable, self.sub.items[at].scale) for at, variable in self.variables.load.items()]
        done = [(variable, self.sub.task_scale[task]) for task, variable in self.variables.work.items()]
        for variable, scale in (*held, *done):
            self.program.row(
                f"{self.label}:there", [(variable, 1.0), (self.variables.count, -scale)], upper=0.0
            )

    # variables, with the row that ties a load to what carries it

    def _storage_variables(self) -> None:
        for at, item in enumerate(self.sub.items):
            unit = self.instance.units[item.copy.unit]
            slots = self.server.slots[unit.bus]
            if slots == 0 and self.elastic is None:
                continue
            name = f"{self.label}:{self.instance.datasets[item.dataset].name}.{item.choices[0]}.{unit.name}"
            units = self._count(f"{name}:units", self._cost(item.copy.unit), slots)
            load = self.program.variable(f"{name}:load", upper=self._whole(item.scale, item.most))
            self.variables.units[at], self.variables.load[at] = units, load
            equal = 0.0 if self.sub.uniform else math.inf
            self.program.row(
                f"{name}:carry", [(units, 1.0), (load, -item.need / item.scale)], lower=0.0, upper=equal
            )

    def _task_variables(self, task: int) -> None:
        name = f"{self.label}:{self.instance.tasks[task].name}"
        instances, work = self._work_variables(task, name, self._room(task))
        self.variables.instances[task], self.variables.work[task] = instances, work
        by_dataset: dict[int, list[Beside]] = {}
        for local in self.sub.beside[task]:
            by_dataset.setdefault(local.dataset, []).append(local)
        for dataset, options in by_dataset.items():
            if len(options) == 1:
                if not self._room(task, options[0]):
                    self.program.fix(instances, 0.0)
                self._local_cost(instances, options[0])
                self.variables.beside[dataset, options[0].choice] = (instances, work)
                continue
            parts = [
                self._work_variables(task, f"{name}.{dataset}.{local.choice}", self._room(task, local))
                for local in options
            ]
            for local, part in zip(options, parts, strict=True):
                self._local_cost(part[0], local)
                self.variables.beside[dataset, local.choice] = part
            for place, whole in ((0, instances), (1, work)):
                self.program.row(
                    f"{name}.{dataset}:parts{place}",
                    [(whole, 1.0), *((part[place], -1.0) for part in parts)],
                    lower=0.0,
                    upper=0.0,
                )

    def _room(self, task: int, local: Beside | None = None) -> bool:
        """Has an empty server of this kind room for one instance, with what stands beside it?"""
        if self.elastic is not None:
            return True
        memory = self.instance.units[self.instance.memory_unit]
        held = self.instance.tasks[task].memory + (self.instance.host_memory if self.kind.host else 0.0)
        if whole_up(held / memory.capacity) > self.server.slots[memory.bus]:
            return False
        if self.sub.uniform and flow_of_one(self.sub, task) > self.server.nic * (1 + FIT):
            return False
        if local is None:
            return True
        bus = self.instance.units[local.units.unit].bus
        return local.units.per_instance <= self.server.slots[bus]

    def _work_variables(self, task: int, name: str, room: bool) -> tuple[int, int]:
        scale, wanted = self.sub.task_scale[task], self.sub.instances(task)
        instances = self._count(f"{name}:instances", 0.0, self.sub.most_parallel[task], each=False)
        work = self.program.variable(f"{name}:work", upper=self._whole(scale, self.sub.most_work(task)))
        if not room:
            self.program.fix(instances, 0.0)
        equal = 0.0 if self.sub.uniform and self.sub.fixed else math.inf
        # a share of a task wants a whole instance, also where one could carry far more than all of it
        least = 1.0 / self.instance.tasks[task].most_share
        carried = (wanted if equal == 0.0 else max(wanted, least)) / scale
        self.program.row(f"{name}:carry", [(instances, 1.0), (work, -carried)], lower=0.0, upper=equal)
        return instances, work

    def _local_cost(self, variable: int, local: Beside) -> None:
        units = self._cost(local.units.unit) * local.units.per_instance
        self.program.add_cost(variable, units + local.units.cost)

    def _bought_variables(self) -> None:
        memory = self.instance.units[self.instance.memory_unit]
        core = 0.0 if self.sub.spare_cores(self.kind) else self.server.core_cost
        self.variables.cores = self._count(f"{self.label}:cores", core, self.server.cores)
        slots = self.server.slots[memory.bus]
        self.variables.dimms = self._count(
            f"{self.label}:dimms", self._cost(self.instance.memory_unit), slots
        )

    def _cost(self, unit: int) -> float:
        """Dollars of a unit where it is used; those of which some are included are paid apart."""
        return 0.0 if self._free_units(unit) else self.instance.units[unit].cost

    def _free_units(self, unit: int) -> int:
        return self.server.included_units[unit] if self.server.included_units else 0

    def _whole(self, scale: float, most: float) -> float:
        """All of a load, or as much of it as so many servers may have."""
        return scale if self.elastic is not None else scale * min(1.0, most * self.most)

    def _count(self, name: str, cost: float, most: float, *, each: bool = True) -> int:
        # shares on several servers round up each: at most one more per server
        upper = most * self.most if each else most + self.most
        if self.elastic is not None:
            upper = self.sub.many
        if self.whole:
            # presolve of HiGHS 1.15.1 errs where an integer variable ends at 1.7: wrong optima, feasible called empty
            upper = float(math.floor(upper))
        return self.program.variable(name, cost=cost, upper=upper, integer=self.whole)

    # rows of the server

    def _included(self) -> None:
        """What is used beyond that which the price includes is paid for."""
        cores, core = self.sub.spare_cores(self.kind), self.server.core_cost
        if cores and core:
            self._paid(": cores", core, [(self.variables.cores, 1.0)], cores, self.server.cores)
        for number, terms in sorted(self._used().items()):
            unit, free = self.instance.units[number], self._free_units(number)
            if free and unit.cost:
                self._paid(
                    f" unit {unit.name}", unit.cost, list(terms.items()), free, self.server.slots[unit.bus]
                )

    def _paid(self, name: str, cost: float, used: list[Term], free: int, most: int) -> None:
        """Used - free <= paid."""
        upper = self.sub.many if self.elastic is not None else most * self.most
        paid = self.program.variable(f"{self.label}:paid{name}", cost=cost, upper=upper)
        self.variables.paid.append(paid)
        left = [(variable, -value) for variable, value in used]
        if self.variables.count is None:
            self.program.row(f"{self.label}:included{name}", [(paid, 1.0), *left], lower=-float(free))
        else:
            terms = [(paid, 1.0), *left, (self.variables.count, float(free))]
            self.program.row(f"{self.label}:included{name}", terms, lower=0.0)

    def _spread(self) -> None:
        """No server has more than the largest share; of one server the variable's bound says so.

        Cores tie what computes to servers that exist. Of a task that computes nothing, the network and the memory
        may fall below the solver's tolerance at a low load: without a row of its own, no server would run it.
        """
        if self.variables.count is None:
            return
        sub, items = self.sub, self.sub.items
        most = {
            variable: items[at].scale * items[at].most
            for at, variable in self.variables.load.items()
            if items[at].most < 1
        }
        most |= {
            variable: sub.task_scale[task] * sub.most_work(task)
            for task, variable in self.variables.work.items()
            if self.instance.tasks[task].most_share < 1
            or not self.instance.tasks[task].cores[self.server.cpu]
        }
        for variable, each in most.items():
            terms = [(variable, 1.0), (self.variables.count, -each)]
            self.program.row(f"{self.label}:spread of {variable}", terms, upper=0.0)

    def _limit(self, name: str, terms: list[Term], capacity: float) -> None:
        """Terms <= capacity of one server, or of as many as there are."""
        if not terms:
            return
        count = self.variables.count
        if self.elastic is not None:
            excess = self.program.variable(f"{self.label}:over {name}", cost=PENALTY, upper=self.sub.many)
            terms = [*terms, (excess, -1.0)]
            taken = float(self.instance.host_cores) if name == "cores" and self.kind.host else 0.0
            self.elastic.append(Excess(f"{name} of {self.server.name}", excess, capacity, count, taken))
        if count is None:
            self.program.row(f"{self.label}:{name}", terms, upper=capacity)
        else:
            self.program.row(f"{self.label}:{name}", [*terms, (count, -capacity)], upper=0.0)

    def _slots(self) -> None:
        units = self.instance.units
        by_bus: dict[int, dict[int, float]] = {}
        for unit, used in self._used().items():
            terms = by_bus.setdefault(units[unit].bus, {})
            for variable, count in used.items():
                terms[variable] = terms.get(variable, 0.0) + count
        for bus, terms in sorted(by_bus.items()):
            name = f"slots of {self.instance.buses[bus]}"
            self._limit(name, list(terms.items()), float(self.server.slots[bus]))

    def _used(self) -> dict[int, dict[int, float]]:
        """Units of each type: of remote copies, beside instances, and of memory."""
        used: dict[int, dict[int, float]] = {}
        for at, variable in self.variables.units.items():
            used.setdefault(self.sub.items[at].copy.unit, {})[variable] = 1.0
        for task in self.variables.instances:
            for local in self.sub.beside[task]:
                variable = self.variables.beside[local.dataset, local.choice][0]
                terms = used.setdefault(local.units.unit, {})
                terms[variable] = terms.get(variable, 0.0) + local.units.per_instance
        used.setdefault(self.instance.memory_unit, {})[self.variables.dimms] = 1.0
        return used

    def _locals_on(self, bus: int) -> Iterable[tuple[Beside, tuple[int, int]]]:
        for task in self.variables.instances:
            for local in self.sub.beside[task]:
                if self.instance.units[local.units.unit].bus == bus:
                    yield local, self.variables.beside[local.dataset, local.choice]

    def _bus_bandwidth(self) -> None:
        for bus, name in enumerate(self.instance.buses):
            width = self.server.bus_bandwidth[bus]
            if width > 0:
                self._on_bus(bus, f"bandwidth of {name}", width, lambda units: units.bus_bytes)
            accesses = self.server.most_accesses(bus)
            if math.isfinite(accesses):
                self._on_bus(bus, f"IOPS of {name}", accesses, lambda units: units.accesses)

    def _on_bus(
        self, bus: int, name: str, limit: float, of: Callable[[Copy | LocalUnits], tuple[float, ...]]
    ) -> None:
        """What the units on a bus do per second in each phase, as a part of its limit."""
        for phase, phase_name in enumerate(self.instance.phases):
            terms: dict[int, float] = {}
            for at, variable in self.variables.load.items():
                item = self.sub.items[at]
                if self.instance.units[item.copy.unit].bus == bus:
                    terms[variable] = of(item.copy)[phase] / item.scale / limit
            for local, (_, work) in self._locals_on(bus):
                task = self.instance.datasets[local.dataset].local_to
                assert task is not None
                more = of(local.units)[phase] / self.sub.task_scale[task] / limit
                terms[work] = terms.get(work, 0.0) + more
            self._limit(f"{name} in {phase_name}", _kept(terms), 1.0)

    def _network(self) -> None:
        for row, network in enumerate(self.instance.network_rows):
            terms: dict[int, float] = {}
            for at, variable in self.variables.load.items():
                item = self.sub.items[at]
                terms[variable] = item.copy.nic_bytes[row] / item.scale / self.server.nic
            for task, variable in self.variables.work.items():
                bytes_ = self.instance.tasks[task].nic_bytes[row]
                terms[variable] = bytes_ / self.sub.task_scale[task] / self.server.nic
            phase = self.instance.phases[network.phase]
            self._limit(f"{network.name} in {phase}", _kept(terms), 1.0)

    def _cores(self) -> None:
        host = self.instance.host_cores if self.kind.host else 0
        self._limit("cores", [(self.variables.cores, 1.0)], float(self.server.cores - host))
        for phase, name in enumerate(self.instance.phases):
            terms = [
                (variable, -self.instance.tasks[task].cores[self.server.cpu] / self.sub.task_scale[task])
                for task, variable in self.variables.work.items()
                if self.instance.tasks[task].phase == phase
            ]
            for at, variable in self.variables.load.items():
                cores = self.sub.items[at].copy.cores
                if cores:
                    terms.append((variable, -cores[phase] / self.sub.items[at].scale))
            if any(value for _, value in terms):
                self.program.row(
                    f"{self.label}:cores for {name}", [(self.variables.cores, 1.0), *terms], lower=0.0
                )
        self._whole_cores()

    def _whole_cores(self) -> None:
        """A share of what computes at all wants a whole core, also where one could carry far more than all of it."""
        for task, variable in self.variables.work.items():
            if 0 < self.instance.tasks[task].cores[self.server.cpu] < 1:
                self._one_core(f"core for {task}", variable, self.sub.task_scale[task])
        for at, variable in self.variables.load.items():
            if 0 < max(self.sub.items[at].copy.cores, default=0.0) < 1:
                self._one_core(f"core for copy {at}", variable, self.sub.items[at].scale)

    def _one_core(self, name: str, variable: int, scale: float) -> None:
        terms = [(self.variables.cores, 1.0), (variable, -1.0 / scale)]
        self.program.row(f"{self.label}:{name}", terms, lower=0.0)

    def _memory(self) -> None:
        capacity = self.instance.units[self.instance.memory_unit].capacity
        host = self.instance.host_memory / capacity if self.kind.host else 0.0
        dimms = (self.variables.dimms, 1.0)
        for phase, name in enumerate(self.instance.phases):
            terms = [
                (variable, -self.instance.tasks[task].memory / capacity)
                for task, variable in self.variables.instances.items()
                if self.instance.tasks[task].phase == phase
            ]
            if any(value for _, value in terms):
                self._at_least(f"memory for {name}", [dimms, *terms], host)
        if host:
            self._at_least("memory for the storage system", [dimms], float(whole_up(host)))

    def _at_least(self, name: str, terms: list[Term], amount: float) -> None:
        """Terms >= amount of one server, or of as many as there are."""
        count = self.variables.count
        if count is None:
            self.program.row(f"{self.label}:{name}", terms, lower=amount)
        else:
            self.program.row(f"{self.label}:{name}", [*terms, (count, -amount)], lower=0.0)


def _kept(terms: dict[int, float]) -> list[Term]:
    return [(variable, value) for variable, value in terms.items() if value]
