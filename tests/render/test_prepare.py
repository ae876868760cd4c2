"""What of a chart is shown, and what is said of the rest."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.render import Axis, Chart, ChartKind, Mark, Series, ValueKind
from froude.render.prepare import covers, prepare, reduce_series
from froude.render.vegalite import panel_spec

TIMES = [0.0, 1.0, 2.0, 3.0]
SECONDS = Axis("time", ValueKind.DURATION)
CALLS = Axis("calls", unit="calls")
LATENCY = Axis("latency", ValueKind.DURATION, log=True)


def chart(
    *series: Series, y: Axis = CALLS, kind: ChartKind = ChartKind.LINE, marks: tuple[Mark, ...] = ()
) -> Chart:
    """A chart over seconds."""
    return Chart("t", SECONDS, y, series, kind, marks)


def test_long_series_is_thinned_and_says_so() -> None:
    """10,000 points become what a page can show; the one peak stays; the note counts both."""
    ys = [1.0] * 10_000
    ys[7_777] = 50.0
    shown = prepare(chart(Series("a", [float(i) for i in range(10_000)], ys)))
    (series,) = shown.panels[0].series
    assert series.points_total == 10_000
    assert len(series.xs) <= 802
    assert 50.0 in series.ys
    (note,) = shown.notes
    assert note.startswith(f"Thinned for display: {len(series.xs):,} of 10,000 points;")


def test_values_without_a_place_are_counted() -> None:
    """Zeros have no place on a log axis, NaN nowhere: both leave gaps and are counted."""
    shown = prepare(chart(Series("a", [0.0, 1.0, 2.0, 3.0], [0.0, 0.1, math.nan, math.inf]), y=LATENCY))
    assert shown.panels[0].series[0].ys == (None, 0.1, None, None)
    assert shown.y_range == (0.1, 1.0)
    assert len(shown.notes) == 2
    assert shown.notes[0].startswith("1 value of zero or less")
    assert shown.notes[1].startswith("2 values missing")


def test_nothing_to_show() -> None:
    """A chart of gaps has no panel, and no range."""
    shown = prepare(chart(Series("a", [0.0], [math.nan]), Series("b", [], [])))
    assert shown.panels == ()
    assert shown.x_range is None
    assert shown.y_range is None


def test_panels_share_ranges_and_colours() -> None:
    """A name has one colour everywhere; a dashed series takes the colour of the one it belongs to."""
    shown = prepare(
        chart(
            Series("p50", [0.0, 1.0], [1.0, 2.0], panel="create"),
            Series("p99", [0.0, 1.0], [3.0, 9.0], panel="create"),
            Series("p99 (from actual send)", [0.0, 2.0], [3.0, 4.0], panel="create", dashed=True),
            Series("p99", [0.0, 1.0], [5.0, 6.0], panel="delete"),
            marks=(Mark(20.0, "limit", on="y"),),
        )
    )
    assert [panel.title for panel in shown.panels] == ["create", "delete"]
    assert [series.colour for panel in shown.panels for series in panel.series] == [0, 1, 1, 1]
    assert shown.x_range == (0.0, 2.0)
    assert shown.y_range == (0.0, 20.0)


def test_areas_stack() -> None:
    """The range of stacked areas is that of their sum."""
    shown = prepare(
        chart(Series("a", [0.0, 1.0], [1.0, 2.0]), Series("b", [0.0, 1.0], [3.0, 4.0]), kind=ChartKind.AREA)
    )
    assert shown.y_range == (0.0, 6.0)


def test_ranges_are_never_empty() -> None:
    """One point, or a constant of zero, still has a range to stand in."""
    assert prepare(chart(Series("a", [5.0], [0.0]))).x_range == (4.5, 5.5)
    assert prepare(chart(Series("a", [5.0], [0.0]))).y_range == (0.0, 1.0)
    assert prepare(chart(Series("a", [5.0], [2.0]), y=LATENCY)).y_range == (2.0, 20.0)


def test_an_axis_may_show_more_than_its_values() -> None:
    """So that charts beside one another begin and end at the same time."""
    wide = Axis("time", ValueKind.DURATION, extent=(0.0, 10.0))
    shown = prepare(Chart("t", wide, CALLS, (Series("a", [4.0, 6.0], [1.0, 2.0]),)))
    assert shown.x_range == (0.0, 10.0)


def test_loads_that_double_stand_as_far_apart() -> None:
    """On a logarithmic axis, with room at both ends; a place of zero or less is left out and counted."""
    loads = Axis("load", unit="clients", log=True)
    shown = prepare(
        Chart("t", loads, CALLS, (Series("a", [0.0, 1.0, 1024.0], [1.0, 2.0, 3.0]),), ChartKind.POINTS)
    )
    assert shown.panels[0].series[0].xs == (1.0, 1024.0)
    assert shown.x_range is not None
    low, high = shown.x_range
    assert (0.5 < low < 1, 1024 < high < 2048) == (True, True)
    assert shown.notes[0].startswith("1 value of zero or less")


def test_no_point_stands_on_the_frame() -> None:
    """Points have room on both sides, not below zero; an extent that is given stays."""
    points = (Series("a", [0.0, 100.0], [1.0, 2.0]),)
    assert prepare(Chart("t", CALLS, CALLS, points, ChartKind.POINTS)).x_range == (0.0, 103.0)
    fixed = Axis("calls", unit="calls", extent=(0.0, 100.0))
    assert prepare(Chart("t", fixed, CALLS, points, ChartKind.POINTS)).x_range == (0.0, 100.0)


def test_a_thing_has_one_colour_in_several_charts() -> None:
    """Where one is given, the dashed series beside it takes it, too."""
    series = (
        Series("addBlock", [0.0], [1.0], colour=4),
        Series("addBlock (sent)", [0.0], [1.0], dashed=True),
    )
    assert [each.colour for each in prepare(chart(*series)).panels[0].series] == [4, 4]


def test_short_series_is_whole() -> None:
    """Nothing is thinned that fits; values that are not finite become gaps."""
    assert reduce_series([0, 1, 2], [1.0, math.nan, None]) == ([0, 1, 2], [1.0, None, None])


@given(st.lists(st.floats(-1e9, 1e9), min_size=50, max_size=400), st.integers(4, 40))
def test_extremes_and_ends_survive(ys: list[float], limit: int) -> None:
    """First, last, lowest and highest value are kept, places ascend, and the size is bounded."""
    xs = [float(i) for i in range(len(ys))]
    kept_xs, kept_ys = reduce_series(xs, ys, limit)
    assert kept_xs[0] == xs[0]
    assert kept_xs[-1] == xs[-1]
    assert min(kept_ys) == min(ys)  # type: ignore[type-var]
    assert max(kept_ys) == max(ys)  # type: ignore[type-var]
    assert kept_xs == sorted(set(kept_xs))
    assert len(kept_xs) <= limit + 2
    assert all(ys[int(x)] == y for x, y in zip(kept_xs, kept_ys, strict=True))


def test_gap_in_the_middle_survives() -> None:
    """A hole in the measurements stays a hole."""
    ys = [1.0] * 4000 + [math.nan] * 500 + [2.0] * 5500
    xs = [float(i) for i in range(10_000)]
    kept_xs, kept_ys = reduce_series(xs, ys, 100)
    holes = [x for x, y in zip(kept_xs, kept_ys, strict=True) if y is None]
    assert holes
    assert all(4000 <= x < 4500 for x in holes)


def _chart(*ys: list[float], dashed: bool = False, log: bool = False) -> Chart:
    series = tuple(
        Series(f"s{number}", TIMES, values, dashed=dashed and number > 0) for number, values in enumerate(ys)
    )
    return Chart("t", Axis("time", ValueKind.DURATION), Axis("y", ValueKind.DURATION, log=log), series)


def _covered(chart: Chart) -> list[int]:
    shown = prepare(chart)
    return covers(shown.panels[0], shown.y_range, log=chart.y.log)


def test_a_line_under_another_is_wider() -> None:
    """By as much for each that covers it; the last one is never covered."""
    chart = _chart([5.0] * 4, [5.0, 5.0, 9.0, 9.0], [5.0] * 4)
    assert _covered(chart) == [2, 1, 0]
    shown = prepare(chart)
    (line,) = (
        layer
        for layer in panel_spec(chart, shown, shown.panels[0])["layer"]
        if layer["mark"]["type"] == "line"
    )
    assert line["encoding"]["strokeWidth"]["scale"]["range"] == [8, 5, 2]


def test_lines_apart_are_as_usual() -> None:
    """Also those that cross once."""
    assert _covered(_chart([1.0, 2.0, 3.0, 9.0], [4.0, 3.0, 3.0, 1.0])) == [0, 0]


def test_a_dashed_line_covers_none() -> None:
    """What is below shows between its dashes."""
    assert _covered(_chart([5.0] * 4, [5.0] * 4, dashed=True)) == [0, 0]


@pytest.mark.parametrize(("log", "covered"), [(True, [0, 0]), (False, [1, 0])])
def test_what_is_near_is_seen_on_the_axis(log: bool, covered: list[int]) -> None:
    """1 ms and 10 ms are far apart on a logarithmic axis that ends at 10 s, and one line on another."""
    assert _covered(_chart([0.001] * 3 + [10.0], [0.01] * 3 + [10.0], log=log)) == covered
