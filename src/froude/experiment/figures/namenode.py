"""The NameNode's inside while a play ran: its queue, its lock, its edit log, its memory, its processor."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from froude.emulation.run import Run
from froude.experiment.figures.phases import phase_marks, time_axis
from froude.experiment.figures.readings import LOCKS, NAMESPACE, Points, Readings
from froude.experiment.figures.stops import stop_blocks
from froude.render import (
    Axis,
    Block,
    Chart,
    ChartKind,
    Column,
    Section,
    Series,
    Table,
    Text,
    Value,
    ValueKind,
)

_MS, _NS = 1e-3, 1e-9
_PAUSE_LENGTH = "Length of a garbage collector's pause"
_MOST_LOCKS, _MOST_CHANGED = 8, 24
_CHARTED = (
    "RpcActivity.Rpc", "RpcActivity.CallQueueLength", *LOCKS, "FSNamesystem.LockQueueLength",
    "FSNamesystemState.FsLockQueueLength", "NameNodeActivity.Syncs", "NameNodeActivity.Transactions",
    "JvmMetrics.GcTime", "JvmMetrics.GcCount", "JvmMetrics.Mem", "JvmMetrics.Threads", "process.",
    "FSNamesystemState.NumLiveDataNodes", "FSNamesystem.NumLiveDataNodes", "FSNamesystem.FilesTotal",
    "FSNamesystem.BlocksTotal", "FSNamesystem.PendingDeletionBlocks",
)  # fmt: skip
"""What has a chart of its own, by the beginning of its name."""
_TWICE = (
    "FSNamesystemState.",
    "FSNamesystem.Capacity",
    "FSNamesystem.LastWritten",
    "FSNamesystem.TransactionsSince",
)
"""What repeats others in another place or unit."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A series of a chart, and where it comes from."""

    name: str
    points: Callable[[Readings], Points]


@dataclass(frozen=True, slots=True)
class _Inside:
    """A chart of the NameNode's inside."""

    title: str
    y: Axis
    lines: tuple[_Line, ...]
    caption: str = ""
    kind: ChartKind = ChartKind.LINE


def _gauge(title: str, name: str, scale: float = 1.0) -> _Line:
    return _Line(title, lambda readings: readings.gauge(name, scale))


def _rate(title: str, name: str, scale: float = 1.0) -> _Line:
    return _Line(title, lambda readings: readings.rate(name, scale))


def _mean(title: str, stem: str, scale: float) -> _Line:
    return _Line(title, lambda readings: readings.average(stem, scale))


def _held(title: str, stem: str) -> _Line:
    return _Line(title, lambda readings: readings.busy(stem, _NS))


def _of_locks(make: Callable[[str, str], _Line]) -> tuple[_Line, ...]:
    """A line for writing and for reading of each lock that a NameNode may have."""
    return tuple(
        make(f"for {word}{'' if what == NAMESPACE else f', {what}'}", f"{lock}{mode}LockOverallNanos")
        for lock, what in LOCKS.items()
        for word, mode in (("writing", "Write"), ("reading", "Read"))
    )


_INSIDE: tuple[_Inside, ...] = (
    _Inside(
        "Where a call's time goes",
        Axis("mean of a call", ValueKind.DURATION, log=True),
        (
            _mean("in the call queue", "RpcActivity.RpcQueueTime", _MS),
            _mean("processing", "RpcActivity.RpcProcessingTime", _MS),
            _mean("of it waiting for the lock", "RpcActivity.RpcLockWaitTime", _MS),
        ),
        "Means of all calls of a second, as the NameNode measures them. Processing contains waiting for the lock.",
    ),
    _Inside(
        "Calls waiting in the queue",
        Axis("calls", unit="calls"),
        (_gauge("call queue", "RpcActivity.CallQueueLength"),),
        kind=ChartKind.STEP,
    ),
    _Inside(
        "Threads waiting for the namespace lock",
        Axis("threads", unit="threads"),
        (_gauge("lock queue", "FSNamesystem.LockQueueLength"),),
        kind=ChartKind.STEP,
    ),
    _Inside(
        "How long the namespace lock is held",
        Axis("mean of a hold", ValueKind.DURATION, log=True),
        _of_locks(lambda title, stem: _mean(title, stem, _NS)),
    ),
    _Inside(
        "Share of the time for which the lock is held",
        Axis("share of the time", ValueKind.SHARE),
        _of_locks(_held),
        "One thread writes at a time: near 100 % the lock is the limit. Many read at once, which may add up to more.",
    ),
    _Inside(
        "Edit log",
        Axis("a second", unit="1/s"),
        (
            _rate("transactions", "NameNodeActivity.TransactionsNumOps"),
            _rate("syncs to the disk", "NameNodeActivity.SyncsNumOps"),
        ),
    ),
    _Inside(
        "How long a sync of the edit log takes",
        Axis("mean of a sync", ValueKind.DURATION),
        (_mean("sync", "NameNodeActivity.Syncs", _MS),),
    ),
    _Inside(
        "Time in the garbage collector",
        Axis("share of the time", ValueKind.SHARE),
        (_rate("garbage collector", "JvmMetrics.GcTimeMillis", _MS),),
    ),
    _Inside(
        _PAUSE_LENGTH,
        Axis("mean of a pause", ValueKind.DURATION),
        (
            _Line(
                "pause", lambda readings: readings.each("JvmMetrics.GcTimeMillis", "JvmMetrics.GcCount", _MS)
            ),
        ),
    ),
    _Inside(
        "Memory",
        Axis("memory", ValueKind.BYTES),
        (
            _Line("heap used", lambda readings: readings.heap("used")),
            _Line("heap committed", lambda readings: readings.heap("committed")),
            _gauge("process", "process.rss_bytes"),
        ),
    ),
    _Inside(
        "Threads",
        Axis("threads", unit="threads"),
        tuple(
            _gauge(state.lower(), f"JvmMetrics.Threads{state.replace(' ', '')}")
            for state in ("Runnable", "Blocked", "Waiting", "Timed Waiting")
        ),
    ),
    _Inside(
        "Namespace",
        Axis("in the namespace", unit="files, blocks"),
        (
            _gauge("files and folders", "FSNamesystemState.FilesTotal"),
            _gauge("blocks", "FSNamesystemState.BlocksTotal"),
            _gauge("blocks to be deleted", "FSNamesystemState.PendingDeletionBlocks"),
        ),
    ),
    _Inside(
        "Live DataNodes",
        Axis("DataNodes", unit="nodes"),
        (_gauge("live", "FSNamesystemState.NumLiveDataNodes"),),
        kind=ChartKind.STEP,
    ),
)


def namenode_section(run: Run) -> Section:
    """What the NameNode says of itself, as charts; what did not change is named, not drawn."""
    title = "The NameNode"
    if not run.metrics:
        intro = "Its metrics are unknown: nobody sampled them. Give its web address to have them (`--http`)."
        return Section(title, tuple(_cpu(Readings(()), run)), intro)
    readings = Readings(run.metrics)
    charts, still = _charts(readings, run)
    stops = list(stop_blocks(run))
    blocks: list[Block] = [
        *_cpu(readings, run),
        *charts,
        *(block for block in stops if isinstance(block, Chart)),
    ]
    if still:
        blocks.append(Text(f"Did not change: {'; '.join(still)}."))
    blocks += [block for block in stops if isinstance(block, Table)]
    blocks += [table for table in (_locks(readings), _changed(readings)) if table.rows]
    intro = "Sampled each second over JMX and from the process while the play ran."
    if readings.stale > len(run.metrics) // 4:
        intro += (
            f" Up to {readings.stale} of {len(run.metrics)} samples repeated the one before, for the NameNode renews "
            "its numbers less often than it was asked; they are left out."
        )
    return Section(title, tuple(blocks), intro)


def _charts(readings: Readings, run: Run) -> tuple[list[Chart], list[str]]:
    charts: list[Chart] = []
    still: list[str] = []
    for inside in _INSIDE:
        series = [(line.name, line.points(readings)) for line in inside.lines]
        if run.gc is not None and inside.title == _PAUSE_LENGTH:  # its log tells of each
            continue
        firsts = {f"{points[0][1]:,.4g}" for _, points in series if points}
        if any(len({value for _, value in points}) > 1 for _, points in series):
            charts.append(_chart(inside, series, run))
        elif firsts:
            title, unit = inside.title, f" {inside.y.unit}" if inside.y.unit else ""
            still.append(f"{title[0].lower()}{title[1:]} ({', '.join(sorted(firsts))}{unit})")
    return charts, still


def _chart(inside: _Inside, series: Sequence[tuple[str, Points]], run: Run) -> Chart:
    shown = tuple(_series(name, points) for name, points in series if points)
    marks, caption = phase_marks(run), inside.caption
    return Chart(inside.title, time_axis(run), inside.y, shown, inside.kind, marks, caption, small=True)


def _cpu(readings: Readings, run: Run) -> Iterator[Chart]:
    lines = [
        _series("NameNode", readings.rate("process.cpu_seconds")),
        _series("player", [(sample.time_s, sample.cpu_share) for sample in run.load]),
    ]
    shown = tuple(line for line in lines if line.xs)
    if shown:
        y = Axis("share of one core", ValueKind.SHARE)
        yield Chart("Processor", time_axis(run), y, shown, marks=phase_marks(run), small=True)


def _series(name: str, points: Points) -> Series:
    return Series(name, [time_s for time_s, _ in points], [value for _, value in points])


def _locks(readings: Readings) -> Table:
    """Who held the lock: the operations that held it longest in all."""
    rows: list[tuple[Value, ...]] = []
    for name in readings.names:
        stem = name.removesuffix("NumOps")
        lock = next((lock for lock in LOCKS if re.match(rf"{lock}(?:Read|Write)Lock", stem)), None)
        if stem == name or lock is None or "Overall" in stem:
            continue
        mode, _, operation = stem.removeprefix(lock).removesuffix("Nanos").partition("Lock")
        which = mode.lower() if LOCKS[lock] == NAMESPACE else f"{mode.lower()}, {LOCKS[lock]}"
        holds, means = readings.gauge(name), readings.average(stem, _NS)
        times = holds[-1][1] - (holds[0][1] if len(holds) > 1 else 0.0)
        if not times or not means:
            continue
        mean = sum(value for _, value in means) / len(means)
        rows.append((operation, which, int(times), mean, times * mean))
    rows.sort(key=lambda row: -float(row[-1] or 0))
    columns = (
        Column("Operation", ValueKind.CODE),
        Column("Lock"),
        Column("Times", ValueKind.NUMBER),
        Column("Mean hold", ValueKind.DURATION),
        Column("In all, about", ValueKind.DURATION),
    )
    return Table(
        columns, rows[:_MOST_LOCKS], "Who held the namespace lock", "The mean is that of the seconds sampled."
    )


def _changed(readings: Readings) -> Table:
    """Numbers that rose or fell and have no chart; what only rises also as a rate."""
    rows: list[tuple[Value, ...]] = []
    for name in readings.names:
        points = readings.gauge(name)
        values = [value for _, value in points]
        hidden = name.startswith((*_CHARTED, *_TWICE)) or name.endswith("AvgTime")
        if hidden or len(set(values)) < 2:
            continue
        length = points[-1][0] - points[0][0]
        rises = all(b >= a for a, b in pairwise(values)) and length > 0
        rate = (values[-1] - values[0]) / length if rises else None
        rows.append((name, values[0], values[-1], min(values), max(values), rate))
    columns = (
        Column("Metric", ValueKind.CODE),
        *(Column(title, ValueKind.NUMBER) for title in ("At first", "At last", "Lowest", "Highest")),
        Column("Rise", ValueKind.NUMBER, "1/s"),
    )
    rows.sort(key=lambda row: (row[-1] is None, -float(row[-1] or 0)))
    hidden_rows = len(rows) - _MOST_CHANGED
    note = f"{hidden_rows} others changed less." if hidden_rows > 0 else ""
    return Table(columns, rows[:_MOST_CHANGED], "Other metrics that changed", note)
