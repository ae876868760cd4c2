"""The NameNode's inside while a play ran: its queue, its lock, its edit log, its memory, its processor."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from froude.emulation.run.bottleneck import MASTER
from froude.emulation.run.readings import LOCKS, NAMESPACE, Readings
from froude.emulation.run.run import Run
from froude.experiment.figures.inside import Inside, Line, charts_of, gauge, mean, rate, series
from froude.experiment.figures.phases import phase_marks, time_axis
from froude.experiment.figures.stops import stop_blocks
from froude.render import (
    Axis,
    Block,
    Chart,
    ChartKind,
    Column,
    Section,
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
    "RpcDetailedActivity.",
)
"""What repeats others in another place or unit."""


def _held(title: str, stem: str) -> Line:
    return Line(title, lambda readings: readings.busy(stem, _NS))


def _of_locks(make: Callable[[str, str], Line]) -> tuple[Line, ...]:
    """A line for writing and for reading of each lock that a NameNode may have."""
    return tuple(
        make(f"for {word}{'' if what == NAMESPACE else f', {what}'}", f"{lock}{mode}LockOverallNanos")
        for lock, what in LOCKS.items()
        for word, mode in (("writing", "Write"), ("reading", "Read"))
    )


INSIDE: tuple[Inside, ...] = (
    Inside(
        "Where a call's time goes",
        Axis("mean of a call", ValueKind.DURATION, log=True),
        (
            mean("in the call queue", "RpcActivity.RpcQueueTime", _MS),
            mean("processing", "RpcActivity.RpcProcessingTime", _MS),
            mean("of it waiting for the lock", "RpcActivity.RpcLockWaitTime", _MS),
        ),
        "Means of all calls of a second, as the NameNode measures them. Processing contains waiting for the lock.",
    ),
    Inside(
        "Calls waiting in the queue",
        Axis("calls", unit="calls"),
        (gauge("call queue", "RpcActivity.CallQueueLength"),),
        kind=ChartKind.STEP,
    ),
    Inside(
        "Threads waiting for the namespace lock",
        Axis("threads", unit="threads"),
        (gauge("lock queue", "FSNamesystem.LockQueueLength"),),
        kind=ChartKind.STEP,
    ),
    Inside(
        "How long the namespace lock is held",
        Axis("mean of a hold", ValueKind.DURATION, log=True),
        _of_locks(lambda title, stem: mean(title, stem, _NS)),
    ),
    Inside(
        "Share of the time for which the lock is held",
        Axis("share of the time", ValueKind.SHARE),
        _of_locks(_held),
        "One thread writes at a time: near 100 % the lock is the limit. Many read at once, which may add up to more.",
    ),
    Inside(
        "Edit log",
        Axis("a second", unit="1/s"),
        (
            rate("transactions", "NameNodeActivity.TransactionsNumOps"),
            rate("syncs to the disk", "NameNodeActivity.SyncsNumOps"),
        ),
    ),
    Inside(
        "How long a sync of the edit log takes",
        Axis("mean of a sync", ValueKind.DURATION),
        (mean("sync", "NameNodeActivity.Syncs", _MS),),
    ),
    Inside(
        "Time in the garbage collector",
        Axis("share of the time", ValueKind.SHARE),
        (rate("garbage collector", "JvmMetrics.GcTimeMillis", _MS),),
    ),
    Inside(
        _PAUSE_LENGTH,
        Axis("mean of a pause", ValueKind.DURATION),
        (
            Line(
                "pause", lambda readings: readings.each("JvmMetrics.GcTimeMillis", "JvmMetrics.GcCount", _MS)
            ),
        ),
    ),
    Inside(
        "Memory",
        Axis("memory", ValueKind.BYTES),
        (
            Line("heap used", lambda readings: readings.heap("used")),
            Line("heap committed", lambda readings: readings.heap("committed")),
            gauge("process", "process.rss_bytes"),
        ),
    ),
    Inside(
        "Threads",
        Axis("threads", unit="threads"),
        tuple(
            gauge(state.lower(), f"JvmMetrics.Threads{state.replace(' ', '')}")
            for state in ("Runnable", "Blocked", "Waiting", "Timed Waiting")
        ),
    ),
    Inside(
        "Namespace",
        Axis("in the namespace", unit="files, blocks"),
        (
            gauge("files and folders", "FSNamesystemState.FilesTotal"),
            gauge("blocks", "FSNamesystemState.BlocksTotal"),
            gauge("blocks to be deleted", "FSNamesystemState.PendingDeletionBlocks"),
        ),
    ),
    Inside(
        "Live DataNodes",
        Axis("DataNodes", unit="nodes"),
        (gauge("live", "FSNamesystemState.NumLiveDataNodes"),),
        kind=ChartKind.STEP,
    ),
)


def namenode_section(run: Run) -> Section:
    """What the NameNode says of itself, as charts; what did not change is named, not drawn."""
    title = "The NameNode"
    if not run.metrics:
        intro = "Its metrics are unknown: nobody sampled them. Give its web address to have them (`--http`)."
        return Section(title, tuple(cpu_chart(Readings(()), run)), intro)
    readings = Readings(run.metrics)
    # Its log tells of each of the garbage collector's pauses.
    shown = [each for each in INSIDE if run.gc is None or each.title != _PAUSE_LENGTH]
    charts, still = charts_of(shown, readings, run)
    stops = list(stop_blocks(run))
    blocks: list[Block] = [
        *cpu_chart(readings, run),
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


def cpu_chart(readings: Readings, run: Run) -> Iterator[Chart]:
    """What each process used of a core; nothing where nobody looked."""
    lines = [
        series("NameNode", readings.rate("process.cpu_seconds")),
        series("ResourceManager", readings.rate(f"{MASTER}process.cpu_seconds")),
        series("player", [(sample.time_s, sample.cpu_share) for sample in run.load]),
    ]
    shown = tuple(line for line in lines if line.xs)
    if shown:
        y = Axis("share of one core", ValueKind.SHARE)
        yield Chart("Processor", time_axis(run), y, shown, marks=phase_marks(run), small=True)


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
        hidden = name.startswith((*_CHARTED, *_TWICE, MASTER)) or name.endswith("AvgTime")
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
