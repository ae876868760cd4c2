"""What runs: datasets, tasks with the operations on their paths, and the Application of them.

Everything is in SI units: bytes, seconds, dollars, watts, bytes per second. Names are those of the paper's
XML; what the paper says only in prose, and what is ours, is said at the attribute.

Source: scc (FAST 2012), section 3 and Figure 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from froude.provision.types.ranges import named, not_negative, positive, share


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
        not_negative("size", self.size)
        share("hit_ratio", self.hit_ratio)
        not_negative("host_time", self.host_time)
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
    rack_local: float = 0.0
    """Ours: share of a replicated dataset's records whose replica, the first of a write, is in the task's rack."""

    def __post_init__(self) -> None:
        not_negative("num_records", self.num_records)
        not_negative("record_size", self.record_size)
        share("probability", self.probability)
        share("rack_local", self.rack_local)
        positive("amplification", self.amplification)


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
        not_negative("time", self.time)
        share("probability", self.probability)
        for _, seconds in self.times:
            not_negative("time", seconds)

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
        not_negative("num_invocations", self.num_invocations)
        not_negative("bytes", self.bytes)
        share("probability", self.probability)


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
        not_negative("memory", self.memory)


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
        not_negative("host_cores", self.host_cores)
        not_negative("host_memory", self.host_memory)

    def dataset(self, name: str) -> Dataset:
        """The dataset of a name.

        Raises:
            KeyError: there is none.
        """
        return named(self.datasets, name)

    def task(self, name: str) -> Task:
        """The task of a name.

        Raises:
            KeyError: there is none.
        """
        return named(self.tasks, name)

    @property
    def phases(self) -> tuple[str, ...]:
        """The phases, in the order of the tasks."""
        return tuple(dict.fromkeys(task.phase for task in self.tasks))
