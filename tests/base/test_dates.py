"""Times as tables have them; how texts become times is in `test_columns.py`."""

from __future__ import annotations

import math

import numpy as np
import pytest

from froude.base.dates import date_format, other_times
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
        ([46023, 46024], "excel"),
        ([46023.5, 46023.503472], "excel"),
        ([20260101, 20260102], "%Y%m%d"),
        ([2026010100, 2026010123], "%Y%m%d%H"),
        ([202601010005, 202601010010], "%Y%m%d%H%M"),
        ([20260101000500, 20260101001000], "%Y%m%d%H%M%S"),
        ([NOON * 1e3, NOON * 1e3 + 300], "ms"),
        ([NOON * 1e6] * 19 + [math.nan, 0], "us"),
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
