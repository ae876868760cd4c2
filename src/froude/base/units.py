"""Quantities with units: sizes, durations, rates and plain counts, parsed strictly.

`10 GB` is ten decimal gigabytes, `10 GiB` is ten binary ones, `Gb` would be bits and is refused where bytes
are meant: a typing error of a factor eight must not pass in silence. This is the one grammar: every part that
reads a quantity takes its prefixes, its numbers and its messages from here.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, tzinfo
from decimal import Decimal
from zoneinfo import ZoneInfo

from froude.base.errors import InputError

_DECIMAL = {"": 0, "k": 3, "K": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}


def prefixed(unit: str, *, binary: bool = False) -> dict[str, Decimal]:
    """A unit under every prefix, with its factor.

    Args:
        unit: its name, such as `B`; empty for plain counts.
        binary: with `Ki`, `Mi`, ... as well.
    """
    factors = {f"{prefix}{unit}": Decimal(10) ** power for prefix, power in _DECIMAL.items()}
    return factors | ({f"{p}{unit}": Decimal(2) ** n for p, n in _BINARY.items()} if binary else {})


SIZES: Mapping[str, Decimal] = prefixed("B", binary=True)
"""Bytes by unit."""
SECONDS: Mapping[str, Decimal] = {
    "ns": Decimal("1e-9"),
    "us": Decimal("1e-6"),
    "ms": Decimal("1e-3"),
    "s": Decimal(1),
    "min": Decimal(60),
    "h": Decimal(3600),
    "d": Decimal(86400),
}
"""Seconds by unit."""
LARGEST = Decimal("1e30")
"""In base units: beyond it stands a typing error, or a number made to exhaust memory."""
LONGEST_S = 1000 * 86400
"""Seconds that anything may be given: system calls refuse what is far beyond."""
MOST_DIGITS = 40
"""Characters of a number."""
KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
_FEW_DIGITS = 8
_NUMBER = re.compile(
    r"\s*([+-]?(?:[0-9][0-9_]*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,9})?)\s*([A-Za-z$/%]*)\s*"
)


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
            return _scaled(self.value, SIZES, ("PB", "TB", "GB", "MB", "kB", "B"))
        if self.unit == "s":
            return _scaled(self.value, SECONDS, ("d", "h", "min", "s", "ms", "us", "ns"))
        return f"{self.value:g}" if self.value != int(self.value) else f"{int(self.value)}"


def parse_quantity(text: str | float, *, place: str | None = None) -> Quantity:
    """Read `20000`, `10 GB`, `4GiB`, `250 ms`.

    Args:
        text: the number and its unit, with or without a space between.
        place: what the text is a value of, for the error.

    Returns:
        The quantity in base units.

    Raises:
        InputError: no number, one beyond `LARGEST`, or a unit that is not known.
    """
    if isinstance(text, (int, float)) and not isinstance(text, bool):
        if not abs(text) <= float(LARGEST):  # neither is NaN
            raise _too_large(text, place)
        return Quantity(text)
    allowed = f"a number, with {', '.join([*SIZES, *SECONDS])} or nothing after it"
    number, unit = split_number(str(text), allowed=allowed, place=place)
    if unit in SIZES or unit in SECONDS:
        base, factor = ("B", SIZES[unit]) if unit in SIZES else ("s", SECONDS[unit])
    elif unit:
        raise InputError(
            unknown_unit(unit, [*SIZES, *SECONDS]), place=place, found=repr(text), allowed=allowed
        )
    else:
        base, factor = "", Decimal(1)
    value = scaled(number, factor, text, place=place)
    return Quantity(int(value) if value == int(value) else float(value), base)


def parse_seconds(text: str | float, *, place: str | None = None) -> float:
    """Read how long something may take: `30 s`, `10 min`, or a plain number of seconds that is no text.

    Args:
        text: the time, a text with its unit.
        place: what it is a value of, for the error.

    Raises:
        InputError: no time, not more than zero, or beyond `LONGEST_S`.
    """
    allowed = (
        f"more than 0, such as 30 s or 10 min, at most {Quantity(LONGEST_S, 's')}, in {', '.join(SECONDS)}"
    )
    if isinstance(text, str):
        number, unit = split_number(text, allowed=allowed, place=place)
        if unit and unit not in SECONDS and unit not in SIZES:
            raise InputError(unknown_unit(unit, SECONDS), place=place, found=repr(text), allowed=allowed)
        seconds = float(scaled(number, SECONDS[unit], text, place=place)) if unit in SECONDS else 0.0
    else:
        seconds = float(parse_quantity(text, place=place).value)
    if not 0 < seconds <= LONGEST_S:
        raise InputError("is no time", place=place, found=text, allowed=allowed)
    return seconds


def parse_count(text: str, *, place: str | None = None) -> float:
    """A number of things, such as `800M`.

    Raises:
        InputError: it is not a number with such a prefix behind it, or none.
    """
    factors, allowed = prefixed(""), "a number, with k, M, G or nothing after it"
    number, unit = split_number(text, allowed=allowed, place=place)
    if unit not in factors:
        raise InputError("is not a number", place=place, found=repr(text), allowed=allowed)
    return float(scaled(number, factors[unit], text, place=place))


def parse_zone(text: str, *, place: str | None = None) -> tzinfo:
    """A time zone.

    Args:
        text: such as `Europe/Berlin`.
        place: what it is a value of, for the error.

    Raises:
        InputError: there is none of this name.
    """
    if text == "UTC":
        return UTC
    try:
        return ZoneInfo(text)
    except (KeyError, ValueError, OSError) as error:
        raise InputError(
            "is no time zone", place=place, found=text, allowed="UTC, Europe/Berlin, …"
        ) from error


def split_number(text: str, *, allowed: str, place: str | None = None) -> tuple[Decimal, str]:
    """The number and the unit of a quantity, which may be empty.

    Args:
        allowed: what may stand there, for the error.
        place: what it is a value of, for the error.

    Raises:
        InputError: it does not begin with a number, or with one of too many digits.
    """
    match = _NUMBER.fullmatch(text)
    if match is None or len(match[1]) > MOST_DIGITS:
        raise InputError("is not a quantity", place=place, found=repr(text[:MOST_DIGITS]), allowed=allowed)
    return Decimal(match[1].replace("_", "")), match[2]


def scaled(number: Decimal, factor: Decimal, text: object, *, place: str | None = None) -> Decimal:
    """A number in base units.

    Args:
        factor: base units in one of its unit.
        text: the quantity as it was written, for the error.
        place: what it is a value of, for the error.

    Raises:
        InputError: it is beyond `LARGEST`.
    """
    # An exponent of a billion is refused before it is worked out.
    if number and (number.adjusted() > MOST_DIGITS or abs(number * factor) > LARGEST):
        raise _too_large(text, place)
    return number * factor


def unknown_unit(unit: str, known: Iterable[str]) -> str:
    """Words for a unit that is not known here, with the nearest that is."""
    names = list(known)
    cased = [name for name in names if name.lower() == unit.lower()]
    # A unit in words, such as hours, is what its first letters are short for.
    short = sorted((name for name in names if unit.lower().startswith(name)), key=len, reverse=True)
    close = difflib.get_close_matches(unit, names, cutoff=0.5)
    typed = difflib.get_close_matches(unit, names, cutoff=0.75)
    nearest = cased or typed or short or close
    return f"unit {unit} is not one of this field" + (f", did you mean {nearest[0]}?" if nearest else "")


def _too_large(text: object, place: str | None) -> InputError:
    return InputError(
        "is beyond any size", place=place, found=str(text)[:MOST_DIGITS], allowed=f"at most {LARGEST:g}"
    )


def _scaled(value: float, factors: Mapping[str, Decimal], names: tuple[str, ...]) -> str:
    """The largest unit in which the value is at least one, with up to four digits that lose nothing."""
    for name in names:
        amount = value / float(factors[name])
        if abs(amount) >= 1 and f"{amount:.4g}" == f"{amount:.12g}":
            return f"{amount:.4g} {name}"
    return f"{value:.12g} {'s' if 's' in names else 'B'}"


def seconds_text(seconds: float) -> str:
    """Three digits, in milliseconds below one second."""
    amount, unit = (seconds, "s") if seconds >= 0.9995 else (seconds * 1e3, "ms")
    return f"{amount:,.0f} {unit}" if amount >= 999.5 else f"{amount:.3g} {unit}"


def exact_text(value: float, factors: Mapping[str, Decimal], names: Iterable[str]) -> str:
    """Text that reads back as the same number, in the largest unit that needs few digits.

    Args:
        value: in base units; finite.
        factors: of every unit, the base unit's 1 among them.
        names: units to choose from, the largest first; none for a base unit that has no name.
    """
    exact, shown = Decimal(repr(value)), tuple(names)
    for unit in shown:
        amount = (exact / factors[unit]).normalize()
        if (
            abs(amount) >= 1
            and len(f"{amount:f}") <= _FEW_DIGITS
            and float(Decimal(f"{amount:f}") * factors[unit]) == value
        ):
            return f"{amount:f}{unit}"
    base = next(name for name, factor in factors.items() if factor == 1)
    # The smallest unit shows small numbers best; the base unit, with an exponent if need be, shows every number.
    smallest = shown[-1] if shown else base
    amount = (exact / factors[smallest]).normalize()
    text = f"{amount:f}{smallest}"
    short = len(text) <= MOST_DIGITS // 2 and float(amount * factors[smallest]) == value
    return text if short else f"{value!r}{base}"


def size_text(size: int) -> str:
    """A size as it is best read, in binary or decimal units: `200KiB`, `500GB`; it reads back as the same number."""
    decimal = exact_text(float(size), SIZES, ("PB", "TB", "GB", "MB", "KB", "B"))
    binary = [
        f"{size // by}{unit}"
        for unit, by in (("GiB", GIB), ("MiB", MIB), ("KiB", KIB))
        if size >= by and size % by == 0
    ]
    return min((*binary, decimal), key=len)
