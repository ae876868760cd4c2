"""The phases of a play: its ramp, in which nodes begin, and what follows."""

from __future__ import annotations

from froude.emulation.run import Run
from froude.render import Axis, Column, Mark, Table, Value, ValueKind

Phase = tuple[str, float, float]
"""Its name, and its begin and end in seconds since the play began."""


def phases(run: Run) -> tuple[Phase, ...]:
    """The ramp, until the last planned node has begun, and the load after it; the whole run where nobody watched."""
    begun = next((load.time_s for load in run.load if load.nodes >= sum(run.nodes.values()) > 0), None)
    if begun is None or not 0 < begun < run.elapsed_s:
        return (("whole run", 0.0, run.elapsed_s),)
    return (("ramp", 0.0, begun), ("all nodes begun", begun, run.elapsed_s))


def phase_marks(run: Run) -> tuple[Mark, ...]:
    """Where one phase gives way to the next, for charts over time."""
    return tuple(Mark(begin, name) for name, begin, _ in phases(run)[1:])


def time_axis(run: Run) -> Axis:
    """From the run's begin to its end, so that charts of one run stand in line."""
    return Axis("time since start", ValueKind.DURATION, extent=(0.0, run.elapsed_s))


def phase_table(run: Run) -> Table:
    """Calls and errors of every phase, by the intervals that end in it."""
    rows: list[tuple[Value, ...]] = []
    for name, begin, end in phases(run):
        inside = [row for row in run.tally.rows if begin < row.time_s <= end or begin == row.time_s == 0]
        answered = sum(row.answered for row in inside)
        length = end - begin
        rate = answered / length if length > 0 else None
        rows.append((name, begin, length, answered, rate, sum(row.errors for row in inside)))
    columns = (
        Column("Phase"),
        Column("Begins at", ValueKind.DURATION),
        Column("Lasts", ValueKind.DURATION),
        Column("Answered", ValueKind.NUMBER),
        Column("Answered", ValueKind.NUMBER, "calls/s"),
        Column("Errors", ValueKind.NUMBER),
    )
    return Table(columns, rows, "Phases")
