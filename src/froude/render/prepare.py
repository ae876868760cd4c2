"""What of a chart is shown: the points kept, the range of both axes, and what was left out, in words.

The page and the JSON both show this, so they cannot disagree. Of many points each bucket keeps its lowest and its
highest value: peaks survive, which is what a latency chart is read for; averaging would hide them. Of lines on one
another the lower one is drawn wider, so that it shows on both sides of what covers it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from froude.render.types import Chart, ChartKind, Series

_NEAR = 0.01
"""Share of an axis within which two points lie on one another."""
_COVERED = 0.25
"""Share of two lines' common points from which one covers the other."""
LIMIT = 800
"""Points of a series that a page of 1,100 pixels can show apart."""
_ROOM = 0.03
"""Share of an axis that stays free at its ends, so that no point stands on the frame."""


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
    ends: tuple[tuple[float, float], ...] = ()
    """Lower and upper end of each value's interval; empty for none."""


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
        limit: points a series may keep.

    Returns:
        The points, the shared ranges and the notes; no panels when there is no point at all.
    """
    hidden = sum(flag for series in chart.series for flag in _hidden(chart, series))
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
    ys = [None if hidden else y for y, hidden in zip(series.ys, _hidden(chart, series), strict=True)]
    xs: Sequence[float | str] = series.xs
    total = len(xs)
    if chart.kind not in {ChartKind.BARS, ChartKind.INTERVALS}:
        places = [float(x) for x in series.xs]
        inside = [i for i, x in enumerate(places) if math.isfinite(x) and (x > 0 or not chart.x.log)]
        total = len(inside)
        xs, ys = reduce_series([places[i] for i in inside], [ys[i] for i in inside], limit)
    else:
        ys = [y if _finite(y) else None for y in ys]
    ends = tuple(zip(series.low, series.high, strict=True)) if chart.kind is ChartKind.INTERVALS else ()
    return ShownSeries(series.name, colour, series.dashed, tuple(xs), tuple(ys), total, ends)


def _colour(chart: Chart, series: Series, colours: dict[str, int]) -> int:
    """Its own; a dashed series takes that of the solid one it belongs to: `p99 (actual)` goes with `p99`."""
    if series.colour is None and series.dashed:
        for other in chart.series:
            if not other.dashed and series.name.casefold().startswith(other.name.casefold().split(" (")[0]):
                return _colour(chart, other, colours)
    return colours[series.name.casefold()] if series.colour is None else series.colour


def _finite(y: float | None) -> bool:
    return y is not None and math.isfinite(y)


def _hidden(chart: Chart, series: Series) -> list[bool]:
    """Of every value, whether a logarithmic axis has no place for it or for where it stands."""
    xs: Sequence[float | str] = series.xs
    beside = [chart.x.log and not isinstance(x, str) and x <= 0 for x in xs]
    below = [chart.y.log and y is not None and y <= 0 for y in series.ys]
    return [
        y is not None and math.isfinite(y) and (left or under)
        for y, left, under in zip(series.ys, beside, below, strict=True)
    ]


def _all(panels: Iterable[Panel]) -> Iterable[ShownSeries]:
    return (series for panel in panels for series in panel.series)


def _x_range(chart: Chart, panels: tuple[Panel, ...]) -> tuple[float, float] | None:
    xs = [x for series in _all(panels) for x in series.xs if not isinstance(x, str)]
    if not xs:
        return None
    xs += chart.x.extent or ()
    low, high = min(xs), max(xs)
    if chart.x.log:
        room = (high / low) ** _ROOM if high > low else 2.0
        return low / room, high * room
    if chart.kind is ChartKind.POINTS and chart.x.extent is None:
        room = _ROOM * (high - low)
        low, high = (max(0.0, low - room) if low >= 0 else low - room), high + room
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _y_range(chart: Chart, panels: tuple[Panel, ...]) -> tuple[float, float] | None:
    if chart.kind is ChartKind.AREA:
        ys = [0.0, *(top for panel in panels for top in _stacked(panel))]
    else:
        ys = [y for series in _all(panels) for y in series.ys if y is not None]
        ys += [end for series in _all(panels) for ends in series.ends for end in ends]
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


def reduce_series(
    xs: Sequence[float], ys: Sequence[float | None], limit: int = LIMIT
) -> tuple[list[float], list[float | None]]:
    """Thin a series to about `limit` points, keeping first, last, every bucket's extremes, and gaps.

    Args:
        xs: places, shape (n,), ascending.
        ys: values, shape (n,); None, NaN and infinities are gaps.
        limit: points wanted, at least 4; a series no longer than this is returned whole.

    Returns:
        The places and values kept, in order; values that are not finite have become None.
    """
    values = [y if y is not None and math.isfinite(y) else None for y in ys]
    count = len(values)
    if count <= limit:
        return list(xs), values
    keep = {0, count - 1}
    buckets = max(1, limit // 2 - 1)
    for bucket in range(buckets):
        keep |= _extremes(values, bucket * count // buckets, (bucket + 1) * count // buckets)
    chosen = sorted(keep)
    return [xs[i] for i in chosen], [values[i] for i in chosen]


def _extremes(values: Sequence[float | None], start: int, stop: int) -> set[int]:
    """Indices of the lowest and the highest value, or of one gap where there is nothing else."""
    present = [(value, i) for i in range(start, stop) if (value := values[i]) is not None]
    if not present:
        return {start} if start < stop else set()
    kept = {min(present)[1], max(present)[1]}
    if len(present) < stop - start:
        kept.add(next(i for i in range(start, stop) if values[i] is None))
    return kept


def covers(panel: Panel, extent: tuple[float, float] | None, *, log: bool) -> list[int]:
    """By how many later lines each line of a panel is covered; a dashed line covers none.

    Args:
        panel: lines in the order in which they are drawn.
        extent: lowest and highest value of the axis, in its base unit.
    """
    low, high = (_placed(end, log=log) for end in extent or (1.0, 10.0))
    near = _NEAR * (high - low)
    later = range(len(panel.series))
    return [
        sum(_covered(line, panel.series[other], near, log=log) for other in later[number + 1 :])
        for number, line in enumerate(panel.series)
    ]


def _covered(line: ShownSeries, over: ShownSeries, near: float, *, log: bool) -> bool:
    above = {x: y for x, y in zip(over.xs, over.ys, strict=True) if y is not None}
    both = [(y, above[x]) for x, y in zip(line.xs, line.ys, strict=True) if y is not None and x in above]
    close = sum(abs(_placed(y, log=log) - _placed(other, log=log)) <= near for y, other in both)
    return bool(both) and not over.dashed and close > _COVERED * len(both)


def _placed(value: float, *, log: bool) -> float:
    return math.log(value) if log else value
