"""The purely numeric problem that the optimiser sees: everything nonlinear is already inside its coefficients.

Queueing, capacity, caching, profiles and run times are computed per choice (`froude.provision.model.build`), so
that what is left is linear in "which choice per dataset" and "how much of it on which server". The plans
are named, so that they can be checked against the inputs alone (`froude.provision.check.checker`).

Rules of a feasible plan, for every server (all are `<=`):

* units on a bus (remote, local, DIMMs for memory) <= slots; bytes and accesses of a phase on a bus <= its limits;
* bytes of a network row (remote copies by share, tasks by share) <= network bandwidth;
* cores, an integer >= cores of the tasks and of the remote copies by share in every phase (+ host cores)
  <= server's cores;
* DIMMs, an integer >= (memory of the instances in every phase + host memory) / capacity of the memory unit;
* a server with any remote unit is a host: it has host cores and host memory; with isolation it has no task;
* a remote copy: shares sum to 1, units >= need * share on each server, units >= `min_units` in all;
* a task: shares sum to 1, integer instances >= P * share on each server, with P = `Task.parallelism`;
* a dataset local to a task: `per_instance` units beside each instance of that task, on the same server;
* no server has more than `most_share` of a copy or of a task;
* a task runs only on servers whose core type is the one chosen for it (`DatasetNeed.cpu_of`);
* a task with a `latency` has a run time of at most that;
* cost: servers, units, cores, memory; less what each server's price includes, which is up to `included_cores`
  and `included_units` of what is used on it (memory counts as units of the memory unit);
* with `Placement.UNIFORM`, a copy has exactly `min_units` units and a task exactly ceil(P) instances, and the
  share on a server is its part of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from froude.provision.types import Placement

Open = tuple[tuple[int, ...], ...]
"""Open choices per dataset, by their numbers."""
Pick = Callable[[Iterable[float]], float]
"""Of what the open choices give: the least, or the most."""


@dataclass(frozen=True, slots=True)
class UnitType:
    """A storage unit, as the optimiser sees it."""

    name: str
    cost: float
    bus: int
    """Index into `Instance.buses`; -1 for a service, of which there are no copies."""
    capacity: float


@dataclass(frozen=True, slots=True)
class ServerType:
    """A server, as the optimiser sees it."""

    name: str
    cost: float
    cores: int
    nic: float
    """Bytes per second, of each network row."""
    slots: tuple[int, ...]
    """Per bus of `Instance.buses`; 0 where it has none."""
    bus_bandwidth: tuple[float, ...]
    """Bytes per second per bus, in every phase; 0 where it has none."""
    max_count: int | None = None
    core_cost: float = 0.0
    """Dollars of each core on it, beyond the included ones."""
    cpu: int = 0
    """Index into `Instance.cpus`."""
    included_cores: int = 0
    included_units: tuple[int, ...] = ()
    """Per unit of `Instance.units`; empty where the price includes none."""
    bus_accesses: tuple[float, ...] = ()
    """Per second per bus, in every phase; infinite where a bus has no limit, empty where none has."""

    def most_accesses(self, bus: int) -> float:
        """Per second that the units on a bus may do together; infinite without a limit."""
        return self.bus_accesses[bus] if self.bus_accesses else math.inf


@dataclass(frozen=True, slots=True)
class Copy:
    """One copy of a remote dataset on units of one type, with all its replicas or fragments."""

    unit: int
    """Index into `Instance.units`."""
    need: float
    """Unit-equivalents that all of the copy keeps busy or full, the larger of both."""
    min_units: int
    """max(1, ceil(need)); with uniform placement also enough for the network (then it is exact)."""
    bus_bytes: tuple[float, ...]
    """Bytes per second through the unit's bus, per phase, for all of the copy."""
    nic_bytes: tuple[float, ...]
    """Bytes per second through the host's network, per network row, for all of the copy."""
    cores: tuple[float, ...] = ()
    """Core-seconds per second of its hosts, per phase, for all of the copy; empty where it asks for none."""
    most_share: float = 1.0
    """Largest share of it on one server: replicas and fragments stand on different ones."""
    filled: float = 0.0
    """Unit-equivalents that all of the copy fills, however little it is asked."""
    cache: bool = False
    """Whether it is the caching copy of a pair, which stands alone where a service keeps the persistent one."""
    accesses: tuple[float, ...] = ()
    """Of its units per second, per phase, for all of the copy."""


@dataclass(frozen=True, slots=True)
class LocalUnits:
    """Units of a dataset that stand beside each instance of the task that owns it."""

    unit: int
    per_instance: int
    bus_bytes: tuple[float, ...]
    """Bytes per second through the unit's bus, per phase, for all of the owning task (spread by its share)."""
    cost: float = 0.0
    """Dollars per instance besides its units: bytes that are paid by what is held."""
    accesses: tuple[float, ...] = ()
    """Of its units per second, per phase, for all of the owning task (spread by its share)."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to store a dataset: one copy, or a copy and its write-through cache, or units beside a task."""

    label: str
    """Unit names joined by ` + `, the persistent one first; local ones as `2 x SSD`."""
    copies: tuple[Copy, ...] = ()
    """Empty for a local dataset, for one on a service alone, and for the choice of a core type."""
    local: LocalUnits | None = None
    cost: float = 0.0
    """Dollars besides units and servers: bytes and requests that are paid for."""
    names: tuple[str, ...] = ()
    """Names of the units, the persistent copy first, services too; the core type's for the choice of one."""


@dataclass(frozen=True, slots=True)
class DatasetNeed:
    """A dataset and its choices."""

    name: str
    choices: tuple[Choice, ...]
    """Never empty; an unstorable dataset is a conflict found before there is an instance."""
    local_to: int | None = None
    """Index of the owning task; None for a remote dataset."""
    cpu_of: int | None = None
    """Not a dataset: the core type of the task of this index, one choice per `Instance.cpus` in that order."""


@dataclass(frozen=True, slots=True)
class Path:
    """A chain of operations that one execution cannot be shorter than."""

    constant_s: float
    """Compute time on it."""
    io_s: tuple[tuple[int, tuple[float, ...]], ...] = ()
    """(dataset, seconds per choice of that dataset)."""
    calls: tuple[tuple[int, float], ...] = ()
    """(task, how often its run time counts)."""

    def seconds(
        self, allowed: Sequence[Sequence[int]], run_times: Sequence[float], pick: Pick = min
    ) -> float:
        """Its length, given the open choices of every dataset and the run time of every task.

        Args:
            allowed: numbers of the open choices, per dataset.
            run_times: of each task in seconds, shape (tasks,).
            pick: `min` for the quickest choice of each operation, `max` for the slowest.
        """
        io = sum(pick(per_choice[c] for c in allowed[dataset]) for dataset, per_choice in self.io_s)
        return self.constant_s + io + sum(times * run_times[task] for task, times in self.calls)


@dataclass(frozen=True, slots=True)
class TaskNeed:
    """A task: how often, how many cores, and what bounds its number of instances from below."""

    name: str
    phase: int
    rate: float
    """F, executions per second, over the whole task graph."""
    cores: tuple[float, ...]
    """F * C: core-seconds per second of all its instances, per core type of `Instance.cpus`."""
    memory: float
    """Bytes per instance."""
    nic_bytes: tuple[float, ...]
    """Bytes per second through its servers' network, per network row, for all of the task."""
    paths: tuple[Path, ...]
    """Run time R is the longest of them."""
    floors: tuple[tuple[int, tuple[float, ...]], ...] = ()
    """(local dataset, least number of instances per choice): a choice's units must hold and carry their data."""
    latency: float | None = None
    """Longest mean run time, seconds."""
    most_share: float = 1.0
    """Largest share of it on one server."""


@dataclass(frozen=True, slots=True)
class NetworkRow:
    """One network constraint per server: a phase, and a direction when both are counted apart."""

    phase: int
    direction: str
    """`both`, `in` or `out`."""
    racks: bool = False
    """Of what leaves a rack, as a server's part of the uplink is to its network."""

    @property
    def name(self) -> str:
        """What it limits, in words."""
        return f"{'rack uplink' if self.racks else 'network'} ({self.direction})"


@dataclass(frozen=True, slots=True)
class Instance:
    """The numeric problem at one SLA."""

    phases: tuple[str, ...]
    network_rows: tuple[NetworkRow, ...]
    buses: tuple[str, ...]
    units: tuple[UnitType, ...]
    servers: tuple[ServerType, ...]
    datasets: tuple[DatasetNeed, ...]
    tasks: tuple[TaskNeed, ...]
    cpus: tuple[str, ...]
    """Names of the core types; with more than one, `datasets` has a `cpu_of` for every task."""
    memory_unit: int
    """Index of the unit that memory is bought as."""
    host_cores: int
    host_memory: float
    """Bytes."""
    isolation: bool
    placement: Placement

    @property
    def every(self) -> Open:
        """Numbers of all choices, per dataset."""
        return tuple(tuple(range(len(dataset.choices))) for dataset in self.datasets)

    def run_times(self, choices: Sequence[int]) -> tuple[float, ...]:
        """R of every task in seconds for one choice per dataset."""
        return self.run_times_among([(choice,) for choice in choices])

    def run_times_among(self, allowed: Sequence[Sequence[int]], pick: Pick = min) -> tuple[float, ...]:
        """R of each task, seconds, if every operation had its quickest (slowest) open choice: exact when there is one.

        Cycles of calls are solved by repetition.

        Args:
            allowed: numbers of the open choices, per dataset; each has one at least.
            pick: `min` for the quickest choice of each operation, `max` for the slowest.
        """
        times = [0.0] * len(self.tasks)
        for _ in range(10_000):
            after = [
                max((path.seconds(allowed, times, pick) for path in task.paths), default=0.0)
                for task in self.tasks
            ]
            if all(abs(a - b) <= 1e-12 * max(1.0, a) for a, b in zip(after, times, strict=True)):
                return tuple(after)
            times = after
        return tuple(times)

    def parallelism(self, choices: Sequence[int]) -> tuple[float, ...]:
        """P of every task, not rounded, for one choice per dataset."""
        return self.parallelism_among([(choice,) for choice in choices])

    def parallelism_among(self, allowed: Sequence[Sequence[int]], pick: Pick = min) -> tuple[float, ...]:
        """P of each task, instances that run at once: the larger of F * R and the floors of the choices.

        Args:
            allowed: numbers of the open choices, per dataset; each has one at least.
            pick: `min` for the fewest that any open choices need, `max` for the most.
        """
        return tuple(
            max(task.rate * time, *(pick(per[c] for c in allowed[d]) for d, per in task.floors), 0.0)
            for task, time in zip(self.tasks, self.run_times_among(allowed, pick), strict=True)
        )
