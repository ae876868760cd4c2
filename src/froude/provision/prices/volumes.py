"""Attached volumes as they are bought: of a size, with the IOPS and the throughput that come with it or are paid for.

A volume is paid whole, by its size and by what it may do beyond what is included. So each is a storage unit of its own:
one for each size that is offered, and, where more IOPS or throughput can be bought, one with four times as much and one
with the most. A record of s bytes takes 1 / IOPS + s / throughput seconds of a volume, which it can always do: the
provider bounds both apart.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from dataclasses import fields as dataclass_fields
from typing import TypeVar

from froude.base.errors import InputError
from froude.provision.inputs.fields import Fields
from froude.provision.inputs.tree import Flaws
from froude.provision.inputs.units import Dimension, parse, show
from froude.provision.types import HOURS_PER_MONTH, StorageUnit

GIB, MIB = 2.0**30, 2.0**20
T = TypeVar("T", "Volume", "Ability")
BUS = "volume"
"""Name of the bus of attached volumes."""
_NO_PRICES = (None, None, None)
_STEP = 4.0
"""Times what is included, of the middle one of what may be bought."""
_NUMBER, _DOLLARS = Dimension.NUMBER, Dimension.DOLLARS


@dataclass(frozen=True, slots=True)
class Ability:
    """IOPS, or bytes per second: what is included, what a volume's size adds, and what more costs."""

    included: float | None = None
    """None: not said."""
    per_gib: float | None = None
    """Added for each GiB of the volume."""
    most: float | None = None
    """Of one volume; None: what is included cannot be exceeded."""
    price_month: float | None = None
    """Dollars a month of one beyond what is included; None: no more can be bought."""

    def at(self, size: float) -> float:
        """Of a volume of so many bytes, for the price of its bytes."""
        included = self.included or 0.0
        most = included if self.most is None and not self.per_gib else self.most
        grown = included + (self.per_gib or 0.0) * size / GIB
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
    """A class of attached volumes, or what one file says of it."""

    name: str
    sizes: tuple[float, ...] | None = None
    """Bytes of those to choose from."""
    iops: Ability = field(default_factory=Ability)
    throughput: Ability = field(default_factory=Ability)
    """Bytes per second."""
    price_per_gib_month: float | None = None
    """Where no table has it."""
    region: str | None = None
    """Whose prices these are; None where they are no prices, or nobody said."""
    min_size: float | None = None
    """Bytes."""
    max_size: float | None = None
    max_iops_per_gib: float | None = None
    """Beyond what is included no more can be bought than this, whatever the most."""
    max_rate_per_iops: float | None = None
    """Bytes per second beyond which no more can be bought, for each access a second."""

    @property
    def missing(self) -> tuple[str, ...]:
        """Fields without which it cannot be bought, of those that nobody said."""
        values = (self.min_size, self.max_size, self.sizes, self.iops.included, self.throughput.included)
        return tuple(name for name, value in zip(WANTED, values, strict=True) if value is None)

    def or_else(self, other: Volume) -> Volume:
        """This, and what it does not say as another says it: field by field.

        Prices of two regions are not mixed: where this has a price and both name their region, the other's are left.

        Args:
            other: the same class, of a file that counts after this one's.
        """
        apart = None not in {self.region, other.region} and self.region != other.region
        if apart and self._prices != _NO_PRICES:
            other = other._unpriced()
        merged: Volume = _filled(self, other)
        merged = replace(
            merged,
            iops=_filled(self.iops, other.iops),
            throughput=_filled(self.throughput, other.throughput),
        )
        if merged._prices == self._prices:
            return replace(merged, region=self.region)
        return merged if self._prices != _NO_PRICES else replace(merged, region=other.region)

    @property
    def _prices(self) -> tuple[float | None, ...]:
        return self.price_per_gib_month, self.iops.price_month, self.throughput.price_month

    def _unpriced(self) -> Volume:
        return replace(
            self,
            iops=replace(self.iops, price_month=None),
            throughput=replace(self.throughput, price_month=None),
            price_per_gib_month=None,
        )

    def _offer(self, factor: float, size: float) -> tuple[float, float]:
        """(IOPS, bytes per second) of a volume, so many times what is included as far as they can be bought."""
        iops, rate = self.iops.times(factor, size), self.throughput.times(factor, size)
        if self.max_iops_per_gib is not None:
            iops = min(iops, max(self.iops.at(size), self.max_iops_per_gib * size / GIB))
        if self.max_rate_per_iops is not None:
            rate = min(rate, max(self.throughput.at(size), self.max_rate_per_iops * iops))
        return iops, rate

    def units(self, price_per_gib_month: float, hours: float) -> Iterator[StorageUnit]:
        """One for each size and ability that can be bought; paid whole over a term. What has one name is one offer.

        Args:
            price_per_gib_month: dollars.
        """
        seen: set[str] = set()
        for size in self.sizes or ():
            offers = {self._offer(factor, size): None for factor in (1.0, _STEP, float("inf"))}
            for iops, rate in offers:
                month = price_per_gib_month * size / GIB
                month += (iops - self.iops.at(size)) * (self.iops.price_month or 0.0)
                month += (rate - self.throughput.at(size)) / MIB * (self.throughput.price_month or 0.0)
                name = f"{self.name} {_size(size)} {iops:.0f}IOPS {rate / MIB:.4g}MiBps"
                if name in seen:
                    continue
                seen.add(name)
                price = month * hours / HOURS_PER_MONTH
                yield StorageUnit(
                    name, size, BUS, rate, 1 / iops, rate, 1 / iops, volatile=False, price=price
                )


def _filled(value: T, other: T) -> T:
    """A dataclass with another's fields in place of those that are None."""
    empty = {
        f.name: getattr(other, f.name) for f in dataclass_fields(value) if getattr(value, f.name) is None
    }
    return replace(value, **empty)


WANTED = ("min_size", "max_size", "sizes", "IOPS", "BW")
"""Fields without which a class of volumes cannot be bought."""


def fields_of(volume: Volume) -> dict[str, str]:
    """A class as it stands in a file of rates.

    Args:
        volume: what is not said of it is not written.
    """
    fields: dict[str, str | None] = {
        "class": volume.name,
        "min_size": None if volume.min_size is None else _size(volume.min_size),
        "max_size": None if volume.max_size is None else _size(volume.max_size),
        "sizes": None if volume.sizes is None else " ".join(map(_size, volume.sizes)),
    }
    for name, unit, ability, dimension in (
        ("IOPS", "IOPS", volume.iops, Dimension.COUNT),
        ("BW", "MiBps", volume.throughput, Dimension.RATE),
    ):
        fields |= {
            name: None if ability.included is None else show(ability.included, dimension),
            f"{name}_per_GiB": None if ability.per_gib is None else show(ability.per_gib, dimension),
            f"max_{name}": None if ability.most is None else show(ability.most, dimension),
            f"price_per_{unit}_month": None if ability.price_month is None else f"{ability.price_month!r}",
        }
    price, iops, rate = volume.price_per_gib_month, volume.max_iops_per_gib, volume.max_rate_per_iops
    fields |= {
        "max_IOPS_per_GiB": None if iops is None else f"{iops!r}",
        "max_BW_per_IOPS": None if rate is None else show(rate, Dimension.RATE),
    }
    fields |= {"price_per_GiB_month": None if price is None else f"{price!r}", "region": volume.region}
    return {name: text for name, text in fields.items() if text is not None}


def read_volume(fields: Fields, _flaws: Flaws) -> Volume | None:
    """A `volume` of a file of rates, which need not say everything; None when it says nothing.

    Args:
        _flaws: takes nothing: the fields have their own.
    """
    name, (least, most, sizes) = fields.text("class"), _sizes(fields)
    iops = fields.optional_number("IOPS", Dimension.COUNT)
    rate = fields.optional_number("BW", Dimension.RATE)
    more_iops = Ability(
        iops,
        fields.optional_number("IOPS_per_GiB", _NUMBER),
        fields.optional_number("max_IOPS", Dimension.COUNT, above_zero=True),
        fields.optional_number("price_per_IOPS_month", _DOLLARS),
    )
    more_rate = Ability(
        rate,
        fields.optional_number("BW_per_GiB", Dimension.RATE),
        fields.optional_number("max_BW", Dimension.RATE, above_zero=True),
        fields.optional_number("price_per_MiBps_month", _DOLLARS),
    )
    for what, ability in (("IOPS", more_iops), ("BW", more_rate)):
        if ability.included is None:  # the rest may stand in another file
            continue
        if ability.most is not None and ability.most < ability.included:
            fields.flaw("is less than what is included", f"max_{what}", allowed=f"at least {what}")
        if ability.price_month is not None and ability.most is None:
            fields.flaw(f"has a price for more {what} and no max_{what}", allowed=f"a field max_{what}")
        if not ability.included and not ability.per_gib:
            fields.flaw("are none at all", what, allowed=f"above 0, or {what}_per_GiB above 0")
    price = fields.optional_number("price_per_GiB_month", _DOLLARS)
    region = fields.optional_text("region")
    iops_per_gib = fields.optional_number("max_IOPS_per_GiB", _NUMBER, above_zero=True)
    rate_per_iops = fields.optional_number("max_BW_per_IOPS", Dimension.RATE, above_zero=True)
    fields.finish()
    volume = fields.make(
        lambda: Volume(
            name, sizes, more_iops, more_rate, price, region, least, most, iops_per_gib, rate_per_iops
        )
    )
    return None if volume == Volume(name) else volume


def _size(size: float) -> str:
    return f"{size // GIB:.0f}GiB" if size % GIB == 0 else show(size, Dimension.SIZE)


def _sizes(fields: Fields) -> tuple[float | None, float | None, tuple[float, ...] | None]:
    """Bytes of `min_size`, `max_size`, and `sizes` within them; None of each that is blank or wrong."""
    least, most = (
        fields.optional_number(name, Dimension.SIZE, above_zero=True) for name in ("min_size", "max_size")
    )
    text = fields.optional_text("sizes")
    if text is None:
        return least, most, None
    sizes = []
    for word in re.split(r"[\s,]+", text.strip(" ,")):
        try:
            size = parse(word, Dimension.SIZE)
        except InputError as error:
            fields.flaw(error.message, "sizes", allowed="sizes such as 128GiB 1TiB")
            continue
        if not (least or 0.0) <= size <= (math.inf if most is None else most):
            fields.flaw(f"has {word}, which cannot be bought", "sizes", allowed="min_size to max_size")
        sizes.append(size)
    return least, most, tuple(sizes)
