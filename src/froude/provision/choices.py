"""The ways to store a dataset: one unit type, or a non-volatile type with a write-through cache before it.

A local dataset has units beside each instance of its task; how many is part of the choice, because it sets
how many instances are needed to hold and to carry the data.

Source: scc 4.2, 4.2.2, 4.3; spec: choices, cached pairs, local datasets.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from froude.provision.service import Access, load, operation_seconds, record_seconds
from froude.provision.types import (
    CacheMedia,
    Catalog,
    Dataset,
    Io,
    Op,
    Options,
    Persistence,
    Scope,
    StorageUnit,
)

ROUNDING = 1e-9
"""Relative slack of counts: a need of 3.0000000001 units is 3 units."""
_EVERY_LEVEL_TO = 16
_LEVEL_STEP = 1.25


@dataclass(frozen=True, slots=True)
class Part:
    """One copy: on which unit, and how many of them it fills or keeps busy."""

    unit: StorageUnit
    need: float
    units: int
    """max(1, ceil(need))."""


@dataclass(frozen=True, slots=True)
class Stored:
    """One way to store a remote dataset."""

    parts: tuple[Part, ...]
    """The persistent copy first."""
    hit_ratio: float = 1.0

    def seconds(self, io: Io, profile: str | None) -> float:
        """Expected time of one operation: a write is as slow as the slowest copy, a read hits or misses."""
        times = [record_seconds(part.unit, io.op, io.record_size, profile) for part in self.parts]
        if len(times) == 1 or io.op is Op.WRITE:
            return max(operation_seconds(io, t, p.units) for t, p in zip(times, self.parts, strict=True))
        (slow, fast), (kept, cache) = times, self.parts
        hit = operation_seconds(io, fast, cache.units, self.hit_ratio)
        miss = operation_seconds(io, slow, kept.units, 1 - self.hit_ratio)
        return max(hit, miss) if io.parallel else hit + miss


def remote_choices(
    catalog: Catalog, dataset: Dataset, phases: Sequence[Sequence[Access]], options: Options
) -> list[Stored]:
    """Every way to store a remote dataset.

    Args:
        catalog: the units.
        dataset: what is stored.
        phases: the accesses to it, per phase.
        options: which media may cache, how busy a unit may be.
    """
    rho = options.peak_utilization
    singles = [u for u in catalog.units if usable(catalog, u) and may_keep(u, dataset)]
    found = [Stored((_single(unit, dataset, phases, rho),)) for unit in singles]
    for kept, cache in _pairs(catalog, dataset, phases, options):
        found.append(
            Stored(
                (_behind_cache(kept, dataset, phases, rho), _cache(cache, dataset, phases, rho)),
                dataset.hit_ratio,
            )
        )
    return found


def usable(catalog: Catalog, unit: StorageUnit) -> bool:
    """Whether any server takes such a unit."""
    return any(bus.name == unit.bus and bus.slots for server in catalog.servers for bus in server.buses)


def may_keep(unit: StorageUnit, dataset: Dataset) -> bool:
    """Whether a dataset may live on such units alone."""
    return dataset.persistent is not Persistence.REQUIRED or not unit.volatile


def _pairs(
    catalog: Catalog, dataset: Dataset, phases: Sequence[Sequence[Access]], options: Options
) -> Iterator[tuple[StorageUnit, StorageUnit]]:
    """(kept, cache): the cache reads this dataset's records strictly faster; no reads, no cache."""
    if options.cache_media is CacheMedia.OFF:
        return
    everything = [access for phase in phases for access in phase]
    for kept, cache in itertools.permutations((u for u in catalog.units if usable(catalog, u)), 2):
        allowed = options.cache_media is CacheMedia.ANY or cache.volatile
        faster = load(cache, dataset, everything, Op.READ) < load(kept, dataset, everything, Op.READ)
        if not kept.volatile and allowed and faster:
            yield kept, cache


def counted(need: float) -> int:
    """Whole units for a need, at least one."""
    return max(1, math.ceil(need * (1 - ROUNDING)))


def _part(unit: StorageUnit, size: float, busy: float, rho: float) -> Part:
    need = max(size / unit.capacity, busy / rho)
    return Part(unit, need, counted(need))


def _single(unit: StorageUnit, dataset: Dataset, phases: Sequence[Sequence[Access]], rho: float) -> Part:
    busy = max(load(unit, dataset, p, Op.READ) + load(unit, dataset, p, Op.WRITE) for p in phases)
    return _part(unit, dataset.size, busy, rho)


def _behind_cache(
    unit: StorageUnit, dataset: Dataset, phases: Sequence[Sequence[Access]], rho: float
) -> Part:
    missed = 1 - dataset.hit_ratio
    busy = max(load(unit, dataset, p, Op.WRITE) + missed * load(unit, dataset, p, Op.READ) for p in phases)
    return _part(unit, dataset.size, busy, rho)


def _cache(unit: StorageUnit, dataset: Dataset, phases: Sequence[Sequence[Access]], rho: float) -> Part:
    """Hits, every write, and each missed record written into it."""
    hit = dataset.hit_ratio

    def busy(phase: Sequence[Access]) -> float:
        reads = hit * load(unit, dataset, phase, Op.READ) + load(unit, dataset, phase, Op.WRITE)
        return reads + (1 - hit) * fill_load(unit, dataset, phase)

    size = dataset.size if dataset.cache_size is None else dataset.cache_size
    return _part(unit, size, max(map(busy, phases)), rho)


def fill_load(unit: StorageUnit, dataset: Dataset, phase: Sequence[Access]) -> float:
    """Units kept busy by writing every record read, as if all missed."""
    return sum(
        a.records * record_seconds(unit, Op.WRITE, a.io.record_size, dataset.profile)
        for a in phase
        if a.io.op is Op.READ
    )


@dataclass(frozen=True, slots=True)
class Beside:
    """One way to keep a local dataset: units of a type beside each instance of its task."""

    unit: StorageUnit
    per_instance: int
    floor: float
    """Least number of instances, so that their units hold (partitioned) and carry the data."""

    def seconds(self, io: Io, profile: str | None) -> float:
        """Expected time of one operation."""
        one = record_seconds(self.unit, io.op, io.record_size, profile)
        return operation_seconds(io, one, self.per_instance)


def local_choices(
    catalog: Catalog,
    dataset: Dataset,
    phases: Sequence[Sequence[Access]],
    options: Options,
    instances: Callable[[Beside], float],
) -> list[Beside]:
    """Every way worth a thought to keep a local dataset.

    More units per instance are tried as long as they make operations faster or instances fewer: up to 16
    each number, beyond in steps of a quarter.

    Args:
        catalog: the units.
        dataset: what is kept.
        phases: the accesses to it, per phase.
        options: how busy a unit may be.
        instances: least number of instances that the task's run time asks for with such units.
    """
    found: list[Beside] = []
    for unit in catalog.units:
        if not may_keep(unit, dataset):
            continue
        most = max((b.slots for s in catalog.servers for b in s.buses if b.name == unit.bus), default=0)
        for level in _levels(_least(unit, dataset), most):
            beside = _beside(unit, level, dataset, phases, options.peak_utilization)
            found.append(beside)
            if beside.floor * (1 - ROUNDING) <= instances(beside) and not _still_faster(level, phases):
                break
    return found


def _least(unit: StorageUnit, dataset: Dataset) -> int:
    return counted(dataset.size / unit.capacity) if dataset.scope is Scope.REPLICATED else 1


def _levels(least: int, most: int) -> Iterator[int]:
    level = least
    while level <= most:
        yield level
        level = level + 1 if level < least + _EVERY_LEVEL_TO else math.ceil(level * _LEVEL_STEP)


def _beside(
    unit: StorageUnit, level: int, dataset: Dataset, phases: Sequence[Sequence[Access]], rho: float
) -> Beside:
    busy = max(load(unit, dataset, p, Op.READ) + load(unit, dataset, p, Op.WRITE) for p in phases)
    floor = busy / (level * rho)
    if dataset.scope is Scope.PARTITIONED:
        floor = max(floor, dataset.size / (unit.capacity * level))
    return Beside(unit, level, floor)


def _still_faster(level: int, phases: Sequence[Sequence[Access]]) -> bool:
    return any(
        a.io.parallel and a.io.num_records * a.io.amplification > level for phase in phases for a in phase
    )
