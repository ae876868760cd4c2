"""Values of columns."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.columns import Column, Kind, Style, convert

TIME, NUMBER, WHOLE = (Column("x", kind=kind) for kind in (Kind.TIME, Kind.NUMBER, Kind.INTEGER))
NOON = 1767268800.0
"""2026-01-01 12:00 UTC."""


def value(column: Column, text: str, style: Style | None = None) -> float | None:
    """One text as a value; None where it is wrong."""
    found = convert(column, pa.array([text, text]), style or Style())
    return None if found.wrong[0] else float(found.values[0])


@pytest.mark.parametrize(
    ("text", "style", "seconds"),
    [
        ("1767268800", Style(), NOON),
        (" 1767268800.25 ", Style(), NOON + 0.25),
        ("2026-01-01 12:00:00", Style(), NOON),
        ("2026/01/01 12:00:00", Style(), NOON),
        ("2026-01-01T12:00:00Z", Style(), NOON),
        ("2026-01-01 12:00:00.5", Style(), NOON + 0.5),
        ("2026-01-01T13:00:00+01:00", Style(), NOON),
        ("2026-01-01 13:00:00 +0100", Style(), NOON),
        ("2026-01-01 12:00:00 UTC", Style(), NOON),
        ("2026-01-01 12:00:00+00", Style(), NOON),
        ("2026-01-01T12:00:00.123456789Z", Style(), NOON + 0.123456),
        ("2026-01-01 12:00", Style(), NOON),
        ("2026-01-01", Style(), NOON - 43200),
        ("2026/1/1 0:05", Style(), NOON - 43200 + 300),
        ("2026-1-1 0:05:00", Style(), NOON - 43200 + 300),
        ("2026.01.01 12:00", Style(), NOON),
        ("20260101T120000Z", Style(), NOON),
        ("2026-01-01T12:00Z", Style(), NOON),
        ("2026-01-01 12:00:00,5", Style(), NOON + 0.5),
        ("46023.5", Style(dates="excel"), NOON),
        ("46023,5", Style(dates="excel", decimal=","), NOON),
        ("46023.5", Style(dates="excel", zone=ZoneInfo("Europe/Berlin")), NOON - 3600),
        ("202601011200", Style(dates="%Y%m%d%H%M"), NOON),
        ("2026-01-01T13:00:00.25+0100", Style(dates="%Y-%m-%dT%H:%M:%S%z"), NOON + 0.25),
        ("2026-01-01 13:00:00", Style(zone=ZoneInfo("Europe/Berlin")), NOON),
        ("01.01.2026 12:00:00", Style(dates="%d.%m.%Y %H:%M:%S"), NOON),
        ("01.01.2026 12:00:00,5", Style(dates="%d.%m.%Y %H:%M:%S"), NOON + 0.5),
        ("1/13/2026 12:00", Style(dates="%m/%d/%Y %H:%M"), NOON + 12 * 86400),
        ("1767268800000", Style(dates="ms"), NOON),
        ("1/2/2026 12:00:00", Style(), None),
        ("13.13.2026 12:00:00", Style(dates="%d.%m.%Y %H:%M:%S"), None),
        ("2026-13-01 12:00:00", Style(), None),
        ("1767268800000", Style(), None),
        ("202601011200", Style(), None),
        ("01.01.26 12:00", Style(dates="%d.%m.%Y %H:%M"), None),
        ("01.02.2026", Style(), None),
        ("noon", Style(), None),
        ("", Style(), None),
        ("nan", Style(), None),
    ],
)
def test_times(text: str, style: Style, seconds: float | None) -> None:
    """Seconds, dates with the year first, or as the format has it; nothing is guessed."""
    assert value(TIME, text, style) == seconds


def test_one_date_that_is_not_one_leaves_the_others_alone() -> None:
    """Each is read by itself then."""
    found = convert(TIME, pa.array(["2026-01-01 12:00:00", "2026-02-30 12:00:00", "5"]), Style())
    assert found.wrong.tolist() == [False, True, False]
    assert found.values[[0, 2]].tolist() == [NOON, 5.0]


@pytest.mark.parametrize(
    ("text", "decimal", "number"),
    [
        ("1.5", ".", 1.5),
        (" -2e3 ", ".", -2000.0),
        ("1,5", ",", 1.5),
        ("1,5", ".", None),
        ("1.234", ",", None),
        ("1.234,5", ",", None),
        ("5 %", ".", None),
        ("inf", ".", None),
        ("1e400", ".", None),
        ("0x10", ".", None),
        ("1_000", ".", None),
        ("", ".", None),
        ("N/A", ".", None),
    ],
)
def test_numbers(text: str, decimal: str, number: float | None) -> None:
    """Plain ones alone; a missing one is wrong unless the column may be empty."""
    assert value(NUMBER, text, Style(decimal=decimal)) == number


@pytest.mark.parametrize("text", ["", "NaN", "null", "\\N", "-", "n/a"])
def test_a_value_may_be_missing(text: str) -> None:
    """NaN stands for it then."""
    found = convert(Column("x", kind=Kind.NUMBER, empty=True), pa.array([text, "1"]), Style())
    assert found.wrong.tolist() == [False, False]
    assert math.isnan(found.values[0])


def test_percent_signs_of_a_column() -> None:
    """They are no part of its numbers; among them a number without one may be a share."""
    column = Column("x", kind=Kind.NUMBER, empty=True, percent=True)
    found = convert(column, pa.array(["12.5%", "12.5 % ", "0.125", "", "x%"]), Style())
    assert found.wrong.tolist() == [False, False, True, False, True]
    assert found.values[:2].tolist() == [12.5, 12.5]


def test_ranges_are_in_the_unit_of_the_column() -> None:
    """Before it becomes the base unit."""
    column = Column("size", kind=Kind.INTEGER, unit=512, least=1, most=8)
    found = convert(column, pa.array(["0", "1", "8", "9", "1.0", "1.5", "x", "-1"]), Style())
    assert found.wrong.tolist() == [True, False, False, True, False, True, True, True]
    assert found.values[[1, 2, 4]].tolist() == [512, 4096, 512]
    share = convert(Column("x", kind=Kind.NUMBER, unit=0.01, most=100), pa.array(["50", "101"]), Style())
    assert (share.values[0], share.wrong.tolist()) == (0.5, [False, True])


@given(st.lists(st.integers(0, 10**18 - 1), min_size=1))
def test_whole_numbers_are_exact(numbers: list[int]) -> None:
    """Beyond what a float holds, too."""
    found = convert(WHOLE, pa.array([str(number) for number in numbers]), Style())
    assert (found.values.tolist(), found.wrong.any()) == (numbers, np.False_)


@given(st.datetimes(datetime(1970, 1, 1), datetime(2100, 1, 1)))
def test_dates_are_as_python_reads_them(moment: datetime) -> None:
    """In UTC, to the microsecond."""
    found = value(TIME, moment.isoformat(sep=" "))
    assert found == pytest.approx(moment.replace(tzinfo=UTC).timestamp(), abs=1e-6)


def test_values_that_have_types() -> None:
    """Of Parquet and JSON: numbers, stamps, and names that are numbers."""
    stamp = pa.array([datetime(2026, 1, 1, 12)], pa.timestamp("ms"))
    assert convert(TIME, stamp, Style(zone=ZoneInfo("Europe/Berlin"))).values.tolist() == [NOON - 3600]
    for kind in (pa.large_string(), pa.dictionary(pa.int32(), pa.string())):
        text = pa.array(["2026-01-01 12:00"]).cast(kind)
        assert convert(TIME, text, Style()).values.tolist() == [NOON]
    assert convert(NUMBER, pa.array([1, 2]), Style()).values.tolist() == [1.0, 2.0]
    assert convert(WHOLE, pa.array([1.0, 2.5]), Style()).wrong.tolist() == [False, True]
    assert convert(Column("x"), pa.array([7, None]), Style()).wrong.tolist() == [False, True]
    assert convert(NUMBER, pa.array([b"x"]), Style()).wrong.tolist() == [True]


def test_cells_with_and_without_percent_signs() -> None:
    """0 is the same of both; another number without the sign may be a share."""
    column = Column("cpu", kind=Kind.NUMBER, empty=True, percent=True)
    found = convert(column, pa.array(["12%", "0", "0.0", "100 %", "0.5", "10"]), Style())
    assert found.values[:4].tolist() == [12.0, 0.0, 0.0, 100.0]
    assert found.wrong.tolist() == [False] * 4 + [True] * 2


def test_markers_of_missing_values() -> None:
    """As round-robin databases, spreadsheets and SQL write them."""
    found = convert(
        Column("cpu", kind=Kind.NUMBER, empty=True),
        pa.array(["-nan", "No Data", "--", "#N/A", "NULL"]),
        Style(),
    )
    assert np.isnan(found.values).all()
    assert not found.wrong.any()


def test_whole_numbers() -> None:
    """An empty cell is 0 where it may be; above 2^53 floats do not hold each, and digits alone are exact."""
    empty = Column("n", kind=Kind.INTEGER, empty=True)
    assert convert(empty, pa.array(["", "5", "null"]), Style()).values.tolist() == [0, 5, 0]
    texts = pa.array(["5.0", "9007199254740992.0", "9007199254740994.0", "1e16", "5.5"])
    assert convert(WHOLE, texts, Style()).wrong.tolist() == [False, False, True, True, True]
    assert convert(WHOLE, pa.array(["9007199254740993"]), Style()).values.tolist() == [2**53 + 1]
