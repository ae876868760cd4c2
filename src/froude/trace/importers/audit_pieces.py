"""Pieces of audit logs → sorted runs in a folder that outlives an interrupt.

A piece is a range of a plain log, or a packed log whole; workers read pieces side by side. Beside a run's lines stands
what was counted in it: a piece whose record is there, for the same logs read in the same way, is not read again.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, astuple, dataclass
from datetime import UTC, tzinfo
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from froude.base.dropped import CUT_SHORT
from froude.base.files import (
    atomic_write_text,
    open_regular,
    read_bounded,
    refuse_foreign,
    remove_folder,
    stated_os_errors,
)
from froude.base.packed import HEAD_BYTES, cut_short, packed_form, skip_line, unpacked
from froude.base.parallel import Workers
from froude.base.parallel import map as parallel_map
from froude.base.progress import Progress
from froude.trace.audit.columns import joined
from froude.trace.audit.order import write_run
from froude.trace.audit.parse import Form, Parsed, parse_bytes
from froude.trace.audit.times import NO_FOLD, to_utc

_READ_BYTES = 16 << 20
_PIECE_BYTES = 64 << 20
"""Of a log that one run holds."""
_LONGEST_LINE = 1 << 20
_MOST_TEXT = 100
"""Bytes that are kept of a line that is left out."""
_RECORD_LIMIT_BYTES = 16 << 20
_ROUND = 8
"""Items for each worker between two steps of progress."""
_VERSION = 3
"""Of what a partial import holds; others are not gone on with."""
_KEY = "import.key"
_OWN = re.compile(r"run-\d+-\d+(-\d+)?\.(arrow|json)")
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Options:
    """How logs are read."""

    form: Form = Form()  # noqa: RUF009 - a value
    zone: tzinfo = UTC
    """Of dates that name none."""
    window_s: float = 10.0
    """How far a line may stand behind later ones without being counted as late."""
    strict: bool = False
    """Whether one line that is no audit line is an error."""
    piece_bytes: int = _PIECE_BYTES


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a log that one worker reads."""

    log: int
    path: Path
    number: int
    begin: int
    end: int
    """Byte after the last; of a packed log: 0 to 0, for all of it."""


@dataclass(frozen=True, slots=True)
class Record:
    """What a run holds, as is kept beside it."""

    name: str
    """Of its file; empty where no line is an audit line."""
    log: int
    order: tuple[int, int]
    """Number of the piece in its log, and of the run in the piece."""
    marks: tuple[int, ...]
    rows: int
    first_us: int
    """Time of the line that stands first."""
    lines: int
    blank: int
    out_of_order: int
    late: int
    bad: tuple[tuple[str, int, str, int], ...]
    """Of the lines that are no audit lines: reason, number (from 0, within the run's lines) and text of the first one,
    and how many there are."""
    fold: tuple[int, bool, int, int, int]


def scan(
    logs: Sequence[Path], folder: Path, options: Options, workers: Workers, progress: Progress
) -> list[Record]:
    """Parse the logs, but for the pieces that a former import has parsed.

    Args:
        folder: where the runs shall be; made, or gone on with.
        workers: see `froude.base.parallel.Workers`.
        progress: shows how many pieces are done.

    Returns:
        What each run holds, by log, piece and run.

    Raises:
        InputError: a log cannot be read, or the folder holds what is not ours.
        MissingError: no space, or no right to write there.
    """
    pieces = [
        piece for number, path in enumerate(logs) for piece in _pieces(number, path, options.piece_bytes)
    ]
    key = _identity(logs, options)
    _make_partial(folder, key)
    done = {piece: records for piece in pieces if (records := _read_records(folder, piece)) is not None}
    todo = [piece for piece in pieces if piece not in done]
    with progress.task("Reading", len(pieces)) as task:
        task.advance(len(done))
        read = mapped(partial(_read, folder=folder, options=options), todo, workers, task.advance)
    done.update(zip(todo, read, strict=True))
    return [record for piece in pieces for record in done[piece]]


def _pieces(number: int, path: Path, size: int) -> Iterator[_Piece]:
    with open_regular(path) as raw:
        packed = packed_form(raw.read(HEAD_BYTES), path) is not None
        length = raw.seek(0, 2)
    if packed or not length:
        yield _Piece(number, path, 0, 0, 0)
        return
    for index, begin in enumerate(range(0, length, size)):
        yield _Piece(number, path, index, begin, min(begin + size, length))


def _identity(logs: Sequence[Path], options: Options) -> str:
    """What a partial import must be of, to be gone on with."""
    facts = [[path.name, path.stat().st_size, path.stat().st_mtime_ns] for path in logs]
    how = [asdict(options.form), str(options.zone), options.window_s, options.piece_bytes, _VERSION]
    return hashlib.sha256(json.dumps([facts, how]).encode()).hexdigest()[:16]


def _make_partial(folder: Path, key: str) -> None:
    """An empty folder for runs, or that of the same import, which was interrupted."""
    if folder.is_dir():
        known = [path.name for path in folder.iterdir() if _OWN.fullmatch(path.name)]
        refuse_foreign(folder, [_KEY, *known])
        kept = folder / _KEY
        if kept.is_file() and read_bounded(kept, limit_bytes=64).decode("ascii", "replace").strip() == key:
            return
        remove_folder(folder)
    with stated_os_errors(folder):
        folder.mkdir(mode=0o700, parents=True)
    atomic_write_text(folder / _KEY, key)


def _record_file(folder: Path, piece: _Piece) -> Path:
    return folder / f"run-{piece.log}-{piece.number}.json"


def _read_records(folder: Path, piece: _Piece) -> list[Record] | None:
    """What is known of a piece that was read before; None for one that was not, or whose runs are gone."""
    path = _record_file(folder, piece)
    if not path.is_file():
        return None
    try:
        records = [
            Record(*(_tuples(value) for value in each))
            for each in json.loads(read_bounded(path, limit_bytes=_RECORD_LIMIT_BYTES))
        ]
    except (ValueError, TypeError):
        return None
    whole = all(not record.name or (folder / record.name).is_file() for record in records)
    return records if whole else None


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _read(piece: _Piece, *, folder: Path, options: Options) -> list[Record]:
    """Parse a piece into runs; what is known of them is written last."""
    records: list[Record] = []
    held: list[Parsed] = []
    size = 0
    for data, problem, rest in _chunks(piece):
        parsed = parse_bytes(data, options.form)
        if problem:
            parsed.bad.append((parsed.lines, problem, rest))
            parsed.lines += 1
        held.append(parsed)
        size += len(data)
        if size >= options.piece_bytes:
            records.append(_finish_run(piece, len(records), held, folder, options))
            held, size = [], 0
    if held:
        records.append(_finish_run(piece, len(records), held, folder, options))
    atomic_write_text(_record_file(folder, piece), json.dumps([astuple(record) for record in records]))
    return records


def _chunks(piece: _Piece) -> Iterator[tuple[bytes, str, str]]:
    """Whole lines of a piece, and, of a line behind them that is left out, why, and its beginning.

    A line belongs to the piece in which it begins.
    """
    with open_regular(piece.path) as raw, unpacked(raw, piece.path, whole=False) as source:
        left = piece.end - piece.begin or sys.maxsize
        if piece.begin:
            source.seek(piece.begin - 1)
            left -= skip_line(source) - 1
        rest = b""
        while left > 0 and (data := source.read(min(_READ_BYTES, left))):
            if not data.endswith(b"\n"):
                data += source.readline(_LONGEST_LINE)
            left -= len(data)
            whole = data[: data.rfind(b"\n") + 1]
            rest = data[len(whole) :]
            if len(rest) >= _LONGEST_LINE:
                left -= skip_line(source)
                yield whole, f"longer than {_LONGEST_LINE} bytes", _beginning(rest)
            elif not cut_short(source) and _is_cut(rest, whole):
                yield whole, CUT_SHORT, _beginning(rest)
            else:
                yield whole if cut_short(source) else data, "", ""
        if cut_short(source):
            yield b"", CUT_SHORT, _beginning(rest)


def _is_cut(rest: bytes, lines: bytes) -> bool:
    """Whether a last line without a line feed has lost its last keys, as in a copy of a log that is written."""
    before = lines[lines.rfind(b"\n", 0, -1) + 1 :]
    return b"ugi=" in rest and rest.count(b"\t") < before.count(b"\t")


def _beginning(line: bytes) -> str:
    return line[:_MOST_TEXT].decode("utf-8", "replace")


def _finish_run(piece: _Piece, number: int, held: Sequence[Parsed], folder: Path, options: Options) -> Record:
    """Sort what was parsed and write it."""
    table = joined([parsed.texts for parsed in held])
    times = np.concatenate([parsed.times for parsed in held])
    known = np.concatenate([parsed.known for parsed in held])
    before = list(accumulate((parsed.lines for parsed in held), initial=0))
    bad: dict[str, tuple[int, str, int]] = {}
    for at, parsed in zip(before, held, strict=False):
        for row, why, text in parsed.bad:
            first = bad.get(why, (at + row, text, 0))
            bad[why] = (*first[:2], first[2] + 1)
    fold = NO_FOLD
    if not known.all():
        times = times.copy()
        times[~known], fold = to_utc(times[~known], options.zone)
    behind = np.maximum.accumulate(times) - times if len(times) else times
    name = ""
    marks: tuple[int, ...] = ()
    if len(times):
        name = f"run-{piece.log}-{piece.number}-{number}.arrow"
        (folder / name).unlink(missing_ok=True)
        marks = write_run(folder / name, table, times)
    return Record(
        name,
        piece.log,
        (piece.number, number),
        marks,
        len(times),
        int(times[0]) if len(times) else 0,
        before[-1],
        before[-1] - len(times) - sum(count for *_, count in bad.values()),
        int((behind > 0).sum()),
        int((behind > options.window_s * 1e6).sum()),
        tuple((why, *first) for why, first in bad.items()),
        astuple(fold),
    )


def mapped(
    f: Callable[[_Item], _Result], items: Sequence[_Item], workers: Workers, advance: Callable[[float], None]
) -> list[_Result]:
    """`parallel.map` in rounds, so that progress is seen between them.

    Args:
        f: as of `parallel.map`.
        workers: see `froude.base.parallel.Workers`.
        advance: told how many items are done.
    """
    size = max(len(items), 1) if isinstance(workers, str) else _ROUND * workers
    results: list[_Result] = []
    for at in range(0, len(items), size):
        results += parallel_map(f, items[at : at + size], workers)
        advance(min(size, len(items) - at))
    return results
