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

from froude.base.dropped import SHORT_LOG, Dropped
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
from froude.trace.importers.audit_pieces import Options, Record, mapped, scan

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
        cut: which lines an image holds already; None for none.
        names: other names for paths, users and hosts; None leaves them.
        workers: see `froude.base.parallel.Workers`.
        origin: inputs, command and tags for the lineage.

    Raises:
        InputError: the place is taken; a log is given twice or cannot be read; no line of any is an audit line; or too
            many are damaged (`froude.base.dropped`).
        MissingError: no space, or no right to write there.
    """
    options, progress = options or Options(), progress or Silent()
    refuse_taken(output)
    _refuse_twice(logs)
    partial_folder = output.with_name(f"{output.name}.partial")
    records = scan(logs, partial_folder, options, workers, progress)
    order = _order(logs, records)
    records = [record for number in order for record in records if record.log == number]
    sources, dropped = _sources(logs, order, records)
    runs = _runs(records, partial_folder)
    try:
        _refuse_bad(logs, sources, dropped, strict=options.strict)
    except InputError:
        remove_folder(partial_folder)
        raise
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
            _counts(records, runs, written, dropped),
            cut.words if cut else "",
            () if names is not None else tuple(dropped.notes()),  # they show lines
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


def _counts(
    records: Sequence[Record], runs: Sequence[Run], written: Sequence[_Written], dropped: Dropped
) -> Counts:
    both = any(run.second or (run.fold.lines and run.fold.decided) for run in runs)
    return Counts(
        dropped.total,
        sum(record.out_of_order for record in records),
        sum(record.late for record in records),
        0 if both else sum(run.fold.lines for run in runs),
        sum(each.before_image for each in written),
        sum(each.at_the_cut for each in written),
    )


def _refuse_bad(logs: Sequence[Path], sources: Sequence[Source], dropped: Dropped, *, strict: bool) -> None:
    file = ", ".join(map(str, logs))
    lines = sum(source.lines for source in sources)
    if lines > dropped.total:
        dropped.refuse(file, lines, strict=strict, least=SHORT_LOG)
        return
    raise InputError(
        "hold no line of an audit log" if len(logs) > 1 else "holds no line of an audit log",
        file=file,
        found="; ".join(dropped.notes()[:2]) or "nothing",
        allowed="a date, then allowed=… ugi=… cmd=…",
        remedy="For another form of lines, say --form hive, or --pattern and --date-format",
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
) -> tuple[tuple[Source, ...], Dropped]:
    """What each log held, and the lines that are left out."""
    sources, dropped = [], Dropped()
    for number in order:
        own = [record for record in records if record.log == number]
        name, line, before = logs[number].name, 1, dropped.total
        for record in own:
            for why, row, text, count in record.bad:
                dropped.add(why, f"{name}:{line + row}", text, count)
            line += record.lines
        sources.append(Source(name, sum(r.lines - r.blank for r in own), dropped.total - before))
    return tuple(sources), dropped


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
