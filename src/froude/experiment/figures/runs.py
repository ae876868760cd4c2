"""Several Runs beside one another: what each cost, and how latency rose with the load."""

from __future__ import annotations

from collections.abc import Sequence

from froude.emulation.run.run import Run
from froude.experiment.figures.environment import limit_words, scale_text
from froude.render import Axis, Chart, ChartKind, Column, Section, Series, Table, Value, ValueKind


def runs_section(runs: Sequence[tuple[str, Run]]) -> Section:
    """The runs as rows, and each as a point of latency against load.

    Args:
        runs: with their names, in the order of the rows.
    """
    rows: list[tuple[Value, ...]] = []
    points = []
    for name, run in runs:
        latency = run.latency()
        errors = sum(sum(by_class.values()) for by_class in run.errors.values())
        times = (latency.seconds("p50_ms"), latency.seconds("p99_ms"))
        limit, _ = limit_words(run.bottleneck.by.value, run.environment, run.bottleneck.daemon)
        rows.append((name, scale_text(run), run.throughput(), *times, errors, limit, run.main_latency.value))
        points.append((run.throughput(), *times))
    points.sort(key=lambda point: point[0])
    columns = (
        Column("Run", ValueKind.CODE),
        Column("Scale"),
        Column("Answered", ValueKind.NUMBER, "calls/s"),
        Column("p50", ValueKind.DURATION),
        Column("p99", ValueKind.DURATION),
        Column("Errors", ValueKind.NUMBER),
        Column("Limited by"),
        Column("Latency is"),
    )
    loads = [point[0] for point in points]
    series = tuple(
        Series(name, loads, [point[at] for point in points]) for at, name in ((2, "p99"), (1, "p50"))
    )
    chart = Chart(
        "Latency against load, a point for each run",
        Axis("answered, all methods", unit="calls/s", extent=(0.0, 1.02 * loads[-1])),
        Axis("latency", ValueKind.DURATION, log=True),
        series,
        ChartKind.POINTS,
    )
    return Section("The runs side by side", (Table(columns, rows, "Runs"), chart))
