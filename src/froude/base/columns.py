"""Columns of text → numbers, times and names, with a reason for each value that is not one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute

pc: Any = pyarrow.compute
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_YEAR_FIRST = r"^[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}"
_ZONE = r"(Z|[+-][0-9]{2}:?[0-9]{2})$"
_MISSING = pa.array(["", "nan", "null", "na", "n/a", "none", "-", "\\n", "nil", "undefined"])
"""Texts that mean a missing value, in lower case; `\\N` is written by Hive and MySQL."""
LATEST_S = 253_402_300_799.0
"""The end of the year 9999."""
TIME_UNITS: Mapping[str, float] = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


class Kind(Enum):
    """What the values of a column are."""

    TEXT = "a name"
    NUMBER = "a number"
    INTEGER = "a whole number"
    TIME = "a time"


@dataclass(frozen=True, slots=True)
class Column:
    """One column that a reader wants."""

    what: str
    """Its name in Froude, such as `server`."""
    names: tuple[str, ...] = ()
    """What headers call it, where that is not `what`; case, blanks, `_` and `-` do not matter."""
    kind: Kind = Kind.TEXT
    unit: float = 1.0
    """Base units in one of it: 1e-6 for a time in microseconds, 512 for a size in sectors."""
    needed: bool = True
    """Whether a table without it is of another form."""
    empty: bool = False
    """Whether a row without a value counts; its value is NaN then, 0 of whole numbers, or an empty name."""
    pattern: str = ""
    """Regular expression of its names, where only some are possible."""
    numbered: bool = False
    """Whether its names may be numbers. If not, a column of numbers in a file without a header is another column."""
    within: str = ""
    """Regular expression of RE2 with a group `value`, for a value that is a part of the text of its cell; a cell that it
    does not match is the value."""
    least: float = -math.inf
    most: float = math.inf
    """The range of a value, in its own unit; a row with another value is left out."""


@dataclass(frozen=True, slots=True)
class Style:
    """How numbers and dates of a table are written."""

    decimal: str = "."
    """`.` or `,`."""
    dates: str = ""
    """Format of dates as of `strptime`; or one of `TIME_UNITS`, for numbers since 1970. Empty: as the column has it,
    and dates with the year first."""
    zone: tzinfo = field(default=UTC)
    """Of dates that name no zone."""


@dataclass(frozen=True, slots=True)
class Converted:
    """Values of a column, shape (n,)."""

    values: Any
    """float64, int64, or for names an array of pyarrow."""
    odd: tuple[tuple[npt.NDArray[np.bool_], str], ...]
    """Where a value is not what it should be, and why, in words; `values` are arbitrary there."""

    @property
    def wrong(self) -> npt.NDArray[np.bool_]:
        """Where a value is not what it should be, for any reason."""
        wrong: npt.NDArray[np.bool_] = np.logical_or.reduce([where for where, _ in self.odd])
        return wrong


def convert(column: Column, texts: Any, style: Style) -> Converted:
    """Values of a column in base units.

    Args:
        texts: pyarrow array of strings, or of another type where the file has types (Parquet, JSON); shape (n,).
        style: of the numbers and dates in it.
    """
    if column.within and pa.types.is_string(texts.type):
        parts = pc.struct_field(pc.extract_regex(texts, column.within), "value")
        texts = pc.coalesce(parts, texts)
    return _CONVERTERS[column.kind](column, texts, style)


def _text(column: Column, texts: Any, style: Style) -> Converted:
    del style
    if not pa.types.is_string(texts.type):
        texts = texts.cast(pa.string())
    names = pc.fill_null(pc.utf8_trim_whitespace(texts), "")
    blank = mask(pc.equal(names, ""))
    odd = [(blank & (not column.empty), f"no {column.what}")]
    if column.pattern:
        fits = mask(pc.match_substring_regex(names, f"^(?:{column.pattern})$"))
        odd.append((~fits & ~blank, f"not a value of {column.what}"))
    return Converted(names, tuple(odd))


def _number(column: Column, texts: Any, style: Style) -> Converted:
    values, missing = _floats(texts, style.decimal)
    allowed = ", with a decimal point (not a comma) and without a unit" if style.decimal == "." else ""
    bad = np.isnan(values) & ~missing, f"{column.what} is not a number{allowed}"
    gone = missing & (not column.empty), f"no {column.what}"
    return Converted(values * column.unit, (bad, gone, _outside(column, values)))


def _integer(column: Column, texts: Any, style: Style) -> Converted:
    if pa.types.is_string(texts.type):
        texts = pc.utf8_trim_whitespace(texts)
        exact = bool(mask(pc.match_substring_regex(texts, "^[0-9]{1,18}$")).all())
    else:
        exact = pa.types.is_integer(texts.type) and not texts.null_count
    if exact:
        values = np.asarray(texts.cast(pa.int64()).to_numpy(zero_copy_only=False))
        return Converted(values * int(column.unit), (_outside(column, values),))
    floats, missing = _floats(texts, style.decimal)  # hold whole numbers exactly up to 2^53
    if column.empty:
        floats[missing] = 0.0
    whole = (np.abs(floats) <= 2.0**53) & (np.floor(floats) == floats)
    values = np.where(whole, floats, 0.0).astype(np.int64)
    odd = (~whole, f"{column.what} is not a whole number"), _outside(column, floats)
    return Converted(values * int(column.unit), odd)


def _outside(column: Column, values: npt.NDArray[Any]) -> tuple[npt.NDArray[np.bool_], str]:
    with np.errstate(invalid="ignore"):
        outside = (values < column.least) | (values > column.most)
    return outside, f"{column.what} is not within {column.least:g} to {column.most:g}"


def _time(column: Column, texts: Any, style: Style) -> Converted:
    unit = TIME_UNITS.get(style.dates)
    if pa.types.is_timestamp(texts.type):
        values = _epoch(texts, style)
    elif style.dates and unit is None:
        values = _parsed(texts, style)
    else:
        values, _ = _floats(texts, style.decimal)
        values *= column.unit if unit is None else unit
        dates = np.isnan(values)
        if dates.any() and pa.types.is_string(texts.type):
            values[dates] = _iso(texts.filter(pa.array(dates)), style)
    with np.errstate(invalid="ignore"):
        wrong = ~(np.abs(values) <= LATEST_S)
    allowed = (
        f"as --date-format {style.dates}" if style.dates else "seconds, or a date as 2026-01-31 23:59:00"
    )
    return Converted(values, ((wrong, f"{column.what} is not a time ({allowed})"),))


_CONVERTERS: Mapping[Kind, Callable[[Column, Any, Style], Converted]] = {
    Kind.TEXT: _text,
    Kind.NUMBER: _number,
    Kind.INTEGER: _integer,
    Kind.TIME: _time,
}


def mask(booleans: Any) -> npt.NDArray[np.bool_]:
    """An array of pyarrow's booleans as one of numpy, shape (n,); a null is False."""
    return np.asarray(pc.fill_null(booleans, False).to_numpy(zero_copy_only=False), bool)


def _floats(texts: Any, decimal: str) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Numbers, NaN where a text is not a finite one; and where a value is missing."""
    if not pa.types.is_string(texts.type):
        try:
            values = np.array(texts.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False), np.float64)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return np.full(len(texts), math.nan), np.zeros(len(texts), bool)
        missing = mask(pc.is_null(texts)) | np.isnan(values)
        values[np.isinf(values)] = math.nan
        return values, missing
    trimmed = pc.fill_null(pc.utf8_trim_whitespace(texts), "")
    if decimal == ",":
        trimmed = pc.replace_substring(trimmed, ",", ".")
    try:
        values = np.array(trimmed.cast(pa.float64()).to_numpy(zero_copy_only=False), np.float64)
        if np.isfinite(values).all():
            return values, np.zeros(len(values), bool)
    except pa.ArrowInvalid:
        pass  # arrow names only the first text that is not a number; the slower way below finds each
    numeric = pc.match_substring_regex(trimmed, _NUMBER)
    numbers = pc.if_else(numeric, trimmed, pa.scalar(None, pa.string())).cast(pa.float64())
    values = np.array(numbers.to_numpy(zero_copy_only=False), np.float64)
    values[np.isinf(values)] = math.nan
    return values, mask(pc.is_in(pc.utf8_lower(trimmed), value_set=_MISSING))


def _iso(texts: Any, style: Style) -> npt.NDArray[np.float64]:
    """Dates with the year first: of 3/4/2026 it is not known which is the month."""
    texts = pc.replace_substring(pc.utf8_trim_whitespace(texts), "/", "-")
    texts = pc.replace_substring_regex(texts, " ?(UTC|GMT)$", "Z")
    texts = pc.replace_substring_regex(texts, r"(:[0-9.]+)([+-][0-9]{2})$", r"\1\2:00")
    texts = pc.replace_substring_regex(texts, r"(\.[0-9]{6})[0-9]+", r"\1")
    dated = pc.fill_null(pc.match_substring_regex(texts, _YEAR_FIRST), False)
    zoned = pc.and_(dated, pc.fill_null(pc.match_substring_regex(texts, rf":[0-9.]+ ?{_ZONE}"), False))
    texts = pc.replace_substring_regex(texts, r"^([^ ]+) +([0-9.:]+) +([Z+-])", r"\1 \2\3")
    values = np.full(len(texts), math.nan)
    for chosen, zone in ((zoned, "UTC"), (pc.and_not(dated, zoned), None)):
        at = np.flatnonzero(mask(chosen))
        if len(at):
            values[at] = _stamps(texts.take(pa.array(at)), zone, style)
    return values


def _stamps(texts: Any, zone: str | None, style: Style) -> npt.NDArray[np.float64]:
    try:
        stamps = texts.cast(pa.timestamp("us", zone))
    except pa.ArrowInvalid:  # one of them is odd: each by itself, so that the others count
        if len(texts) == 1:
            return np.full(1, math.nan)
        return np.concatenate([_stamps(texts.slice(at, 1), zone, style) for at in range(len(texts))])
    return _epoch(stamps, style)


def _parsed(texts: Any, style: Style) -> npt.NDArray[np.float64]:
    """Times in the given format; fractions of a second after it are read where it ends with seconds."""
    texts = pc.utf8_trim_whitespace(texts.cast(pa.string()))
    fraction = np.zeros(len(texts))
    if style.dates.endswith("%S"):
        parts = pc.extract_regex(texts, r"^.*:[0-9]{2}(?P<fraction>[.,][0-9]+)$")
        digits = pc.replace_substring(pc.struct_field(parts, "fraction"), ",", ".")
        fraction = np.nan_to_num(
            np.asarray(digits.cast(pa.float64()).to_numpy(zero_copy_only=False), np.float64)
        )
        texts = pc.replace_substring_regex(texts, r"(:[0-9]{2})[.,][0-9]+$", r"\1")
    stamps = pc.strptime(texts, format=style.dates, unit="s", error_is_null=True)
    if "%z" in style.dates:
        stamps = stamps.cast(pa.timestamp("s", "UTC"))
    return _epoch(stamps, style) + fraction


def _epoch(stamps: Any, style: Style) -> npt.NDArray[np.float64]:
    """Seconds since 1970; stamps without a zone are of the table's."""
    if not stamps.type.tz:
        stamps = pc.assume_timezone(
            stamps, timezone=str(style.zone), ambiguous="earliest", nonexistent="earliest"
        )
    micros = stamps.cast(pa.timestamp("us", stamps.type.tz)).cast(pa.int64())
    return np.asarray(micros.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False), np.float64) / 1e6
