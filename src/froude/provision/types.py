"""The three inputs of provisioning as validated values: Catalog, Application, Sla, and the Options of reading them.

Everything is in SI units: bytes, seconds, dollars, watts, bytes per second. Names are those of the paper's
XML; what the paper says only in prose, and what is ours, is said at the attribute.

Source: scc (FAST 2012), section 3 and Figure 2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import pairwise
from typing import TypeVar

HOURS = 3 * 365 * 24
"""Hours of the three years over which energy is paid (paper 5.1)."""
HOURS_PER_MONTH = 730.0
"""Of a price per month."""
DOLLARS_PER_KWH = 0.10
"""Price of energy (paper 5.1)."""


class Op(Enum):
    """Direction of an I/O operation."""

    READ = "R"
    WRITE = "W"


class Persistence(Enum):
    """Whether a dataset must have a copy on a non-volatile unit."""

    REQUIRED = "1"
    NOT_NEEDED = "0"
    ANY = "*"
    """Figure 2 writes it; we read it as NOT_NEEDED."""


class Scope(Enum):
    """What an instance of a task holds of a dataset that is local to it."""

    REPLICATED = "replicated"
    """All of it (ProductSearch)."""
    PARTITIONED = "partitioned"
    """Its share (Terasort)."""


class Placement(Enum):
    """How load is spread over the units of a dataset and the instances of a task."""

    UNIFORM = "uniform"
    """The paper's: exactly the computed number of units and instances, all with equal traffic."""
    WEIGHTED = "weighted"
    """Shares of any size per server; at least the computed number of units."""


class Isolation(Enum):
    """Whether tasks may run on servers that hold remote storage."""

    NONE = "none"
    COMPUTE_STORAGE = "compute-storage"


class CacheMedia(Enum):
    """Which units may cache another."""

    VOLATILE = "volatile"
    ANY = "any"
    """Any unit that reads records faster than the one it caches."""
    OFF = "off"


class Duplex(Enum):
    """How a server's network bandwidth is spent."""

    HALF = "half"
    """Both directions share the one number (conservative)."""
    FULL = "full"
    """The number holds for each direction."""


@dataclass(frozen=True, slots=True)
class Discount:
    """A lower price of every piece, when at least so many are bought (all-units quantity discount)."""

    count: int
    """From so many pieces on, at least 2."""
    price: float
    """Dollars each, of all of them."""

    def __post_init__(self) -> None:
        if self.count < 2:
            raise ValueError(f"count must be at least 2, got {self.count}")
        _not_negative("price", self.price)


@dataclass(frozen=True, slots=True)
class Profile:
    """Rate and gap of a unit under one storage system, where they differ from the bare device's."""

    name: str
    rate_r: float | None = None
    gap_r: float | None = None
    rate_w: float | None = None
    gap_w: float | None = None

    def __post_init__(self) -> None:
        for rate in (self.rate_r, self.rate_w):
            _positive("rate", 1.0 if rate is None else rate)
        for gap in (self.gap_r, self.gap_w):
            _not_negative("gap", 0.0 if gap is None else gap)


@dataclass(frozen=True, slots=True)
class StorageUnit:
    """One disk, SSD or DIMM: what it holds, how fast it is, what it costs."""

    name: str
    capacity: float
    """Bytes."""
    bus: str
    rate_r: float
    """Bytes per second once an operation is under way."""
    gap_r: float
    """Seconds between operations."""
    rate_w: float
    gap_w: float
    volatile: bool
    price: float
    power: float = 0.0
    """Watts."""
    profiles: tuple[Profile, ...] = ()
    idle_power: float | None = None
    """Watts when nothing is asked of it; None draws `power` always."""
    price_per_gb_month: float = 0.0
    """Dollars per 10^9 bytes stored and month: an attached volume or an object store is paid by what it holds."""
    price_per_read: float = 0.0
    """Dollars per access of the device, over the whole term at the SLA's rate."""
    price_per_write: float = 0.0
    service: bool = False
    """Kept by a provider behind the network (object storage): no server, bus or slot, and any rate of requests."""
    owned: int = 0
    """Pieces that are there already: they cost their energy only."""
    discounts: tuple[Discount, ...] = ()
    """By ascending count."""

    def __post_init__(self) -> None:
        for name in ("capacity", "rate_r", "rate_w"):
            _positive(name, getattr(self, name))
        paid = ("price", "price_per_gb_month", "price_per_read", "price_per_write")
        for name in ("gap_r", "gap_w", "power", "owned", *paid):
            _not_negative(name, getattr(self, name))
        _idle(self.idle_power, self.power)
        _breaks(self.price, self.discounts)
        if self.service and (self.volatile or self.owned or self.bus):
            raise ValueError("a service is not volatile, not owned and on no bus")


@dataclass(frozen=True, slots=True)
class Cpu:
    """One core of a type."""

    price: float
    power: float = 0.0
    name: str = "core"
    """Servers name the type that they take; compute operations may have a time per type."""
    idle_power: float | None = None
    """Watts; None draws `power` always."""
    discounts: tuple[Discount, ...] = ()

    def __post_init__(self) -> None:
        _not_negative("price", self.price)
        _not_negative("power", self.power)
        _idle(self.idle_power, self.power)
        _breaks(self.price, self.discounts)


@dataclass(frozen=True, slots=True)
class Bus:
    """A controller of a server: how many units it takes and how many bytes a second pass it."""

    name: str
    slots: int
    bandwidth: float

    def __post_init__(self) -> None:
        _not_negative("slots", self.slots)
        _positive("BW", self.bandwidth)


@dataclass(frozen=True, slots=True)
class Bundle:
    """What the price of a server includes: up to so much of each costs nothing more."""

    cores: int = 0
    units: tuple[tuple[str, int], ...] = ()
    """(storage unit, pieces); memory is pieces of the unit that memory is bought as."""

    def __post_init__(self) -> None:
        _not_negative("cores", self.cores)
        for _, count in self.units:
            _not_negative("count", count)


@dataclass(frozen=True, slots=True)
class Server:
    """A box without cores, disks and memory, which are bought one by one; or, with a bundle, one that has some."""

    name: str
    price: float
    cpus: int
    """Most cores that it takes."""
    bandwidth: float
    """Of its network, bytes per second."""
    buses: tuple[Bus, ...]
    power: float = 0.0
    """Ours; the paper counts the components' power only."""
    max_count: int | None = None
    """How many can be had; None means any number."""
    cpu: str | None = None
    """Type of the cores that it takes; None means the first of the catalog."""
    bundle: Bundle | None = None
    idle_power: float | None = None
    """Watts; None draws `power` always."""
    owned: int = 0
    """Pieces that are there already, empty: they cost their energy only."""
    discounts: tuple[Discount, ...] = ()

    def __post_init__(self) -> None:
        for name in ("price", "cpus", "power", "owned"):
            _not_negative(name, getattr(self, name))
        _positive("BW", self.bandwidth)
        _idle(self.idle_power, self.power)
        _breaks(self.price, self.discounts)
        if self.bundle is not None and self.bundle.cores > self.cpus:
            raise ValueError(f"bundle has {self.bundle.cores} cores where cpus is {self.cpus}")
        if self.max_count is not None:
            _not_negative("max_count", self.max_count)

    def bus(self, name: str) -> Bus | None:
        """The bus of a name, or None."""
        return next((b for b in self.buses if b.name == name), None)


@dataclass(frozen=True, slots=True)
class Catalog:
    """What can be bought."""

    units: tuple[StorageUnit, ...]
    cpus: tuple[Cpu, ...]
    """At least one."""
    servers: tuple[Server, ...]
    hours: float = HOURS
    """Of the term: over which energy, stored bytes and requests are paid."""
    dollars_per_kwh: float = DOLLARS_PER_KWH
    pue: float = 1.0
    """Power usage effectiveness: what the building draws per watt of the machines, 1 or more."""
    mean_load: float = 1.0
    """Mean load over the term as a share of the peak: between idle power and power."""
    diversity: float = 0.0
    """Dollars for each distinct type of server and of storage unit in use (spares, training, images)."""
    prices_as_of: str | None = None
    """Date of the prices, as 2026-07 or 2026-07-31; None where nobody said."""

    def __post_init__(self) -> None:
        _not_negative("price", self.dollars_per_kwh)
        _not_negative("time", self.hours)
        _share("load", self.mean_load)
        _not_negative("diversity", self.diversity)
        if not (self.pue >= 1 and math.isfinite(self.pue)):
            raise ValueError(f"pue must be 1 or above and finite, got {self.pue:g}")

    def unit(self, name: str) -> StorageUnit:
        """The unit of a name.

        Raises:
            KeyError: there is none.
        """
        return _named(self.units, name)

    def server(self, name: str) -> Server:
        """The server type of a name.

        Raises:
            KeyError: there is none.
        """
        return _named(self.servers, name)

    def cpu(self, name: str | None = None) -> Cpu:
        """The core type of a name; the first without one.

        Raises:
            KeyError: there is none.
        """
        return self.cpus[0] if name is None else _named(self.cpus, name)

    def energy(self, thing: StorageUnit | Cpu | Server) -> float:
        """Dollars of energy for one over the term: mean watts * PUE."""
        idle = thing.power if thing.idle_power is None else thing.idle_power
        watts = idle + (thing.power - idle) * self.mean_load
        return watts / 1000 * self.pue * self.hours * self.dollars_per_kwh

    def cost(self, thing: StorageUnit | Cpu | Server) -> float:
        """Dollars for one that is bought at its list price: price plus energy."""
        return thing.price + self.energy(thing)

    def cost_of_bytes(self, unit: StorageUnit, stored: float) -> float:
        """Dollars over the term for bytes kept on units that are paid by what they hold."""
        return stored / 1e9 * unit.price_per_gb_month * self.hours / HOURS_PER_MONTH


@dataclass(frozen=True, slots=True)
class Dataset:
    """Records of one type with one access pattern."""

    name: str
    size: float
    """Bytes."""
    persistent: Persistence
    remote: bool
    """False: kept on the servers of the task `local_to`."""
    cache_size: float | None = None
    """Bytes a cache must hold (the working set); None means all."""
    hit_ratio: float = 1.0
    """Share of reads that a cache serves."""
    local_to: str | None = None
    """Ours: the task it is local to; None means the only task that uses it."""
    scope: Scope = Scope.REPLICATED
    profile: str | None = None
    """Of the storage system that holds it: picks the units' `profiles`."""
    replication: int = 1
    """Copies of each record on different servers; of a remote dataset."""
    erasure: tuple[int, int] | None = None
    """(k, m): each record is k data and m parity fragments, on k + m servers; instead of replication."""
    host_time: float = 0.0
    """Core-seconds of the storage system on the host, per access of a device."""

    def __post_init__(self) -> None:
        _not_negative("size", self.size)
        _share("hit_ratio", self.hit_ratio)
        _not_negative("host_time", self.host_time)
        if self.replication < 1 or (self.erasure is not None and min(self.erasure) < 1):
            raise ValueError("replication and the numbers of erasure must be 1 or more")
        if self.replication > 1 and self.erasure is not None:
            raise ValueError("replication and erasure exclude each other")
        if not self.remote and (self.replication > 1 or self.erasure is not None or self.host_time):
            raise ValueError("replication, erasure and host_time belong to remote datasets")
        if self.cache_size is not None and not 0 < self.cache_size <= self.size:
            raise ValueError(f"cache_size must lie in (0, size={self.size:g}], got {self.cache_size:g}")


@dataclass(frozen=True, slots=True)
class Io:
    """An I/O operation on a task's path."""

    op: Op
    dataset: str
    num_records: float
    record_size: float
    """Bytes."""
    probability: float = 1.0
    blocking: bool = True
    parallel: bool = False
    """The records of the operation are asked for at once."""
    amplification: float = 1.0
    """Ours: device accesses per record (a store that reads an index first has 2)."""

    def __post_init__(self) -> None:
        _not_negative("num_records", self.num_records)
        _not_negative("record_size", self.record_size)
        _share("probability", self.probability)
        _positive("amplification", self.amplification)


@dataclass(frozen=True, slots=True)
class Compute:
    """Time on one core on a task's path."""

    time: float
    """Seconds."""
    blocking: bool = True
    probability: float = 1.0
    times: tuple[tuple[str, float], ...] = ()
    """(core type, seconds) where a type differs from `time`."""

    def __post_init__(self) -> None:
        _not_negative("time", self.time)
        _share("probability", self.probability)
        for _, seconds in self.times:
            _not_negative("time", seconds)

    def on(self, cpu: str) -> float:
        """Seconds on a core of a type."""
        return dict(self.times).get(cpu, self.time)


@dataclass(frozen=True, slots=True)
class Dependency:
    """Invocations of another task on a task's path."""

    task: str
    num_invocations: float = 1.0
    parallel: bool = False
    blocking: bool = True
    probability: float = 1.0
    bytes: float = 0.0
    """Ours: over the network per invocation, request and answer together."""

    def __post_init__(self) -> None:
        _not_negative("num_invocations", self.num_invocations)
        _not_negative("bytes", self.bytes)
        _share("probability", self.probability)


Operation = Io | Compute | Dependency


@dataclass(frozen=True, slots=True)
class Task:
    """A functional unit: the path that each of its executions takes."""

    name: str
    phase: str
    memory: float
    """Bytes per instance."""
    operations: tuple[Operation, ...] = ()

    def __post_init__(self) -> None:
        _not_negative("memory", self.memory)


@dataclass(frozen=True, slots=True)
class Application:
    """What runs."""

    datasets: tuple[Dataset, ...]
    tasks: tuple[Task, ...]
    host_cores: int = 0
    """Cores of the storage system on each server that holds a remote unit (paper 5.2: 2; not in its XML)."""
    host_memory: float = 0.0
    """Bytes of the same."""

    def __post_init__(self) -> None:
        _not_negative("host_cores", self.host_cores)
        _not_negative("host_memory", self.host_memory)

    def dataset(self, name: str) -> Dataset:
        """The dataset of a name.

        Raises:
            KeyError: there is none.
        """
        return _named(self.datasets, name)

    def task(self, name: str) -> Task:
        """The task of a name.

        Raises:
            KeyError: there is none.
        """
        return _named(self.tasks, name)

    @property
    def phases(self) -> tuple[str, ...]:
        """The phases, in the order of the tasks."""
        return tuple(dict.fromkeys(task.phase for task in self.tasks))


@dataclass(frozen=True, slots=True)
class Target:
    """A rate that a task must sustain."""

    task: str
    rate: float
    """Executions per second at peak, from outside."""
    latency: float | None = None
    """Longest run time of an execution, seconds; None asks for none."""
    quantile: float | None = None
    """Share of executions that must be as fast, below 1; None means their mean."""

    def __post_init__(self) -> None:
        _not_negative("rate", self.rate)
        if self.latency is not None:
            _positive("latency", self.latency)
        if self.quantile is not None and not 0 < self.quantile < 1:
            raise ValueError(f"quantile must lie in (0, 1), got {self.quantile:g}")
        if self.quantile is not None and self.latency is None:
            raise ValueError("quantile is of a latency, and there is none")


@dataclass(frozen=True, slots=True)
class BatchTarget:
    """A job that a task's executions must get through within the phase's share of the time."""

    task: str
    executions: float
    """In the whole job."""

    def __post_init__(self) -> None:
        _not_negative("executions", self.executions)


@dataclass(frozen=True, slots=True)
class Batch:
    """A job with a deadline (ours; the paper publishes no XML for it)."""

    time: float
    """Seconds that the whole job may take."""
    targets: tuple[BatchTarget, ...]
    split: dict[str, float] = field(default_factory=dict)
    """Share of the time per phase, adding up to at most 1; a single phase may leave it out."""

    def __post_init__(self) -> None:
        _positive("time", self.time)
        for share in self.split.values():
            _positive("split", share)
        if sum(self.split.values()) > 1 + 1e-9:
            raise ValueError(f"split must add up to at most 1, got {sum(self.split.values()):g}")


@dataclass(frozen=True, slots=True)
class Growth:
    """How demand grows until more can be bought: the cluster must still do at the end of the lead time."""

    load: float = 0.0
    """Of all rates, per year: 0.4 is 40 % more each year, compound."""
    data: float = 0.0
    """Of all sizes, per year."""
    lead_time: float = 0.0
    """Seconds from the order of more to its service."""

    def __post_init__(self) -> None:
        for name in ("load", "data", "lead_time"):
            _not_negative(name, getattr(self, name))


@dataclass(frozen=True, slots=True)
class Period:
    """Hours of the day with a load of their own."""

    name: str
    hours: float
    factor: float
    """The SLA's rates times this."""

    def __post_init__(self) -> None:
        _positive("hours", self.hours)
        _not_negative("factor", self.factor)


@dataclass(frozen=True, slots=True)
class Schedule:
    """Times of day in their order, and what it costs to move data when the cluster changes with them."""

    periods: tuple[Period, ...]
    """Their hours add up to 24."""
    price_per_gb_moved: float = 0.0
    """Dollars per 10^9 bytes."""

    def __post_init__(self) -> None:
        _not_negative("price_per_GB_moved", self.price_per_gb_moved)
        hours = sum(period.hours for period in self.periods)
        if abs(hours - 24) > 1e-9 * 24:
            raise ValueError(f"hours of the periods must add up to 24, got {hours:g}")


@dataclass(frozen=True, slots=True)
class Sla:
    """What the application must sustain: rates from outside, or a batch job, or both."""

    targets: tuple[Target, ...] = ()
    batch: Batch | None = None
    growth: Growth | None = None
    schedule: Schedule | None = None
    """Read by schedules only: everything else is compiled for factor 1."""

    def scaled(self, factor: float) -> Sla:
        """The same mix at another load."""
        targets = tuple(replace(t, rate=t.rate * factor) for t in self.targets)
        batch = self.batch and Batch(
            self.batch.time,
            tuple(BatchTarget(t.task, t.executions * factor) for t in self.batch.targets),
            self.batch.split,
        )
        return replace(self, targets=targets, batch=batch)


@dataclass(frozen=True, slots=True)
class Options:
    """How the inputs are read where the paper leaves it open."""

    isolation: Isolation = Isolation.NONE
    placement: Placement = Placement.WEIGHTED
    cache_media: CacheMedia = CacheMedia.ANY
    duplex: Duplex = Duplex.HALF
    peak_utilization: float = 1.0
    """Largest share of its time that a storage unit may be busy."""
    memory_unit: str | None = None
    """The unit that tasks' memory is bought as; None means the volatile unit that is cheapest per byte."""
    peak_fill: float = 1.0
    """Largest share of its capacity that a storage unit may be filled to."""
    survive_hosts: int = 0
    """Any so many servers may fail at once, and the rest still meets the SLA."""

    def __post_init__(self) -> None:
        for name in ("peak_utilization", "peak_fill"):
            if not 0 < getattr(self, name) <= 1:
                raise ValueError(f"{name} must lie in (0, 1], got {getattr(self, name):g}")
        _not_negative("survive_hosts", self.survive_hosts)


@dataclass(frozen=True, slots=True)
class Problem:
    """Everything that a cluster is compiled from."""

    catalog: Catalog
    application: Application
    sla: Sla
    options: Options = field(default_factory=Options)


_T = TypeVar("_T", StorageUnit, Cpu, Server, Dataset, Task)


def _named(things: tuple[_T, ...], name: str) -> _T:
    for thing in things:
        if thing.name == name:
            return thing
    raise KeyError(name)


def _positive(name: str, value: float) -> None:
    if not (value > 0 and math.isfinite(value)):
        raise ValueError(f"{name} must be above 0 and finite, got {value:g}")


def _not_negative(name: str, value: float) -> None:
    if not (value >= 0 and math.isfinite(value)):
        raise ValueError(f"{name} must be 0 or above and finite, got {value:g}")


def _idle(idle: float | None, power: float) -> None:
    if idle is not None and not 0 <= idle <= power:
        raise ValueError(f"idle_power must lie in [0, power={power:g}], got {idle:g}")


def _breaks(price: float, discounts: tuple[Discount, ...]) -> None:
    """Counts ascend and prices fall."""
    steps = [(1, price), *((one.count, one.price) for one in discounts)]
    for (fewer, dearer), (more, cheaper) in pairwise(steps):
        if more <= fewer or cheaper > dearer:
            raise ValueError("discounts must have ascending counts and falling prices")


def _share(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must lie in [0, 1], got {value:g}")
