"""The player while it played: what it waited for, whom it had begun, and what that cost it."""

from __future__ import annotations

from froude.emulation.run.run import Run
from froude.experiment.figures.phases import phase_marks, time_axis
from froude.render import Axis, Chart, ChartKind, Column, Section, Series, Table, Value, ValueKind


def player_section(run: Run) -> Section:
    """Calls in flight, emulated nodes, memory, and how late its own timers fired."""
    times = [load.time_s for load in run.load]
    lines: tuple[tuple[str, Axis, list[float]], ...] = (
        ("Calls in flight", Axis("calls", unit="calls"), [load.in_flight for load in run.load]),
        ("Emulated nodes that have begun", Axis("nodes", unit="nodes"), [load.nodes for load in run.load]),
        ("Memory of the player", Axis("memory", ValueKind.BYTES), [load.rss_bytes for load in run.load]),
    )
    charts = tuple(
        Chart(
            title,
            time_axis(run),
            y,
            (Series(y.title, times, values),),
            ChartKind.STEP,
            phase_marks(run),
            small=True,
        )
        for title, y, values in lines
        if len(set(values)) > 1
    )
    lag, late = run.tally.lag.percentiles(), run.lateness
    rows: list[tuple[Value, ...]] = [
        (name, each.p50_ms / 1e3, each.p99_ms / 1e3, each.max_ms / 1e3)
        for name, each in (("its timers fired", lag), ("calls were sent", late))
        if each.count
    ]
    columns = (Column("How late"), *(Column(title, ValueKind.DURATION) for title in ("p50", "p99", "Max")))
    note = (
        "Timers that fire late are the player's own fault. Calls also wait for the answers that they need, which the "
        "server may owe."
    )
    return Section("The player", (*charts, Table(columns, rows, "Lateness", note)))
