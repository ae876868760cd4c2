"""Specifications carry their data, their units, and nothing that a string could turn into code."""

import json
from typing import Any

import pytest
import vl_convert

from froude.render import Axis, Chart, ChartKind, Mark, Series, ValueKind
from froude.render.axes import axis_title
from froude.render.prepare import prepare
from froude.render.vegalite import panel_spec

from .sample import report

SECONDS = Axis("time", ValueKind.DURATION)


def specs(chart: Chart) -> list[dict[str, Any]]:
    """One specification a panel."""
    shown = prepare(chart)
    return [panel_spec(chart, shown, panel, width=300) for panel in shown.panels]


@pytest.mark.parametrize("kind", ChartKind)
def test_every_kind_compiles(kind: ChartKind) -> None:
    """Vega-Lite accepts what is made of every kind of chart, marks and dashes included."""
    bars = kind in {ChartKind.BARS, ChartKind.INTERVALS}
    ends: dict[str, Any] = {"low": [1e6, 1e6], "high": [4e6, 4e6]} if kind is ChartKind.INTERVALS else {}
    xs: list[Any] = ["a", "b"] if bars else [0.0, 1.0]
    chart = Chart(
        "t",
        Axis("method", ValueKind.TEXT) if bars else SECONDS,
        Axis("size", ValueKind.BYTES),
        (Series("one", xs, [1e6, None], **ends), Series("one (again)", xs, [2e6, 3e6], dashed=True, **ends)),
        kind,
        (Mark(0.5, "now"), Mark(0.2, "span", until=0.4), Mark(2e6, "limit", on="y")),
    )
    (spec,) = specs(chart)
    assert vl_convert.vegalite_to_vega(spec)["marks"]
    assert len(spec["data"]["values"]) == 4


def test_an_interval_is_drawn_from_end_to_end() -> None:
    """Its value as a point on it; the axis holds every end, and rows stand in the order given."""
    series = (
        Series("worse", ["p99", "mean"], [10.0, 4.0], low=[5.0, 1.0], high=[20.0, 7.0]),
        Series("better", ["p50"], [-3.0], low=[-9.0], high=[-1.0]),
    )
    chart = Chart("t", Axis("m", ValueKind.TEXT), Axis("change", unit="%"), series, ChartKind.INTERVALS)
    (spec,) = specs(chart)
    line, point = spec["layer"]
    assert [(row["x"], row["low"], row["high"]) for row in line["data"]["values"]] == [
        ("p99", 5.0, 20.0),
        ("mean", 1.0, 7.0),
        ("p50", -9.0, -1.0),
    ]
    assert line["encoding"]["y"]["scale"]["domain"] == ["p99", "mean", "p50"]
    assert line["encoding"]["x"]["scale"]["domain"] == [-9.0, 20.0]
    assert [row["y"] for row in spec["data"]["values"]] == [10.0, 4.0, -3.0]
    assert point["mark"]["type"] == "point"
    assert "p99" in vl_convert.vegalite_to_svg(spec)


def test_units_stand_at_every_axis() -> None:
    """Plain numbers name their unit in the title; other kinds carry it at their ticks."""
    assert axis_title(Axis("throughput", unit="calls/s")) == "throughput, calls/s"
    assert axis_title(Axis("calls", unit="calls")) == "calls"
    assert axis_title(Axis("latency", ValueKind.DURATION, log=True)) == "latency, log scale"
    (spec,) = specs(
        Chart("t", SECONDS, Axis("l", ValueKind.DURATION), (Series("a", [0.0, 9.0], [0.002, 0.004]),))
    )
    encoding = spec["layer"][0]["encoding"]
    assert encoding["y"]["axis"]["labelExpr"].endswith("ms'")
    assert encoding["x"]["axis"]["labelExpr"].endswith("s'")


def test_ticks_are_drawn_with_units() -> None:
    """What is drawn in the end: seconds below, milliseconds at the left."""
    chart = Chart("t", SECONDS, Axis("l", ValueKind.DURATION), (Series("a", [0.0, 9.0], [0.002, 0.004]),))
    text = vl_convert.vegalite_to_svg(specs(chart)[0])
    assert "4\u202fms" in text
    assert "8\u202fs" in text


def test_hostile_unit_stays_text() -> None:
    """A unit cannot end the expression it stands in."""
    chart = Chart("t", SECONDS, Axis("l", unit="'); alert(1); ('"), (Series("a", [0.0, 1.0], [1.0, 2.0]),))
    (spec,) = specs(chart)
    calculations = json.dumps([layer.get("transform") for layer in spec["layer"]])
    assert "alert(1)" not in calculations
    assert vl_convert.vegalite_to_svg(spec)


def test_line_separators_break_no_expression() -> None:
    """Names with control characters and line separators still compile and evaluate."""
    bad = 'a\u2028b\n"c\x00'
    chart = Chart(
        "t",
        Axis(bad, ValueKind.DURATION),
        Axis(bad, unit=bad),
        (Series(bad, [0.0, 1.0], [1.0, 2.0]),),
        marks=(Mark(0, bad),),
    )
    (spec,) = specs(chart)
    assert not set("\u2028\n\x00") & set(json.dumps(spec, ensure_ascii=False))
    assert "b" in vl_convert.vegalite_to_svg(spec)


def test_sample_shows_its_points() -> None:
    """The specification's data are the prepared points, neither more nor fewer."""
    charts = [block for section in report().sections for block in section.blocks if isinstance(block, Chart)]
    assert len(charts) == 5
    for chart in charts:
        shown = prepare(chart)
        for panel in shown.panels:
            rows = panel_spec(chart, shown, panel)["data"]["values"]
            expected = [y for series in panel.series for y in series.ys]
            assert [row["y"] for row in rows] == expected


def test_a_band_lies_between_a_line_and_its_bound() -> None:
    """Only where both have a value, in the line's colour; lines without a bound have none."""
    xs = [1.0, 2.0, 3.0]
    pair = (
        Series("cost", xs, [4.0, None, 6.0]),
        Series("cost (lower bound)", xs, [3.0, 4.0, 5.0], dashed=True),
    )
    chart = Chart(
        "t", SECONDS, Axis("cost", unit="$"), (*pair, Series("other", xs, [9.0, 9.0, 9.0])), band=True
    )
    (spec,) = specs(chart)
    (area,) = [layer for layer in spec["layer"] if layer["mark"]["type"] == "area"]
    assert area["data"]["values"] == [{"x": 1.0, "y": 4.0, "y2": 3.0}, {"x": 3.0, "y": 6.0, "y2": 5.0}]
    assert vl_convert.vegalite_to_vega(spec)["marks"]


def test_a_moment_beyond_what_is_shown_is_not_marked() -> None:
    """Its name would stand beside the chart."""
    series = (Series("a", [5.0, 9.0], [1.0, 2.0]),)
    (spec,) = specs(
        Chart("t", SECONDS, Axis("n", unit="calls"), series, marks=(Mark(2.0, "early"), Mark(7.0, "in")))
    )
    texts = [layer["mark"].get("text") for layer in spec["layer"] if layer["mark"]["type"] == "text"]
    assert texts == ["in"]


@pytest.mark.parametrize(("limit", "place"), [(1.0, -24), (0.9, -24), (0.5, -10)])
def test_the_name_of_a_limit_at_the_upper_end_does_not_touch_the_title(limit: float, place: int) -> None:
    """The title of the axis is above it; on a narrow page they are as long as the plot together."""
    series = (Series("a", [1.0, 2.0], [0.2, 1.0]),)
    duration = Axis("p99 of allocation", ValueKind.DURATION, log=True)
    (spec,) = specs(Chart("t", SECONDS, duration, series, marks=(Mark(limit, "p99 < 1 s", on="y"),)))
    places = [layer["encoding"]["y"].get("axis") for layer in spec["layer"] if "y" in layer["encoding"]]
    assert {axis["titleY"] for axis in places if axis} == {place}


def test_tooltips_read_the_row_of_the_nearest_point() -> None:
    """Vega-Lite's cells hold it one level deeper than the point does; a series is named where there are several."""
    one, two = Series("a", [0.0, 1.0], [1.0, 2.0]), Series("b", [0.0, 1.0], [1.0, 2.0])
    for series, named in (((one,), False), ((one, two), True)):
        (spec,) = specs(Chart("t", SECONDS, Axis("n", unit="calls"), series))
        (tip,) = [
            layer["encoding"]["tooltip"]["value"]["expr"]
            for layer in spec["layer"]
            if "tooltip" in layer["encoding"]
        ]
        assert "(datum.datum || datum).y" in tip
        assert ("(datum.datum || datum).s" in tip) is named


def test_points_that_no_line_joins_are_dots() -> None:
    """Between gaps, or alone."""
    (spec,) = specs(
        Chart(
            "t", SECONDS, Axis("n", unit="calls"), (Series("a", [0.0, 1.0, 2.0, 3.0], [1.0, None, 2.0, 3.0]),)
        )
    )
    assert [bool(row.get("alone")) for row in spec["data"]["values"]] == [True, False, False, False]


def test_points_below_others_are_larger() -> None:
    """Two methods at one place: the one that is drawn first shows around the other; one alone is as usual."""
    loads = Axis("answered", unit="calls/s")
    one, two = (Series(name, [1.0, 2.0], [3.0, 4.0]) for name in ("a", "b"))
    for series, sizes in (((one, two), [72, 36]), ((one,), None)):
        chart = Chart("t", loads, loads, series, ChartKind.POINTS)
        shown = prepare(chart)
        points = panel_spec(chart, shown, shown.panels[0], hover=False)["layer"][0]
        assert points["encoding"].get("size", {}).get("scale", {}).get("range") == sizes


def test_points_are_joined_through_the_median_of_each_place() -> None:
    """One line for all series, and it compiles."""
    loads = Axis("load", unit="clients")
    series = (Series("kept", [1.0, 1.0, 2.0], [3.0, 5.0, 4.0]), Series("broke", [4.0], [9.0]))
    for joined in (True, False):
        chart = Chart("t", loads, Axis("answered", unit="calls/s"), series, ChartKind.POINTS, joined=joined)
        (spec,) = specs(chart)
        lines = [layer for layer in spec["layer"] if layer["mark"]["type"] == "line"]
        assert [line["encoding"]["y"]["aggregate"] for line in lines] == ["median"] * joined
        assert all("color" not in line["encoding"] for line in lines)
        vl_convert.vegalite_to_svg(spec)
