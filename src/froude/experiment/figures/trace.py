"""Recorded runs as tables: what was recorded, how completely, and that the NameNode's own log agrees."""

from __future__ import annotations

from collections.abc import Sequence

from froude.render import (
    Axis,
    Block,
    Callout,
    Chart,
    ChartKind,
    Column,
    Section,
    Series,
    Table,
    Tone,
    Value,
    ValueKind,
)
from froude.trace.importers.audit import ClosureResult
from froude.trace.types import Trace

_MOST_METHODS = 12


def traces_section(traces: Sequence[Trace], closures: Sequence[ClosureResult] = ()) -> Section:
    """What was recorded.

    Args:
        traces: the runs, in the order they are shown.
        closures: each run's comparison with the NameNode's audit log, where there is one.
    """
    blocks: list[Block] = [_runs(traces, closures), _methods(traces)]
    lost = sum(trace.meta.loss.total for trace in traces)
    if lost:
        text = "Some messages were not decoded or not kept; the runs' loss counters say how many."
        blocks.append(Callout(f"{lost:,} losses", text))
    for number, trace in enumerate(traces, 1):
        if trace.incomplete is not None:
            blocks.insert(0, Callout(f"Run {number} is not whole", f"{trace.incomplete}.", Tone.WARNING))
    calls = sum(len(trace.calls) for trace in traces)
    intro = f"{calls:,} calls in {len(traces)} {'run' if len(traces) == 1 else 'runs'} of a real cluster."
    return Section("What was recorded", tuple(blocks), intro)


def _runs(traces: Sequence[Trace], closures: Sequence[ClosureResult]) -> Table:
    rows: list[tuple[Value, ...]] = []
    for number, trace in enumerate(traces):
        closed = closures[number] if number < len(closures) else None
        senders = len({call.client_id or call.connection for call in trace.calls})
        agreed = None if closed is None else f"{closed.matched} of {max(closed.lines, closed.calls)}"
        last = max((call.start_s for call in trace.calls), default=0.0)
        scale = ", ".join(f"{name}={quantity}" for name, quantity in trace.meta.scale.items())
        rows.append((scale, len(trace.calls), senders, last, trace.meta.loss.total, agreed))
    columns = (
        Column("Scale"),
        Column("Calls", ValueKind.NUMBER),
        Column("Senders", ValueKind.NUMBER),
        Column("Length", ValueKind.DURATION),
        Column("Lost", ValueKind.NUMBER),
        Column("Agrees with the audit log", ValueKind.TEXT),
    )
    note = "The audit log is the NameNode's own; it writes a line for namespace calls only."
    return Table(columns, rows, "Recorded runs", note)


def _methods(traces: Sequence[Trace]) -> Chart:
    totals: dict[str, int] = {}
    for trace in traces:
        for method, count in trace.by_method():
            totals[method] = totals.get(method, 0) + count
    shown = sorted(totals, key=lambda method: -totals[method])[:_MOST_METHODS]
    series = []
    for trace in traces:
        counts = dict(trace.by_method())
        name = ", ".join(f"{key}={quantity}" for key, quantity in trace.meta.scale.items())
        series.append(Series(name or "run", shown, [counts.get(method, 0) for method in shown]))
    x, y = Axis("method", ValueKind.CODE), Axis("calls", unit="calls")
    hidden = len(totals) - len(shown)
    caption = f"The {len(shown)} most frequent of {len(totals)} methods." if hidden else ""
    return Chart("Calls by method and scale", x, y, tuple(series), ChartKind.BARS, caption=caption)
