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
        """Note it, if there is any.

        Args:
            names: of what was left out; the first three are shown.
            what: these are and why they were left out, to follow their number.
        """
        if names:
            some = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
            self.lines.append(f"{len(names):,} {what} ({some})")


def unit_of(name: str, bus: str, capacity: float, speed: Speed, *, volatile: bool = False) -> StorageUnit:
    """A unit that is included in the price of its server.

    Args:
        name: of the unit.
        bus: of the servers that have it.
        capacity: bytes.
        speed: rates in bytes per second and gaps in seconds, of reads and writes.
        volatile: whether its content is lost with the power.
    """
    rates = (speed.rate_r, speed.gap_r, speed.rate_w, speed.gap_w)
    return StorageUnit(name, capacity, bus, *rates, volatile=volatile, price=0.0)


def memory_of(memory: Memory) -> StorageUnit:
    """Memory in pieces of 1 GiB."""
    return unit_of(MEMORY, MEMORY, GIB, memory.speed, volatile=True)


def volumes_of(prices: Prices, rates: Rates, notes: Notes) -> tuple[tuple[StorageUnit, ...], tuple[str, ...]]:
    """Volumes of known rates; classes without.

    Args:
        prices: the volumes that the tables list, with their price per GB and month.
        rates: of classes of volumes; a class with a price of its own need not be listed.
        notes: takes the classes that are left out.

    Returns:
        The units, and the classes without rates.
    """
    listed = {volume.name: volume.price_per_gb_month for volume in prices.volumes}
    notes.add(
        [name for name in listed if name.startswith(_NOT_ATTACHED)], "classes left out: no attached volumes"
    )
    given = {volume.name: volume for volume in rates.volumes}
    names = [name for name in listed if not name.startswith(_NOT_ATTACHED)]
    names += [
        name for name, volume in given.items() if name not in listed and volume.price_per_gb_month is not None
    ]
    units, missing = [], []
    for name in names:
        if name not in given:
            missing.append(name)
            continue
        volume = given[name]
        price = listed.get(name) if volume.price_per_gb_month is None else volume.price_per_gb_month
        rate = (volume.speed.rate_r, volume.speed.gap_r, volume.speed.rate_w, volume.speed.gap_w)
        unit = StorageUnit(
            name, volume.capacity, VOLUME, *rate, volatile=False, price=0.0, price_per_gb_month=price or 0.0
        )
        units.append(unit)
    notes.add(missing, "classes of volumes left out: no rates")
    return tuple(units), tuple(missing)


def disks_of(prices: Prices, rates: Rates, notes: Notes) -> tuple[StorageUnit, ...]:
    """Disks of known rates.

    Args:
        prices: the disks that the tables list.
        rates: of disks, by model.
        notes: takes the models without rates.
    """
    given = {rated.model: rated for rated in rates.disks}
    notes.add([d.model for d in prices.disks if d.model not in given], "disks left out: no rates")
    units = []
    for disk in prices.disks:
        if disk.model in given:
            rated = given[disk.model]
            rate = (rated.speed.rate_r, rated.speed.gap_r, rated.speed.rate_w, rated.speed.gap_w)
            units.append(
                StorageUnit(
                    disk.model,
                    rated.capacity,
                    rated.bus,
                    *rate,
                    volatile=False,
                    price=disk.price,
                    power=rated.power,
                )
            )
    return tuple(units)


@dataclass(frozen=True, slots=True)
class Local:
    """Local storage by family."""

    units: tuple[StorageUnit, ...]
    of: dict[str, StorageUnit]
    """By family."""
    asked: dict[str, Family]


def local_of(types: Sequence[InstanceType], rates: Rates, notes: Notes) -> Local:
    """A unit for each family of known rates, or for several families of one entry with a piece of their own.

    Args:
        types: the servers, with the local storage of each.
        rates: of local storage, by family.
        notes: takes the types that must do without it.
    """
    totals: dict[str, list[float]] = {}
    for instance in types:
        if instance.local:
            totals.setdefault(instance.family, []).append(instance.local / (instance.devices or 1))
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
    left = [instance.name for instance in types if instance.local and instance.family in asked]
    notes.add(left, f"types without their local storage: no rates for {len(asked)} families")
    return Local(tuple(units.values()), of, asked)
