"""What recorded calls took, over all recordings shown."""

from __future__ import annotations

from collections.abc import Sequence

from froude.emulation.run.tally import Histogram
from froude.render import Column, Table, Value, ValueKind
from froude.trace.types import Call, Status, Trace


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
