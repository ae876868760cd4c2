"""Storage units from prices and rates: memory, local storage, volumes, disks; those without rates are noted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from froude.provision.prices.asked import Family
from froude.provision.prices.layouts import InstanceType, Prices
from froude.provision.prices.pieces import piece_of
from froude.provision.prices.rates import Memory, Nvme, Rates, Speed
from froude.provision.types import StorageUnit

GIB = 2.0**30
MEMORY, VOLUME = "memory", "volume"
"""Names of the buses, and of the memory unit."""
_NOT_ATTACHED = ("local", "snapshot")
"""Beginnings of classes that are no volumes: included local storage, and copies that nothing can be read from."""


class Notes:
    """What was left out, each kind with its number and some names."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, names: Sequence[str], what: str) -> None:
        """Note it, if there is any."""
        if names:
            some = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
            self.lines.append(f"{len(names):,} {what} ({some})")


def unit_of(name: str, bus: str, capacity: float, speed: Speed, *, volatile: bool = False) -> StorageUnit:
    """A unit that is included in the price of its server."""
    rates = (speed.rate_r, speed.gap_r, speed.rate_w, speed.gap_w)
    return StorageUnit(name, capacity, bus, *rates, volatile=volatile, price=0.0)


def memory_of(memory: Memory) -> StorageUnit:
    """Memory in pieces of 1 GiB."""
    return unit_of(MEMORY, MEMORY, GIB, memory.speed, volatile=True)


def volumes_of(prices: Prices, rates: Rates, notes: Notes) -> tuple[tuple[StorageUnit, ...], tuple[str, ...]]:
    """Volumes of known rates; classes without."""
    listed = {one.name: one.price_per_gb_month for one in prices.volumes}
    notes.add(
        [name for name in listed if name.startswith(_NOT_ATTACHED)], "classes left out: no attached volumes"
    )
    given = {one.name: one for one in rates.volumes}
    names = [name for name in listed if not name.startswith(_NOT_ATTACHED)]
    names += [
        name for name, one in given.items() if name not in listed and one.price_per_gb_month is not None
    ]
    found, missing = [], []
    for name in names:
        if name not in given:
            missing.append(name)
            continue
        one = given[name]
        price = listed.get(name) if one.price_per_gb_month is None else one.price_per_gb_month
        rate = (one.speed.rate_r, one.speed.gap_r, one.speed.rate_w, one.speed.gap_w)
        unit = StorageUnit(
            name, one.capacity, VOLUME, *rate, volatile=False, price=0.0, price_per_gb_month=price or 0.0
        )
        found.append(unit)
    notes.add(missing, "classes of volumes left out: no rates")
    return tuple(found), tuple(missing)


def disks_of(prices: Prices, rates: Rates, notes: Notes) -> tuple[StorageUnit, ...]:
    """Disks of known rates."""
    given = {one.model: one for one in rates.disks}
    notes.add([d.model for d in prices.disks if d.model not in given], "disks left out: no rates")
    found = []
    for disk in prices.disks:
        if disk.model in given:
            one = given[disk.model]
            rate = (one.speed.rate_r, one.speed.gap_r, one.speed.rate_w, one.speed.gap_w)
            found.append(
                StorageUnit(
                    disk.model,
                    one.capacity,
                    one.bus,
                    *rate,
                    volatile=False,
                    price=disk.price,
                    power=one.power,
                )
            )
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Local:
    """Local storage by family."""

    units: tuple[StorageUnit, ...]
    of: dict[str, StorageUnit]
    """By family."""
    asked: dict[str, Family]


def local_of(types: Sequence[InstanceType], rates: Rates, notes: Notes) -> Local:
    """A unit for each family of known rates, or for several families of one entry with a piece of their own."""
    totals: dict[str, list[float]] = {}
    for one in types:
        if one.local:
            totals.setdefault(one.family, []).append(one.local / (one.devices or 1))
    given: dict[str, Nvme] = {family: entry for entry in rates.nvme for family in entry.families}
    units: dict[str, StorageUnit] = {}
    of: dict[str, StorageUnit] = {}
    asked: dict[str, Family] = {}
    for family, sizes in totals.items():
        entry, piece = given.get(family), piece_of(sizes)
        if entry is None or (entry.piece is None and piece is None):
            asked[family] = Family(len(sizes), piece)
            continue
        size = entry.piece or piece or 0.0
        name = f"nvme {' '.join(entry.families) if entry.piece else family}"
        of[family] = units.setdefault(name, unit_of(name, name, size, entry.speed))
    left = [one.name for one in types if one.local and one.family in asked]
    notes.add(left, f"types without their local storage: no rates for {len(asked)} families")
    return Local(tuple(units.values()), of, asked)
