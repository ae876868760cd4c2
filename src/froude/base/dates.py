"""Times as tables have them: dates with the year first or in a given format, and numbers in other units than seconds."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import datetime, timedelta, tzinfo
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute

from froude.base.errors import InputError

pc: Any = pyarrow.compute
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
FIRST_S, LAST_S = 631_152_000.0, 4_102_444_800.0
"""1990 and 2100: smaller numbers are of a recording, larger ones not seconds since 1970; times in other units are looked
for between them."""
_FROM_1900_S = -2_208_988_800.0
"""1900, before 1970."""
_FROM_EXCEL_S = 25_569 * 86_400.0
"""From 1899-12-30, the day 0 of spreadsheets, to 1970."""
TIME_UNITS: Mapping[str, float] = {
    "s": 1.0,
    "ms": 1e-3,
    "us": 1e-6,
    "ns": 1e-9,
    "min": 60.0,
    "excel": 86_400.0,
}
"""Seconds in one, since 1970; `excel` are days of a spreadsheet."""
_TITLED = re.compile(
    r"(?<=[a-z])(?:in)?(?:(ms|msecs?|millis|milliseconds?)|(us|usecs?|micros|microseconds?)|(ns|nanos|nanoseconds?)|"
    r"(?:s|secs?|seconds))$"
)
"""The end of a title that names a unit of times, without signs."""
_STAMPS = {"%Y%m%d": 1, "%Y%m%d%H": 10**2, "%Y%m%d%H%M": 10**4, "%Y%m%d%H%M%S": 10**6}
"""Dates of digits alone, and by what they are longer than a day."""
_DIRECTIVES = frozenset("YymbBhdeHIpMSzTFDRaAnt%")
"""Those of `strptime` that are read; `%Z` and those of weeks would be passed over without a word."""
_QUARTER_S = 900.0
"""Clocks are changed at whole quarters of an hour."""
MOSTLY = 0.9
"""Share of numbers that are plausible in another unit, from which on it may be theirs."""


def other_times(values: npt.NDArray[np.float64]) -> str:
    """What numbers may be that are taken for seconds, as `--date-format` has it; empty for seconds.

    Args:
        values: of one column, shape (n,). Days of a spreadsheet and minutes are looked for from 2009 to 2064; of
            a recording whose seconds are in the range of days some steps would be whole tens.
    """
    values = values[np.isfinite(values)]
    if not len(values):
        return ""

    def within(numbers: npt.NDArray[np.float64], least: float, most: float) -> npt.NDArray[np.bool_]:
        return (least <= numbers) & (numbers <= most)

    may = {each: within(values * TIME_UNITS[each], FIRST_S, LAST_S) for each in ("ms", "us", "ns")}
    may["excel"] = within(values, 40_000, 60_000) & bool((values % 10).any())
    for dates, longer in _STAMPS.items():
        days = np.floor(values / longer)
        may[dates] = within(days, 1990_01_01, 2100_12_31) & (np.floor(values) == values)
        may[dates] &= within(days // 100 % 100, 1, 12) & within(days % 100, 1, 31)
    may["min"] = within(values, 20_800_000, 50_000_000)
    return next((each for each, fits in may.items() if fits.mean() >= MOSTLY), "")


def titled_unit(title: str) -> tuple[str, float]:
    """A title in lower case and without signs: what is before the unit that it names, and the seconds in that; else 1.

    Such as `timems`, which is a time in milliseconds.
    """
    match = _TITLED.search(title)
    if match is None:
        return title, 1.0
    units = zip(match.groups(), ("ms", "us", "ns"), strict=True)
    return title[: match.start()], next((TIME_UNITS[unit] for found, unit in units if found), 1.0)


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


def iso(texts: Any, zone: tzinfo) -> npt.NDArray[np.float64]:
    """Dates with the year first: of 3/4/2026 it is not known which is the month.

    Args:
        texts: pyarrow array, shape (n,).

    Returns:
        Seconds since 1970, shape (n,); NaN where a text is not such a date.
    """
    texts = pc.utf8_trim_whitespace(texts)
    if not pc.all(pc.match_substring_regex(texts, rf"{_DATE}([ T][0-9]{{2}}:[0-9:.Z+-]*)?$")).as_py():
        for written, usual in _LOOSE:
            texts = pc.replace_substring_regex(texts, written, usual)
    texts = pc.replace_substring_regex(texts, " ?(UTC|GMT)$", "Z")
    texts = pc.replace_substring_regex(texts, r"(:[0-9.]+)([+-][0-9]{2})$", r"\1\2:00")
    texts = pc.replace_substring_regex(texts, r"(\.[0-9]{6})[0-9]+", r"\1")
    dated = pc.fill_null(pc.match_substring_regex(texts, _DATE), False)
    zoned = pc.and_(dated, pc.fill_null(pc.match_substring_regex(texts, rf":[0-9.]+ ?{_ZONE}"), False))
    texts = pc.replace_substring_regex(texts, r"^([^ ]+) +([0-9.:]+) +([Z+-])", r"\1 \2\3")
    values = np.full(len(texts), math.nan)
    for chosen, kind in ((zoned, pa.timestamp("us", "UTC")), (pc.and_not(dated, zoned), pa.timestamp("us"))):
        at = np.flatnonzero(np.asarray(chosen))
        if len(at):
            values[at] = _cast(texts.take(pa.array(at)), kind, zone)
    return values


def _cast(texts: Any, kind: Any, zone: tzinfo) -> npt.NDArray[np.float64]:
    try:
        return epoch(texts.cast(kind), zone)
    except pa.ArrowInvalid:  # one of them is odd: by halves, so that the others count
        half = len(texts) // 2
        if not half:
            return np.full(1, math.nan)
        return np.concatenate([_cast(texts[:half], kind, zone), _cast(texts[half:], kind, zone)])


def parsed(texts: Any, dates: str, zone: tzinfo) -> npt.NDArray[np.float64]:
    """Times in a format of `date_format`; fractions of its seconds are read, too.

    Returns:
        Seconds since 1970, shape (n,); NaN where a text is not of the format.
    """
    texts = pc.utf8_trim_whitespace(texts.cast(pa.string()))
    parts = pc.extract_regex(texts, r":[0-9]{2}(?P<fraction>[.,][0-9]+)")
    digits = pc.replace_substring(pc.struct_field(parts, "fraction"), ",", ".").cast(pa.float64())
    fraction = np.nan_to_num(np.asarray(digits.to_numpy(zero_copy_only=False), np.float64))
    if "%S" in dates or "%T" in dates:
        texts = pc.replace_substring_regex(texts, r"(:[0-9]{2})[.,][0-9]+", r"\1")
    stamps = pc.strptime(texts, format=dates, unit="s", error_is_null=True)
    values = epoch(stamps.cast(pa.timestamp("s", "UTC")) if "%z" in dates else stamps, zone) + fraction
    values[values < _FROM_1900_S] = math.nan  # a year of two digits
    return values


def from_excel(seconds: npt.NDArray[np.float64], zone: tzinfo) -> npt.NDArray[np.float64]:
    """Seconds since 1970 of those since 1899-12-30; to the millisecond, since days do not have more digits."""
    millis = np.round((seconds - _FROM_EXCEL_S) * 1e3)
    millis[~(np.abs(millis) <= LAST_S * 1e3)] = math.nan
    return epoch(pa.array(millis, from_pandas=True).cast(pa.int64()).cast(pa.timestamp("ms")), zone)


def epoch(stamps: Any, zone: tzinfo) -> npt.NDArray[np.float64]:
    """Seconds since 1970 of stamps of pyarrow; those without a zone are of the given one."""
    if not stamps.type.tz:
        stamps = pc.assume_timezone(stamps, timezone=str(zone), ambiguous="earliest", nonexistent="earliest")
    micros = stamps.cast(pa.timestamp("us", stamps.type.tz)).cast(pa.int64())
    return np.asarray(micros.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False), np.float64) / 1e6


def with_second_passes(
    seconds: npt.NDArray[np.float64], group: npt.NDArray[np.int32], zone: tzinfo
) -> npt.NDArray[np.float64]:
    """Times of which those of an hour that a clock has twice are in its second pass where their order shows it.

    Args:
        seconds: since 1970, shape (n,), in the order of a file, which begins with the first or with the last; as if each
            was of a first pass.
        group: shape (n,): whose time each is. The times of each are in order.

    Returns:
        The times, or `seconds` itself where no time is in a second pass.

    Raises:
        InputError: their order does not show it.
    """
    if str(zone) == "UTC" or not len(seconds):
        return seconds
    quarters, place = np.unique(seconds // _QUARTER_S, return_inverse=True)
    back_s = np.array([_goes_back_s(quarter * _QUARTER_S, zone) for quarter in quarters.tolist()])[place]
    rows = np.flatnonzero(back_s)
    if np.sign(np.diff(seconds)).sum() < 0:
        rows = rows[::-1]
    rows = rows[np.argsort(group[rows], kind="stable")]
    step_s = np.diff(seconds[rows])
    together = (np.diff(group[rows]) == 0) & (np.abs(step_s) < 86_400)
    again = np.cumsum(np.append(False, together & (step_s <= 0))[: len(rows)])
    begins = np.flatnonzero(np.append(True, ~together)[: len(rows)])
    again -= np.repeat(again[begins], np.diff([*begins, len(rows)]))
    if not len(rows) or not again.any():
        return seconds
    if again.max() > 1:
        first = np.datetime64(int(seconds[rows[0]]), "s").astype("datetime64[m]")
        message = "has times that the clock had twice, in no order"
        remedy = "Write dates with their offset from UTC, or in UTC; or sort them"
        raise InputError(message, place=f"--zone {zone}", found=f"{first} UTC", remedy=remedy)
    found = seconds.copy()
    found[rows] += np.where(again, back_s[rows], 0.0)
    return found


def _goes_back_s(seconds: float, zone: tzinfo) -> float:
    """Seconds until a clock shows a moment of a first pass again; 0 of any other one."""
    first = datetime.fromtimestamp(seconds, zone)
    passes = [first.replace(fold=fold).utcoffset() or timedelta() for fold in (0, 1)]
    return 0.0 if first.fold else max(0.0, (passes[0] - passes[1]).total_seconds())
