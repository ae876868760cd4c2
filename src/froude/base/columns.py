"""Columns of text → numbers, times and names, with a reason for each value that is not one."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute

from froude.base.dates import LAST_S, TIME_UNITS, epoch, from_excel, iso, parsed

pc: Any = pyarrow.compute
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_MISSING = pa.array([
    "", "nan", "-nan", "null", "na", "n/a", "#n/a", "none", "-", "--", "\\n", "nil", "undefined", "nodata", "no data",
])  # fmt: skip
"""Texts that mean a missing value, in lower case; `\\N` is written by Hive and MySQL."""
NO_NUMBER, NO_TIME = "is not a number", "is not a time"
"""Why a value is left out, behind what it should be."""
LATEST_S = 253_402_300_799.0
"""The end of the year 9999."""


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
    percent: bool = False
    """Whether each cell ends with a percent sign."""
    lesser: tuple[str, ...] = ()
    """What headers call it too, which counts where none of `names` is there."""
    titled: bool = False
    """Whether its title may end with the unit of its times, such as `time_ms`."""


@dataclass(frozen=True, slots=True)
class Style:
    """How numbers and dates of a table are written."""

    decimal: str = "."
    """`.` or `,`."""
    dates: str = ""
    """Format of `date_format`, or one of `TIME_UNITS`. Empty: as the column has it, and dates with the year first."""
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
    if pa.types.is_large_string(texts.type) or pa.types.is_dictionary(texts.type):
        texts = texts.cast(pa.string())  # as other libraries write texts into Parquet
    if column.within and pa.types.is_string(texts.type):
        parts = pc.struct_field(pc.extract_regex(texts, column.within), "value")
        texts = pc.coalesce(parts, texts)
    if column.percent and pa.types.is_string(texts.type):
        # A number without the sign may be a share, and is not a number here; 0 is the same of both.
        texts = pc.replace_substring_regex(texts, r"^(.*[1-9].*[0-9]|.*[1-9])\s*$", r"\1?")
        texts = pc.replace_substring_regex(texts, r"%\s*$", "")
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
    bad = np.isnan(values) & ~missing, f"{column.what} {NO_NUMBER}"
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
    unit, latest = TIME_UNITS.get(style.dates), LATEST_S
    if pa.types.is_timestamp(texts.type):
        values = epoch(texts, style.zone)
    elif style.dates and unit is None:
        values = parsed(texts, style.dates, style.zone)
    else:
        values, _ = _floats(texts, style.decimal)
        values *= column.unit if unit is None else unit
        if style.dates == "excel":
            values = from_excel(values, style.zone)
        dates = np.isnan(values)
        if dates.any() and pa.types.is_string(texts.type):
            values[dates] = iso(texts.filter(pa.array(dates)), style.zone)
        if in_seconds(column, style):
            latest = LAST_S
    with np.errstate(invalid="ignore"):
        wrong = ~(np.abs(values) <= latest)
    return Converted(values, ((wrong, f"{column.what} {NO_TIME}"),))


def how_to_write(reasons: Collection[str], style: Style, *, fixed: bool) -> str | None:
    """What a person may do where numbers or times are left out, by the reasons of `Converted`; None without such a one.

    Args:
        fixed: whether no flag says how they are written.
    """
    number = "1234.5" if style.decimal == "." else "1234,5"
    time = style.dates or "seconds, or as 2026-01-31 23:59:00"
    ways = ((NO_NUMBER, f"numbers as {number}", "--decimal"), (NO_TIME, f"times as {time}", "--date-format"))
    ends = {end for end, *_ in ways for reason in reasons if reason.endswith(end)}
    found = [way for way in ways if way[0] in ends]
    flags = "" if fixed else f"; or say how they are written: {', '.join(flag for *_, flag in found)}"
    return f"Write {' and '.join(text for _, text, _ in found)}{flags}" if found else None


def in_seconds(column: Column, style: Style) -> bool:
    """Whether numbers of a column are taken for seconds since 1970 or of a recording, which is not known."""
    return column.kind is Kind.TIME and column.unit == 1 and not style.dates


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
    if decimal == ",":  # a point is between thousands then
        trimmed = pc.replace_substring(pc.replace_substring(trimmed, ".", "?"), ",", ".")
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
