"""Audit logs, as a NameNode and its site left them, to one imported audit log in the order of time.

Two passes, each over many workers: pieces of the logs (ranges of plain files, packed files whole) are parsed, sorted
alone and written as runs; then slices of the whole time are gathered from the runs and written as files of lines. The
runs stand in `NAME.partial` until the end, with what was counted in each: an import that was interrupted goes on with
those that it has.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from froude.base.errors import InputError
from froude.base.files import atomic_folder, refuse_taken, remove_folder
from froude.base.parallel import Workers
from froude.base.progress import Progress, Silent
from froude.documents.artifact import Origin
from froude.hadoop.fsimage.anonymise import Names
from froude.trace.audit import columns
from froude.trace.audit.cut import Cut
from froude.trace.audit.files import (
    AuditLog,
    AuditMeta,
    Counts,
    Source,
    open_audit,
    part_name,
    write_meta,
    write_part,
)
from froude.trace.audit.order import Run, Slice, read_slice, slices
from froude.trace.audit.rename import renamed
from froude.trace.audit.times import Fold, second_passes
from froude.trace.importers.audit_pieces import MOST_PLACES, Options, Record, mapped, scan

_SLICE_ROWS = 1 << 19
_NUMBER = re.compile(r"\.(\d+)(?:\.gz)?$")


@dataclass(frozen=True, slots=True)
class _Finish:
    """What every slice goes through."""

    folder: Path
    cut: Cut | None
    names: Names | None


@dataclass(frozen=True, slots=True)
class _Written:
    """What became of a slice."""

    rows: int
    begin_us: int
    end_us: int
    before_image: int
    at_the_cut: int


def import_audit(
    logs: Sequence[Path],
    output: Path,
    options: Options | None = None,
    *,
    cut: Cut | None = None,
    names: Names | None = None,
    workers: Workers = 1,
    origin: Origin | None = None,
    progress: Progress | None = None,
) -> AuditLog:
    """Make an audit log in columns of the logs of one NameNode.

    Args:
        logs: plain or packed, rotated ones in any order.
        output: the folder to make; `OUTPUT.partial` beside it holds what is done until it is whole.
        options: how they are read.
        cut: which lines an image holds already; None for none.
        names: other names for paths, users and hosts; None leaves them.
        workers: see `froude.base.parallel.Workers`.
        origin: inputs, command and tags for the lineage.
        progress: shows what is going on.

    Raises:
        InputError: the place is taken; a log is given twice or cannot be read; or no line of any is an audit line.
        MissingError: no space, or no right to write there.
    """
    options, progress = options or Options(), progress or Silent()
    refuse_taken(output)
    _refuse_twice(logs)
    partial_folder = output.with_name(f"{output.name}.partial")
    records = scan(logs, partial_folder, options, workers, progress)
    order = _order(logs, records)
    records = [record for number in order for record in records if record.log == number]
    sources, places = _sources(logs, order, records)
    runs = _runs(records, partial_folder)
    if not runs:
        remove_folder(partial_folder)
        raise _no_line(logs, sources, places)
    parts = slices(runs, _SLICE_ROWS)
    with atomic_folder(output) as folder:
        write = partial(_write, finish=_Finish(folder, cut, names))
        with progress.task("Putting in order", len(parts)) as task:
            written = mapped(write, parts, workers, task.advance)
        if not any(each.rows for each in written):
            message = "leaves no line of the logs: the image is newer than all of them"
            raise InputError(message, file=output, found=cut.words if cut else "")
        full = [each for each in written if each.rows]
        meta = AuditMeta(
            sum(each.rows for each in full),
            full[0].begin_us,
            full[-1].end_us,
            options.form.name,
            str(options.zone),
            options.window_s,
            names is not None,
            sources if names is None else _nameless(sources),
            _counts(records, runs, written),
            cut.words if cut else "",
            () if names is not None else places,  # they show the lines
        )
        write_meta(folder, meta, origin or Origin())
    remove_folder(partial_folder)
    return open_audit(output, check=False)


def _refuse_twice(logs: Sequence[Path]) -> None:
    places: set[Path] = set()
    for path in logs:
        if path.resolve() in places:
            raise InputError("is given twice", file=path)
        places.add(path.resolve())


def _counts(records: Sequence[Record], runs: Sequence[Run], written: Sequence[_Written]) -> Counts:
    both = any(run.second or (run.fold.lines and run.fold.decided) for run in runs)
    return Counts(
        sum(record.bad for record in records),
        sum(record.out_of_order for record in records),
        sum(record.late for record in records),
        0 if both else sum(run.fold.lines for run in runs),
        sum(each.before_image for each in written),
        sum(each.at_the_cut for each in written),
    )


def _no_line(logs: Sequence[Path], sources: Sequence[Source], places: Sequence[str]) -> InputError:
    bad = sum(source.bad for source in sources)
    found = f"{bad} others; {places[0]}" if places else "nothing"
    remedy = "For another form of lines, say --form hive, or --pattern and --date-format"
    return InputError(
        "hold no line of an audit log" if len(logs) > 1 else "holds no line of an audit log",
        file=", ".join(map(str, logs)),
        found=found,
        allowed="a date, then allowed=… ugi=… cmd=…",
        remedy=remedy,
    )


def _order(logs: Sequence[Path], records: Sequence[Record]) -> list[int]:
    """The logs in the order of their times, by what they hold and not by their names."""

    def place(number: int) -> tuple[int, int, str]:
        firsts = [record.first_us for record in records if record.log == number and record.rows]
        rotated = _NUMBER.search(logs[number].name)  # only where two begin at the same moment
        return min(firsts, default=1 << 62), -int(rotated[1]) if rotated else 0, str(logs[number])

    return sorted(range(len(logs)), key=place)


def _runs(records: Sequence[Record], folder: Path) -> list[Run]:
    full = [record for record in records if record.rows]
    folds = [Fold(*record.fold) for record in full]
    return [
        Run(folder / record.name, record.marks, record.rows, fold, second)
        for record, fold, second in zip(full, folds, second_passes(folds), strict=True)
    ]


def _sources(
    logs: Sequence[Path], order: Sequence[int], records: Sequence[Record]
) -> tuple[tuple[Source, ...], tuple[str, ...]]:
    """What each log held, and the places of the first bad lines."""
    sources, places = [], []
    for number in order:
        own = [record for record in records if record.log == number]
        line = 1
        for record in own:
            places += [f"{logs[number].name}:{line + row}: {why}" for row, why in record.places]
            line += record.lines
        lines, bad = sum(r.lines - r.blank for r in own), sum(r.bad for r in own)
        sources.append(Source(logs[number].name, lines, bad))
    return tuple(sources), tuple(text[:200] for text in places[:MOST_PLACES])


def _nameless(sources: Sequence[Source]) -> tuple[Source, ...]:
    """Logs by number: files that were collected from many machines are often named by these."""
    return tuple(replace(each, name=f"log-{number}") for number, each in enumerate(sources, 1))


def _write(each: Slice, *, finish: _Finish) -> _Written:
    """Gather a slice and write it; nothing where no line is left of it."""
    table = read_slice(each)
    rows = 0 if table is None else table.num_rows
    at_the_cut = 0
    if table is not None and finish.cut is not None:
        table, at_the_cut = finish.cut.applied(table)
    left_out = rows - (0 if table is None else table.num_rows)
    if table is None or not table.num_rows:
        return _Written(0, 0, 0, left_out, at_the_cut)
    if finish.names is not None:
        table = renamed(table, finish.names)
    table = table.append_column("client", columns.clients(table))
    times: Any = table.column("time")
    stamped = pc.cast(times, pa.timestamp("us")).cast(columns.SCHEMA.field("time").type)
    table = table.set_column(table.column_names.index("time"), "time", stamped)
    write_part(finish.folder / part_name(each.number), table.select(columns.SCHEMA.names))
    return _Written(table.num_rows, times[0].as_py(), times[-1].as_py(), left_out, at_the_cut)
