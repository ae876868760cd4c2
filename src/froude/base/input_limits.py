"""The largest inputs that are read: named limits, each raised by `--max NAME=NUMBER`.

A number is checked where it enters, before anything of that size is allocated or repeated. The limits in force are a
context variable, as the precision of `decimal` is: the command line sets them once, readers deep below ask for them, and
`froude.base.parallel` hands them to its processes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from pathlib import Path

from froude.base.errors import InputError
from froude.base.units import parse_quantity, size_text

FLAG = "--max"
_EXPANSION_BYTES, _EXPANSION_RATIO, _SMALL_BYTES = 1 << 30, 200, 1 << 20
"""A packed file may expand to the lesser of the first and this multiple of its size, and in any case to the last: the
best packed event logs of real clusters expand 40 times, and a few hundred bytes that expand further do no harm."""


@dataclass(frozen=True, slots=True)
class InputLimits:
    """The largest number of each thing that an input may hold."""

    expansion: int | None = None
    """Bytes that a packed file may expand to; None for what its packed size allows (`expansion_bytes`)."""
    rows: int = 100_000_000
    """Of a table that is held in memory."""
    columns: int = 10_000
    nodes: int = 1_000_000
    """Of one type in a plan."""
    steps: int = 100_000_000
    """Calls that one node makes, each repetition of a loop counted."""
    repetitions: int = 10_000_000

    def expansion_bytes(self, packed_bytes: int) -> int:
        """Bytes that a packed file, or a packed part of one, may expand to."""
        if self.expansion is not None:
            return self.expansion
        return max(_SMALL_BYTES, min(_EXPANSION_BYTES, _EXPANSION_RATIO * packed_bytes))


NAMES = tuple(each.name for each in fields(InputLimits))
_DEFAULTS = InputLimits()
_LIMITS = ContextVar("input_limits", default=_DEFAULTS)


def input_limits() -> InputLimits:
    """The limits in force."""
    return _LIMITS.get()


@contextmanager
def within_limits(limits: InputLimits) -> Iterator[None]:
    """Put limits in force for a block."""
    token = _LIMITS.set(limits)
    try:
        yield
    finally:
        _LIMITS.reset(token)


def parse_limits(texts: Iterable[str], place: str = FLAG) -> InputLimits:
    """Limits of `NAME=NUMBER` texts; those that are not named keep their defaults.

    Args:
        texts: such as `expansion=4 GB` or `rows=1e9`; of two of one name the later counts.
        place: where they were given, for errors.

    Raises:
        InputError: another name, or not a number above 0 in the unit of that limit.
    """
    limits = InputLimits()
    for text in texts:
        name, _, value = text.partition("=")
        if name not in NAMES:
            allowed = f"NAME=NUMBER, with a name of {', '.join(NAMES)}"
            raise InputError("is not a limit", place=place, found=text, allowed=allowed)
        quantity = parse_quantity(value, place=f"{place} {name}")
        if quantity.unit != ("B" if name == "expansion" else "") or quantity.value < 1:
            allowed = "a size such as 4 GB" if name == "expansion" else "a number above 0 without a unit"
            raise InputError("is not a limit", place=f"{place} {name}", found=value, allowed=allowed)
        limits = replace(limits, **{name: int(quantity.value)})
    return limits


def check_limit(
    name: str, found: float, *, file: str | Path | None = None, place: str | int | None = None
) -> None:
    """Refuse a number above its limit.

    Args:
        name: of a limit of `InputLimits` other than `expansion`.
        found: the number; may be beyond any integer's size.
        file: where it was found, for the error.
        place: its line or field in the file.

    Raises:
        InputError: with the limit, and the flag that raises it.
    """
    most: int = getattr(_LIMITS.get(), name)
    if not found <= most:  # NaN is not
        number = f"{found:,.0f}" if isinstance(found, float) else f"{found:,}"
        remedy = f"Where the number is meant, raise the limit: {FLAG} {name}={number.replace(',', '')}"
        raise InputError(
            f"has too many {name}",
            file=file,
            place=place,
            found=number,
            allowed=f"at most {most:,}",
            remedy=remedy,
        )


def beyond_expansion(
    path: str | Path, packed_bytes: int, limit_bytes: int, place: str | None = None
) -> InputError:
    """The error about a packed file that expands further than it may.

    Args:
        packed_bytes: its size, or that of the packed part.
        limit_bytes: what it may expand to.
        place: the packed part, where only that was unpacked.
    """
    return InputError(
        "expands too far",
        file=path,
        place=place,
        found=f"{packed_bytes:,} bytes that expand to more than {limit_bytes:,}",
        allowed=f"by default {_EXPANSION_RATIO} times the packed size, at most {size_text(_EXPANSION_BYTES)}",
        remedy=f"Where the file can be trusted, raise the limit, such as {FLAG} expansion=8GB",
    )
