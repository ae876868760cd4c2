"""A Trace as a folder: `calls.parquet`, `schema.fds`, and `meta.yaml`, which a person can read.

While it is being recorded it is a folder `NAME.partial` instead: the schema, what is known beforehand, and
`calls.arrows`, an Arrow stream that is whole up to its last batch whatever happens to the writer.
`finish_partial` makes the one out of the other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from froude.base.errors import ChangedError, InputError, MissingError
from froude.base.files import (
    atomic_folder,
    atomic_write_bytes,
    atomic_write_text,
    open_regular,
    read_bounded,
    stated_os_errors,
)
from froude.base.units import parse_quantity
from froude.documents.artifact import Lineage, Origin, check_files, hash_files, hash_parts
from froude.documents.forms import quantity_value
from froude.documents.lineage import Opened, dump_sealed, lineage_of, open_document
from froude.documents.migrate import Migrations
from froude.documents.plain import Fields
from froude.documents.reading import Section, dump_document
from froude.documents.recognise import kind_of
from froude.documents.unstamped import PARTIAL_TRACE, TRACE
from froude.messages.schema import Schema, UnknownMethodError
from froude.trace import columns
from froude.trace.types import Fidelity, Loss, Trace, TraceMeta

CALLS, SCHEMA, META = "calls.parquet", "schema.fds", "meta.yaml"
PARTS = (CALLS, SCHEMA, META)
"""All that a Trace's folder holds."""
STREAM = "calls.arrows"
PARTIAL = PARTIAL_TRACE.kind
_META_LIMIT_BYTES = 1 << 20
_SCHEMA_LIMIT_BYTES = 64 << 20
_ROWS_PER_GROUP = 50_000
_LATER_LOSSES = frozenset({"protected_connections"})
"""Written only where there were any: files that are older do not have them."""
_FACTS = ("scale", "started_at", "source_id", "release", "fidelity", "loss", "notes")
"""What the content hash of version 1 was over, besides the files."""
_REMEDY = "Restore it from a copy, or record again"


def _stamped(data: Fields) -> None:
    """Version 1 said `format: 1` and `kind: trace`, and of the files only the one hash over all."""
    del data["format"], data["kind"]


MIGRATIONS = Migrations("trace", 2, {1: _stamped}, unstamped=TRACE)
PARTIAL_MIGRATIONS = Migrations(PARTIAL, 2, {1: _stamped}, unstamped=PARTIAL_TRACE)


def write_trace(
    path: Path | str, trace: Trace, origin: Origin | None = None, *, replace: bool = False
) -> Lineage:
    """Write a Trace; whole or not at all, readable by its owner only.

    Args:
        trace: what to write; its calls are put in order of their start.
        replace: whether a Trace already there may be replaced.

    Returns:
        Its lineage.

    Raises:
        InputError: the place is taken, and may not be replaced or holds anything but a Trace.
        MissingError: no space, or no right to write there.
    """
    table = columns.calls_to_table(trace.calls)
    return write_table(Path(path), trace.meta, trace.schema, table, origin, replace=replace)


def write_table(
    path: Path,
    meta: TraceMeta,
    schema: Schema,
    table: pa.Table,
    origin: Origin | None = None,
    *,
    replace: bool = False,
) -> Lineage:
    """`write_trace` for calls that are a table already.

    Args:
        meta: what is known of the run as a whole.
        schema: of the release; the part that the calls need is written.
        table: the calls, with the columns of `SCHEMA`; they are put in order.
        origin: inputs, command, seed and tags for the lineage; none of them where None.
        replace: whether a Trace already there may be replaced.

    Returns:
        The lineage that was written.

    Raises:
        InputError: the place is taken, and may not be replaced or holds anything but a Trace.
        MissingError: no space or no right to write there.
    """
    table, origin = _in_order(table), origin or Origin()
    with atomic_folder(path, replaces=PARTS if replace else None) as folder:
        atomic_write_bytes(folder / SCHEMA, used_schema(schema, table).to_bytes())
        _write_parquet(folder / CALLS, table)
        hashes = hash_files(folder, (CALLS, SCHEMA))
        fields = {"calls": table.num_rows, **meta_to_mapping(meta), "files": hashes}
        lineage = lineage_of(MIGRATIONS, fields, origin)
        atomic_write_text(folder / META, dump_sealed(MIGRATIONS, fields, lineage, origin.tags))
    return lineage


def _write_parquet(path: Path, table: pa.Table) -> None:
    with stated_os_errors(path), open(path, "xb", opener=_owner_only) as sink:
        try:
            pq.write_table(table, sink, compression="zstd", row_group_size=_ROWS_PER_GROUP)
        except pa.ArrowException as error:
            raise MissingError(f"cannot be written ({error})", file=path) from error


def used_schema(schema: Schema, table: pa.Table) -> Schema:
    """The part of a schema that a table's protocols need; protocols it does not know are left out.

    Args:
        table: calls; only their column `protocol` matters.
    """
    known = []
    for protocol in map(str, pc.unique(table.column("protocol")).to_pylist()):
        try:
            schema.subset([protocol])
        except UnknownMethodError:
            continue
        known.append(protocol)
    return schema.subset(known)


def read_trace(path: Path | str) -> Trace:
    """Read a Trace; its calls are made when first looked at.

    Raises:
        ChangedError: edited, cut short or damaged.
        InputError: absent, empty, foreign, or of a newer Froude.
    """
    folder = Path(path)
    document = read_meta(folder)
    table = _read_calls(folder / CALLS, document.calls, document.meta.source_id)
    return Trace(document.meta, read_schema(folder / SCHEMA), columns.LazyCalls(table), document.lineage)


@dataclass(frozen=True, slots=True)
class TraceDocument:
    """What a Trace's `meta.yaml` says."""

    meta: TraceMeta
    calls: int
    """Rows of its table."""
    lineage: Lineage


def read_meta(folder: Path) -> TraceDocument:
    """A Trace's facts, once it is sure that they and its files are what was written.

    Raises:
        ChangedError: edited, cut short or damaged.
        InputError: not a Trace.
    """
    document = _open_meta(folder, MIGRATIONS)
    root = document.root
    if document.version == 1:
        lineage = _check_first_version(folder, document)
    else:
        lineage = document.check()
        hashes = root.section("files")
        check_files(folder, hashes, _REMEDY)
        if sorted(hashes.fields) != sorted((CALLS, SCHEMA)):
            raise root.error(
                "files", "are other files", found=", ".join(hashes.fields), allowed=f"{CALLS}, {SCHEMA}"
            )
    calls = root.value("calls", int)
    meta = meta_from(root)
    root.finish()
    return TraceDocument(meta, calls, lineage)


def read_partial_meta(folder: Path) -> TraceMeta:
    """The facts of a Trace that is still recorded, or was not finished.

    Raises:
        InputError: not such a folder.
    """
    root = _open_meta(folder, PARTIAL_MIGRATIONS).root
    meta = meta_from(root)
    root.finish()
    return meta


def dump_partial_meta(meta: TraceMeta) -> str:
    """What stands beside the calls while they are recorded."""
    return dump_document(PARTIAL, PARTIAL_MIGRATIONS.newest, meta_to_mapping(meta))


def _open_meta(folder: Path, migrations: Migrations) -> Opened:
    if not folder.exists():
        raise InputError("does not exist", file=folder)
    if not folder.is_dir():
        raise InputError("is not a trace", file=folder, found="a file", allowed="a folder")
    if migrations is MIGRATIONS and (kind_of(folder) == PARTIAL or any(folder.glob(f"part-*/{META}"))):
        remedy = f"Once nothing records into it, make it whole: `froude trace validate {folder} --recover`"
        raise InputError("is not a trace", file=folder, found="an unfinished one", remedy=remedy)
    if not (folder / META).exists():
        holds = ", ".join(sorted(p.name for p in folder.iterdir())[:5]) or "an empty folder"
        raise InputError("is not a trace", file=folder, found=holds, allowed=f"{META}, {CALLS}, {SCHEMA}")
    return open_document(folder / META, migrations, limit_bytes=_META_LIMIT_BYTES)


def _check_first_version(folder: Path, document: Opened) -> Lineage:
    """A trace/1 has one hash over its files and facts."""
    root = document.root
    if document.lineage is None:
        return document.check()
    facts = {name: root.fields[name] for name in _FACTS if name in root.fields}
    actual = hash_parts([folder / CALLS, folder / SCHEMA], facts)
    if actual != document.lineage.content_hash:
        message = "is not what was written: a file of it was edited, cut or damaged"
        expected = document.lineage.content_hash
        raise ChangedError(message, file=folder, found=actual, allowed=expected, remedy=_REMEDY)
    return document.lineage


def read_schema(path: Path) -> Schema:
    """The schema of a Trace.

    Raises:
        InputError: absent or damaged.
    """
    raw = read_bounded(path, limit_bytes=_SCHEMA_LIMIT_BYTES)
    try:
        return Schema.from_bytes(raw, source=path)
    except InputError as error:
        raise InputError("is damaged", file=path, found=error.found or error.message) from error


def _read_calls(path: Path, calls: int, source_id: str) -> pa.Table:
    with open_calls(path) as file:
        if file.metadata.num_rows != calls:
            found, allowed = f"{file.metadata.num_rows} calls", f"{calls}, as {META} says"
            raise InputError("is not the table that belongs here", file=path, found=found, allowed=allowed)
        table = columns.with_targets(file.read(), source_id)
    columns.check(table, path)
    return table


@contextmanager
def open_calls(path: Path) -> Iterator[pq.ParquetFile]:
    """The table of a Trace's calls, its columns looked at.

    Raises:
        InputError: absent, cut short, damaged, or not such a table; also when that shows only while it is read.
    """
    with open_regular(path) as source:
        try:
            with pq.ParquetFile(source) as file:
                columns.check(columns.with_targets(file.schema_arrow.empty_table(), ""), path)
                yield file
        except (OSError, pa.ArrowException, ValueError) as error:
            found = " ".join(str(error).split())
            raise InputError("is cut short or damaged", file=path, found=found) from error


def _in_order(table: pa.Table) -> pa.Table:
    """By start; calls of equal start keep their order."""
    order = pc.sort_indices(table.column("start_s"))
    return table.take(order)


def meta_to_mapping(meta: TraceMeta) -> dict[str, Any]:
    """A Trace's facts as plain data."""
    facts: dict[str, Any] = {
        "scale": {name: quantity_value(quantity) for name, quantity in sorted(meta.scale.items())},
        "started_at": meta.started_at_s,
        "source_id": meta.source_id,
        "release": meta.release,
        "fidelity": {name: getattr(meta.fidelity, name) for name in Fidelity.__slots__},
        "loss": {
            name: count
            for name in Loss.__slots__
            if (count := getattr(meta.loss, name)) or name not in _LATER_LOSSES
        },
        "notes": dict(sorted(meta.notes.items())),
    }
    return facts


def meta_from(root: Section) -> TraceMeta:
    """A Trace's facts out of its document.

    Raises:
        InputError: a part is missing or of another type; names the part.
    """
    scale, notes = root.section("scale"), root.section("notes")
    fidelity, loss = root.section("fidelity"), root.section("loss")
    meta = TraceMeta(
        {name: scale.convert(name, parse_quantity) for name in scale.names()},
        root.value("started_at", float),
        root.value("source_id", str),
        root.value("release", str, ""),
        Fidelity(**{name: fidelity.value(name, bool) for name in Fidelity.__slots__}),
        Loss(
            **{
                name: loss.value(name, int, within=(0, math.inf))
                for name in Loss.__slots__
                if name in loss.fields or name not in _LATER_LOSSES
            }
        ),
        {name: notes.value(name, str) for name in notes.names()},
    )
    fidelity.finish()
    loss.finish()
    return meta


def _owner_only(path: str, flags: int) -> int:
    import os

    return os.open(path, flags, 0o600)
