"""A Trace as a folder: `calls.parquet`, `schema.fds`, and `meta.yaml`, which a person can read.

While it is being recorded it is a folder `NAME.partial` instead: the schema, what is known beforehand, and
`calls.arrows`, an Arrow stream that is whole up to its last batch whatever happens to the writer.
`finish_partial` makes the one out of the other.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from froude.base.clock import RealClock
from froude.base.errors import InputError, MissingError
from froude.base.files import atomic_folder, atomic_write_bytes, read_bounded, stated_os_errors
from froude.base.units import Quantity, parse_quantity
from froude.hadoop.schema import Schema, UnknownMethodError
from froude.trace import columns
from froude.trace.types import Fidelity, Loss, Trace, TraceMeta
from froude.workspace.artifact import Lineage, hash_parts, stamp
from froude.workspace.migrate import Migrations

FORMAT = 1
MIGRATIONS = Migrations("trace", FORMAT)
CALLS, SCHEMA, META = "calls.parquet", "schema.fds", "meta.yaml"
STREAM = "calls.arrows"
_META_LIMIT_BYTES = 1 << 20
_SCHEMA_LIMIT_BYTES = 64 << 20
_ROWS_PER_GROUP = 50_000


def write_trace(
    path: Path | str,
    trace: Trace,
    *,
    command: str = "",
    inputs: Sequence[str] = (),
    tags: Sequence[str] = (),
    replace: bool = False,
) -> Lineage:
    """Write a Trace; whole or not at all, readable by its owner only.

    Args:
        path: the folder to make.
        trace: what to write; its calls are put in order of their start.
        command: what made it.
        inputs: content hashes of what it was made from.
        tags: words by which a workspace finds it.
        replace: whether a folder already there may be replaced.

    Returns:
        Its lineage.

    Raises:
        InputError: the place is taken.
        MissingError: no space, or no right to write there.
    """
    table = columns.calls_to_table(trace.calls)
    return write_table(
        Path(path),
        trace.meta,
        trace.schema,
        table,
        command=command,
        inputs=inputs,
        tags=tags,
        replace=replace,
    )


def write_table(
    path: Path,
    meta: TraceMeta,
    schema: Schema,
    table: pa.Table,
    *,
    command: str = "",
    inputs: Sequence[str] = (),
    tags: Sequence[str] = (),
    replace: bool = False,
) -> Lineage:
    """`write_trace` for calls that are a table already."""
    table = _in_order(table)
    with atomic_folder(path, replace=replace) as folder:
        atomic_write_bytes(folder / SCHEMA, used_schema(schema, table).to_bytes())
        _write_parquet(folder / CALLS, table)
        facts = meta_to_mapping(meta)
        digest = hash_parts([folder / CALLS, folder / SCHEMA], facts)
        made_at = stamp(RealClock().wall())
        lineage = Lineage("trace", FORMAT, digest, tuple(inputs), command, made_at=made_at)
        document = {"format": FORMAT, "kind": "trace", "calls": table.num_rows, **facts}
        if tags:
            document["tags"] = sorted(set(tags))
        document["lineage"] = lineage.to_mapping()
        atomic_write_bytes(folder / META, dump(document))
    return lineage


def _write_parquet(path: Path, table: pa.Table) -> None:
    with stated_os_errors(path), open(path, "xb", opener=_owner_only) as sink:
        try:
            pq.write_table(table, sink, compression="zstd", row_group_size=_ROWS_PER_GROUP)
        except pa.ArrowException as error:
            raise MissingError(f"cannot be written ({error})", file=path) from error


def used_schema(schema: Schema, table: pa.Table) -> Schema:
    """The part of a schema that a table's protocols need; protocols it does not know are left out."""
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
        InputError: absent, empty, cut short, damaged, foreign, or of a newer Froude.
    """
    folder = Path(path)
    document = read_meta(folder)
    meta = meta_from_mapping(document, file=folder / META)
    schema = read_schema(folder / SCHEMA)
    table = _read_calls(folder / CALLS)
    expected = document.get("calls")
    if table.num_rows != expected:
        found, allowed = f"{table.num_rows} calls", f"{expected}, as {META} says"
        raise InputError(
            "is not the table that belongs here", file=folder / CALLS, found=found, allowed=allowed
        )
    return Trace(meta, schema, columns.LazyCalls(table))


def read_lineage(path: Path | str) -> Lineage:
    """The lineage of a Trace.

    Raises:
        InputError: it has none.
    """
    document = read_meta(Path(path))
    return Lineage.from_mapping(document.get("lineage") or {}, file=Path(path) / META)


def read_meta(folder: Path, kind: str = "trace") -> dict[str, Any]:
    """The mapping of a Trace's `meta.yaml`, brought to the newest version.

    Raises:
        InputError: not a Trace.
    """
    if not folder.exists():
        raise InputError("does not exist", file=folder)
    if not folder.is_dir():
        raise InputError("is not a trace", file=folder, found="a file", allowed="a folder")
    if not (folder / META).exists():
        holds = ", ".join(sorted(p.name for p in folder.iterdir())[:5]) or "an empty folder"
        raise InputError("is not a trace", file=folder, found=holds, allowed=f"{META}, {CALLS}, {SCHEMA}")
    raw = read_bounded(folder / META, limit_bytes=_META_LIMIT_BYTES)
    try:
        document = YAML(typ="safe", pure=True).load(raw.decode())
    except (YAMLError, UnicodeDecodeError) as error:
        text = " ".join(str(error).split())
        raise InputError("is not readable YAML", file=folder / META, found=text) from error
    if not isinstance(document, dict) or document.get("kind") != kind:
        found = document.get("kind") if isinstance(document, dict) else type(document).__name__
        raise InputError("is not a trace", file=folder / META, place="kind", found=found, allowed=kind)
    return MIGRATIONS.apply(document, file=folder / META)


def content_hash(folder: Path) -> str:
    """What the content hash of a Trace's files is now; compare with its lineage's.

    Raises:
        InputError: a file cannot be read.
    """
    meta = meta_from_mapping(read_meta(folder), file=folder / META)
    return hash_parts([folder / CALLS, folder / SCHEMA], meta_to_mapping(meta))


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


def _read_calls(path: Path) -> pa.Table:
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowException, ValueError) as error:
        what = "does not exist" if not path.exists() else "is cut short or damaged"
        raise InputError(what, file=path, found=" ".join(str(error).split())) from error
    columns.check(table, path)
    return table


def _in_order(table: pa.Table) -> pa.Table:
    """By start; calls of equal start keep their order."""
    order = pc.sort_indices(table.column("start_s"))
    return table.take(order)


def meta_to_mapping(meta: TraceMeta) -> dict[str, Any]:
    """A Trace's facts as plain data."""
    facts: dict[str, Any] = {
        "scale": {name: _plain(quantity) for name, quantity in sorted(meta.scale.items())},
        "started_at": meta.started_at_s,
        "source_id": meta.source_id,
        "release": meta.release,
        "fidelity": {name: getattr(meta.fidelity, name) for name in Fidelity.__slots__},
        "loss": {name: getattr(meta.loss, name) for name in Loss.__slots__},
        "notes": dict(sorted(meta.notes.items())),
    }
    return facts


def meta_from_mapping(document: Mapping[str, Any], *, file: Path) -> TraceMeta:
    """A Trace's facts out of plain data.

    Raises:
        InputError: a part is missing or of another type; names the part.
    """
    scale = _part(document, "scale", dict, file)
    fidelity = _part(document, "fidelity", dict, file)
    loss = _part(document, "loss", dict, file)
    for name, value in fidelity.items():
        if name not in Fidelity.__slots__ or not isinstance(value, bool):
            raise InputError("is not a fidelity", file=file, place=f"fidelity.{name}", found=value)
    for name, value in loss.items():
        if name not in Loss.__slots__ or not isinstance(value, int) or value < 0:
            raise InputError("is not a count of losses", file=file, place=f"loss.{name}", found=value)
    return TraceMeta(
        {str(name): parse_quantity(value, place=f"scale.{name}") for name, value in scale.items()},
        float(_part(document, "started_at", (int, float), file)),
        _part(document, "source_id", str, file),
        str(document.get("release") or ""),
        Fidelity(**fidelity),
        Loss(**loss),
        {str(name): str(note) for name, note in (document.get("notes") or {}).items()},
    )


def _part(document: Mapping[str, Any], name: str, kind: Any, file: Path) -> Any:
    value = document.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise InputError("is missing or of another kind", file=file, place=name, found=value)
    return value


def _plain(quantity: Quantity) -> str | float:
    """A quantity as a person writes it, if that says exactly the same."""
    text = str(quantity)
    if parse_quantity(text) == quantity:
        return text if quantity.unit else quantity.value
    return f"{quantity.value!r} {quantity.unit}" if quantity.unit else quantity.value


def dump(document: Mapping[str, Any]) -> bytes:
    """A mapping as YAML in its own order."""
    yaml = YAML()
    yaml.default_flow_style = False
    yaml.width = 110
    yaml.allow_unicode = False  # a line break of Unicode (U+0085) would not survive as itself
    out = io.BytesIO()
    yaml.dump(dict(document), out)
    return out.getvalue()


def _owner_only(path: str, flags: int) -> int:
    import os

    return os.open(path, flags, 0o600)
