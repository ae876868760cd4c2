"""Times as tables have them; how texts become times is in `test_columns.py`."""

from __future__ import annotations

import math
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from froude.base.dates import date_format, other_times, titled_unit, with_second_passes
from froude.base.errors import InputError

NOON = 1767268800.0
"""2026-01-01 12:00 UTC."""


@pytest.mark.parametrize(
    ("times", "other"),
    [
        ([0, 300, 600], ""),
        ([45000, 45300, 45600], ""),
        ([NOON, NOON + 300.5], ""),
        ([math.nan], ""),
        ([20_000_000, 20_000_300], ""),
        ([NOON / 60, NOON / 60 + 5], "min"),
        ([46023, 46024], "excel"),
        ([46023.5, 46023.503472], "excel"),
        ([20260101, 20260102], "%Y%m%d"),
        ([2026010100, 2026010123], "%Y%m%d%H"),
        ([202601010005, 202601010010], "%Y%m%d%H%M"),
        ([20260101000500, 20260101001000], "%Y%m%d%H%M%S"),
        ([NOON * 1e3, NOON * 1e3 + 300], "ms"),
        ([NOON * 1e6] * 19 + [math.nan, 0], "us"),
        ([NOON * 1e6] * 8 + [0, 0], ""),
        ([NOON * 1e9], "ns"),
    ],
)
def test_numbers_that_are_hardly_seconds(times: list[float], other: str) -> None:
    """By the whole column; small numbers are seconds of a recording."""
    assert other_times(np.array(times, float)) == other


@pytest.mark.parametrize(
    ("text", "used"),
    [
        ("ms", "ms"),
        ("%d.%m.%Y %H:%M:%S.%f", "%d.%m.%Y %H:%M:%S"),
        ("%Y-%m-%dT%H:%M:%S.%fZ", "%Y-%m-%dT%H:%M:%S%z"),
        ("%D %I:%M %p", "%D %I:%M %p"),
        ("%Y-%m-%d %H:%M:%S %Z", None),
        ("%H:%M", None),
        ("%G-W%V-%u", None),
        ("%Y-%m-%d %H:%M %p", None),
        ("%Y-%m-%d %I:%M", None),
        ("dd.mm.yyyy", None),
    ],
)
def test_formats_of_dates(text: str, used: str | None) -> None:
    """What would be passed over, such as the name of a zone, is refused."""
    if used is None:
        with pytest.raises(InputError, match="--date-format: is not a format of dates"):
            date_format(text, place="--date-format")
    else:
        assert date_format(text, place="--date-format") == used


BERLIN, FIRST = ZoneInfo("Europe/Berlin"), 1698537600.0
"""2023-10-29 02:00 there, for the first time."""
YEAR = 31449600
"""Seconds from one such autumn to the next."""
TWICE = [-1800, 0, 1800, 0, 1800, 7200]
"""Half hours around it as `FIRST` has them, if each is of the first pass."""


@pytest.mark.parametrize(
    ("times", "group", "right"),
    [
        (TWICE, "aaaaaa", [-1800, 0, 1800, 3600, 5400, 7200]),
        (TWICE[::-1], "aaaaaa", [7200, 5400, 3600, 1800, 0, -1800]),
        ([-3600, 0, 0, 3600], "aaaa", [-3600, 0, 3600, 3600]),
        ([3600, 0, 0, -3600], "aaaa", [3600, 3600, 0, -3600]),
        ([0, 0, 0, 0], "abab", [0, 0, 3600, 3600]),
        ([0, 1800, 0, 0, 1800, 0], "aaabbb", [0, 1800, 3600, 0, 1800, 3600]),
        ([0, 1800, 3600], "aaa", [0, 1800, 3600]),
        ([0, YEAR], "aa", [0, YEAR]),
        ([0, 0, YEAR, YEAR], "aaaa", [0, 3600, YEAR, YEAR + 3600]),
        ([], "", []),
    ],
)
def test_an_hour_that_a_clock_has_twice(times: list[float], group: str, right: list[float]) -> None:
    """By the order of each, which may end with the earliest; what is there once is of the first pass."""
    groups = np.array([ord(each) for each in group], np.int32)
    found = with_second_passes(np.array(times, float) + FIRST, groups, BERLIN)
    assert (found - FIRST).tolist() == right


def test_an_hour_that_a_clock_has_twice_in_no_order() -> None:
    """It is refused; a clock of UTC has no such hour."""
    times = FIRST + np.array([0.0, 1800, 900, 1800, 900])
    with pytest.raises(InputError, match=r"clock had twice, in no order; found 2023-10-29T00:\d\d UTC"):
        with_second_passes(times, np.zeros(5, np.int32), BERLIN)
    assert with_second_passes(times, np.zeros(5, np.int32), ZoneInfo("UTC")) is times


@pytest.mark.parametrize(
    ("title", "found"),
    [
        ("timems", ("time", 1e-3)),
        ("timestampinmicroseconds", ("timestamp", 1e-6)),
        ("tns", ("t", 1e-9)),
        ("times", ("time", 1)),
        ("time", ("time", 1)),
    ],
)
def test_units_in_titles_of_times(title: str, found: tuple[str, float]) -> None:
    """Behind the name."""
    assert titled_unit(title) == found
