"""Storage units from prices and rates: memory, local storage, volumes, disks; those without rates are noted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from froude.base.errors import InputError
from froude.provision.inputs.units import Dimension, show
from froude.provision.prices.asked import Family
from froude.provision.prices.layouts import InstanceType, Prices
from froude.provision.prices.rates import Memory, Rates, Speed
from froude.provision.prices.volumes import GIB, Volume
from froude.provision.types import StorageUnit

MEMORY = "memory"
"""Name of its bus and unit."""
TOLERANCE = 0.01
"""Of a table's total, which is rounded (468, 937, 3750 GB): how far disks may be from it, as a share."""
_SLOW_S = 1e-3
"""Between reads of a disk, from which on it is one that revolves."""
_NOT_ATTACHED = ("local", "snapshot")
"""Beginnings of classes that are no volumes: included local storage, and copies that nothing can be read from."""


class Notes:
    """What was left out or taken, and why, each kind with its number and names."""

    def __init__(self, lines: Sequence[str] = ()) -> None:
        self.lines: list[str] = list(lines)
        """With the first three names, to be read at once."""
        self.whole: list[str] = list(lines)
        """With all names."""

    def add(self, names: Sequence[str], what: str, *, asked: bool = False) -> None:
        """Note it, if there is any.

        Args:
            what: these are and why they were left out, to follow their number.
            asked: the user wanted it so: not all names are of interest.
        """
        if names:
            some = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
            self.lines.append(f"{len(names):,} {what} ({some})")
            self.whole.append(self.lines[-1] if asked else f"{len(names):,} {what} ({', '.join(names)})")


def unit_of(name: str, bus: str, capacity: float, speed: Speed, *, volatile: bool = False) -> StorageUnit:
    """A unit that is included in the price of its server.

    Args:
        capacity: bytes.
        speed: rates in bytes per second and gaps in seconds, of reads and writes.
        volatile: whether its content is lost with the power.
    """
    rates = (speed.rate_r, speed.gap_r, speed.rate_w, speed.gap_w)
    return StorageUnit(name, capacity, bus, *rates, volatile=volatile, price=0.0)


def memory_of(memory: Memory) -> StorageUnit:
    """Memory in pieces of 1 GiB."""
    return unit_of(MEMORY, MEMORY, GIB, memory.speed, volatile=True)


def volumes_of(
    prices: Prices, rates: Rates, hours: float, region: str | None, notes: Notes
) -> tuple[tuple[StorageUnit, ...], tuple[str, ...]]:
    """Volumes that can be bought, of each class the sizes and abilities on offer; classes of which too little is known.

    Args:
        prices: the classes that the tables list, with their price per GiB and month.
        rates: what the classes can do; a class with a price of its own need not be listed.
        hours: of the term, over which they are paid.
        region: whose prices are wanted; None where nobody said.

    Returns:
        The units, and the classes that nothing is known of.
    """
    listed = {volume.name: volume.price_per_gib_month for volume in prices.volumes}
    notes.add(
        [name for name in listed if name.startswith(_NOT_ATTACHED)], "classes left out: no attached volumes"
    )
    given = {volume.name: volume for volume in rates.volumes}
    names = [name for name in listed if not name.startswith(_NOT_ATTACHED)]
    names += [
        name
        for name, volume in given.items()
        if name not in listed and volume.price_per_gib_month is not None and prices.instances
    ]
    units: list[StorageUnit] = []
    missing, elsewhere = [], []
    for name in names:
        volume = given.get(name)
        if volume is None or volume.missing:
            missing.append(name)
        elif volume.region is not None and region not in {None, volume.region}:
            elsewhere.append(f"{name} of {volume.region}")
        else:
            _within(volume)
            own = volume.price_per_gib_month
            units += volume.units(listed[name] if own is None else own, hours)
    notes.add(missing, "classes of volumes left out: no rates")
    notes.add(elsewhere, f"classes of volumes left out: their prices are not of {region}")
    of_rates = sorted({f"{v.name} of {v.region}" for v in given.values() if v.region and v.name in names})
    notes.add(
        of_rates if region is None else (),
        "classes of volumes at the prices of the rates, not of the table's date",
    )
    return tuple(units), tuple(missing)


def _within(volume: Volume) -> None:
    """Refuse sizes of one file that cannot be bought by what another says.

    Raises:
        InputError: with class and size.
    """
    low, high = volume.min_size or 0.0, volume.max_size or math.inf
    beyond = [show(size, Dimension.SIZE) for size in volume.sizes or () if not low <= size <= high]
    if beyond:
        allowed = f"{show(low, Dimension.SIZE)} to {show(high, Dimension.SIZE)}"
        place = f"volume {volume.name}: sizes"
        raise InputError(
            "has what cannot be bought", file="--rates", place=place, found=beyond[0], allowed=allowed
        )


def disks_of(prices: Prices, rates: Rates, notes: Notes) -> tuple[StorageUnit, ...]:
    """Disks of known rates."""
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
    """Local disks of instance types."""

    units: tuple[StorageUnit, ...]
    of: dict[str, tuple[StorageUnit, int]]
    """By type: which, and how many."""
    asked: dict[str, Family]
    """By a name with wildcards."""


def local_of(types: Sequence[InstanceType], rates: Rates, notes: Notes) -> Local:
    """The provider's own disks of each type: as many as there are, of the size that they have.

    What is on them is lost when the server stops, so that they are volatile: they cache, and keep what need not
    persist.

    Args:
        rates: of local disks, and their sizes where a table tells totals alone.
        notes: takes the types that must do without.
    """
    units: dict[str, StorageUnit] = {}
    of: dict[str, tuple[StorageUnit, int]] = {}
    left: dict[str, list[InstanceType]] = {}
    for instance in types:
        disks = _disks_in(instance, rates)
        if disks is None and not instance.local:
            continue
        if disks is None:
            separator = "." if "." in instance.name else "-"
            left.setdefault(f"{instance.family}{separator}*", []).append(instance)
            continue
        size, count, speed = disks
        kind = "hdd" if speed.gap_r > _SLOW_S else "nvme"
        for owner in (instance.family, instance.name):
            name = f"{kind} {size / 1e9:.5g}GB {owner}"
            unit = unit_of(name, name, size, speed, volatile=True)
            if units.setdefault(name, unit) == unit:
                of[instance.name] = unit, count
                break
    asked = {
        pattern: Family(len(several), all(instance.devices for instance in several))
        for pattern, several in left.items()
    }
    names = [instance.name for several in left.values() for instance in several]
    notes.add(names, f"types without their local disks: no rates or no size of one for {len(left)} families")
    return Local(tuple(units.values()), of, asked)


def _disks_in(instance: InstanceType, rates: Rates) -> tuple[float, int, Speed] | None:
    """(bytes of one, how many, how fast) by the first entry whose disks make up what the table says."""
    for entry in rates.local(instance.name):
        if not instance.local and entry.disk and entry.disks:
            return entry.disk, entry.disks, entry.speed
        told = instance.local / instance.devices if instance.devices else None
        size = told or entry.disk
        if size is None or (entry.disk is not None and abs(size - entry.disk) > TOLERANCE * size):
            continue
        count = round(instance.local / size)
        if count and abs(count * size - instance.local) <= TOLERANCE * instance.local:
            return size, count, entry.speed
    return None
