"""Values of a table of calls: the cells of a CSV, the argument lists in them, times, and names that protobuf can hold.

A CSV says nothing of types, so a cell is kept as its text (`Cell`) until every value of its column was seen. Times and
durations are nanoseconds, from numbers, ISO 8601, and clocks of one day.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from froude.base.errors import InputError

LATEST_NS = 4_102_444_800 * 10**9
"""The year 2100: what is later was given in another unit."""
_CENTURY_NS = 36_525 * 86_400 * 10**9
_HALF_DAY_NS = 43_200 * 10**9
_CLOCK = re.compile(r"(\d{1,2}):(\d{2}):(\d{2}(?:[.,]\d{1,9})?)")
_EXAMPLES = "seconds (or --time-unit), 2026-11-23T10:00:00.25Z, or 10:00:00.25"
_UNIT = "Is it in another unit? `--time-unit ms` says so"
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")
_TRUTH = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_PAIR = re.compile(
    r'\s*+([A-Za-z_][\w.-]*+)\s*+(?:=|:(?=\s))\s*+(?:("(?:[^"\\]|\\.)*+")\s*+|([^,;{}"]*+))(?:[,;]|$)'
)
"""`name=value` or `name: value`; without the blank behind it, a colon may be that of `host:port`.

Nothing is tried twice, so that a text of any length is read in linear time.
"""
_FORM_LENGTH = 30
_NO_NAME = re.compile(r"[^A-Za-z0-9_]")
DEEPEST = 32
"""Objects and lists within one another, at most."""


class Cell(str):
    """The text of a CSV's cell, of which only all cells of its column say what type it is."""

    __slots__ = ()

    def guess(self) -> int | float | bool | str:
        """The value that the text reads as.

        Numbers with leading zeros or beyond a double's range, and all that is no number, stay text.
        """
        if self in _TRUTH:
            return _TRUTH[self]
        if _INTEGER.fullmatch(self):
            return int(self) if len(self) < 20 else str(self)
        if _DECIMAL.fullmatch(self) and math.isfinite(number := float(self)):
            return number
        return str(self)


def parse_json(text: str) -> Any:
    """A JSON value.

    Raises:
        InputError: none, with the place; or one that no protobuf message can hold (NaN, 1e999,
            two fields of one name, half a character). It quotes nothing of the text.
    """
    try:
        value = json.loads(text, parse_constant=_no_constant, parse_float=_number, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise InputError("is no JSON", found=f"{error.msg} at character {error.pos + 1}") from error
    except (ValueError, RecursionError) as error:
        raise InputError("is no JSON that can be read", found=str(error)) from error
    if text.count("[") + text.count("{") > DEEPEST and _is_deeper(value, DEEPEST):
        raise InputError("is too deep", allowed=f"at most {DEEPEST} objects and lists within one another")
    if "\\u" in text:
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except (UnicodeEncodeError, RecursionError) as error:
            raise InputError("holds half a character") from error
    return value


def _is_deeper(value: Any, levels: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_is_deeper(each, levels - 1) for each in inner)


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number beyond a double's range")
    return number


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("two fields of one name")
    return made


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is no number")


def parse_arguments(text: str) -> Any:
    """What a single cell of arguments or of an answer holds.

    Args:
        text: a JSON value that is an object, a list or a text in quotes; or pairs `name=value` or `name: value`,
            separated by commas or semicolons, with or without braces around; or one plain value.

    Raises:
        InputError: begins like JSON or like pairs, and is neither.
    """
    text = text.strip()
    if text[:1] in ("[", '"'):
        return parse_json(text)
    if text.startswith("{"):
        try:
            return parse_json(text)
        except InputError:
            pairs = _pairs(text[1:-1]) if text.endswith("}") else None
            if pairs is None:
                raise
            return pairs
    pairs = _pairs(text)
    return Cell(text) if pairs is None else pairs


def _pairs(text: str) -> dict[str, Any] | None:
    """The pairs of a list, a dot in a name leading to a field of a field; None for what is no such list."""
    root: dict[str, Any] = {}
    at, text = 0, text.strip()
    while at < len(text):
        match = _PAIR.match(text, at)
        if match is None:
            return None
        name, quoted, plain = match[1], match[2], match[3]
        put(root, tuple(name.split(".")), parse_json(quoted) if quoted else Cell(plain.rstrip()))
        at = match.end()
    return root


def put(root: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    """Put a value where a path leads to; an empty cell is no value.

    Raises:
        InputError: something else stands there.
    """
    if value == "" and isinstance(value, Cell):
        return
    if len(path) > DEEPEST:
        raise InputError("is too deep", allowed=f"at most {DEEPEST} names with dots between")
    for name in path[:-1]:
        root = root.setdefault(name, {})
        if not isinstance(root, dict):
            raise InputError("is given twice, as a value and as more", place=".".join(path))
    if path[-1] in root:
        raise InputError("is given twice", place=".".join(path))
    root[path[-1]] = value


def is_name(key: str) -> bool:
    """Whether a key reads as the name of a field, or as a header's (`user-id`), and not as a value."""
    return bool(key) and (key[0].isalpha() or key[0] == "_") and key.replace("-", "_").isidentifier()


def identifier(name: str, taken: Collection[str]) -> str:
    """A name that protobuf allows, as like the given one as can be.

    Args:
        taken: names that are used in the same place.
    """
    plain = _NO_NAME.sub("_", name) or "_"
    plain = f"_{plain}" if plain[0].isdigit() else plain
    unique, number = plain, 1
    while unique in taken:
        number += 1
        unique = f"{plain}_{number}"
    return unique


class Times:
    """Reads the times of one table, which are all clocks, or none is.

    Args:
        unit_ns: nanoseconds of the unit of numbers.

    Attributes:
        back_at: line where clocks went back by more than half a day for the first time, as over midnight.
    """

    def __init__(self, unit_ns: int) -> None:
        self._unit_ns = unit_ns
        self._clocks: bool | None = None
        self._last_ns = 0
        self.back_at: int | None = None

    def start(self, text: str, place: str, line: int) -> int:
        """When a call was sent, since the epoch or since what the table counts from.

        Args:
            text: as `moment`.

        Raises:
            InputError: as `moment`.
        """
        start_ns = self.moment(text, place)
        if self._clocks:
            if start_ns < self._last_ns - _HALF_DAY_NS and self.back_at is None:
                self.back_at = line
            self._last_ns = start_ns
        return start_ns

    def moment(self, text: str, place: str) -> int:
        """A time: a number in the unit, an ISO 8601 date and time (UTC where it names no zone), or a clock.

        Raises:
            InputError: none of them, out of range, or a clock among times that are none, or the reverse.
        """
        text = text.strip()
        clock = _CLOCK.fullmatch(text)
        if clock:
            moment = _clock(clock, text, place)
        elif "-" in text[1:] and text[:1].isdigit() and "e" not in text.lower():
            moment = _iso(text, place)
        else:
            moment = _nanoseconds(text, self._unit_ns, place, _EXAMPLES)
            if abs(moment) >= LATEST_NS:
                raise InputError("is after the year 2100", place=place, found=form_of(text), remedy=_UNIT)
        if self._clocks is None:
            self._clocks = clock is not None
        if self._clocks != (clock is not None):
            allowed = (
                "a clock, as in the lines before" if self._clocks else "no clock, as in the lines before"
            )
            raise InputError("is another form of time", place=place, found=form_of(text), allowed=allowed)
        return moment

    def duration(self, text: str, place: str) -> int:
        """A duration, which is a number in the unit.

        Raises:
            InputError: none, below zero, or longer than a century.
        """
        duration = _nanoseconds(text.strip(), self._unit_ns, place, "a number, in the unit of --time-unit")
        return check_duration(duration, text, place)


def check_duration(duration_ns: int, text: str, place: str) -> int:
    """A duration that can be one.

    Raises:
        InputError: below zero, or longer than a century.
    """
    if duration_ns < 0:
        raise InputError("ends before it begins", place=place, found=form_of(text))
    if duration_ns > _CENTURY_NS:
        raise InputError("is longer than a century", place=place, found=form_of(text), remedy=_UNIT)
    return duration_ns


def _clock(clock: re.Match[str], text: str, place: str) -> int:
    hours, minutes, seconds = int(clock[1]), int(clock[2]), Decimal(clock[3].replace(",", "."))
    if hours > 23 or minutes > 59 or seconds >= 60:
        raise InputError(
            "is no time of a day", place=place, found=form_of(text), allowed="0:00:00 to 23:59:59.9"
        )
    return (hours * 3600 + minutes * 60) * 10**9 + int(seconds * 10**9)


def _iso(text: str, place: str) -> int:
    allowed = "2026-11-23T10:00:00.25Z"
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InputError("is no time", place=place, found=form_of(text), allowed=allowed) from error
    since = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - datetime(1970, 1, 1, tzinfo=UTC)
    since_ns = ((since.days * 86_400 + since.seconds) * 10**6 + since.microseconds) * 1000
    if not 0 <= since_ns < LATEST_NS:
        raise InputError(
            "is not in the years 1970 to 2099", place=place, found=form_of(text), allowed=allowed
        )
    return since_ns


def _nanoseconds(text: str, unit_ns: int, place: str, allowed: str) -> int:
    try:
        number = Decimal(text)
        if number.is_finite() and abs(number) < 10**22:
            return int((number * unit_ns).to_integral_value())
    except InvalidOperation:
        pass
    raise InputError("is no time", place=place, found=form_of(text), allowed=allowed)


def form_of(text: str) -> str:
    """What may be shown of a value: its form, every digit a 9, every letter an a, and its length."""
    marked = (
        "9" if each.isdigit() else "a" if each.isalpha() else each if each in " -:.,/+" else "?"
        for each in text[:_FORM_LENGTH]
    )
    more = "…" if len(text) > _FORM_LENGTH else ""
    return f"{''.join(marked)}{more} (digits as 9, letters as a)"
