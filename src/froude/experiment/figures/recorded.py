"""What recorded calls took and which of them failed, over all recordings shown."""

from __future__ import annotations

from collections.abc import Sequence

from froude.emulation.tally import Histogram
from froude.render import Column, Table, Value, ValueKind
from froude.trace.types import Call, Status, Trace

_MOST_ERRORS = 30


def methods_table(traces: Sequence[Trace]) -> Table:
    """Calls, failures and durations by method, the most frequent first; a duration nobody saw is a dash.

    Args:
        traces: the recordings.
    """
    by_method: dict[str, list[Call]] = {}
    for trace in traces:
        for call in trace.calls:
            by_method.setdefault(call.method, []).append(call)
    rows: list[tuple[Value, ...]] = []
    for method, calls in sorted(by_method.items(), key=lambda item: (-len(item[1]), item[0])):
        histogram = Histogram()
        histogram.add(call.duration_s for call in calls if call.duration_s is not None)
        seen = histogram.percentiles()
        times = [ms / 1e3 if seen.count else None for ms in (seen.p50_ms, seen.p99_ms, seen.max_ms)]
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


def errors_table(traces: Sequence[Trace]) -> Table:
    """Failed calls by method and class, with when they were seen first and last, and one of their messages.

    Args:
        traces: the recordings.
    """
    groups: dict[tuple[str, str], list[Call]] = {}
    for trace in traces:
        for call in trace.calls:
            if call.status is not Status.SUCCESS:
                groups.setdefault((call.method, call.error or call.status.value), []).append(call)
    rows: list[tuple[Value, ...]] = []
    for (method, name), calls in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        times = [call.start_s for call in calls]
        message = next((call.error_message for call in calls if call.error_message), None)
        rows.append((method, name.rpartition(".")[2], len(calls), min(times), max(times), message))
    columns = (
        Column("Method", ValueKind.CODE),
        Column("Error", ValueKind.CODE),
        Column("Calls", ValueKind.NUMBER),
        *(Column(title, ValueKind.DURATION) for title in ("First at", "Last at")),
        Column("Message, one of them", ValueKind.CODE),
    )
    hidden = len(rows) - _MOST_ERRORS
    note = f"{hidden} rarer kinds are not shown." if hidden > 0 else ""
    return Table(columns, rows[:_MOST_ERRORS], "Calls that failed", note)
