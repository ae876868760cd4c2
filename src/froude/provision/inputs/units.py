"""Quantities of hardware: sizes, rates, times, powers, counts and dollars, each parsed strictly and written back.

Bits and bytes are told apart (`Gbps` is bits, `GBps` and `GB/s` are bytes), and so are decimal and binary
prefixes (`GB`, `GiB`). What is written by `show` reads back as the same number.
"""

from __future__ import annotations

import math
from decimal import Decimal
from enum import Enum

from froude.base.errors import InputError
from froude.base.units import (
    MOST_DIGITS,
    SECONDS,
    SIZES,
    exact_text,
    prefixed,
    scaled,
    split_number,
    unknown_unit,
)

_BITS = {
    unit: factor / 8
    for name in ("bps", "b/s", "bit/s")
    for unit, factor in prefixed(name, binary=True).items()
}
_BYTES = {f"{name}{per}": factor for name, factor in SIZES.items() for per in ("ps", "/s")}


class Dimension(Enum):
    """What a quantity measures, and the units that it may be given in (factor to the base unit)."""

    SIZE = "a size in bytes, such as 500GB or 4KiB"
    RATE = "a rate, such as 90MBps (bytes) or 6Gbps (bits)"
    TIME = "a time, such as 8ms, 0.6ns or 2.2s"
    POWER = "a power, such as 5W"
    COUNT = "a number, such as 10 or 40K"
    DOLLARS = "dollars, such as 200"
    NUMBER = "a number"
    SHARE = "a share from 0 to 1"


UNITS: dict[Dimension, dict[str, Decimal]] = {
    Dimension.SIZE: dict(SIZES),
    Dimension.RATE: _BYTES | _BITS,
    Dimension.TIME: dict(SECONDS),
    Dimension.POWER: {"W": Decimal(1), "mW": Decimal("1e-3"), "kW": Decimal(1000), "KW": Decimal(1000)},
    Dimension.COUNT: prefixed(""),
    Dimension.DOLLARS: {"": Decimal(1), "$": Decimal(1)},
    Dimension.NUMBER: {"": Decimal(1)},
    Dimension.SHARE: {"": Decimal(1)},
}
"""By dimension; a zero may always go without a unit."""

RANGES: dict[Dimension, tuple[float, float]] = {
    Dimension.SIZE: (1e-9, 1e21),
    Dimension.RATE: (1e-9, 1e18),
    Dimension.TIME: (1e-15, 1e12),
    Dimension.POWER: (1e-9, 1e12),
    Dimension.COUNT: (1e-15, 1e15),
    Dimension.DOLLARS: (1e-15, 1e15),
    Dimension.NUMBER: (1e-15, 1e15),
    Dimension.SHARE: (1e-15, 1e15),
}
"""In base units, what may stand besides 0: what is beyond is a typing error, and no sum of it means anything."""

_SHOWN = {
    Dimension.SIZE: ("PB", "TB", "GB", "MB", "KB", "B"),
    Dimension.RATE: ("GBps", "MBps", "KBps", "Bps"),
    Dimension.TIME: ("s", "ms", "us", "ns"),
    Dimension.POWER: ("W",),
}


def parse(text: str, dimension: Dimension) -> float:
    """A quantity in base units: bytes, bytes per second, seconds, watts, dollars.

    Args:
        text: a number and a unit, such as `450 GB`; 0 needs none.

    Raises:
        InputError: no number, no unit where one is needed, or a unit of another dimension; `allowed` says
            what may stand there, `found` repeats the text.
    """
    number, unit = split_number(text, allowed=dimension.value)
    units = UNITS[dimension]
    if not unit and number == 0:
        return 0.0
    if unit not in units:
        message = unknown_unit(unit, units) if unit else "has no unit"
        raise InputError(message, found=repr(text), allowed=dimension.value)
    value = float(scaled(number, units[unit], text))
    smallest, largest = RANGES[dimension]
    if number and not smallest <= abs(value) <= largest:
        allowed = f"0, or from {smallest:g} to {largest:g}{_base(dimension)}"
        raise InputError("is beyond anything that is meant", found=repr(text[:MOST_DIGITS]), allowed=allowed)
    return value


def _base(dimension: Dimension) -> str:
    """The unit with the factor 1."""
    return next(name for name, factor in UNITS[dimension].items() if factor == 1)


def show(value: float, dimension: Dimension) -> str:
    """Text that `parse` reads as the same number, in the unit that needs few digits.

    Args:
        value: in base units; finite.

    Raises:
        ValueError: the value is not finite.
    """
    if not math.isfinite(value):
        raise ValueError(f"only finite quantities are written, got {value}")
    return exact_text(value, UNITS[dimension], _SHOWN.get(dimension, ()))
