"""Putting the lines of a whole log in the order of time, with the memory of one slice of it.

Each piece of a log is sorted alone and written as a run, with the first time of each of its batches. From those times
the log is divided into slices of about as many lines; a slice takes its lines from the runs that reach into it. So any
order comes out right, however late a line stands, and slices are made side by side.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from froude.base.errors import InputError
from froude.base.files import create_file
from froude.trace.audit.columns import joined
from froude.trace.audit.times import NO_FOLD, Fold

Ints = npt.NDArray[np.int64]
BATCH_ROWS = 8192
_FOREVER = 1 << 62


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of a log, sorted, on disk."""

    path: Path
    marks: tuple[int, ...]
    """Time of the first line of each of its batches, and of its last line; microseconds."""
    rows: int
    fold: Fold = NO_FOLD
    """Its lines of an hour that the clock has twice."""
    second: bool = False
    """Whether those are of the second pass, against what they were taken for."""

    @property
    def begin_us(self) -> int:
        """Its first time."""
        return self.marks[0]

    @property
    def end_us(self) -> int:
        """Its last time."""
        return self.marks[-1]


@dataclass(frozen=True, slots=True)
class Slice:
    """The lines of some time."""

    number: int
    begin_us: int
    end_us: int
    """The first time that is no longer of it."""
    runs: tuple[Run, ...]
    """Those that reach into it, in the order of the log."""


def write_run(path: Path, table: pa.Table, times: Ints) -> tuple[int, ...]:
    """Sort lines and write them.

    Args:
        table: (lines,) the lines in their order; those of one time keep it.
        times: (lines,) of each, UTC.

    Returns:
        Its marks.

    Raises:
        MissingError: no space, or no right to write there.
    """
    order = np.argsort(times, kind="stable")
    ordered = times[order]
    if (order[1:] < order[:-1]).any():
        table = table.take(order)
    table = table.append_column("time", pa.array(ordered))
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with (
        create_file(path) as sink,
        pa.ipc.new_file(sink, table.schema, options=options) as writer,
    ):
        for batch in table.combine_chunks().to_batches(BATCH_ROWS):
            writer.write_batch(batch)
    return (*ordered[::BATCH_ROWS].tolist(), int(ordered[-1]))


def slices(runs: Sequence[Run], most_rows: int) -> list[Slice]:
    """Divide the time of some runs.

    Args:
        runs: in the order of the log.
        most_rows: about how many lines a slice may have; more where very many have one and the same time.
    """
    if not runs:
        return []
    marks = np.sort(np.concatenate([np.array(run.marks[:-1], np.int64) for run in runs]))
    step = max(most_rows // BATCH_ROWS, 1)
    inner = np.unique(marks[step::step]).tolist()
    edges = [min(run.begin_us for run in runs), *inner, _FOREVER]
    edges = sorted(set(edges))
    return [
        Slice(
            number,
            begin,
            end,
            tuple(run for run in runs if run.begin_us < end and _latest(run) >= begin),
        )
        for number, (begin, end) in enumerate(pairwise(edges))
    ]


def read_slice(each: Slice) -> pa.Table | None:
    """The lines of a slice in the order of time; those of one time in the order of the log; None for none.

    Raises:
        InputError: a run is damaged.
    """
    tables = []
    for run in each.runs:
        try:
            table = _lines(run, each.begin_us, each.end_us)
        except (OSError, pa.ArrowException) as error:
            raise InputError("is cut short or damaged", file=run.path, found=str(error)) from error
        if table is not None:
            tables.append(table)
    if not tables:
        return None
    whole = joined(tables)
    times = np.asarray(whole.column("time"))
    if (np.diff(times) < 0).any():
        whole = whole.take(np.argsort(times, kind="stable"))
    return whole


def _latest(run: Run) -> int:
    return run.end_us + (run.fold.shift_us if run.second else 0)


def _lines(run: Run, begin: int, end: int) -> pa.Table | None:
    """The lines of a run from a time to another."""
    earlier = begin - (run.fold.shift_us if run.second else 0)
    first = max(bisect_right(run.marks[:-1], earlier - 1) - 1, 0)
    last = bisect_right(run.marks[:-1], end - 1)
    if first >= last:
        return None
    place: Any = os.fsencode(run.path)  # a text would have to be Unicode
    with pa.memory_map(place) as source, pa.ipc.open_file(source) as file:
        table = pa.Table.from_batches([file.get_batch(n) for n in range(first, last)])
    times = np.asarray(table.column("time"))
    if run.second:
        times = times.copy()
        times[(times >= run.fold.begin_us) & (times <= run.fold.end_us)] += run.fold.shift_us
        table = table.set_column(table.column_names.index("time"), "time", pa.array(times))
    wanted: Any = (times >= begin) & (times < end)
    return table if wanted.all() else table.filter(pa.array(wanted))
