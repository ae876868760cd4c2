"""Import a tap: a tape that was kept as a file, plain or gzipped (`froude.trace.tape`)."""

from __future__ import annotations

import gzip
import json
import secrets
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from froude.base.errors import InputError
from froude.base.units import Quantity
from froude.hadoop.schema import Schema
from froude.trace.assembly import Assembly, assemble
from froude.trace.columns import LazyCalls, to_table
from froude.trace.redact import Redactor
from froude.trace.tape import Kind, Record, Splitter
from froude.trace.types import Fidelity, Trace, TraceMeta

_CHUNK_BYTES = 1 << 20
_GZIP = b"\x1f\x8b"


def import_tap(
    path: Path,
    schema: Schema,
    *,
    scale: Mapping[str, Quantity] | None = None,
    source_id: str = "",
    notes: Mapping[str, str] | None = None,
    keep_unknown: bool = False,
) -> Trace:
    """Read a tap into a Trace.

    A tap that was cut while it was written gives what is whole; a note says so.

    Args:
        path: the tap, plain or gzipped.
        schema: of the release recorded.
        scale: the scale it ran at.
        source_id: identity of what was recorded; empty to learn it from the traffic.
        notes: free facts to keep.
        keep_unknown: keep bodies of methods that the schema does not know.

    Raises:
        InputError: absent, empty, damaged, or not a tap.
    """
    tail: dict[str, str] = {}
    redactor = Redactor(schema, secrets.token_bytes(32), keep_unknown=keep_unknown)
    records = _with_node_addresses(read_tap(path, tail))
    first = next(records, None)
    if first is None:
        raise InputError("holds no record of a tap", file=path, found=tail.get("cut", "nothing"))
    rows, assembly = assemble(_chain(first, records), schema, redactor, start_s=first[0])
    facts = {**(notes or {}), **tail, **_losses(assembly)}
    meta = TraceMeta(
        scale or {},
        first[0],
        source_id or assembly.source_id,
        assembly.release,
        Fidelity(),
        assembly.loss,
        facts,
    )
    return Trace(meta, schema, LazyCalls(to_table(rows)))


def read_tap(path: Path, tail: dict[str, str]) -> Iterator[Record]:
    """The records of a tap, piece by piece.

    Args:
        path: the tap.
        tail: gets `cut`, in words, when the tap ends in the middle of a record.

    Raises:
        InputError: cannot be read, damaged, or not a tap.
    """
    splitter = Splitter(str(path))
    try:
        with path.open("rb") as raw:
            zipped = raw.read(2) == _GZIP
            raw.seek(0)
            source = gzip.GzipFile(fileobj=raw) if zipped else raw
            while data := source.read1(_CHUNK_BYTES):
                yield from splitter.feed(data)
    except EOFError:
        tail["cut"] = "the gzip stream ends early"
    except (zlib.error, gzip.BadGzipFile) as error:
        raise InputError("is a damaged gzip file", file=path, found=str(error)) from error
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror or error})", file=path) from error
    if splitter.pending:
        tail["cut"] = f"the tap ends in the middle of a record ({splitter.pending} bytes of it)"


def _with_node_addresses(records: Iterator[Record]) -> Iterator[Record]:
    """Give connections of a node the node's address, from which the tap connected onward."""
    for record in records:
        if record[2] != Kind.OPEN:
            yield record
            continue
        try:
            facts = json.loads(record[3])
            if facts["at"] != "127.0.0.1" and facts.get("svc") != "nm":
                facts["peer"][0] = facts["at"]
        except (ValueError, KeyError, TypeError, IndexError):
            yield record
            continue
        yield record[0], record[1], record[2], json.dumps(facts).encode()


def _chain(first: Record, others: Iterator[Record]) -> Iterator[Record]:
    yield first
    yield from others


def _losses(assembly: Assembly) -> dict[str, str]:
    return {f"loss {index + 1}": text for index, text in enumerate(assembly.examples)}
