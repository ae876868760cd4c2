"""What of a chart is shown: the points kept, the range of both axes, and what was left out, in words.

The page and the JSON both show this, so they cannot disagree.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from froude.render.reduce import LIMIT, reduce_series
from froude.render.types import Chart, ChartKind, Series


@dataclass(frozen=True, slots=True)
class ShownSeries:
    """The points of a series that are drawn."""

    name: str
    colour: int
    """Number of its colour, from 0; a name has one colour in all panels."""
    dashed: bool
    xs: tuple[float | str, ...]
    ys: tuple[float | None, ...]
    """None where the line breaks."""
    points_total: int
    """How many points it had before thinning."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One of the small multiples; the only one of a plain chart has no title."""

    title: str
    series: tuple[ShownSeries, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """A chart as it is drawn."""

    panels: tuple[Panel, ...]
    x_range: tuple[float, float] | None
    """In the axis's base unit; None over categories or without points."""
    y_range: tuple[float, float] | None
    notes: tuple[str, ...]
    """What was thinned or left out."""


def prepare(chart: Chart, *, limit: int = LIMIT) -> Shown:
    """Decide what of a chart is drawn.

    Args:
        chart: the chart.
        limit: points a series may keep.

    Returns:
        The points, the shared ranges and the notes; no panels when there is no point at all.
    """
    hidden = sum(_hidden(chart, y) for series in chart.series for y in series.ys)
    missing = sum(not _finite(y) for series in chart.series for y in series.ys)
    colours = {name: i for i, name in enumerate(dict.fromkeys(s.name.casefold() for s in chart.series))}
    groups: dict[str, list[ShownSeries]] = {}
    for series in chart.series:
        shown = _shown(chart, series, _colour(chart, series, colours), limit)
        if any(y is not None for y in shown.ys):
            groups.setdefault(series.panel, []).append(shown)
    panels = tuple(Panel(title, tuple(group)) for title, group in groups.items())
    return Shown(panels, _x_range(chart, panels), _y_range(chart, panels), _notes(panels, hidden, missing))


def _shown(chart: Chart, series: Series, colour: int, limit: int) -> ShownSeries:
    ys = [None if _hidden(chart, y) else y for y in series.ys]
    xs: Sequence[float | str] = series.xs
    if chart.kind is not ChartKind.BARS:
        places = [float(x) for x in series.xs]
        inside = [i for i, x in enumerate(places) if math.isfinite(x)]
        xs, ys = reduce_series([places[i] for i in inside], [ys[i] for i in inside], limit)
    else:
        ys = [y if _finite(y) else None for y in ys]
    return ShownSeries(series.name, colour, series.dashed, tuple(xs), tuple(ys), len(series.xs))


def _colour(chart: Chart, series: Series, colours: dict[str, int]) -> int:
    """A dashed series takes the colour of the solid one it belongs to: `p99 (actual)` goes with `p99`."""
    if series.dashed:
        for other in chart.series:
            if not other.dashed and series.name.casefold().startswith(other.name.casefold().split(" (")[0]):
                return colours[other.name.casefold()]
    return colours[series.name.casefold()]


def _finite(y: float | None) -> bool:
    return y is not None and math.isfinite(y)


def _hidden(chart: Chart, y: float | None) -> bool:
    """Whether a logarithmic axis has no place for the value."""
    return chart.y.log and y is not None and math.isfinite(y) and y <= 0


def _all(panels: Iterable[Panel]) -> Iterable[ShownSeries]:
    return (series for panel in panels for series in panel.series)


def _x_range(chart: Chart, panels: tuple[Panel, ...]) -> tuple[float, float] | None:
    xs = [x for series in _all(panels) for x in series.xs if not isinstance(x, str)]
    if not xs:
        return None
    xs += chart.x.extent or ()
    low, high = min(xs), max(xs)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _y_range(chart: Chart, panels: tuple[Panel, ...]) -> tuple[float, float] | None:
    if chart.kind is ChartKind.AREA:
        ys = [0.0, *(top for panel in panels for top in _stacked(panel))]
    else:
        ys = [y for series in _all(panels) for y in series.ys if y is not None]
    ys += chart.y.extent or ()
    ys += [mark.at for mark in chart.marks if mark.on == "y" and (mark.at > 0 or not chart.y.log)]
    if not ys:
        return None
    low, high = min(ys), max(ys)
    if chart.y.log:
        return low, (high if high > low else low * 10)
    return min(0.0, low), (high if high > min(0.0, low) else low + 1.0)


def _stacked(panel: Panel) -> Iterable[float]:
    totals: dict[float | str, float] = {}
    for series in panel.series:
        for x, y in zip(series.xs, series.ys, strict=True):
            totals[x] = totals.get(x, 0.0) + (y or 0.0)
    return totals.values()


def _notes(panels: tuple[Panel, ...], hidden: int, missing: int) -> tuple[str, ...]:
    notes = []
    thinned = [series for series in _all(panels) if len(series.xs) < series.points_total]
    if thinned:
        total = sum(series.points_total for series in thinned)
        kept = sum(len(series.xs) for series in thinned)
        notes.append(
            f"Thinned for display: {kept:,} of {total:,} points; "
            "every stretch keeps its lowest and highest value."
        )
    if hidden:
        notes.append(
            f"{hidden:,} {_plural(hidden)} of zero or less cannot stand on a log scale and are left out."
        )
    if missing:
        notes.append(f"{missing:,} {_plural(missing)} missing or not finite: shown as gaps.")
    return tuple(notes)


def _plural(count: int) -> str:
    return "value" if count == 1 else "values"
