"""Recorded runs as tables: what was recorded, how completely, and that the NameNode's own log agrees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from froude.emulation.run.tally import Histogram
from froude.experiment.figures.failures import failures_table
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
from froude.trace.summary import failures_of
from froude.trace.types import Call, Status, Trace

_MOST_METHODS = 12
_MOST_TRACES = 6
"""As many as have a colour of their own."""


def traces_section(
    traces: Sequence[Trace], closures: Sequence[ClosureResult] = (), names: Sequence[str] = ()
) -> Section:
    """What was recorded.

    Args:
        closures: each run's comparison with the NameNode's audit log, where there is one.
        names: of the runs; by default they are numbered and the table does not name them.
    """
    table = _runs(traces, closures)
    if names:
        rows = [(name, *row) for name, row in zip(names, table.rows, strict=True)]
        table = replace(table, columns=(Column("Recording"), *table.columns), rows=rows)
    else:
        names = ["run"] if len(traces) == 1 else [f"run {number}" for number in range(1, len(traces) + 1)]
    blocks: list[Block] = [table, _methods(traces, names), methods_table(traces)]
    if failures := failures_of(traces):
        blocks.append(failures_table(failures))
    lost = sum(trace.meta.loss.total for trace in traces)
    if lost:
        text = "Some messages were not decoded or not kept; the runs' loss counters say how many."
        blocks.append(Callout(f"{lost:,} losses", text))
    for name, trace in zip(names, traces, strict=True):
        if trace.incomplete is not None:
            blocks.insert(0, Callout(f"Not whole: {name}", f"{trace.incomplete}.", Tone.WARNING))
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
        rows.append((_scale(trace), len(trace.calls), senders, last, trace.meta.loss.total, agreed))
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


def _methods(traces: Sequence[Trace], names: Sequence[str]) -> Chart:
    totals: dict[str, int] = {}
    for trace in traces:
        for method, count in trace.by_method():
            totals[method] = totals.get(method, 0) + count
    shown = sorted(totals, key=lambda method: -totals[method])[:_MOST_METHODS]
    largest = sorted(range(len(traces)), key=lambda at: -len(traces[at].calls))[:_MOST_TRACES]
    labels = _labels(traces, names)
    series = []
    for at in sorted(largest):
        counts = dict(traces[at].by_method())
        series.append(Series(labels[at], shown, [counts.get(method, 0) for method in shown]))
    x, y = Axis("method", ValueKind.CODE), Axis("calls", unit="calls")
    hidden = len(totals) - len(shown)
    captions = [f"The {len(shown)} most frequent of {len(totals)} methods."] if hidden else []
    if len(largest) < len(traces):
        captions.append(f"The {len(largest)} largest of {len(traces)} runs.")
    return Chart("Calls by method and scale", x, y, tuple(series), ChartKind.BARS, caption=" ".join(captions))


def _labels(traces: Sequence[Trace], names: Sequence[str]) -> list[str]:
    """Each trace by its Scale; by its name as well where others have that Scale, or it has none."""
    scales = [_scale(trace) for trace in traces]
    return [
        scale if scale and scales.count(scale) == 1 else ": ".join(part for part in (name, scale) if part)
        for name, scale in zip(names, scales, strict=True)
    ]


def _scale(trace: Trace) -> str:
    return ", ".join(f"{name}={quantity}" for name, quantity in trace.meta.scale.items())


def methods_table(traces: Sequence[Trace]) -> Table:
    """Calls, failures and durations by method, the most frequent first; a duration nobody saw is a dash."""
    by_method: dict[str, list[Call]] = {}
    for trace in traces:
        for call in trace.calls:
            by_method.setdefault(call.method, []).append(call)
    rows: list[tuple[Value, ...]] = []
    for method, calls in sorted(by_method.items(), key=lambda item: (-len(item[1]), item[0])):
        histogram = Histogram()
        histogram.add(call.duration_s for call in calls if call.duration_s is not None)
        seen = histogram.percentiles()
        times = [seen.seconds(name) for name in ("p50_ms", "p99_ms", "max_ms")]
        rows.append((method, len(calls), sum(call.status is not Status.SUCCESS for call in calls), *times))
    columns = (
        Column("Method", ValueKind.CODE),
        Column("Calls", ValueKind.NUMBER),
        Column("Failed", ValueKind.NUMBER),
        *(Column(title, ValueKind.DURATION) for title in ("p50", "p99", "Max")),
    )
    return Table(
        columns, rows, "Durations by method", "Until the answer's last byte passed, in all recordings shown."
    )
