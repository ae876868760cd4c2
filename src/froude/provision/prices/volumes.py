"""Attached volumes as they are bought: of a size, with the IOPS and the throughput that come with it or are paid for.

A volume is paid whole, by its size and by what it may do beyond what is included. So each is a storage unit of its own:
one for each size that is offered, and, where more IOPS or throughput can be bought, one with four times as much and one
with the most. A record of s bytes takes 1 / IOPS + s / throughput seconds of a volume, which it can always do: the
provider bounds both apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from froude.base.errors import InputError
from froude.provision.inputs.fields import Fields
from froude.provision.inputs.tree import Flaws
from froude.provision.inputs.units import Dimension, parse, show
from froude.provision.types import HOURS_PER_MONTH, StorageUnit

GIB, MIB = 2.0**30, 2.0**20
BUS = "volume"
"""Name of the bus of attached volumes."""
_STEP = 4.0
"""Times what is included, of the middle one of what may be bought."""
_NUMBER, _DOLLARS = Dimension.NUMBER, Dimension.DOLLARS


@dataclass(frozen=True, slots=True)
class Ability:
    """IOPS, or bytes per second: what is included, what a volume's size adds, and what more costs."""

    included: float
    per_gib: float = 0.0
    """Added for each GiB of the volume."""
    most: float | None = None
    """Of one volume; None: what is included cannot be exceeded."""
    price_month: float | None = None
    """Dollars a month of one beyond what is included; None: no more can be bought."""

    def at(self, size: float) -> float:
        """Of a volume of so many bytes, for the price of its bytes."""
        most = self.included if self.most is None and not self.per_gib else self.most
        grown = self.included + self.per_gib * size / GIB
        return grown if most is None else min(grown, most)

    def times(self, factor: float, size: float) -> float:
        """That, and what is bought beyond it.

        Args:
            factor: of what is included, 1 or above; infinite for the most.
            size: of the volume, bytes.
        """
        if self.price_month is None or self.most is None:
            return self.at(size)
        return min(self.at(size) * factor, self.most)


@dataclass(frozen=True, slots=True)
class Volume:
    """A class of attached volumes."""

    name: str
    sizes: tuple[float, ...]
    """Bytes of those to choose from."""
    iops: Ability
    throughput: Ability
    """Bytes per second."""
    price_per_gib_month: float | None = None
    """Where no table has it."""
    region: str | None = None
    """Whose prices these are; None where they are no prices, or nobody said."""

    def units(self, price_per_gib_month: float, hours: float) -> Iterator[StorageUnit]:
        """One for each size and ability that can be bought; paid whole over a term.

        Args:
            price_per_gib_month: dollars.
            hours: of the term.
        """
        for size in self.sizes:
            offers = {
                (self.iops.times(factor, size), self.throughput.times(factor, size)): None
                for factor in (1.0, _STEP, float("inf"))
            }
            for iops, rate in offers:
                month = price_per_gib_month * size / GIB
                month += (iops - self.iops.at(size)) * (self.iops.price_month or 0.0)
                month += (rate - self.throughput.at(size)) / MIB * (self.throughput.price_month or 0.0)
                name = f"{self.name} {_size(size)} {iops:.0f}IOPS {rate / MIB:.4g}MiBps"
                price = month * hours / HOURS_PER_MONTH
                yield StorageUnit(
                    name, size, BUS, rate, 1 / iops, rate, 1 / iops, volatile=False, price=price
                )


WANTED = ("min_size", "max_size", "sizes", "IOPS", "BW")
"""Fields without which a class of volumes cannot be bought."""


def fields_of(volume: Volume) -> dict[str, str]:
    """A class as it stands in a file of rates.

    Args:
        volume: with sizes that can all be bought: the least and the greatest are written as the range.
    """
    fields: dict[str, str | None] = {
        "class": volume.name,
        "min_size": _size(min(volume.sizes)),
        "max_size": _size(max(volume.sizes)),
        "sizes": " ".join(map(_size, volume.sizes)),
    }
    for name, unit, ability, dimension in (
        ("IOPS", "IOPS", volume.iops, Dimension.COUNT),
        ("BW", "MiBps", volume.throughput, Dimension.RATE),
    ):
        fields |= {
            name: show(ability.included, dimension),
            f"{name}_per_GiB": show(ability.per_gib, dimension) if ability.per_gib else None,
            f"max_{name}": None if ability.most is None else show(ability.most, dimension),
            f"price_per_{unit}_month": None if ability.price_month is None else f"{ability.price_month!r}",
        }
    price = volume.price_per_gib_month
    fields |= {"price_per_GiB_month": None if price is None else f"{price!r}", "region": volume.region}
    return {name: text for name, text in fields.items() if text is not None}


def read_volume(fields: Fields, _flaws: Flaws) -> Volume | None:
    """A `volume` of a file of rates; None when something of it is blank or wrong.

    Args:
        fields: of the element.
        _flaws: takes nothing: the fields have their own.
    """
    name, sizes = fields.text("class"), _sizes(fields)
    iops = fields.optional_number("IOPS", Dimension.COUNT)
    rate = fields.optional_number("BW", Dimension.RATE)
    more_iops = Ability(
        iops or 0.0,
        fields.number("IOPS_per_GiB", _NUMBER, 0.0),
        fields.optional_number("max_IOPS", Dimension.COUNT, above_zero=True),
        fields.optional_number("price_per_IOPS_month", _DOLLARS),
    )
    more_rate = Ability(
        rate or 0.0,
        fields.number("BW_per_GiB", Dimension.RATE, 0.0),
        fields.optional_number("max_BW", Dimension.RATE, above_zero=True),
        fields.optional_number("price_per_MiBps_month", _DOLLARS),
    )
    for what, ability in (("IOPS", more_iops), ("BW", more_rate)) if None not in {iops, rate} else ():
        if ability.most is not None and ability.most < ability.included:
            fields.flaw("is less than what is included", f"max_{what}", allowed=f"at least {what}")
        if ability.price_month is not None and ability.most is None:
            fields.flaw(f"has a price for more {what} and no max_{what}", allowed=f"a field max_{what}")
        if not ability.included and not ability.per_gib:
            fields.flaw("are none at all", what, allowed=f"above 0, or {what}_per_GiB above 0")
    price = fields.optional_number("price_per_GiB_month", _DOLLARS)
    region = fields.optional_text("region")
    fields.finish()
    if sizes is None or iops is None or rate is None:
        return None
    return fields.make(lambda: Volume(name, sizes, more_iops, more_rate, price, region))


def _size(size: float) -> str:
    return f"{size // GIB:.0f}GiB" if size % GIB == 0 else show(size, Dimension.SIZE)


def _sizes(fields: Fields) -> tuple[float, ...] | None:
    """Bytes of `sizes`, within `min_size` and `max_size`; None when one of the three is blank or wrong."""
    least, most = (
        fields.optional_number(name, Dimension.SIZE, above_zero=True) for name in ("min_size", "max_size")
    )
    text = fields.optional_text("sizes")
    if least is None or most is None or text is None:
        return None
    sizes = []
    for word in re.split(r"[\s,]+", text.strip(" ,")):
        try:
            size = parse(word, Dimension.SIZE)
        except InputError as error:
            fields.flaw(error.message, "sizes", allowed="sizes such as 128GiB 1TiB")
            continue
        if not least <= size <= most:
            fields.flaw(f"has {word}, which cannot be bought", "sizes", allowed="min_size to max_size")
        sizes.append(size)
    return tuple(sizes)
