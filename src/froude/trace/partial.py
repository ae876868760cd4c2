"""A Trace while it is recorded: `NAME.partial`, whole up to its last batch whatever becomes of the writer."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from froude.base.errors import InputError
from froude.base.files import atomic_write_bytes, stated_os_errors
from froude.hadoop.schema import Schema
from froude.trace import files
from froude.trace.assembly import Row
from froude.trace.columns import SCHEMA, to_table
from froude.trace.types import Loss, TraceMeta
from froude.workspace.artifact import Lineage

SUFFIX = ".partial"
KIND = "partial trace"


def partial_path(path: Path) -> Path:
    """Where a Trace lies while it is recorded."""
    return path.with_name(path.name + SUFFIX)


class PartialWriter:
    """Appends rows to `NAME.partial` and makes it a whole Trace in the end."""

    def __init__(self, path: Path, schema: Schema, meta: TraceMeta) -> None:
        """Begin a Trace that shall be at `path`.

        Raises:
            InputError: the place is taken, by a Trace or by an unfinished one.
            MissingError: no right to write there.
        """
        self.path = path
        self.folder = partial_path(path)
        self.rows = 0
        """Rows written so far."""
        for place in (path, self.folder):
            if place.exists():
                remedy = "Choose another name"
                if place != path:
                    remedy = f"Make it whole with `froude trace validate --recover {place}`, or remove it"
                raise InputError("already exists", file=place, remedy=remedy)
        with stated_os_errors(self.folder):
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            self.folder.mkdir(mode=0o700)
        atomic_write_bytes(self.folder / files.SCHEMA, schema.to_bytes())
        self.describe(meta)
        self._file = open(self.folder / files.STREAM, "xb", buffering=0, opener=_owner_only)  # noqa: SIM115
        with stated_os_errors(self.folder):
            self._stream = pa.ipc.new_stream(self._file, SCHEMA)

    def describe(self, meta: TraceMeta) -> None:
        """Put down what is known by now, for a reader of the remains."""
        facts = files.meta_to_mapping(meta)
        document = {"format": files.FORMAT, "kind": KIND, **facts}
        atomic_write_bytes(self.folder / files.META, files.dump(document))

    def append(self, rows: Sequence[Row]) -> None:
        """Write rows; they are in the system's hands when this returns.

        Raises:
            MissingError: no space.
        """
        with stated_os_errors(self.folder / files.STREAM):
            for batch in to_table(rows).to_batches():
                self._stream.write_batch(batch)
        self.rows += len(rows)

    def finish(self, meta: TraceMeta, *, command: str = "", tags: Sequence[str] = ()) -> Lineage:
        """Make the whole Trace and remove the unfinished one.

        Raises:
            MissingError: no space; the unfinished one stays.
        """
        with stated_os_errors(self.folder / files.STREAM):
            self._stream.close()
            self._file.close()
        return finish_partial(self.path, meta, command=command, tags=tags)

    def discard(self) -> None:
        """Remove it."""
        self._file.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def finish_partial(path: Path, meta: TraceMeta, *, command: str = "", tags: Sequence[str] = ()) -> Lineage:
    """Make the Trace at `path` out of its `.partial` and remove that.

    Raises:
        InputError: there is none, or it is damaged from the start.
        MissingError: no space.
    """
    folder = partial_path(path)
    schema = files.read_schema(folder / files.SCHEMA)
    table, _ = read_stream(folder / files.STREAM)
    lineage = files.write_table(path, meta, schema, table, command=command, tags=tags)
    shutil.rmtree(folder, ignore_errors=True)
    return lineage


def recover(folder: Path) -> Lineage:
    """Make a whole Trace of what a killed recorder left, as far as it goes.

    Args:
        folder: the `.partial` one; the Trace takes its name without that.

    Raises:
        InputError: not such a folder, or nothing in it can be read.
    """
    path, meta = read_partial_meta(folder)
    table, cut = read_stream(folder / files.STREAM)
    unanswered = sum(status == "unanswered" for status in table.column("status").to_pylist())
    notes = {**meta.notes, "recovered": _what_was_lost(cut)}
    loss = Loss(meta.loss.undecodable_frames, meta.loss.torn_connections, unanswered, meta.loss.dropped_bytes)
    whole = TraceMeta(meta.scale, meta.started_at_s, meta.source_id, meta.release, meta.fidelity, loss, notes)
    return finish_partial(path, whole, command=f"froude trace validate --recover {folder.name}")


def read_partial_meta(folder: Path) -> tuple[Path, TraceMeta]:
    """Where the Trace of a `.partial` folder shall be, and its facts.

    Raises:
        InputError: not such a folder.
    """
    if not folder.name.endswith(SUFFIX):
        raise InputError("is not an unfinished trace", file=folder, allowed=f"a folder NAME{SUFFIX}")
    document: Mapping[str, Any] = files.read_meta(folder, kind=KIND)
    meta = files.meta_from_mapping(document, file=folder / files.META)
    return folder.with_name(folder.name.removesuffix(SUFFIX)), meta


def read_stream(path: Path) -> tuple[pa.Table, int]:
    """All whole batches of a stream, and how many bytes behind them are not whole.

    Raises:
        InputError: not one batch's head can be read.
    """
    batches: list[pa.RecordBatch] = []
    try:
        size = path.stat().st_size
        with path.open("rb") as source:
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
    except FileNotFoundError as error:
        raise InputError("does not exist", file=path) from error
    except (pa.ArrowException, OSError) as error:
        raise InputError("is empty or damaged", file=path, found=" ".join(str(error).split())) from error
    if schema != SCHEMA:
        raise InputError("is not a trace's stream of calls", file=path)
    return pa.Table.from_batches(batches, schema=SCHEMA), size - good


def _what_was_lost(cut_bytes: int) -> str:
    torn = f"; a batch of {cut_bytes} bytes was cut" if cut_bytes else ""
    return f"the recorder was ended before it could finish: up to the last second is missing{torn}"


def _owner_only(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
