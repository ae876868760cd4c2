"""The ways to store a dataset: one unit type, or a non-volatile type with a write-through cache before it.

A local dataset has units next to each instance of its task; how many is part of the choice, because it sets
how many instances are needed to hold and to carry the data. Where a latency is bounded, the number of units is
part of every choice, because it sets how long an access waits. Bytes that are kept by the month and requests may cost
as well.

Accesses arrive at random and share n equal units; each is an M/G/1 queue:
W = lambda / n * E[sigma^2] / (2 (1 - busy / n)), the mean wait before service.

Source: scc 4.2, 4.2.2, 4.3; spec: choices, cached pairs, local datasets; Pollaczek and Khinchine; levels are ours.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from froude.provision.model.copies import Role, Work, alone, behind_cache, cache, work
from froude.provision.model.frame import Frame
from froude.provision.model.service import operation_seconds, record_seconds
from froude.provision.types import (
    CacheMedia,
    Catalog,
    Dataset,
    Io,
    Op,
    Persistence,
    RackLoss,
    Scope,
    StorageUnit,
)

_EVERY_UNIT = 8
_STEP = 1.25
_MOST = 4.0
_NOTICED = 1e-3
"""A wait below this part of the mean service time is no reason for more units."""
_FULL = 1 - 1e-9
ROUNDING = 1e-9
"""Relative slack of counts: a need of 3.0000000001 units is 3 units."""
_EVERY_LEVEL_TO = 16
_LEVEL_STEP = 1.25


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One copy: on which unit, how many of them it fills or keeps busy, and what its use costs.

    Parts are shared by the pairs that they stand in, and told apart by identity.
    """

    unit: StorageUnit
    role: Role
    need: float
    units: float
    """max(pieces, ceil(need)), whole, or the level of one that waits; infinite for a service."""
    dollars: float = 0.0
    """For bytes and requests."""
    cores: tuple[float, ...] = ()
    """Cores of the hosts that it keeps busy, per phase; empty where it needs none."""
    wait_s: float = 0.0

    def seconds(self, io: Io, profile: str | None) -> float:
        """Expected time of the part of an operation that this copy serves; pieces of a record side by side.

        Args:
            io: the operation; its records are split where the copy has fragments.
            profile: of the dataset, if it names one: some units serve it otherwise.

        Returns:
            Expected seconds per execution of the task, waits included.
        """
        size = io.record_size / self.role.redundancy.needed
        each = record_seconds(self.unit, io.op, size, profile)
        share = self.role.reads if io.op is Op.READ else 1.0
        return operation_seconds(io, each, self.units, share, wait_s=self.wait_s)


@dataclass(frozen=True, slots=True)
class Stored:
    """One way to store a remote dataset."""

    parts: tuple[Part, ...]
    """The persistent copy first."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the units."""
        return tuple(part.unit.name for part in self.parts)


def remote_choices(frame: Frame, dataset: Dataset) -> list[Stored]:
    """Every way to store a remote dataset; linear in the pairs of units.

    Units that no server takes are left out, and so are those that too few servers take for the pieces of
    a record to stand on different ones.
    """
    usable = [unit for unit in frame.problem.catalog.units if frame.usable(unit)]
    kept_on = [unit for unit in usable if _enough_hosts(frame, dataset, unit)]
    singles = [unit for unit in kept_on if may_keep(unit, dataset)]
    uncached = [Stored((part,)) for unit in singles for part in _parts(frame, dataset, unit, alone(dataset))]
    return [*uncached, *_pairs(frame, dataset, kept_on, usable)]


def _enough_hosts(frame: Frame, dataset: Dataset, unit: StorageUnit) -> bool:
    return unit.service or alone(dataset).redundancy.pieces <= frame.hosts.get(unit.bus, 0)


def may_keep(unit: StorageUnit, dataset: Dataset) -> bool:
    """Whether a dataset may live on such units alone, wherever they are."""
    return dataset.persistent is not Persistence.REQUIRED or not unit.volatile


def _pairs(
    frame: Frame, dataset: Dataset, kept_on: Sequence[StorageUnit], usable: Sequence[StorageUnit]
) -> Iterator[Stored]:
    """The cache reads this dataset's records strictly faster; no reads, no cache; no service caches."""
    media = frame.problem.options.cache_media
    if media is CacheMedia.OFF:
        return
    reading = {unit.name: _reading(unit, dataset, frame) for unit in usable}
    may_cache = (u for u in usable if not u.service and (media is CacheMedia.ANY or u.volatile))
    caches = [(u, reading[u.name]) for u in may_cache]
    cached = {unit.name: _parts(frame, dataset, unit, cache(dataset)) for unit, _ in caches}
    for kept in kept_on:
        faster = [unit for unit, seconds in caches if seconds < reading[kept.name]]
        if kept.volatile or not faster:
            continue
        behind = _parts(frame, dataset, kept, behind_cache(dataset))
        for unit in faster:
            yield from (Stored(both) for both in itertools.product(behind, cached[unit.name]))


def _reading(unit: StorageUnit, dataset: Dataset, frame: Frame) -> float:
    """Device seconds per second of all reads as they are asked for."""
    return sum(
        access.device_records * record_seconds(unit, Op.READ, access.io.record_size, dataset.profile)
        for phase in frame.accesses[dataset.name]
        for access in phase
        if access.io.op is Op.READ
    )


def counted(need: float) -> int:
    """Whole units for a need, at least one."""
    return max(1, math.ceil(need * (1 - ROUNDING)))


def _parts(frame: Frame, dataset: Dataset, unit: StorageUnit, asked: Role) -> list[Part]:
    """A copy on a unit: one, or where accesses wait one per level of units."""
    catalog, options, role = frame.problem.catalog, frame.problem.options, asked.on(unit)
    works = work(unit, dataset, role, frame.accesses[dataset.name])
    dollars = dollars_of_bytes(catalog, unit, role.stored, options.peak_fill)
    dollars += dollars_of_requests(catalog, unit, works)
    if unit.service:
        return [Part(unit, role, 0.0, math.inf, dollars)]
    busy = max((phase.busy for phase in works), default=0.0) / options.peak_utilization
    need = max(role.stored / frame.capacity(unit), busy)
    units = max(role.redundancy.pieces, counted(need))
    cores = (
        tuple((phase.reads + phase.writes) * dataset.host_time for phase in works)
        if dataset.host_time
        else ()
    )
    part = Part(unit, role, need, units, dollars, cores)
    if not frame.waits:
        return [part]
    # What survives failing hosts has more units than a level says, so replicas raise the least of none.
    least = counted(need) if options.survive_hosts or options.survive_rack is not RackLoss.NONE else units
    return [replace(part, need=n, units=n, wait_s=mean_wait(works, n)) for n in levels(works, least)]


def stored_seconds(ways: Sequence[Stored], io: Io, profile: str | None) -> list[float]:
    """Expected time of one operation per way: a write is as slow as the slowest copy, a read hits or misses.

    Args:
        profile: of the dataset, if it names one.

    Returns:
        Seconds per way, in their order.
    """
    known: dict[Part, float] = {}

    def of(part: Part) -> float:
        seconds = known.get(part)
        if seconds is None:
            seconds = known[part] = part.seconds(io, profile)
        return seconds

    together = max if io.op is Op.WRITE or io.parallel else sum
    return [together([of(part) for part in way.parts]) for way in ways]


@dataclass(frozen=True, slots=True)
class Beside:
    """One way to keep a local dataset: units of a type beside each instance of its task."""

    unit: StorageUnit
    per_instance: int
    floor: float
    """Least number of instances, so that their units hold (partitioned) and carry the data."""
    wait_s: float = 0.0
    dollars: float = 0.0
    """For bytes and requests of all instances."""
    dollars_each: float = 0.0
    """For bytes of each instance."""

    def seconds(self, io: Io, profile: str | None) -> float:
        """Expected time of one operation.

        Args:
            profile: of the dataset, if it names one: some units serve it otherwise.

        Returns:
            Expected seconds per execution of the task, waits included.
        """
        each = record_seconds(self.unit, io.op, io.record_size, profile)
        return operation_seconds(io, each, self.per_instance, wait_s=self.wait_s)


def local_choices(frame: Frame, dataset: Dataset, instances: Callable[[Beside], float]) -> list[Beside]:
    """Every way worth a thought to keep a local dataset.

    More units per instance are tried as long as they make operations faster or instances fewer: up to 16
    each number, beyond in steps of a quarter.

    Args:
        instances: least number of instances that the task's run time asks for with such units.
    """
    kept: list[Beside] = []
    for unit in frame.problem.catalog.units:
        if unit.service or not may_keep(unit, dataset):
            continue
        works = work(unit, dataset, Role(dataset.size), frame.accesses[dataset.name])
        for number in _numbers(_least(frame, unit, dataset), frame.slots.get(unit.bus, 0)):
            beside = _beside(frame, dataset, unit, number, works)
            wanted = instances(beside)
            waiting = _waiting(beside, works, wanted) if frame.waits else [beside]
            kept.extend(waiting)
            enough = beside.floor * (1 - ROUNDING) <= wanted and len(waiting) == 1
            if enough and not _still_faster(frame, dataset, number):
                break
    return kept


def _least(frame: Frame, unit: StorageUnit, dataset: Dataset) -> int:
    return counted(dataset.size / frame.capacity(unit)) if dataset.scope is Scope.REPLICATED else 1


def _numbers(least: int, most: int) -> Iterator[int]:
    number = least
    while number <= most:
        yield number
        number = number + 1 if number < least + _EVERY_LEVEL_TO else math.ceil(number * _LEVEL_STEP)


def _beside(frame: Frame, dataset: Dataset, unit: StorageUnit, number: int, works: Sequence[Work]) -> Beside:
    catalog, options = frame.problem.catalog, frame.problem.options
    floor = max((phase.busy for phase in works), default=0.0) / (number * options.peak_utilization)
    dollars = dollars_of_requests(catalog, unit, works)
    kept = dollars_of_bytes(catalog, unit, dataset.size, options.peak_fill)
    if dataset.scope is Scope.PARTITIONED:
        floor = max(floor, dataset.size / (frame.capacity(unit) * number))
        return Beside(unit, number, floor, dollars=dollars + kept)
    return Beside(unit, number, floor, dollars=dollars, dollars_each=kept)


def _waiting(beside: Beside, works: Sequence[Work], wanted: float) -> list[Beside]:
    """The same with more and more instances, and the wait at their units.

    No server has less than one instance, and none more load than its part of the least number of instances.
    """
    if not any(phase.busy for phase in works):
        return [beside]
    each = beside.per_instance
    alike = levels([_of_one(phase, each) for phase in works], max(1.0, beside.floor, wanted))
    return [replace(beside, floor=n, wait_s=mean_wait(works, n * each)) for n in alike]


def _of_one(all_units: Work, each: int) -> Work:
    """The work as if the units of an instance were one that is as many times faster."""
    return Work(
        *(value / each for value in (all_units.busy, all_units.reads, all_units.writes, all_units.squares))
    )


def _still_faster(frame: Frame, dataset: Dataset, number: int) -> bool:
    return any(
        a.io.parallel and a.io.num_records * a.io.amplification > number
        for phase in frame.accesses[dataset.name]
        for a in phase
    )


def dollars_of_bytes(catalog: Catalog, unit: StorageUnit, stored: float, fill: float) -> float:
    """Dollars over the term for bytes on a unit.

    Args:
        stored: bytes, with redundancy.
        fill: largest share of a volume that is filled, in (0, 1]; a service is paid by what it holds.
    """
    return catalog.cost_of_bytes(unit, stored if unit.service else stored / fill)


def dollars_of_requests(catalog: Catalog, unit: StorageUnit, works: Iterable[Work]) -> float:
    """Dollars over the term for accesses of the device, at the mean load of the phase with the dearest.

    Phases of a batch job follow each other, so this overstates what several of them cost.

    Args:
        works: of the device, one for each phase, in accesses per second.
    """
    per_second = max(
        (work.reads * unit.price_per_read + work.writes * unit.price_per_write for work in works), default=0.0
    )
    return per_second * 3600 * catalog.hours * catalog.mean_load


def mean_wait(works: Sequence[Work], units: float) -> float:
    """Seconds that an access waits on average, in the phase where that is longest; infinite at full load.

    Args:
        works: of the units, one for each phase.
        units: that share the work; need not be whole.
    """
    if any(work.busy >= units * _FULL for work in works):
        return math.inf
    return max((work.squares / (2 * (units - work.busy)) for work in works), default=0.0)


def levels(works: Sequence[Work], least: float) -> Iterator[float]:
    """Numbers of units, ascending: `least`, each of the next eight, then by a quarter up to four times.

    Those that would be full all the time are left out, and none follows one whose wait is not noticed.

    Args:
        works: per phase.
        least: to begin with, above 0.
    """
    busiest = max(works, key=lambda work: work.busy, default=Work())
    accesses = busiest.reads + busiest.writes
    noticed = _NOTICED * busiest.busy / accesses if accesses else math.inf
    first = least if busiest.busy < least * _FULL else math.floor(busiest.busy / _FULL) + 1.0
    for units in _steps(first):
        yield units
        if mean_wait(works, units) <= noticed:
            return


def _steps(first: float) -> Iterator[float]:
    yield first
    units = math.floor(first)
    for _ in range(_EVERY_UNIT):
        units += 1
        yield float(units)
    while (units := math.ceil(units * _STEP)) <= first * _MOST:
        yield float(units)
