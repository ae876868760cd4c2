"""What the devices of one copy of a dataset have to do, recomputed for the checker and `evaluate`.

A copy is described by its streams: accesses that are alike, so many a second. How long devices are busy, what
passes their bus, what their hosts' cores do for them, how long accesses wait and what requests cost are all sums
over the streams, so replication, erasure coding and caching are said in one place.

Deliberately apart from `service` and `choices`.

Source: scc 3.2.1, 4.2; M/G/1 waits by Pollaczek and Khinchine.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from froude.provision.types import Dataset, Io, Op, StorageUnit

NEVER = 1e30
"""Seconds that an access of a device waits whose load is more than it can do."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How one copy lies on its devices."""

    writes: int = 1
    """Accesses for a record that is written."""
    reads: int = 1
    """Accesses for a record that is read."""
    part: float = 1.0
    """Of the record in each access."""
    stored: float = 1.0
    """Bytes kept for each byte of the dataset."""
    servers: int = 1
    """Fewest servers, and units, that it stands on: no server has more than 1 / servers of it."""
    forwarded: int = 0
    """How often hosts send on each byte that is written."""

    @property
    def sent(self) -> float:
        """Bytes that come in at the hosts for each byte that is written."""
        return self.writes * self.part


@dataclass(frozen=True, slots=True)
class Stream:
    """Accesses of devices that are alike."""

    op: Op
    rate: float
    """Per second, over all of the copy."""
    seconds: float
    """Device time of each."""
    size: float
    """Bytes of each."""


def layout(dataset: Dataset, unit: StorageUnit, *, cache: bool) -> Layout:
    """Replicas and fragments of a persistent copy on servers; a cache, a service and local data have none."""
    if cache or unit.service or not dataset.remote:
        return Layout()
    if dataset.erasure is not None:
        data, parity = dataset.erasure
        both = data + parity
        return Layout(both, data, 1 / data, both / data, both)
    copies = dataset.replication
    return Layout(copies, 1, 1.0, copies, copies, copies - 1)


def seconds(unit: StorageUnit, op: Op, size: float, profile: str | None) -> float:
    """Size over rate, plus gap; a profile's numbers replace the bare device's one by one.

    Args:
        size: bytes of one record.
        profile: of the dataset, if it names one.
    """
    numbers = {"rate_r": unit.rate_r, "gap_r": unit.gap_r, "rate_w": unit.rate_w, "gap_w": unit.gap_w}
    for known in unit.profiles:
        if known.name == profile:
            own = {name: getattr(known, name) for name in numbers}
            numbers |= {name: value for name, value in own.items() if value is not None}
    suffix = op.value.lower()
    return numbers[f"gap_{suffix}"] + size / numbers[f"rate_{suffix}"]


def streams(
    dataset: Dataset, chosen: tuple[StorageUnit, ...], number: int, asked: Iterable[tuple[Io, float]]
) -> list[Stream]:
    """The accesses of one copy.

    Args:
        chosen: its unit, or the units of its persistent copy and of its cache.
        asked: operations, and the records per second that each asks for.
    """
    unit, cache = chosen[number], number == 1
    how = layout(dataset, unit, cache=cache)
    hit = dataset.hit_ratio if len(chosen) == 2 else 0.0
    accesses = []
    for io, records in asked:
        size = io.record_size * how.part
        took = seconds(unit, io.op, size, dataset.profile)
        if io.op is Op.WRITE:
            accesses.append(Stream(Op.WRITE, records * io.amplification * how.writes, took, size))
            continue
        served = hit if cache else 1 - hit
        accesses.append(Stream(Op.READ, records * io.amplification * how.reads * served, took, size))
        if cache:
            fill = seconds(unit, Op.WRITE, io.record_size, dataset.profile)
            accesses.append(Stream(Op.WRITE, records * (1 - hit), fill, io.record_size))
    return accesses


def busy(accesses: Iterable[Stream]) -> float:
    """Units that the accesses keep busy."""
    return sum(access.rate * access.seconds for access in accesses)


def wait(accesses: Iterable[Stream], units: float) -> float:
    """Mean seconds that an access waits at one of so many equal units; `NEVER` when they cannot keep up.

    Args:
        accesses: all accesses to the units in one phase.
        units: above 0; need not be whole.
    """
    listed = list(accesses)
    load = busy(listed) / units
    if load >= 1:
        return NEVER
    return sum(access.rate * access.seconds**2 for access in listed) / units / (2 * (1 - load))
