"""Dates as moments: zones, hours that the clock has twice or not at all, formats of dates."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.trace.audit.times import Fold, date_reader, second_passes, to_utc

BERLIN = ZoneInfo("Europe/Berlin")
HOUR_US = 3_600_000_000
BACK_US = int(datetime(2026, 10, 25, 1, tzinfo=UTC).timestamp()) * 1_000_000
"""When clocks in Berlin went from 3 back to 2."""


def local(utc_us: int) -> int:
    """What the clock in Berlin shows, as microseconds."""
    moment = datetime.fromtimestamp(utc_us // 1_000_000, BERLIN).replace(tzinfo=UTC)
    return int(moment.timestamp()) * 1_000_000 + utc_us % 1_000_000


def folds_of(*runs: list[int]) -> list[Fold]:
    """Of pieces of a log."""
    return [to_utc(np.array([local(each) for each in run]), BERLIN)[1] for run in runs]


@given(st.integers(0, 4_000_000_000), st.integers(1, 2_000_000), st.integers(2, 40))
def test_a_log_in_order_is_read_as_it_was(begin_s: int, step_ms: int, count: int) -> None:
    """Whatever the clock did meanwhile, unless the log has no line in the first pass that is seen to fall back."""
    utc = begin_s * 1_000_000 + np.arange(count) * step_ms * 1000
    shown = np.array([local(int(each)) for each in utc])
    found, fold = to_utc(shown, BERLIN)
    wrong = found != utc
    assert not wrong.any() or not fold.decided or step_ms > 1_500_000


def test_the_hour_that_is_there_twice() -> None:
    """Its second pass begins where times fall back."""
    utc = np.array([BACK_US + minutes * 60_000_000 for minutes in (-90, -30, -1, 0, 30, 59, 61)])
    found, fold = to_utc(np.array([local(int(each)) for each in utc]), BERLIN)
    assert found.tolist() == utc.tolist()
    assert (fold.lines, fold.decided, fold.shift_us) == (5, True, HOUR_US)


def test_the_hour_that_is_not_there() -> None:
    """A clock that shows it was not put forward yet."""
    shown = np.array([int(datetime(2026, 3, 29, 2, 30, tzinfo=UTC).timestamp()) * 1_000_000])
    found, fold = to_utc(shown, BERLIN)
    assert (shown - found)[0] == HOUR_US
    assert fold.lines == 0


def test_pieces_of_a_repeated_hour_know_each_other() -> None:
    """A piece that has only the second pass is told by those before it; the next autumn begins anew."""
    minute = 60_000_000
    first = [BACK_US - 40 * minute, BACK_US - 10 * minute]
    second = [BACK_US + 5 * minute, BACK_US + 10 * minute]
    later = [BACK_US + 20 * minute]
    assert second_passes(folds_of(first, second, later)) == [False, True, True]
    assert second_passes(folds_of([*first, *second], later)) == [False, True]
    assert second_passes(folds_of(first, [BACK_US - 5 * minute])) == [False, False]
    year = round(timedelta(days=364) / timedelta(microseconds=1))
    assert second_passes(folds_of(first, second, [BACK_US + year - 10 * minute])) == [False, True, False]
    assert second_passes([Fold(), Fold()]) == [False, False]


def test_utc_needs_nothing() -> None:
    """Neither do no lines."""
    assert to_utc(np.array([7]), UTC)[0].tolist() == [7]
    assert to_utc(np.array([], np.int64), BERLIN)[0].tolist() == []


@pytest.mark.parametrize(
    ("pattern", "text", "micros", "utc"),
    [
        ("yyyy-MM-dd HH:mm:ss,SSS", "1970-01-02 00:00:01,010", 86_401_010_000, False),
        ("dd/MMM/yyyy:HH:mm:ss Z", "02/Jan/1970:01:30:00 +0130", 86_400_000_000, True),
        ("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "1970-01-01T00:00:00.500Z", 500_000, True),
        ("yyyy''MM''dd HHmmss", "1970'01'01 000002", 2_000_000, False),
        ("d/M/yyyy H:mm:ss", "2/1/1970 3:00:00", 97_200_000_000, False),
        ("yyyy-MM-dd %HH:mm:ss", "1970-01-01 %00:00:01", 1_000_000, False),
        ("epoch-ms", "1500", 1_500_000, True),
        ("yy/MM/dd HH:mm:ss", "70/01/01 00:00:01", 1_000_000, False),
    ],
)
def test_formats(pattern: str, text: str, micros: int, utc: bool) -> None:
    """As SimpleDateFormat has them."""
    assert date_reader(pattern)(text) == (micros, utc)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("yyyy-MM-dd HH:mm:ss", "1970-02-30 00:00:00"),
        ("yyyy-MM-dd HH:mm:ss", "today"),
        ("epoch-ms", "\u0663"),
    ],
)
def test_texts_that_are_no_dates(text: str, pattern: str) -> None:
    """Are refused with the format."""
    with pytest.raises(InputError, match="is no such date"):
        date_reader(pattern)(text)


@pytest.mark.parametrize("pattern", ["yyyy-MM-dd hh:mm:ss", "HH:mm:ss", "yyyy yyyy-MM-dd HH:mm:ss"])
def test_formats_that_tell_no_moment(pattern: str) -> None:
    """Twelve hours without a half of the day, no day, a part twice."""
    with pytest.raises(InputError, match="--date-format: "):
        date_reader(pattern)
