"""The values refuse what could not be shown honestly."""

import math

import pytest

from froude.render import Axis, Chart, ChartKind, Column, KeyFigure, Mark, Series, Table, TableOf, ValueKind

CALLS = Axis("calls", unit="calls")


def test_axis_without_unit_is_refused() -> None:
    """A plain number on an axis must say what it counts."""
    with pytest.raises(ValueError, match="no unit"):
        Axis("calls")
    with pytest.raises(ValueError, match="no axis"):
        Axis("aim", ValueKind.MET)


def test_table_rows_must_fit_columns() -> None:
    """A row with a cell too many is a mistake of the caller, named by its number."""
    with pytest.raises(ValueError, match="row 1 has 2 cells for 1 columns"):
        Table((Column("a"),), [("x",), ("x", "y")])
    with pytest.raises(ValueError, match="at least one column"):
        Table((), [])


def test_a_table_of_items() -> None:
    """A column after the other, each with what it shows of an item; a table that is begun can be gone on with twice."""
    begun = TableOf[int]().number("Number", lambda item: item, "x")
    first = begun.words("Word", str).words("Even", lambda item: item % 2 == 0).of([1, 2], "Items")
    assert [(column.title, column.unit) for column in first.columns] == [
        ("Number", "x"),
        ("Word", ""),
        ("Even", ""),
    ]
    assert first.rows == [(1, "1", False), (2, "2", True)]
    second = begun.share("Half", lambda item: item / 2).of([], "None", empty="Nothing.")
    assert (len(second.columns), second.rows, second.empty) == (2, [], "Nothing.")


def test_series_must_be_of_one_length() -> None:
    """As many values as places."""
    with pytest.raises(ValueError, match="2 xs and 1 ys"):
        Series("a", [1.0, 2.0], [1.0])


def test_intervals_have_two_ends() -> None:
    """One of each for every value; a chart of intervals has them."""
    with pytest.raises(ValueError, match="has not two ends"):
        Series("a", ["x"], [1.0], low=[0.5])
    with pytest.raises(ValueError, match="has no intervals"):
        Chart("t", Axis("m", ValueKind.TEXT), CALLS, (Series("a", ["x"], [1.0]),), ChartKind.INTERVALS)


def test_categories_are_for_bars() -> None:
    """Words have no place on a numeric axis."""
    series = (Series("a", ["x"], [1.0]),)
    with pytest.raises(ValueError, match="only bars"):
        Chart("t", CALLS, CALLS, series)
    assert Chart("t", Axis("method", ValueKind.TEXT), CALLS, series, ChartKind.BARS).series == series


def test_mark_is_on_an_axis() -> None:
    """A mark stands on x or y."""
    with pytest.raises(ValueError, match="'x' or 'y'"):
        Mark(1.0, "m", on="z")


@pytest.mark.parametrize(
    ("value", "aim", "at_most", "met"),
    [
        (0.99, 0.99, False, True),
        (0.98, 0.99, False, False),
        (0.1, 0.3, True, True),
        (0.31, 0.3, True, False),
        (None, 1.0, False, None),
        ("none", 1.0, False, None),
        (math.nan, 1.0, False, None),
        (math.inf, 1.0, True, False),
        (5, None, False, None),
    ],
)
def test_key_figure_met(
    value: float | str | None, aim: float | None, at_most: bool, met: bool | None
) -> None:
    """Whether an aim is met follows from the numbers; what is no number meets and misses nothing."""
    assert KeyFigure("f", value, aim=aim, at_most=at_most).met is met
