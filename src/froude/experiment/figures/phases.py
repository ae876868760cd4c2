"""The phases of a play: its ramp, in which emulated daemons start, or its warm-up, and what follows."""

from __future__ import annotations

from froude.emulation.run.run import Run
from froude.emulation.settings import Mode
from froude.render import Axis, Column, Mark, Table, Value, ValueKind

Phase = tuple[str, float, float]
"""Its name, and its begin and end in seconds since the play began."""


def phases(run: Run) -> tuple[Phase, ...]:
    """The ramp, until every emulated daemon has started, and the steady phase; the whole run where there is no ramp.

    Of a sustained load it is the warm-up, until that was steady or had to be measured, and what was measured.
    """
    steady_s = run.steady_from_s
    first, then = ("ramp", "steady") if run.mode == Mode.ONCE.value else ("warm-up", "measured")
    if steady_s is None:
        return ((f"{first}, not ended", 0.0, run.elapsed_s),)
    if not 0 < steady_s < run.elapsed_s:
        return (("whole run", 0.0, run.elapsed_s),)
    return ((first, 0.0, steady_s), (then, steady_s, run.elapsed_s))


def phase_marks(run: Run) -> tuple[Mark, ...]:
    """Where one phase gives way to the next, for charts over time."""
    return tuple(Mark(begin, name) for name, begin, _ in phases(run)[1:])


def time_axis(run: Run) -> Axis:
    """From the run's begin to its end, so that charts of one run stand in line."""
    return Axis("time since start", ValueKind.DURATION, extent=(0.0, run.elapsed_s))


def phase_table(run: Run) -> Table:
    """Calls and errors of every phase, by when they were sent."""
    rows: list[tuple[Value, ...]] = []
    for name, begin, end in phases(run):
        counted = run.tally.ramp if name in {"ramp", "warm-up"} else run.tally
        answered = sum(n for _, n in counted.counts.values())
        errors = sum(series.errors.total() for series in counted.series.values())
        length = end - begin
        rows.append((name, begin, length, answered, answered / length if length > 0 else None, errors))
    columns = (
        Column("Phase"),
        Column("Begins at", ValueKind.DURATION),
        Column("Lasts", ValueKind.DURATION),
        Column("Answered", ValueKind.NUMBER),
        Column("Answered", ValueKind.NUMBER, "calls/s"),
        Column("Errors", ValueKind.NUMBER),
    )
    return Table(columns, rows, "Phases")
