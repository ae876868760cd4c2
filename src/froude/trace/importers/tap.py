"""Import a tap: a tape that was kept as a file, plain or packed (`froude.trace.tape`)."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path

from froude.base.errors import ChangedError, InputError
from froude.base.files import open_regular
from froude.base.packed import unpacked
from froude.base.units import Quantity
from froude.messages.schema import Schema
from froude.trace.assembly import CallAssembly, CallRow, assemble
from froude.trace.columns import LazyCalls, to_table
from froude.trace.redact import Redactor
from froude.trace.tape import Record, RecordKind, Splitter
from froude.trace.types import Fidelity, Trace, TraceMeta

_CHUNK_BYTES = 1 << 20
_LOOPBACK, _NODE = "127.0.0.1", "nm"
_SERVICES = {
    "nn": "namenode",
    "client": "resourcemanager",
    "sched": "resourcemanager-scheduler",
    "track": "resourcemanager-tracker",
    _NODE: "nodemanager",
}
"""What a tap calls the daemon behind a listener, and its service."""


def import_tap(
    path: Path,
    schema: Schema,
    *,
    scale: Mapping[str, Quantity] | None = None,
    source_id: str = "",
) -> Trace:
    """Read a tap into a Trace.

    A tap that was cut while it was written gives what is whole; a note says so.

    Args:
        source_id: identity of what was recorded; empty to learn it from the traffic.

    Raises:
        InputError: absent, empty, damaged, or not a tap.
    """
    tail: dict[str, str] = {}
    redactor = Redactor(schema, secrets.token_bytes(32), strict=True)
    records = _placed(read_tap(path, tail))
    first = next(records, None)
    if first is None:
        raise InputError("holds no record of a tap", file=path, found=tail.get("cut", "nothing"))
    rows, assembly = assemble(_chain(first, records), schema, redactor, start_s=first[0])
    facts = {**tail, **_losses(assembly)}
    meta = TraceMeta(
        scale or {},
        first[0],
        source_id or assembly.source_id,
        assembly.release,
        Fidelity(),
        assembly.loss,
        facts,
    )
    return Trace(meta, schema, LazyCalls(to_table([_identified(row, meta.source_id) for row in rows])))


def read_tap(path: Path, tail: dict[str, str]) -> Iterator[Record]:
    """The records of a tap, piece by piece.

    Args:
        tail: gets `cut`, in words, where the tap ends in the middle of a record, or its packing is cut or damaged.

    Raises:
        InputError: cannot be read, or not a tap.
    """
    splitter = Splitter(str(path))
    with open_regular(path) as raw, unpacked(raw, path) as source:
        try:
            while data := source.read1(_CHUNK_BYTES):
                yield from splitter.feed(data)
        except ChangedError as error:
            tail["cut"] = f"the file {error.message} ({error.found})"
    if splitter.pending:
        tail.setdefault("cut", f"the tap ends in the middle of a record ({splitter.pending} bytes of it)")


def _placed(records: Iterator[Record]) -> Iterator[Record]:
    """Say of each connection who was called, and give a node's connections the address that it called from.

    A tap listens at an address of its own for each node, and connects onward from it. Daemons that all nodes call are
    one target each, whichever address they were called at; NodeManagers are known by the address that was called.
    """
    for record in records:
        if record[2] != RecordKind.OPEN:
            yield record
            continue
        try:
            facts = json.loads(record[3])
            at, short = str(facts["at"]), str(facts.get("svc", ""))
            host = at if short == _NODE else _LOOPBACK
            address = f"{host}:{facts['port']}"
            if host != at:
                facts["peer"][0] = at
        except (ValueError, KeyError, TypeError, IndexError):
            yield record
            continue
        service = _SERVICES.get(short, "")
        facts["target"] = (service, address)
        yield record[0], record[1], record[2], json.dumps(facts).encode()


def _identified(row: CallRow, source_id: str) -> CallRow:
    """A call with the id of the NameNode that it went to, where the traffic told it at last."""
    *fields, service, address, _ = row
    return (*fields, service, address, source_id if service == "namenode" else "")


def _chain(first: Record, others: Iterator[Record]) -> Iterator[Record]:
    yield first
    yield from others


def _losses(assembly: CallAssembly) -> dict[str, str]:
    return {f"loss {index + 1}": text for index, text in enumerate(assembly.examples)}
