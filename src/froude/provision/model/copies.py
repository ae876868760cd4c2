"""The roles of a copy, the work that its devices have in each, and the bytes that it moves.

A copy is one storage of a dataset: all of it, the persistent one behind a cache, or the cache. With redundancy
each record is several pieces on different servers: whole replicas, or fragments of which some are parity.

Source: scc 4.2, 4.2.2; replication and erasure coding as in HDFS, ours.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from froude.provision.model.service import Access, record_seconds
from froude.provision.types import Dataset, Op, StorageUnit


@dataclass(frozen=True, slots=True)
class Redundancy:
    """In how many pieces, on different servers, each record is kept."""

    pieces: int = 1
    """Of a record: replicas, or data and parity fragments; a write makes them all."""
    needed: int = 1
    """To read it: 1 replica, or k fragments; each piece has this part of the record's bytes."""
    pipelined: bool = True
    """Whether hosts pass pieces on to each other (replicas), or the writer sends each (fragments)."""

    @classmethod
    def of(cls, dataset: Dataset) -> Redundancy:
        """What a dataset asks for."""
        if dataset.erasure is not None:
            data, parity = dataset.erasure
            return cls(data + parity, data, pipelined=False)
        return cls(dataset.replication)

    @property
    def growth(self) -> float:
        """Bytes stored per byte of data."""
        return self.pieces / self.needed

    @property
    def sent(self) -> float:
        """Bytes that the writer sends per byte of data."""
        return 1.0 if self.pipelined else self.growth

    @property
    def passed_on(self) -> float:
        """Bytes that hosts send to each other per byte written."""
        return self.growth - self.sent


PLAIN = Redundancy()


@dataclass(frozen=True, slots=True)
class Role:
    """What a copy of a dataset does: which reads it serves, and what it holds."""

    size: float
    """Bytes of data, without redundancy."""
    reads: float = 1.0
    """Share of the reads that it serves."""
    fills: float = 0.0
    """Share of the records read that are written into it after a miss."""
    redundancy: Redundancy = PLAIN
    cache: bool = False

    @property
    def stored(self) -> float:
        """Bytes with redundancy."""
        return self.size * self.redundancy.growth

    def on(self, unit: StorageUnit) -> Role:
        """The same on a unit: a service keeps its own redundancy."""
        return replace(self, redundancy=PLAIN) if unit.service else self


def alone(dataset: Dataset) -> Role:
    """The only copy."""
    return Role(dataset.size, redundancy=Redundancy.of(dataset))


def behind_cache(dataset: Dataset) -> Role:
    """The persistent copy of a pair: every write, and the reads that the cache misses."""
    return replace(alone(dataset), reads=1 - dataset.hit_ratio)


def cache(dataset: Dataset) -> Role:
    """The cache of a pair: every write, hits, and each missed record written into it; not redundant."""
    size = dataset.size if dataset.cache_size is None else dataset.cache_size
    return Role(size, dataset.hit_ratio, 1 - dataset.hit_ratio, cache=True)


@dataclass(frozen=True, slots=True)
class Work:
    """Of all devices of a copy in one phase, per second."""

    busy: float = 0.0
    """Device seconds: how many units are kept busy."""
    reads: float = 0.0
    writes: float = 0.0
    squares: float = 0.0
    """Accesses times the square of their seconds: what queues grow by."""


def work(
    unit: StorageUnit, dataset: Dataset, role: Role, phases: Iterable[Iterable[Access]]
) -> tuple[Work, ...]:
    """The work of a copy's devices, per phase.

    Args:
        phases: the accesses to the dataset, per phase.
    """
    return tuple(_work(unit, dataset, role, phase) for phase in phases)


def _work(unit: StorageUnit, dataset: Dataset, role: Role, phase: Iterable[Access]) -> Work:
    busy = reads = writes = squares = 0.0
    pieces, needed = role.redundancy.pieces, role.redundancy.needed
    for access in phase:
        op, size = access.io.op, access.io.record_size
        seconds = record_seconds(unit, op, size / needed, dataset.profile)
        count = access.device_records * (pieces if op is Op.WRITE else needed * role.reads)
        busy += count * seconds
        squares += count * seconds * seconds
        if op is Op.WRITE:
            writes += count
            continue
        reads += count
        if role.fills:
            filled = access.records * role.fills
            seconds = record_seconds(unit, Op.WRITE, size, dataset.profile)
            busy += filled * seconds
            squares += filled * seconds * seconds
            writes += filled
    return Work(busy, reads, writes, squares)


def bus_bytes(role: Role, phase: Iterable[Access]) -> float:
    """Bytes per second between a copy's devices and their servers, in one phase.

    Args:
        role: of the copy: which share of the reads it serves, and how redundant it is.
    """
    total = 0.0
    for access in phase:
        if access.io.op is Op.WRITE:
            total += access.device_bytes * role.redundancy.growth
        else:
            total += access.device_bytes * role.reads + access.logical_bytes * role.fills
    return total


def bus_accesses(role: Role, phase: Iterable[Access]) -> float:
    """Accesses per second of a copy's devices, in one phase: each piece of a record that is read or written is one.

    Args:
        role: of the copy: which share of the reads it serves, and how redundant it is.
    """
    total, redundancy = 0.0, role.redundancy
    for access in phase:
        if access.io.op is Op.WRITE:
            total += access.device_records * redundancy.pieces
        else:
            total += access.device_records * redundancy.needed * role.reads + access.records * role.fills
    return total


def host_bytes(role: Role, direction: str, phase: Iterable[Access]) -> float:
    """Bytes per second through the network of the servers that hold a copy, in one phase.

    Args:
        direction: `in`, `out`, or `both` for their sum.
    """
    inward = outward = 0.0
    for access in phase:
        if access.io.op is Op.WRITE:
            inward += access.logical_bytes * role.redundancy.growth
            outward += access.logical_bytes * role.redundancy.passed_on
        else:
            inward += access.logical_bytes * role.fills
            outward += access.logical_bytes * role.reads
    return {"in": inward, "out": outward, "both": inward + outward}[direction]


def client_bytes(redundancy: Redundancy, direction: str, access: Access) -> float:
    """Bytes per second of one operation through the network of the servers of its task.

    Args:
        redundancy: of the dataset's copies; a client may have to send replicas itself.
        direction: `in`, `out`, or `both` for their sum.
    """
    if access.io.op is Op.READ:
        inward, outward = access.logical_bytes, 0.0
    else:
        inward, outward = 0.0, access.logical_bytes * redundancy.sent
    return {"in": inward, "out": outward, "both": inward + outward}[direction]
