"""The access log as a table: which dataset, which task, which execution each access belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from froude.provision.draft.log import UNITS, AccessLog
from froude.provision.draft.names import distinct
from froude.provision.draft.paths import Folder, belongs, components, cut
from froude.provision.draft.types import REST, Unit

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

LONG_SESSION_S = 600.0
"""A client process that reads and writes for longer is a service: each of its calls is an execution of its own."""
LONG_SESSION_CALLS = 1000


@dataclass(frozen=True, slots=True)
class Grouping:
    """How accesses are brought together."""

    named: tuple[tuple[str, str], ...] = ()
    """Prefix and name of each dataset that the user names; empty to find them."""
    share: float = 0.05
    """The least share of the operations or of the bytes that makes a dataset."""
    depth: int | None = None
    """Most components of a prefix."""
    most_tasks: int = 20
    """Task types of their own; the rest are one."""

    @property
    def prefixes(self) -> tuple[Folder, ...]:
        """The named prefixes, as folders."""
        return tuple(tuple(components(prefix)) for prefix, _ in self.named)


@dataclass(frozen=True, slots=True)
class Table:
    """Accesses as columns of shape (n,), in the order in which they were seen."""

    prefixes: tuple[Folder, ...]
    """By number of the dataset."""
    datasets: tuple[str, ...]
    tasks: tuple[str, ...]
    """Names, the one with the most accesses first."""
    dataset: Ints
    task: Ints
    run: Ints
    """Executions, numbered from 0."""
    unit: Ints
    """Index into `UNITS`."""
    write: npt.NDArray[np.bool_]
    time: Floats
    """Seconds since the epoch; NaN where unseen."""
    bytes: Floats
    """NaN where unseen."""
    process: Ints
    """Of the client; -1 where unseen."""
    copies: Ints
    """Replicas of each file; 0 where unseen."""


def tabulate(log: AccessLog, grouping: Grouping) -> Table:
    """Datasets, tasks and executions of a log's accesses; n log n in their number."""
    label, run, unit = _adopted(log)
    sizes = _shared(log, run)
    prefixes, dataset = _datasets(log, grouping, sizes)
    tasks, task = _tasks(log, grouping, label)
    time = log.column("time")
    run, unit = _split_services(task, run, unit, time)
    _, numbered = np.unique(run, return_inverse=True)
    names = dict(zip(grouping.prefixes, (name for _, name in grouping.named), strict=True))
    titles = distinct([names.get(p) or ("_".join(p) if p else REST) for p in prefixes], "dataset")
    return Table(
        prefixes=tuple(prefixes),
        datasets=tuple(titles),
        tasks=tuple(tasks),
        dataset=dataset,
        task=task,
        run=numbered,
        unit=unit,
        write=log.column("write").astype(bool),
        time=time,
        bytes=sizes,
        process=log.column("process").astype(np.int64),
        copies=log.column("copies").astype(np.int64),
    )


def _adopted(log: AccessLog) -> tuple[Ints, Ints, Ints]:
    """Label, execution and unit of each access, sessions that belong to a job counted as its part."""
    label, run, unit = (log.column(name).astype(np.int64) for name in ("label", "run", "unit"))
    adopted = log.jobs.adopted()
    if adopted:
        labels, runs = np.full(log.jobs.executions, -1), np.arange(log.jobs.executions)
        for session, (job_label, job_run) in adopted.items():
            labels[session], runs[session] = job_label, job_run
        moved = labels[run] >= 0
        label, unit = np.where(moved, labels[run], label), np.where(moved, UNITS.index(Unit.JOB), unit)
        run = runs[run]
    return label, run, unit


def _shared(log: AccessLog, run: Ints) -> Floats:
    """Bytes of each access, where the splits of a file were shared among the readers of one execution.

    When a file of b blocks is opened b times or more by one execution, each opening reads one of its blocks.
    """
    sizes: Floats = log.column("bytes").astype(np.float64)
    blocks = log.column("blocks")
    several = np.flatnonzero((blocks > 1) & (log.column("write") == 0))
    if len(several):
        pairs = np.stack([run[several], log.column("file")[several]], axis=1)
        _, which, counts = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
        split = counts[which.reshape(-1)] >= blocks[several]
        sizes[several[split]] /= blocks[several[split]]
    return sizes


def _datasets(log: AccessLog, grouping: Grouping, sizes: Floats) -> tuple[list[Folder], Ints]:
    kinds = log.folders.kinds
    folder = log.column("folder").astype(np.int64)
    if grouping.named:
        prefixes = list(dict.fromkeys(grouping.prefixes))
        if () in kinds and () not in prefixes:
            prefixes.append(())
    else:
        calls = np.bincount(folder, minlength=len(kinds))
        volume = np.bincount(folder, weights=np.nan_to_num(sizes), minlength=len(kinds))
        share, depth = grouping.share, grouping.depth
        prefixes = cut(kinds, calls.tolist(), volume.tolist(), share=share, depth=depth)
    numbers = numbering(kinds, prefixes)
    return prefixes, numbers[folder] if len(folder) else folder


def numbering(kinds: Sequence[Folder], prefixes: Sequence[Folder]) -> Ints:
    """For each kind of folder the number of the longest prefix that holds it, -1 where none does; shape (k,).

    Args:
        prefixes: the folders that may hold them; their place is their number.
    """
    order = {prefix: number for number, prefix in enumerate(prefixes)}
    holders = [belongs(kind, order) for kind in kinds]
    return np.array([-1 if prefix is None else order[prefix] for prefix in holders], dtype=np.int64)


def _tasks(log: AccessLog, grouping: Grouping, label: Ints) -> tuple[list[str], Ints]:
    """Labels that are called alike are one task; those beyond the most frequent are one, too."""
    texts = [log.jobs.task(key) for key in log.jobs.labels]
    names = list(dict.fromkeys(texts))
    places = {name: number for number, name in enumerate(names)}
    of_label = np.array([places[text] for text in texts], dtype=np.int64)
    task = of_label[label] if len(label) else label
    counts = np.bincount(task, minlength=len(names))
    order = np.argsort(-counts, kind="stable")[
        : np.count_nonzero(counts)
    ]  # jobs took all accesses of the rest
    kept = order if len(order) <= grouping.most_tasks else order[: grouping.most_tasks - 1]
    rank = np.full(len(names), len(kept), dtype=np.int64)
    rank[kept] = np.arange(len(kept))
    titles = [names[number] for number in kept] + ([REST] if len(kept) < len(order) else [])
    return distinct(titles, "task"), rank[task] if len(task) else task


def _split_services(task: Ints, run: Ints, unit: Ints, time: Floats) -> tuple[Ints, Ints]:
    """Sessions of a task that are long are a service's: each of their calls becomes an execution."""
    run, unit = run.astype(np.int64), unit.copy()
    session = unit == UNITS.index(Unit.SESSION)
    for number in np.unique(task[session]):
        rows = np.flatnonzero(session & (task == number))
        lasted, counts = spans(run[rows], time[rows])
        if np.median(lasted) > LONG_SESSION_S or np.median(counts) > LONG_SESSION_CALLS:
            run[rows] = int(run.max()) + 1 + np.arange(len(rows))
            unit[rows] = UNITS.index(Unit.CALL)
    return run, unit


def spans(run: Ints, time: Floats) -> tuple[Floats, Ints]:
    """Seconds from the first to the last access of each execution, 0 where times are unseen, and its accesses.

    Args:
        run: execution of each access, shape (n,).
        time: of each, shape (n,).

    Returns:
        Two arrays of shape (executions,), in ascending order of `run`.
    """
    first, last, counts = extremes(run, time)
    return np.nan_to_num(last - first), counts


def extremes(run: Ints, time: Floats) -> tuple[Floats, Floats, Ints]:
    """First and last time and the number of accesses of each execution, in ascending order of `run`.

    Args:
        run: number of the execution of each access, shape (n,).
        time: of each access in seconds, shape (n,).

    Returns:
        Three arrays with one value for each execution.
    """
    order = np.lexsort((time, run))
    _, starts, counts = np.unique(run[order], return_index=True, return_counts=True)
    sorted_times: Any = time[order]
    return np.fmin.reduceat(sorted_times, starts), np.fmax.reduceat(sorted_times, starts), counts
