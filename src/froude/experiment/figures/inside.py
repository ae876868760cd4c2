"""Charts of what a daemon says of itself while a play runs: which numbers belong together, and how they are drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from froude.emulation.run.readings import Points, Readings
from froude.emulation.run.run import Run
from froude.experiment.figures.phases import phase_marks, time_axis
from froude.render import Axis, Chart, ChartKind, Series


@dataclass(frozen=True, slots=True)
class Line:
    """A series of a chart, and where it comes from."""

    name: str
    points: Callable[[Readings], Points]


@dataclass(frozen=True, slots=True)
class Inside:
    """A chart of a daemon's inside."""

    title: str
    y: Axis
    lines: tuple[Line, ...]
    caption: str = ""
    kind: ChartKind = ChartKind.LINE


def gauge(title: str, name: str, scale: float = 1.0) -> Line:
    """A number as it stood.

    Args:
        name: of the number, such as `JvmMetrics.MemHeapUsedM`.
        scale: what one of it is in the chart's unit.
    """
    return Line(title, lambda readings: readings.gauge(name, scale))


def rate(title: str, name: str, scale: float = 1.0) -> Line:
    """How much a counter rose in a second; arguments as of `gauge`."""
    return Line(title, lambda readings: readings.rate(name, scale))


def mean(title: str, stem: str, scale: float) -> Line:
    """The mean of what happened in each interval; arguments as of `Readings.average`."""
    return Line(title, lambda readings: readings.average(stem, scale))


def charts_of(insides: Iterable[Inside], readings: Readings, run: Run) -> tuple[list[Chart], list[str]]:
    """The charts of what changed, and what did not, in words."""
    charts: list[Chart] = []
    still: list[str] = []
    for inside in insides:
        drawn = [(line.name, line.points(readings)) for line in inside.lines]
        firsts = {f"{points[0][1]:,.4g}" for _, points in drawn if points}
        if any(len({value for _, value in points}) > 1 for _, points in drawn):
            charts.append(_chart(inside, drawn, run))
        elif firsts:
            title, unit = inside.title, f" {inside.y.unit}" if inside.y.unit else ""
            still.append(f"{title[0].lower()}{title[1:]} ({', '.join(sorted(firsts))}{unit})")
    return charts, still


def series(name: str, points: Points) -> Series:
    """A series of a chart.

    Args:
        points: seconds and values.
    """
    return Series(name, [time_s for time_s, _ in points], [value for _, value in points])


def _chart(inside: Inside, drawn: Sequence[tuple[str, Points]], run: Run) -> Chart:
    shown = tuple(series(name, points) for name, points in drawn if points)
    marks, caption = phase_marks(run), inside.caption
    return Chart(inside.title, time_axis(run), inside.y, shown, inside.kind, marks, caption, small=True)
