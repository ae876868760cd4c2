"""A Trace while it is recorded: `NAME.partial`, whole up to its last batch whatever becomes of the writer.

Where several recorders write one Trace, the folder holds a `part-N.partial` of each, of the same form.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from froude.base.errors import InputError
from froude.base.files import atomic_write_bytes, atomic_write_text, open_regular, stated_os_errors
from froude.documents.artifact import Lineage, Origin, State
from froude.messages.schema import Schema
from froude.trace import files
from froude.trace.assembly import CallRow
from froude.trace.columns import SCHEMA, to_table, with_ids, with_targets
from froude.trace.types import Loss, TraceMeta

SUFFIX = ".partial"


def partial_path(path: Path) -> Path:
    """Where a Trace lies while it is recorded."""
    return path.with_name(path.name + SUFFIX)


@dataclass(frozen=True, slots=True)
class Partial:
    """What an unfinished Trace holds, all parts together."""

    path: Path
    """Where the Trace shall be."""
    meta: TraceMeta
    """Its facts so far."""
    schema: Schema
    """To decode its calls."""
    table: pa.Table
    """Its calls, in the order of their answers within each part."""
    cut_bytes: int
    """Bytes of batches that are not whole."""


def claim(path: Path) -> Path:
    """Take the place of the Trace at `path`: makes its `.partial` folder, empty.

    Raises:
        InputError: the place is taken, by a Trace or by an unfinished one.
        MissingError: no right to write there.
    """
    folder = partial_path(path)
    for place in (path, folder):
        if place.exists():
            remedy = "Choose another name"
            if place != path:
                remedy = f"Make it whole with `froude trace validate --recover {place}`, or remove it"
            raise InputError("already exists", file=place, remedy=remedy)
    with stated_os_errors(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700)
    return folder


def part_path(path: Path, number: int) -> Path:
    """Where one of several recorders of the Trace at `path` writes its own.

    Args:
        number: the recorder's, which no other of the Trace has.
    """
    return partial_path(path) / f"part-{number}"


class PartialWriter:
    """Appends rows to `NAME.partial` and makes it a whole Trace in the end."""

    def __init__(self, path: Path, schema: Schema, meta: TraceMeta) -> None:
        """Begin a Trace that shall be at `path`.

        Args:
            path: the Trace as a whole; `.partial` is put behind its name.
            schema: of the release whose calls are written.
            meta: what is known of the run so far; `describe` writes it anew.

        Raises:
            InputError: the place is taken, by a Trace or by an unfinished one.
            MissingError: no right to write there.
        """
        self.path = path
        self.folder = claim(path)
        self.rows = 0
        """Rows written so far."""
        try:
            self._begin(schema, meta)
        except BaseException:
            _remove(self.folder)  # nothing is in it yet
            raise

    def _begin(self, schema: Schema, meta: TraceMeta) -> None:
        atomic_write_bytes(self.folder / files.SCHEMA, schema.to_bytes())
        self.describe(meta)
        self._file = open(self.folder / files.STREAM, "xb", buffering=0, opener=_owner_only)  # noqa: SIM115
        with stated_os_errors(self.folder):
            self._stream = pa.ipc.new_stream(self._file, SCHEMA)
            nothing = pa.RecordBatch.from_pylist([], schema=SCHEMA)
            self._stream.write_batch(nothing)  # with it the stream's head: it can be recovered from now on

    def describe(self, meta: TraceMeta) -> None:
        """Put down what is known by now, for a reader of the remains."""
        atomic_write_text(self.folder / files.META, files.dump_partial_meta(meta))

    def append(self, rows: Sequence[CallRow]) -> None:
        """Write rows; they are in the system's hands when this returns.

        Raises:
            MissingError: no space.
        """
        with stated_os_errors(self.folder / files.STREAM):
            for batch in to_table(rows).to_batches():
                self._stream.write_batch(batch)
        self.rows += len(rows)

    def finish(
        self, meta: TraceMeta, origin: Origin | None = None, ids: Mapping[tuple[str, str], str] | None = None
    ) -> Lineage:
        """Make the whole Trace and remove the unfinished one.

        Args:
            meta: what is known of the run in the end.
            origin: inputs, command, seed and tags for the lineage; none of them where None.
            ids: of targets that rows have no id of, as `columns.with_ids` takes them.

        Returns:
            The lineage of the Trace.

        Raises:
            MissingError: no space; the unfinished one stays.
        """
        self._close()
        return finish_partial(self.path, meta, origin, ids)

    def leave(self, meta: TraceMeta) -> None:
        """Close it as it is, for whoever joins it with others.

        Raises:
            MissingError: no space.
        """
        self.describe(meta)
        self._close()

    def _close(self) -> None:
        with stated_os_errors(self.folder / files.STREAM):
            self._stream.close()
            self._file.close()

    def discard(self) -> None:
        """Remove it."""
        self._file.close()
        _remove(self.folder)


def finish_partial(
    path: Path,
    meta: TraceMeta,
    origin: Origin | None = None,
    ids: Mapping[tuple[str, str], str] | None = None,
) -> Lineage:
    """Make the Trace at `path` out of its `.partial` and remove that.

    Args:
        meta: what is known of the run in the end.
        origin: inputs, command, seed and tags for the lineage; none of them where None.
        ids: of targets that rows have no id of, as `columns.with_ids` takes them.

    Returns:
        The lineage of the Trace.

    Raises:
        InputError: there is none, or it is damaged from the start.
        MissingError: no space.
    """
    partial = read_partial(partial_path(path))
    table = with_ids(partial.table, ids) if ids else partial.table
    lineage = files.write_table(path, meta, partial.schema, table, origin)
    _remove(partial_path(path))
    return lineage


def _remove(folder: Path) -> None:
    """Remove what recorders wrote there; what others put there stays, and the folders around it."""
    for part in (*folder.glob(f"part-*{SUFFIX}"), folder):
        for name in (files.SCHEMA, files.META, files.STREAM):
            for file in (part / name, *part.glob(f".{name}.*")):  # the latter half written, by a killed one
                with suppress(OSError):
                    file.unlink()
        with suppress(OSError):
            part.rmdir()


def recover(folder: Path, command: str = "") -> Lineage:
    """Make a Trace of what a killed recorder left, as far as it goes; its lineage says that it was interrupted.

    Args:
        folder: the `.partial` one; the Trace takes its name without that.

    Raises:
        InputError: not such a folder, or nothing in it can be read.
    """
    partial = read_partial(folder)
    unanswered = sum(status == "unanswered" for status in partial.table.column("status").to_pylist())
    meta = partial.meta
    whole = replace(
        meta,
        loss=replace(meta.loss, unanswered_calls=unanswered),
        notes={**meta.notes, "recovered": _what_was_lost(partial.cut_bytes)},
    )
    command = command or f"recover({str(folder)!r})"
    return finish_partial(partial.path, whole, Origin(command, state=State.INTERRUPTED))


def read_partial(folder: Path) -> Partial:
    """All that an unfinished Trace holds.

    Raises:
        InputError: not such a folder, or nothing in it can be read.
    """
    if not folder.name.endswith(SUFFIX):
        raise InputError("is not an unfinished trace", file=folder, allowed=f"a folder NAME{SUFFIX}")
    parts = sorted(folder.glob(f"part-*{SUFFIX}")) or [folder]
    metas = [files.read_partial_meta(part) for part in parts]
    schema = files.read_schema(parts[0] / files.SCHEMA)
    meta = _joined(metas)
    streams = [read_stream(part / files.STREAM, meta.source_id) for part in parts]
    return Partial(
        folder.with_name(folder.name.removesuffix(SUFFIX)),
        meta,
        schema,
        pa.concat_tables([table for table, _ in streams]),
        sum(cut for _, cut in streams),
    )


def _joined(metas: Sequence[TraceMeta]) -> TraceMeta:
    """The facts of all parts: losses added up, notes side by side."""
    notes: dict[str, str] = {}
    for number, meta in enumerate(metas, 1):
        for name, note in meta.notes.items():
            notes[name if notes.get(name, note) == note else f"{name}, part {number}"] = note
    return replace(
        metas[0],
        source_id=next((meta.source_id for meta in metas if meta.source_id), ""),
        release=next((meta.release for meta in metas if meta.release), ""),
        loss=sum((meta.loss for meta in metas), Loss()),
        notes=notes,
    )


def read_stream(path: Path, source_id: str = "") -> tuple[pa.Table, int]:
    """All whole batches of a stream, and how many bytes behind them are not whole.

    Args:
        source_id: whose traffic it is, for streams of before there were targets.

    Raises:
        InputError: not one batch's head can be read.
    """
    batches: list[pa.RecordBatch] = []
    try:
        with open_regular(path) as source:
            size = path.stat().st_size
            reader = pa.ipc.open_stream(source)
            good = source.tell()
            while True:
                try:
                    batch = reader.read_next_batch()
                except StopIteration:
                    good = size
                    break
                except (pa.ArrowException, OSError):
                    break
                batches.append(batch)
                good = source.tell()
            schema = reader.schema
    except (pa.ArrowException, OSError) as error:
        raise InputError("is empty or damaged", file=path, found=" ".join(str(error).split())) from error
    table = with_targets(pa.Table.from_batches(batches, schema=schema), source_id)
    if table.schema != SCHEMA:
        raise InputError("is not a trace's stream of calls", file=path)
    return table, size - good


def _what_was_lost(cut_bytes: int) -> str:
    torn = f"; a batch of {cut_bytes} bytes was cut" if cut_bytes else ""
    return f"the recorder was ended before it could finish: up to the last second is missing{torn}"


def _owner_only(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
