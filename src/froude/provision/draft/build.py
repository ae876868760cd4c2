"""From a table of accesses to the application they tell: operations, sizes, rates, and what stays blank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from froude.harvest.telemetry.series import Telemetry
from froude.provision.draft.log import UNITS, AccessLog
from froude.provision.draft.paths import belongs, components, generalise
from froude.provision.draft.table import Floats, Grouping, Table, extremes, numbering, tabulate
from froude.provision.draft.types import Draft, DraftDataset, DraftIo, DraftTask, Number, Unit
from froude.provision.inputs.units import Dimension, show
from froude.provision.types import Op

DOMINATES = 0.8
"""Share of all accesses from which a task counts as the one that spends the machines' time."""

_SHORTEST_S = 1.0
"""Less than a second is no time to tell a rate from; it counts as a second."""


@dataclass(frozen=True, slots=True)
class Machines:
    """Telemetry of the machines that ran the tasks."""

    telemetry: Telemetry
    cores: float


def build(
    log: AccessLog,
    grouping: Grouping,
    *,
    sources: Sequence[str] = (),
    window_s: float = 60.0,
    machines: Machines | None = None,
) -> Draft:
    """Draft an application; n log n in the accesses, plus the files whose length was seen.

    Args:
        log: what was read; empty gives a draft without datasets and tasks.
        window_s: the busiest stretch of this length tells a task's peak rate.
        machines: utilisation of the machines, for an upper bound of compute time.
    """
    if not len(log):
        return Draft((), (), tuple(sources), (_left_out(log),))
    table = tabulate(log, grouping)
    notes = [_left_out(log)]
    spent = _spent(log, machines)
    if spent.note:
        notes.append(spent.note)
    tasks = [_task(table, number, log, window_s, spent) for number in range(len(table.tasks))]
    return Draft(_datasets(log, table, grouping), tuple(tasks), tuple(sources), tuple(notes))


def _left_out(log: AccessLog) -> str:
    note = f"{len(log)} reads and writes of files; {log.others} other calls carry no data"
    note += "; more files than are kept: sizes leave some out" if log.space.full else ""
    return note + ("; sources overlap in time: what two saw counts twice" if log.overlap else "")


def _task(table: Table, number: int, log: AccessLog, window_s: float, spent: Number) -> DraftTask:
    rows = np.flatnonzero(table.task == number)
    first, last, _ = extremes(table.run[rows], table.time[rows])
    executions = len(first)
    units = _units(table, rows)
    unit = max(units, key=lambda kind: units[kind])
    share = len(rows) / len(table.task)
    lasted = None if unit is Unit.CALL else float(np.median(np.nan_to_num(last - first)))
    note = f"{_count(len(rows), 'access')} ({_percent(share)}); {_executions(units)}"
    processes = _processes(table, rows, executions)
    if processes > 1:
        note += f"; by {processes:.3g} processes (mean)"
    if lasted:
        note += f"; {_time(lasted)} from its first to its last access (median)"
    return DraftTask(
        table.tasks[number],
        unit,
        executions,
        _rate(first, log.span_s, window_s),
        _compute(spent, share, executions),
        _operations(table, rows, executions),
        note,
    )


def _processes(table: Table, rows: np.ndarray, executions: int) -> float:
    """Client processes of an execution, in the mean; 0 where the source does not see them."""
    seen = rows[table.process[rows] >= 0]
    pairs = np.unique(np.stack([table.run[seen], table.process[seen]], axis=1), axis=0)
    return len(pairs) / executions


def _rate(starts: Floats, span_s: float, window_s: float) -> Number:
    """Starts per second in the busiest window, and their mean."""
    starts = np.sort(starts[np.isfinite(starts)])
    if not len(starts):
        return Number(None, "the source has no times")
    if span_s <= 0:
        return Number(None, "everything was seen at one moment")
    span_s = max(span_s, _SHORTEST_S)
    length = min(window_s, span_s)
    peak = int((np.searchsorted(starts, starts + length) - np.arange(len(starts))).max())
    mean = len(starts) / span_s
    note = f"{peak} of {len(starts)} began in the busiest {_time(length)}; mean {mean:.3g}/s over {_time(span_s)}"
    return Number(_rounded(max(peak / length, mean)), note)


def _operations(table: Table, rows: np.ndarray, executions: int) -> tuple[DraftIo, ...]:
    """Reads, then writes, of each dataset."""
    keys = table.dataset[rows] + len(table.datasets) * table.write[rows]
    order = np.argsort(keys, kind="stable")
    groups = np.split(rows[order], np.flatnonzero(np.diff(keys[order])) + 1)
    return tuple(_io(table, group, executions) for group in groups)


def _io(table: Table, rows: np.ndarray, executions: int) -> DraftIo:
    doing = len(np.unique(table.run[rows]))
    op = Op.WRITE if table.write[rows[0]] else Op.READ
    name = table.datasets[int(table.dataset[rows[0]])]
    sizes = table.bytes[rows]
    note = f"{_count(len(rows), 'file')} in {doing} of {_count(executions, 'execution')}"
    size = _record_size(sizes[np.isfinite(sizes)], len(rows), op)
    return DraftIo(op, name, _rounded(len(rows) / doing), size, _rounded(doing / executions), note)


def _record_size(known: Floats, of: int, op: Op) -> Number:
    if not len(known):
        return Number(None, "no length was seen")
    low, median, high = (_size(float(x)) for x in np.percentile(known, (0, 50, 100)))
    what = "written" if op is Op.WRITE else "lengths of the files opened, of which a reader may take less"
    note = f"mean of {len(known)} of {of}, {what}: {low} to {high}, median {median}"
    return Number(float(round(float(known.mean()))), note)


def _datasets(log: AccessLog, table: Table, grouping: Grouping) -> tuple[DraftDataset, ...]:
    of = len(table.prefixes)
    left, files = _left(log, table)
    written = _most_written(table)
    sizes = np.nan_to_num(table.bytes)
    np.maximum.at(written, table.dataset, sizes)  # no dataset is smaller than a file in it
    calls, volumes = np.bincount(table.dataset, minlength=of), np.bincount(table.dataset, sizes, of)
    datasets = []
    for number, prefix in enumerate(table.prefixes):
        path = "/" + "/".join(prefix)
        total = _summed(log, table, number)
        why = f"{_count(int(calls[number]), 'access')} ({_percent(calls[number] / len(sizes))})"
        why += f", {_percent(volumes[number] / volumes.sum())} of the bytes" if volumes.any() else ""
        why += ": " + _reason(grouping, rest=not prefix, path=path)
        size = _dataset_size(
            max(float(left[number]), total), int(files[number]), float(written[number]), total
        )
        datasets.append(DraftDataset(table.datasets[number], path, size, _replication(table, number), why))
    return tuple(datasets)


def _replication(table: Table, number: int) -> Number:
    """What most writers asked for; where none did, what most readers were offered."""
    seen = (table.dataset == number) & (table.copies > 0)
    for rows, who in ((seen & table.write, "asked for by"), (seen, "offered to")):
        copies = table.copies[rows]
        if len(copies):
            most = int(np.bincount(copies).argmax())
            users = "writes" if who == "asked for by" else "reads"
            return Number(
                float(most), f"{who} {int((copies == most).sum())} of {_count(len(copies), users[:-1])}"
            )
    return Number(None, "not told")


def _reason(grouping: Grouping, *, rest: bool, path: str) -> str:
    if rest:
        return "what lies outside the other prefixes"
    if grouping.named:
        return f"{path}, as named"
    return f"{path} carries {_percent(grouping.share)} of either or more" + (
        f" within depth {grouping.depth}" if grouping.depth else ""
    )


def _dataset_size(left: float, files: int, written: float, total: float) -> Number:
    if max(left, written) <= 0:
        return Number(None, "no length of a file in it was seen")
    if left >= written and total == left:
        return Number(left, "as the NameNode summed it up")
    if left >= written:
        return Number(
            left,
            f"at least: {_count(files, 'file')} whose length was seen; files never touched are not in it",
        )
    note = "at least: the most that one execution wrote, or the largest file; less was left at the end"
    return Number(written, note)


def _left(log: AccessLog, table: Table) -> tuple[Floats, Floats]:
    """Bytes and number of the files seen and not deleted, by dataset."""
    sizes, counts = np.zeros(len(table.prefixes)), np.zeros(len(table.prefixes))
    of_kind: dict[int, int] = {}
    for path, length in log.space.files():
        kind = log.folders.of_file(path)
        number = of_kind.get(kind)
        if number is None:
            number = of_kind[kind] = int(numbering([log.folders.kinds[kind]], table.prefixes)[0])
        if number >= 0:
            sizes[number] += length
            counts[number] += 1
    return sizes, counts


def _summed(log: AccessLog, table: Table, number: int) -> float:
    """The largest sum that the NameNode told of a folder within a dataset that has no other inside."""
    prefix = table.prefixes[number]
    inner = [p for p in table.prefixes if p != prefix and p[: len(prefix)] == prefix]
    if not prefix or inner:
        return 0.0
    kinds = ((generalise(components(path)), size) for path, size in log.totals.items())
    return max((size for kind, size in kinds if belongs(kind, {prefix}) is not None), default=0.0)


def _most_written(table: Table) -> Floats:
    """The most bytes that one execution wrote, by dataset."""
    most = np.zeros(len(table.datasets))
    rows = np.flatnonzero(table.write & np.isfinite(table.bytes))
    keys = table.run[rows] * len(table.datasets) + table.dataset[rows]
    pairs, which = np.unique(keys, return_inverse=True)
    np.maximum.at(most, pairs % len(table.datasets), np.bincount(which, weights=table.bytes[rows]))
    return most


def _spent(log: AccessLog, machines: Machines | None) -> Number:
    """Core-seconds of the machines while the traces were taken."""
    if machines is None:
        return Number(None, "")
    telemetry = machines.telemetry
    counted = f"{_count(telemetry.machines, 'machine')} of {machines.cores:g} cores"
    spent, covered = telemetry.core_seconds(machines.cores, [(w.start_s, w.end_s) for w in log.watched])
    if covered <= 0:
        mean, *ends = telemetry.overall()
        when = " to ".join(datetime.fromtimestamp(t, UTC).strftime("%Y-%m-%d %H:%M") for t in ends)
        note = f"{counted} were busy for {_percent(mean)} from {when} UTC, outside the time of the traces"
        return Number(None, f"{note}: this tells nothing of them")
    note = f"{counted} were {_percent(spent / covered / machines.cores)} busy: {spent:.4g} core-seconds"
    return Number(
        spent, f"{note}, seen for {_percent(covered / (log.span_s * telemetry.machines))} of the time"
    )


def _compute(spent: Number, share: float, executions: int) -> Number:
    if spent.value is None:
        return Number(None, "traces do not tell it")
    if share < DOMINATES:
        return Number(None, f"no task dominates; all together spent {spent.value:.4g} core-seconds")
    note = f"at most: all {spent.value:.4g} core-seconds of the machines over {executions} executions"
    return Number(_rounded(spent.value / executions), note)


def _units(table: Table, rows: np.ndarray) -> dict[Unit, int]:
    """How many of a task's executions are of which kind."""
    _, first = np.unique(table.run[rows], return_index=True)
    counts = np.bincount(table.unit[rows][first], minlength=len(UNITS))
    return {unit: int(count) for unit, count in zip(UNITS, counts, strict=True) if count}


def _executions(units: Mapping[Unit, int]) -> str:
    words = {
        Unit.JOB: ("job, told by its id", "jobs, told by their ids"),
        Unit.SESSION: ("client process without a job's id", "client processes without a job's id"),
        Unit.CALL: ("single call", "single calls, as nothing tells which belong together"),
    }
    parts = [f"{count} {words[unit][count != 1]}" for unit, count in units.items()]
    return f"{_count(sum(units.values()), 'execution')}: {'; '.join(parts)}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "es" if what.endswith("s") else "s")


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.1 else f"{share:.1%}"


def _size(value: float) -> str:
    return show(_rounded(value), Dimension.SIZE)


def _time(value: float) -> str:
    return f"{value:.3g} s"
