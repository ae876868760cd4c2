"""A chart's panels as Vega-Lite specifications: plain dictionaries, read by tests and drawn elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from froude.render.axes import Spec, axis_title, placed, quoted, scale_and_ticks, written_expr
from froude.render.format import DASH, one_line, written
from froude.render.prepare import Panel, Shown, covers
from froude.render.theme import SANS, colour, series_colour
from froude.render.types import Chart, ChartKind, Mark, ValueKind

_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_DASH = [5, 4]
_LINES = {ChartKind.LINE, ChartKind.STEP}
_ROWS = {ChartKind.BARS, ChartKind.INTERVALS}
"""Drawn with a row for each category."""
_BAR = 18
_LETTER = 0.045
"""Room for a letter of a value at a bar's end, as a share of the bars: that of a telephone's width."""
_POINT = 36
"""Square pixels of a point."""
_WIDTH, _WIDER = 2, 3
"""Pixels of a line, and how many more it has for each line that covers it."""


def panel_spec(
    chart: Chart,
    shown: Shown,
    panel: Panel,
    *,
    width: int | str = "container",
    height: int = 240,
    hover: bool = True,
) -> Spec:
    """The specification of one panel.

    Args:
        width: pixels, or `container` to follow the page.
        height: pixels of the plot; bars take what their number needs.
        hover: whether points answer the pointer; a picture does without.

    Returns:
        A Vega-Lite 6 specification, complete with its data. The legend is the page's business.
    """
    bars = chart.kind in _ROWS
    if chart.kind is ChartKind.INTERVALS:
        layers = _interval_layers(chart, shown, panel)
    elif bars:
        layers = _bar_layers(chart, shown, panel)
    else:
        layers = _layers(chart, shown, panel, hover=hover)
    spec = {
        "$schema": _SCHEMA,
        "width": width,
        "height": _bars_height(panel) if bars else height,
        "autosize": {"type": "fit-x" if width == "container" else "pad", "contains": "padding"},
        "background": None,
        "data": {"values": list(_rows(chart, panel))},
        "layer": layers,
        "config": _config(),
    }
    return {name: _one_line(part) for name, part in spec.items()}


def _one_line(part: Any) -> Any:
    """The same without control characters and line separators, which would break Vega's expressions."""
    if isinstance(part, str):
        return one_line(part)
    if isinstance(part, dict):
        return {_one_line(name): _one_line(inner) for name, inner in part.items()}
    return [_one_line(inner) for inner in part] if isinstance(part, list) else part


def _rows(chart: Chart, panel: Panel) -> Iterator[Spec]:
    for number, series in enumerate(panel.series):
        alone = _alone(series.ys)
        for x, y, single in zip(series.xs, series.ys, alone, strict=True):
            place = x if isinstance(x, str) else placed(chart.x, x)
            row = {"x": place, "y": y, "s": series.name, "n": number}
            yield {**row, "alone": True} if single and chart.kind in _LINES else row


def _alone(ys: Sequence[float | None]) -> list[bool]:
    """Which points have no neighbour that a line could join them with."""
    gaps = [True, *(y is None for y in ys), True]
    return [not gaps[i] and gaps[i - 1] and gaps[i + 1] for i in range(1, len(gaps) - 1)]


def _layers(chart: Chart, shown: Shown, panel: Panel, *, hover: bool) -> list[Spec]:
    encoding = _encoding(chart, shown, panel)
    solid = {**encoding, "opacity": {"value": 0.75 if chart.kind is not ChartKind.LINE else 1}}
    if chart.kind is ChartKind.STEP:
        solid["opacity"] = {"value": 1}
    points = chart.kind is ChartKind.POINTS
    if (
        points and len(panel.series) > 1
    ):  # the first ones are drawn first: larger, they are seen below the others
        last = len(panel.series) - 1
        sizes = [_POINT * (1 + last - number) for number in range(last + 1)]
        solid["size"] = {
            "field": "n",
            "type": "nominal",
            "scale": {"domain": list(range(last + 1)), "range": sizes},
            "legend": None,
        }
    still = {"mark": {"type": "point", "filled": True, "size": _POINT}, "encoding": solid} if points else None
    main = still or {"mark": _mark(chart), "encoding": solid}
    over = [_hover(chart, panel, encoding)] if hover else []
    return [
        *_marks(chart, shown, under=True),
        *(_bands(panel, encoding) if chart.band else ()),
        *(_joined(encoding) if chart.joined else ()),
        main,
        *(_dots(encoding) if chart.kind in _LINES else ()),
        *over,
        *_marks(chart, shown, under=False),
    ]


def _bands(panel: Panel, encoding: Spec) -> Iterator[Spec]:
    """An area between each line and the dashed one of its colour."""
    for dashed in panel.series:
        for line in panel.series:
            if dashed.dashed and not line.dashed and (dashed.colour, dashed.xs) == (line.colour, line.xs):
                edges = zip(line.xs, line.ys, dashed.ys, strict=True)
                colour = series_colour(line.colour)
                yield {
                    "data": {
                        "values": [{"x": x, "y": y, "y2": y2} for x, y, y2 in edges if None not in {y, y2}]
                    },
                    "mark": {"type": "area", "opacity": 0.3, "color": colour, "clip": True},
                    "encoding": {"x": encoding["x"], "y": encoding["y"], "y2": {"field": "y2"}},
                }


def _joined(encoding: Spec) -> Iterator[Spec]:
    """A line from place to place, through the median of what was found there."""
    yield {
        "transform": [{"filter": "isValid(datum.y)"}],
        "mark": {"type": "line", "strokeWidth": 1, "color": colour("faint"), "clip": True},
        "encoding": {"x": encoding["x"], "y": {**encoding["y"], "aggregate": "median"}},
    }


def _dots(encoding: Spec) -> Iterator[Spec]:
    """Points that no line goes through would not be seen."""
    plain = {name: channel for name, channel in encoding.items() if name != "strokeDash"}
    yield {
        "transform": [{"filter": "datum.alone"}],
        "mark": {"type": "point", "filled": True, "size": 30, "opacity": 1, "clip": True},
        "encoding": plain,
    }


def _hover(chart: Chart, panel: Panel, encoding: Spec) -> Spec:
    """Points that show, with their values, only while the pointer is near."""
    near = {"type": "point", "nearest": True, "on": "pointerover", "clear": "pointerout"}
    shown = {"condition": {"param": "hover", "empty": False, "value": 1}, "value": 0}
    return {
        "transform": [{"filter": "isValid(datum.y)"}],
        "mark": {"type": "point", "filled": True, "size": 55},
        "params": [{"name": "hover", "select": near}],
        "encoding": {
            **encoding,
            "opacity": shown,
            "tooltip": _tooltip(chart, [series.name for series in panel.series]),
        },
    }


def _mark(chart: Chart) -> Spec:
    if chart.kind is ChartKind.AREA:
        return {"type": "area", "line": False}
    mark: Spec = {"type": "line", "strokeWidth": _WIDTH, "strokeJoin": "round", "clip": True}
    return mark | {"interpolate": "step-after"} if chart.kind is ChartKind.STEP else mark


def _encoding(chart: Chart, shown: Shown, panel: Panel) -> Spec:
    numbers = list(range(len(panel.series)))
    colours = [series_colour(series.colour) for series in panel.series]
    dashes = [_DASH if series.dashed else [1, 0] for series in panel.series]
    x_scale, x_ticks = scale_and_ticks(chart.x, shown.x_range, enclose=False, count=6)
    y_scale, y_ticks = scale_and_ticks(chart.y, shown.y_range, enclose=True, count=5)
    *_, top = y_scale.get("domain", [math.inf])
    named = any(mark.label and (mark.on == "x" or mark.at >= _TOP * top) for mark in chart.marks)
    # the axis titles stand level, above and below: read without turning the head, and no width lost
    encoding: Spec = {
        "x": {
            "field": "x",
            "type": "quantitative",
            "scale": x_scale,
            "axis": {
                "title": axis_title(chart.x),
                "grid": False,
                "labelFlush": True,
                **x_ticks,
            },
        },
        "y": {
            "field": "y",
            "type": "quantitative",
            "scale": y_scale,
            "axis": {
                "title": axis_title(chart.y),
                **_LEVEL,
                **({"titleY": _ABOVE_MARKS} if named else {}),
                **y_ticks,
            },
            "stack": "zero" if chart.kind is ChartKind.AREA else None,
        },
        "color": {
            "field": "n",
            "type": "nominal",
            "scale": {"domain": numbers, "range": colours},
            "legend": None,
        },
        "detail": {"field": "n", "type": "nominal"},
    }
    if chart.kind in _LINES and any(covered := covers(panel, shown.y_range, log=chart.y.log)):
        encoding["strokeWidth"] = {
            "field": "n",
            "type": "nominal",
            "scale": {"domain": numbers, "range": [_WIDTH + _WIDER * times for times in covered]},
            "legend": None,
        }
    if any(series.dashed for series in panel.series):
        encoding["strokeDash"] = {
            "field": "n",
            "type": "nominal",
            "scale": {"domain": numbers, "range": dashes},
            "legend": None,
        }
    return encoding


_ABOVE_MARKS = -24
"""Where the title of the y axis is when moments, or a limit at its upper end, are named right above the plot."""
_TOP = 0.9
"""Share of the upper end from which the name of a limit would touch the title."""
_LEVEL: Spec = {"titleAngle": 0, "titleAlign": "left", "titleAnchor": "end", "titleY": -10, "titleX": 0}


def _bar_layers(chart: Chart, shown: Shown, panel: Panel) -> list[Spec]:
    names = [series.name for series in panel.series]
    colours = [series_colour(series.colour) for series in panel.series]
    low, high = shown.y_range or (0.0, 1.0)
    texts = (written(y, chart.y.kind) for series in panel.series for y in series.ys if y is not None)
    room = (high - low) * max(0.16, _LETTER * max(map(len, texts), default=0))
    _, ticks = scale_and_ticks(chart.y, (low, high), enclose=False, count=4)
    encoding: Spec = {
        "y": {
            "field": "x",
            "type": "nominal",
            "sort": None,
            "axis": {"title": None, "labelLimit": 240, "domain": False, "ticks": False, "labelPadding": 8},
            "scale": {"paddingInner": 0.3, "paddingOuter": 0.15},
        },
        "yOffset": {"field": "s", "sort": names},
        "x": {
            "field": "y",
            "type": "quantitative",
            # room for the longest value written at a bar's end, on the left too where bars go there
            "scale": {"domain": [low - room * (low < 0), high + room], "nice": False, "zero": True},
            "axis": {"title": axis_title(chart.y), **ticks},
        },
    }
    # the axis names the unit of a plain number once; durations and sizes carry theirs
    value = written_expr(chart.y, "datum.y", unit=chart.y.kind is not ValueKind.NUMBER)
    text = [{"calculate": f"isValid(datum.y) ? {value} : '{DASH}'", "as": "yt"}]
    colour = {"field": "s", "type": "nominal", "scale": {"domain": names, "range": colours}, "legend": None}
    return [
        {
            "transform": text,
            "mark": {"type": "bar", "cornerRadiusEnd": 2, "height": {"band": 0.92}},
            "encoding": {**encoding, "color": colour, "tooltip": _tooltip(chart, names)},
        },
        _bar_text(text, encoding, "!(datum.y < 0)", "left"),
        *([_bar_text(text, encoding, "datum.y < 0", "right")] if low < 0 else []),
        *(_limit(mark.at, mark.label, "x") for mark in chart.marks if mark.on == "y"),
    ]


def _interval_layers(chart: Chart, shown: Shown, panel: Panel) -> list[Spec]:
    """A line from end to end of each interval, its value as a point on it, and the marks."""
    names = [series.name for series in panel.series]
    colours = [series_colour(series.colour) for series in panel.series]
    scale, ticks = scale_and_ticks(chart.y, shown.y_range, enclose=False, count=6)
    axis = {"title": axis_title(chart.y), **ticks}
    rows = {
        "field": "x",
        "type": "nominal",
        "sort": None,
        "axis": {"title": None, "labelLimit": 240, "domain": False, "ticks": False, "labelPadding": 8},
    }
    places = list(dict.fromkeys(x for series in panel.series for x in series.xs))
    encoding: Spec = {
        # A place has one row, in the order given, also where its series is drawn later than others.
        "y": {**rows, "scale": {"domain": places, "padding": 0.5}},
        "color": {
            "field": "s", "type": "nominal", "scale": {"domain": names, "range": colours}, "legend": None,
        },
        "tooltip": _tooltip(chart, names),
    }  # fmt: skip
    ends = [
        {"x": x, "y": y, "s": series.name, "low": low, "high": high}
        for series in panel.series
        for x, y, (low, high) in zip(series.xs, series.ys, series.ends, strict=True)
    ]
    along = {"type": "quantitative", "scale": scale, "axis": axis}
    return [
        *(_limit(mark.at, mark.label, "x") for mark in chart.marks if mark.on == "y"),
        {
            "data": {"values": ends},
            "mark": {"type": "rule", "strokeWidth": 2.5, "clip": True},
            "encoding": {**encoding, "x": {**along, "field": "low"}, "x2": {"field": "high"}},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1, "clip": True},
            "encoding": {**encoding, "x": {**along, "field": "y"}},
        },
    ]


def _bar_text(text: list[Spec], encoding: Spec, which: str, align: str) -> Spec:
    """The values at the ends of the bars that go one way."""
    dx = 5 if align == "left" else -5
    return {
        "transform": [{"filter": which}, *text],
        "mark": {"type": "text", "align": align, "dx": dx, "fontSize": 11, "color": colour("soft")},
        "encoding": {**encoding, "text": {"field": "yt", "type": "nominal"}},
    }


def _bars_height(panel: Panel) -> int:
    categories = len({x for series in panel.series for x in series.xs})
    return max(1, categories) * (len(panel.series) * _BAR + 12)


def _marks(chart: Chart, shown: Shown, *, under: bool) -> Iterator[Spec]:
    """Spans lie under the lines, rules and their names above them."""
    low, high = shown.x_range or (-math.inf, math.inf)
    for mark in chart.marks:
        if mark.on == "x" and not low <= mark.at <= high:
            continue
        if mark.on == "x" and mark.until is not None and under:
            begin, end = placed(chart.x, mark.at), placed(chart.x, mark.until)
            span = {"x": {"datum": begin, "type": "quantitative"}, "x2": {"datum": end}}
            yield {
                "data": {"values": [{}]},
                "mark": {"type": "rect", "color": colour("c7"), "opacity": 0.16, "clip": True},
                "encoding": span,
            }
            yield _name(chart, mark, shown)
        elif mark.on == "x" and mark.until is None and not under:
            yield {
                "data": {"values": [{}]},
                "mark": {"type": "rule", "color": colour("faint"), "strokeDash": [2, 3], "clip": True},
                "encoding": {"x": {"datum": placed(chart.x, mark.at), "type": "quantitative"}},
            }
            yield _name(chart, mark, shown)
        elif mark.on == "y" and not under:
            yield _limit(mark.at, mark.label, "y")
            yield {
                "data": {"values": [{}]},
                "mark": {**_label(mark.label), "align": "right", "baseline": "bottom", "dy": -4},
                "encoding": {
                    "x": {"value": {"expr": "width"}},
                    "y": {"datum": mark.at, "type": "quantitative"},
                },
            }


def _limit(at: float, label: str, channel: str) -> Spec:
    return {
        "data": {"values": [{"label": label}]},
        "mark": {
            "type": "rule",
            "color": colour("ink"),
            "strokeDash": [6, 4],
            "strokeWidth": 1.25,
            "clip": True,
        },
        "encoding": {channel: {"datum": at, "type": "quantitative"}, "tooltip": {"field": "label"}},
    }


def _name(chart: Chart, mark: Mark, shown: Shown) -> Spec:
    """A moment's name above the plot, on the side where there is room."""
    low, high = (placed(chart.x, end) for end in shown.x_range or (mark.at, mark.at + 1))
    at = placed(chart.x, mark.at)
    side = "right" if at > low + 0.6 * (high - low) else "left"
    return {
        "data": {"values": [{}]},
        "mark": {**_label(mark.label), "align": side, "baseline": "bottom", "dy": -5},
        "encoding": {"x": {"datum": at, "type": "quantitative"}, "y": {"value": 0}},
    }


def _label(text: str) -> Spec:
    return {"type": "text", "text": text, "color": colour("soft"), "fontSize": 11, "clip": False}


def _tooltip(chart: Chart, names: Sequence[str]) -> Spec:
    """What a mark says under the pointer.

    An expression of ours: the cells in which Vega-Lite finds the nearest point hold that point's row one level
    deeper than the point itself does, and a list of fields reads the wrong one.
    """
    row = "(datum.datum || datum)"
    x = f"{row}.x" if chart.kind in _ROWS else written_expr(chart.x, f"{row}.x")
    parts = {chart.x.title: x, chart.y.title: written_expr(chart.y, f"{row}.y")}
    if len(names) > 1:
        parts = {"series": f"{row}.s", **parts}
    return {
        "value": {"expr": "{" + ", ".join(f"{quoted(name)}: {text}" for name, text in parts.items()) + "}"}
    }


def _config() -> Spec:
    axis = {
        "labelColor": colour("faint"),
        "titleColor": colour("soft"),
        "titleFontWeight": 500,
        "titleFontSize": 12,
        "labelFontSize": 11,
        "gridColor": colour("grid"),
        "domainColor": colour("line"),
        "tickColor": colour("line"),
        "labelFont": SANS,
        "titleFont": SANS,
        "labelOverlap": "parity",
        "labelSeparation": 6,
    }
    return {
        "font": SANS,
        "axis": axis,
        "axisY": {"domain": False, "ticks": False, "labelPadding": 6},
        "view": {"stroke": None},
        # the page says in a few words what a chart shows; a mark for each point would only be noise
        "aria": False,
    }
