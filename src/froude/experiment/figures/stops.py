"""How long the target's JVM stood still, why, and what of its heap was in use around a collection."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from froude.emulation.run.run import Run
from froude.experiment.figures.phases import phase_marks, time_axis
from froude.hadoop.metrics.gc_log import GcLog, Pause, put_together
from froude.render import Axis, Block, Chart, ChartKind, Column, Series, Table, Value, ValueKind

OTHERS = "for something else"
"""Stops that were not for the garbage collector, in a chart."""
_MOST_KINDS = 12


def stop_blocks(run: Run) -> Iterator[Block]:
    """Charts and a table of what the log of the garbage collector tells; nothing without one."""
    if run.gc is None:
        return
    if run.gc.pauses:
        yield _stops(run, run.gc.pauses)
    if run.gc.heap:
        yield _heap(run, run.gc)
    yield _table(run)


def _stops(run: Run, pauses: Sequence[Pause]) -> Chart:
    names = dict.fromkeys(_short(pause) for pause in sorted(pauses, key=lambda pause: not pause.collection))
    series = tuple(
        Series(
            name,
            [pause.time_s for pause in pauses if _short(pause) == name],
            [pause.duration_s for pause in pauses if _short(pause) == name],
        )
        for name in names
    )
    y = Axis("length of a stop", ValueKind.DURATION, log=True)
    caption = "A point for each time that every thread of the JVM stood still, as its own log tells."
    return Chart(
        "Stops of the JVM",
        time_axis(run),
        y,
        series,
        ChartKind.POINTS,
        phase_marks(run),
        caption,
        small=True,
    )


def _heap(run: Run, log: GcLog) -> Chart:
    times = [change.time_s for change in log.heap]
    series = (
        Series("before", times, [change.before_bytes for change in log.heap]),
        Series("after", times, [change.after_bytes for change in log.heap]),
    )
    caption = "What rises after collections is what the daemon keeps."
    y = Axis("heap in use", ValueKind.BYTES)
    marks = phase_marks(run)
    return Chart("Heap before and after each collection", time_axis(run), y, series, ChartKind.LINE, marks,
                 caption, small=True)  # fmt: skip


def _short(pause: Pause) -> str:
    """Kinds of stops that are told apart by colour: without the cause."""
    return pause.kind.partition(" (")[0] if pause.collection else OTHERS


def _table(run: Run) -> Table:
    """By kind, of the steady phase."""
    log = run.steady_gc
    assert log is not None  # there is one of the run
    kinds: dict[tuple[bool, str], list[Pause]] = {}
    for pause in log.pauses:
        kinds.setdefault((not pause.collection, pause.kind), []).append(pause)
    rows: list[tuple[Value, ...]] = []
    for (other, kind), pauses in kinds.items():
        told = put_together(pauses)
        share = told.total_s / run.steady_s if run.steady_s > 0 else None
        reaching = [pause.reaching_s for pause in pauses if pause.reaching_s is not None]
        rows.append(
            (kind, "something else" if other else "collection", told.count, told.total_s, share, told.p50_s, told.p99_s,
             told.longest_s, max(reaching, default=None))
        )  # fmt: skip
    rows.sort(key=lambda row: -float(row[3] or 0))
    columns = (
        Column("Stop", ValueKind.CODE),
        Column("For"),
        Column("Times", ValueKind.NUMBER),
        Column("In all", ValueKind.DURATION),
        Column("Of the time", ValueKind.SHARE),
        *(Column(title, ValueKind.DURATION) for title in ("p50", "p99", "Longest", "Longest to reach")),
    )
    hidden = len(rows) - _MOST_KINDS
    note = "Of the steady phase. To reach: until every thread stood still, which comes on top."
    note += f" {hidden} other kinds took less." if hidden > 0 else ""
    using = f" ({log.collector})" if log.collector else ""
    caption = f"Why the JVM stopped{using}"
    return Table(columns, rows[:_MOST_KINDS], caption, note, "It did not stop.")
