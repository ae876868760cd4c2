"""Quantities with units: sizes, durations, rates and plain counts, parsed strictly.

`10 GB` is ten decimal gigabytes, `10 GiB` is ten binary ones, `Gb` would be bits and is refused where bytes
are meant: a typing error of a factor eight must not pass in silence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from froude.base.errors import InputError

_DECIMAL = {"k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18}
_BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60}
_BYTES = {"B": 1, **{f"{p}B": f for p, f in _DECIMAL.items()}, **{f"{p}B": f for p, f in _BINARY.items()}}
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "d": 86400}
_UNITS: dict[str, tuple[str, float]] = {
    **{name: ("B", factor) for name, factor in _BYTES.items()},
    **{name: ("s", factor) for name, factor in _SECONDS.items()},
}
_LARGEST = 1e24
"""In base units: a million exabytes; beyond it stands a typing error, or a number made to exhaust memory."""
_MOST_DIGITS = 30
_NUMBER = re.compile(r"^\s*([+-]?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*([A-Za-z]*)\s*$")


@dataclass(frozen=True, slots=True, order=True)
class Quantity:
    """A number in a base unit: bytes (`B`), seconds (`s`), or a plain count (empty)."""

    value: float
    """In base units; whole where the text was whole."""
    unit: str = ""
    """`B`, `s` or empty."""

    def __post_init__(self) -> None:
        if self.unit not in {"", "B", "s"}:
            raise ValueError(f"unit must be '', 'B' or 's', got {self.unit!r}")

    def __str__(self) -> str:
        if self.unit == "B":
            return _scaled(self.value, _BYTES, ("PB", "TB", "GB", "MB", "kB", "B"))
        if self.unit == "s":
            return _scaled(self.value, _SECONDS, ("d", "h", "min", "s", "ms", "us", "ns"))
        return f"{self.value:g}" if self.value != int(self.value) else f"{int(self.value)}"


def parse_quantity(text: str | float, *, place: str | None = None) -> Quantity:
    """Read `20000`, `10 GB`, `4GiB`, `250 ms`.

    Args:
        text: the number and its unit, with or without a space between.
        place: what the text is a value of, for the error.

    Returns:
        The quantity in base units.

    Raises:
        InputError: no number, one beyond `_LARGEST`, or a unit that is not known.
    """
    if isinstance(text, (int, float)) and not isinstance(text, bool):
        if not abs(text) <= _LARGEST:  # neither is NaN
            raise _too_large(place, text)
        return Quantity(text)
    match = _NUMBER.match(str(text))
    unit = match[2] if match else ""
    if match is None or (unit and unit not in _UNITS):
        allowed = f"a number, with {', '.join(_UNITS)} or nothing after it"
        raise InputError("not a quantity", place=place, found=repr(text), allowed=allowed)
    base, factor = _UNITS[unit] if unit else ("", 1)
    number = Decimal(match[1].replace("_", ""))
    if number.adjusted() > _MOST_DIGITS or abs(number * Decimal(str(factor))) > _LARGEST:
        raise _too_large(place, text)
    value = number * Decimal(str(factor))
    return Quantity(int(value) if value == int(value) else float(value), base)


def _too_large(place: str | None, text: str | float) -> InputError:
    return InputError(
        "is beyond any size", place=place, found=str(text)[:40], allowed=f"at most {_LARGEST:g}"
    )


def _scaled(value: float, factors: dict[str, float] | dict[str, int], names: tuple[str, ...]) -> str:
    """The largest unit in which the value is at least one, with up to four digits that lose nothing."""
    for name in names:
        amount = value / factors[name]
        if abs(amount) >= 1 and f"{amount:.4g}" == f"{amount:.12g}":
            return f"{amount:.4g} {name}"
    return f"{value:.12g} {names[-1] if value and abs(value) < factors[names[-1]] else _base(names)}"


def _base(names: tuple[str, ...]) -> str:
    return "s" if "s" in names else "B"
