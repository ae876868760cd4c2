"""Quantities of hardware: sizes, rates, times, powers, counts and dollars, each parsed strictly and written back.

Bits and bytes are told apart (`Gbps` is bits, `GBps` and `GB/s` are bytes), and so are decimal and binary
prefixes (`GB`, `GiB`). What is written by `show` reads back as the same number.
"""

from __future__ import annotations

import difflib
import math
import re
from decimal import Decimal
from enum import Enum

from froude.base.errors import InputError

_PREFIXES = {"": 0, "k": 3, "K": 3, "M": 6, "G": 9, "T": 12, "P": 15}
_DECIMAL = {prefix: Decimal(10) ** power for prefix, power in _PREFIXES.items()}
_BINARY = {f"{prefix}i": Decimal(2) ** (10 * n) for n, prefix in enumerate("KMGTP", 1)}
_SIZES = {f"{prefix}B": factor for prefix, factor in (_DECIMAL | _BINARY).items()}
_BITS = {
    f"{prefix}{name}": factor / 8
    for prefix, factor in (_DECIMAL | _BINARY).items()
    for name in ("bps", "b/s", "bit/s")
}
_BYTES = {f"{name}{per}": factor for name, factor in _SIZES.items() for per in ("ps", "/s")}
_NUMBER = re.compile(r"\s*([+-]?(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?)\s*([A-Za-z$/%]*)\s*")
_LARGEST = Decimal("1e30")
_MOST_DIGITS = 40


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
    Dimension.SIZE: _SIZES,
    Dimension.RATE: _BYTES | _BITS,
    Dimension.TIME: {
        "ns": Decimal("1e-9"),
        "us": Decimal("1e-6"),
        "ms": Decimal("1e-3"),
        "s": Decimal(1),
        "min": Decimal(60),
        "h": Decimal(3600),
        "d": Decimal(86400),
    },
    Dimension.POWER: {"W": Decimal(1), "mW": Decimal("1e-3"), "kW": Decimal(1000)},
    Dimension.COUNT: {"": Decimal(1), "K": Decimal(10**3), "M": Decimal(10**6), "G": Decimal(10**9)},
    Dimension.DOLLARS: {"": Decimal(1), "$": Decimal(1)},
    Dimension.NUMBER: {"": Decimal(1)},
    Dimension.SHARE: {"": Decimal(1)},
}
"""By dimension; a zero may always go without a unit."""

_SHOWN = {
    Dimension.SIZE: ("PB", "TB", "GB", "MB", "KB", "B"),
    Dimension.RATE: ("GBps", "MBps", "KBps", "Bps"),
    Dimension.TIME: ("s", "ms", "us", "ns"),
    Dimension.POWER: ("W",),
}
_FEW_DIGITS = 8


def parse(text: str, dimension: Dimension) -> float:
    """A quantity in base units: bytes, bytes per second, seconds, watts, dollars.

    Raises:
        InputError: no number, no unit where one is needed, or a unit of another dimension; `allowed` says
            what may stand there, `found` repeats the text.
    """
    match = _NUMBER.fullmatch(text)
    if match is None or len(match[1]) > _MOST_DIGITS:
        raise InputError("is not a quantity", found=repr(text[:40]), allowed=dimension.value)
    units = UNITS[dimension]
    number, unit = Decimal(match[1].replace("_", "")), match[2]
    if number and number.adjusted() > _MOST_DIGITS:
        raise InputError("is beyond any size", found=repr(text[:40]), allowed=f"at most {_LARGEST:g}")
    if not unit and number == 0:
        return 0.0
    if unit not in units:
        raise InputError(_unit_message(unit, units), found=repr(text), allowed=dimension.value)
    value = number * units[unit]
    if abs(value) > _LARGEST:
        raise InputError("is beyond any size", found=repr(text[:40]), allowed=f"at most {_LARGEST:g}")
    return float(value)


def show(value: float, dimension: Dimension) -> str:
    """Text that `parse` reads as the same number, in the unit that needs few digits."""
    if not math.isfinite(value):
        raise ValueError(f"only finite quantities are written, got {value}")
    exact = Decimal(repr(value))
    for unit in _SHOWN.get(dimension, ()):
        amount = exact / UNITS[dimension][unit]
        text = f"{amount.normalize():f}{unit}"
        if abs(amount) >= 1 and len(text) <= _FEW_DIGITS + len(unit) and parse(text, dimension) == value:
            return text
    names = _SHOWN.get(dimension, ("",))
    # The smallest unit shows small numbers best; the base unit, with an exponent if need be, shows every number.
    text = f"{(exact / UNITS[dimension][names[-1]]).normalize():f}{names[-1]}"
    base = next(name for name, factor in UNITS[dimension].items() if factor == 1)
    short = len(text) <= _MOST_DIGITS // 2 and parse(text, dimension) == value
    return text if short else f"{value!r}{base}"


def _unit_message(unit: str, units: dict[str, Decimal]) -> str:
    if not unit:
        return "has no unit"
    close = difflib.get_close_matches(unit, list(units), 1, 0.5)
    cased = [name for name in units if name.lower() == unit.lower()]
    nearest = (cased or close)[:1]
    return f"unit {unit} is not one of this field" + (f", did you mean {nearest[0]}?" if nearest else "")
