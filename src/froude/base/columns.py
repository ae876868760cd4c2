"""Columns of text → numbers, times and names, with a reason for each value that is not one."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute

from froude.base.errors import InputError

pc: Any = pyarrow.compute
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}"
_LOOSE = (
    (r"^([0-9]{4})([0-9]{2})([0-9]{2})T([0-9]{2})([0-9]{2})([0-9]{2})", r"\1-\2-\3T\4:\5:\6"),
    (r"^([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})", r"\1-\2-\3"),
    (r"^([0-9]{4})-([0-9])-", r"\1-0\2-"),
    (r"^([0-9]{4}-[0-9]{2})-([0-9])([ T]|$)", r"\1-0\2\3"),
    (r"^([0-9-]{10}[ T]+)([0-9]):", r"\10\2:"),
    (r"(:[0-9]{2}),([0-9])", r"\1.\2"),
)
"""Other ways to write a date with the year first, and the usual one."""
_ZONE = r"(Z|[+-][0-9]{2}:?[0-9]{2})$"
_MISSING = pa.array(["", "nan", "null", "na", "n/a", "none", "-", "\\n", "nil", "undefined"])
"""Texts that mean a missing value, in lower case; `\\N` is written by Hive and MySQL."""
LATEST_S = 253_402_300_799.0
"""The end of the year 9999."""
_FROM_S, _TO_S = 631_152_000.0, 4_102_444_800.0
"""1990 and 2100: larger numbers are not seconds since 1970, and times in other units are looked for between them."""
_FROM_1900_S = -2_208_988_800.0
"""1900, before 1970."""
_FROM_EXCEL_S = 25_569 * 86_400.0
"""From 1899-12-30, the day 0 of spreadsheets, to 1970."""
TIME_UNITS: Mapping[str, float] = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "excel": 86_400.0}
"""Seconds in one, since 1970; `excel` are days of a spreadsheet."""
_STAMPS = {"%Y%m%d": 1, "%Y%m%d%H": 10**2, "%Y%m%d%H%M": 10**4, "%Y%m%d%H%M%S": 10**6}
"""Dates of digits alone, and by what they are longer than a day."""
_DIRECTIVES = frozenset("YymbBhdeHIpMSzTFDRaAnt%")
"""Those of `strptime` that are read; `%Z` and those of weeks would be passed over without a word."""
_MOSTLY = 0.9


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
        texts = pc.replace_substring_regex(texts, r"([0-9])\s*$", r"\1?")  # may be a share: not a number here
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
    such = "1234.5; with commas --decimal ," if style.decimal == "." else "1234,5"
    bad = np.isnan(values) & ~missing, f"{column.what} is not a number (such as {such})"
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
        values = _epoch(texts, style)
    elif style.dates and unit is None:
        values = _parsed(texts, style)
    else:
        values, _ = _floats(texts, style.decimal)
        values *= column.unit if unit is None else unit
        if style.dates == "excel":
            values = _from_excel(values, style)
        dates = np.isnan(values)
        if dates.any() and pa.types.is_string(texts.type):
            values[dates] = _iso(texts.filter(pa.array(dates)), style)
        if in_seconds(column, style):
            latest = _TO_S
    with np.errstate(invalid="ignore"):
        wrong = ~(np.abs(values) <= latest)
    allowed = "seconds, or a date as 2026-01-31 23:59:00; others with --date-format"
    if style.dates:
        allowed = f"as --date-format {style.dates}"
    return Converted(values, ((wrong, f"{column.what} is not a time ({allowed})"),))


def in_seconds(column: Column, style: Style) -> bool:
    """Whether numbers of a column are taken for seconds since 1970 or of a recording, which is not known."""
    return column.kind is Kind.TIME and column.unit == 1 and not style.dates


def other_times(values: npt.NDArray[np.float64]) -> str:
    """What numbers may be that are taken for seconds, as `--date-format` has it; empty for seconds.

    Args:
        values: of one column, shape (n,). Days of a spreadsheet are looked for from 2009 to 2064; of a recording whose
            seconds are in that range some steps would be whole tens.
    """
    values = values[np.isfinite(values)]
    if not len(values):
        return ""

    def within(numbers: npt.NDArray[np.float64], least: float, most: float) -> npt.NDArray[np.bool_]:
        return (least <= numbers) & (numbers <= most)

    may = {each: within(values * TIME_UNITS[each], _FROM_S, _TO_S) for each in ("ms", "us", "ns")}
    may["excel"] = within(values, 40_000, 60_000) & bool((values % 10).any())
    for dates, longer in _STAMPS.items():
        days = np.floor(values / longer)
        may[dates] = within(days, 1990_01_01, 2100_12_31) & (np.floor(values) == values)
        may[dates] &= within(days // 100 % 100, 1, 12) & within(days % 100, 1, 31)
    return next((each for each, fits in may.items() if fits.mean() >= _MOSTLY), "")


def date_format(text: str, *, place: str) -> str:
    """A format of dates as it is used: fractions of seconds are read without `%f`.

    Args:
        text: one of `TIME_UNITS`, or a format of `strptime` with year, month and day.
        place: where it was given, for the error.

    Raises:
        InputError: a part of it is not read, or a date is not known by it.
    """
    dates = re.sub(r"(?<=%S)[.,]%f", "", re.sub("(?<!%)Z$", "%z", text))
    parts = set(re.findall("%(.)", dates))
    whole = parts & set("FD") or all(parts & set(each) for each in ("Yy", "mbBh", "de"))
    if text not in TIME_UNITS and not (whole and parts <= _DIRECTIVES and ("I" in parts) == ("p" in parts)):
        units = ", ".join(TIME_UNITS)
        allowed = f"year, month and day, such as '%d.%m.%Y %H:%M:%S'; %I with %p; %z for a zone; or {units}"
        raise InputError("is not a format of dates", place=place, found=text, allowed=allowed)
    return text if text in TIME_UNITS else dates


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


def _iso(texts: Any, style: Style) -> npt.NDArray[np.float64]:
    """Dates with the year first: of 3/4/2026 it is not known which is the month."""
    texts = pc.utf8_trim_whitespace(texts)
    if not mask(pc.match_substring_regex(texts, rf"{_DATE}([ T][0-9]{{2}}:[0-9:.Z+-]*)?$")).all():
        for written, usual in _LOOSE:
            texts = pc.replace_substring_regex(texts, written, usual)
    texts = pc.replace_substring_regex(texts, " ?(UTC|GMT)$", "Z")
    texts = pc.replace_substring_regex(texts, r"(:[0-9.]+)([+-][0-9]{2})$", r"\1\2:00")
    texts = pc.replace_substring_regex(texts, r"(\.[0-9]{6})[0-9]+", r"\1")
    dated = pc.fill_null(pc.match_substring_regex(texts, _DATE), False)
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
    """Times in the given format; fractions of its seconds are read, too."""
    texts = pc.utf8_trim_whitespace(texts.cast(pa.string()))
    parts = pc.extract_regex(texts, r":[0-9]{2}(?P<fraction>[.,][0-9]+)")
    digits = pc.replace_substring(pc.struct_field(parts, "fraction"), ",", ".").cast(pa.float64())
    fraction = np.nan_to_num(np.asarray(digits.to_numpy(zero_copy_only=False), np.float64))
    if "%S" in style.dates or "%T" in style.dates:
        texts = pc.replace_substring_regex(texts, r"(:[0-9]{2})[.,][0-9]+", r"\1")
    stamps = pc.strptime(texts, format=style.dates, unit="s", error_is_null=True)
    if "%z" in style.dates:
        stamps = stamps.cast(pa.timestamp("s", "UTC"))
    values = _epoch(stamps, style) + fraction
    values[values < _FROM_1900_S] = math.nan  # a year of two digits
    return values


def _from_excel(values: npt.NDArray[np.float64], style: Style) -> npt.NDArray[np.float64]:
    """Times of days since 1970 in the table's zone; to the millisecond, since days have no more digits."""
    millis = np.round((values - _FROM_EXCEL_S) * 1e3)
    millis[~(np.abs(millis) <= LATEST_S * 1e3)] = math.nan
    stamps = pa.array(millis, from_pandas=True).cast(pa.int64()).cast(pa.timestamp("ms"))
    return _epoch(stamps, style)


def _epoch(stamps: Any, style: Style) -> npt.NDArray[np.float64]:
    """Seconds since 1970; stamps without a zone are of the table's."""
    if not stamps.type.tz:
        stamps = pc.assume_timezone(
            stamps, timezone=str(style.zone), ambiguous="earliest", nonexistent="earliest"
        )
    micros = stamps.cast(pa.timestamp("us", stamps.type.tz)).cast(pa.int64())
    return np.asarray(micros.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False), np.float64) / 1e6
