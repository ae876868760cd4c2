"""A Run as charts and tables: what limited it, latency and throughput over time, and the NameNode."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from froude.emulation.bottleneck import LimitedBy, Measured
from froude.emulation.run import Latency, Run
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

_MOST_PANELS = 9
_MOST_LEFT_OUT = 12
_MOST_AREAS = 6
_PACED = {
    Latency.RESPONSE: "From the time at which the plan had a call due: a target that stands still cannot hide calls.",
    Latency.SERVICE: "From the time at which a call was sent. Closed clients wait for their answers, so a target that "
    "stands still is met by fewer calls; the corrected column adds those, by the interval in which they were expected.",
}
_BESIDE = {Latency.SERVICE: "p99 of service time", Latency.CORRECTED: "p99, corrected"}
_GAUGES = {
    "process.rss_bytes": ("memory", ValueKind.BYTES),
    "JvmMetrics.MemHeapUsedM": ("heap", ValueKind.NUMBER),
}


def run_sections(run: Run) -> tuple[Section, ...]:
    """The verdict first, then latency, throughput and the target's own metrics."""
    return (_verdict(run), _latency(run), _target(run))


def _verdict(run: Run) -> Section:
    bottleneck = run.bottleneck
    tone = Tone.WARNING if bottleneck.by is LimitedBy.PLAYER else Tone.NEUTRAL
    blocks: list[Block] = _left_out(run)
    blocks += [Callout(f"Limited by: {bottleneck.by.value}", bottleneck.reason, tone)]
    if run.failure:
        blocks.append(Callout("The run ended before its time", run.failure, Tone.BAD))
    if run.differences:
        text = "\n".join(f"- `{d.method}`: sent {d.sent}, counted {d.counted}" for d in run.differences)
        blocks.append(Callout("The target counted other numbers of calls than were sent", text, Tone.WARNING))
    elif run.differences is not None:
        text = "Its own count of calls, method by method, equals what was sent."
        blocks.append(Callout("The target counted every call once", text, Tone.GOOD))
    blocks += [Callout("Remark", remark) for remark in run.remarks]
    rows: list[tuple[Value, ...]] = [(name, count) for name, count in run.nodes.items()]
    blocks.append(Table((Column("Node type"), Column("Emulated", ValueKind.NUMBER)), rows, "Who was played"))
    answered = sum(n for _, n in run.counts.values())
    intro = (
        f"{answered:,} calls answered in {run.elapsed_s:.1f} s, {run.throughput():,.0f} a second on average."
    )
    return Section("The play", tuple(blocks), intro)


def _left_out(run: Run) -> list[Block]:
    """What was never sent stands first: whatever follows is about less than was asked for."""
    if not run.left_out:
        return []
    most = sorted(run.left_out.items(), key=lambda pair: -pair[1])
    lines = [f"- `{what}`: {times:,} times" for what, times in most[:_MOST_LEFT_OUT]]
    if len(most) > _MOST_LEFT_OUT:
        lines.append(f"- and {len(most) - _MOST_LEFT_OUT} more calls of the pattern")
    text = "An argument that they need was not there. Figures below are of less load than was asked for.\n\n"
    total = sum(run.left_out.values())
    title = f"{total:,} call{'s' if total > 1 else ''} never sent"
    return [Callout(title, text + "\n".join(lines), Tone.BAD)]


def _latency(run: Run) -> Section:
    methods = sorted(run.counts, key=lambda method: -run.counts[method][0])
    other = Latency.SERVICE if run.main_latency is Latency.RESPONSE else Latency.CORRECTED
    rows: list[tuple[Value, ...]] = []
    for method in methods:
        if not run.counts[method][1]:
            continue
        main, beside = run.latency(method), run.latency(method, other)
        sent, answered = run.counts[method]
        errors = sum(run.errors.get(method, {}).values())
        times = (main.p50_ms, main.p99_ms, main.p999_ms, main.max_ms, beside.p99_ms)
        rows.append((method, sent, answered, errors, *(ms / 1e3 for ms in times)))
    columns = (
        Column("Method", ValueKind.CODE),
        Column("Sent", ValueKind.NUMBER),
        Column("Answered", ValueKind.NUMBER),
        Column("Errors", ValueKind.NUMBER),
        *(Column(title, ValueKind.DURATION) for title in ("p50", "p99", "p99.9", "Max", _BESIDE[other])),
    )
    late = run.lateness
    blocks: tuple[Block, ...] = (
        Table(columns, rows, f"{run.main_latency.value.capitalize()} by method", _PACED[run.main_latency]),
        _percentiles_over_time(run, methods),
        _throughput(run, methods),
    )
    intro = (
        f"{run.pacing.capitalize()} pacing. Calls were sent {late.p50_ms:.2f} ms (median) and "
        f"{late.p99_ms:.1f} ms (p99) after they were due."
    )
    return Section("Latency and throughput", blocks, intro)


def _percentiles_over_time(run: Run, methods: Sequence[str]) -> Chart:
    series = []
    for method in methods[:_MOST_PANELS]:
        rows = [row for row in run.tally.rows if row.method == method and row.answered]
        times = [row.time_s for row in rows]
        series.append(Series("p99", times, [row.p99_ms / 1e3 for row in rows], panel=method))
        series.append(Series("p50", times, [row.p50_ms / 1e3 for row in rows], panel=method, dashed=True))
    x, y = Axis("time since start", ValueKind.DURATION), Axis("latency", ValueKind.DURATION, log=True)
    return Chart("Latency over time, from when calls were due", x, y, tuple(series))


def _throughput(run: Run, methods: Sequence[str]) -> Chart:
    by_time: dict[str, list[tuple[float, float]]] = defaultdict(list)
    ends = sorted({row.time_s for row in run.tally.rows})
    lengths = {end: end - before for before, end in zip([0.0, *ends], ends, strict=False)}
    for row in run.tally.rows:
        name = row.method if row.method in methods[:_MOST_AREAS] else "others"
        by_time[name].append(
            (row.time_s, row.answered / lengths[row.time_s] if lengths[row.time_s] > 0 else 0.0)
        )
    series = []
    for name, points in by_time.items():
        totals: dict[float, float] = dict.fromkeys(ends, 0.0)
        for time_s, rate in points:
            totals[time_s] += rate
        series.append(Series(name, list(totals), list(totals.values())))
    axis = Axis("answered", unit="calls/s")
    return Chart(
        "Answered calls", Axis("time since start", ValueKind.DURATION), axis, tuple(series), ChartKind.AREA
    )


def _target(run: Run) -> Section:
    blocks: list[Block] = [_cpu(run)]
    for name, (title, kind) in _GAUGES.items():
        points = [(sample.time_s, sample.values[name]) for sample in run.metrics if name in sample.values]
        if points:
            unit = "" if kind is ValueKind.BYTES else "MB"
            xs, ys = [t for t, _ in points], [v for _, v in points]
            x = Axis("time since start", ValueKind.DURATION)
            blocks.append(Chart(f"NameNode {title}", x, Axis(title, kind, unit), (Series(title, xs, ys),)))
    blocks.append(_last_values(run.metrics))
    return Section("The NameNode", tuple(blocks), "Sampled over JMX and from the process while the play ran.")


def _cpu(run: Run) -> Chart:
    seen = [
        (m.time_s, m.values["process.cpu_seconds"]) for m in run.metrics if "process.cpu_seconds" in m.values
    ]
    shares = [(b[0], (b[1] - a[1]) / (b[0] - a[0])) for a, b in pairwise(seen) if b[0] > a[0]]
    series = (
        Series("NameNode", [t for t, _ in shares], [s for _, s in shares]),
        Series("player", [sample.time_s for sample in run.load], [sample.cpu_share for sample in run.load]),
    )
    x, y = Axis("time since start", ValueKind.DURATION), Axis("share of one core", ValueKind.SHARE)
    return Chart("CPU of the NameNode and of the player", x, y, series)


def _last_values(metrics: Sequence[Measured]) -> Table:
    first, last = (metrics[0].values, metrics[-1].values) if metrics else ({}, {})
    changed = [name for name in sorted(last) if first.get(name) != last[name]]
    rows: list[tuple[Value, ...]] = [(name, first.get(name), last[name]) for name in changed]
    columns = (
        Column("Metric", ValueKind.CODE),
        Column("At first", ValueKind.NUMBER),
        Column("At last", ValueKind.NUMBER),
    )
    note = f"{len(last) - len(changed)} others did not change."
    return Table(columns, rows, "NameNode metrics that changed", note)
