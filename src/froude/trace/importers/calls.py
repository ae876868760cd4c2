"""Import a table of calls of any RPC system: one row a call, as Table I of the PatternMiner paper has it.

A Trace holds protobuf bytes and the schema to decode them, so the table is read twice: once to see what types its
arguments have, once to write them. Memory is that of the finished Trace's table, whose messages are packed, and not
of the file. Nothing that a mining needs is of Hadoop; playing is, so such a Trace's plan cannot be played.

Source: PatternMiner, section III.A and Table I; the form of the schema is ours.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.message import Message

from froude.base.dropped import CUT_SHORT, SHORT_LOG, Dropped
from froude.base.errors import InputError
from froude.base.input_limits import check_limit
from froude.base.units import Quantity
from froude.messages.schema import Schema
from froude.trace.columns import SCHEMA, LazyCalls, to_table
from froude.trace.importers.call_rows import BadRow, Columns, Row, read_rows
from froude.trace.importers.call_secrets import Masker
from froude.trace.importers.call_types import Converter, MessageType, Naming, Shape
from froude.trace.importers.call_values import identifier
from froude.trace.redact import Redactor
from froude.trace.types import Fidelity, Loss, Trace, TraceMeta

PROTOCOL = "Rpc"
"""Protocol of methods that the table names none for."""
NOTE = "imported"
"""Name of the note that says that a Trace was no real protocol's."""
_SECOND_NS = 10**9
_BATCH = 20_000
_EXAMPLES = 10
_LONGEST_NAME = 100
_MOST_METHODS = 10_000


@dataclass(frozen=True, slots=True)
class Table:
    """How a table of calls is to be read."""

    mapping: Mapping[str, str] = field(default_factory=dict)
    """Column's name -> what it says, for columns whose names do not tell (`call_rows.parse_mapping`)."""
    unit_ns: int | None = None
    """Nanoseconds of the unit of times and durations that are numbers; None for seconds, which nobody said."""
    strict: bool = False
    """Whether one line that is no call is an error."""
    types_from: Sequence[Path] = ()
    """Other tables of the same job whose values count for the types, too."""


@dataclass(slots=True)
class _Method:
    """What the table says of one method."""

    protocol: str
    name: str
    """In the schema, where protobuf's rules for names hold."""
    request: Shape = field(default_factory=Shape)
    response: Shape = field(default_factory=Shape)
    request_type: MessageType | None = None
    response_type: MessageType | None = None
    classes: tuple[type[Message], type[Message]] | None = None


_Methods = dict[tuple[str, str], _Method]


def import_calls(
    path: Path,
    table: Table | None = None,
    *,
    scale: Mapping[str, Quantity] | None = None,
    source_id: str = "",
) -> tuple[Trace, list[str]]:
    """Read a table of calls into a Trace; linear in its rows.

    Args:
        path: the table, CSV or JSON lines, plain or packed.
        table: how it is to be read.
        scale: the scale that the job ran at.

    Returns:
        The Trace, and remarks on what is not as it stood in the table.

    Raises:
        InputError: it cannot be read, holds no call, lacks a column; with `strict`, a line that is no call.
    """
    table = table or Table()
    methods: _Methods = {}
    bad = Dropped()
    columns = Columns()
    first_ns = _look(path, table, columns, methods, bad)
    _hide(columns, methods)
    for other in table.types_from:
        theirs = Columns()
        _look(other, table, theirs, methods, None)
        _hide(theirs, methods)
    if first_ns is None:
        found = "; ".join(bad.notes()[:1]) or "nothing but its header"
        raise InputError("holds no calls", file=path, found=found)
    redactor = Redactor(Schema({}, {}), secrets.token_bytes(32))
    naming = Naming()
    schema = _schema_of(methods, naming)
    masker = Masker(lambda text: redactor.hashed(text.encode()).hex()[:32])
    writer = _Writer(methods, masker, columns, first_ns)
    calls = writer.table(_good(path, table))
    remarks = _remarks(naming, columns, bad, masker.within_texts)
    if table.unit_ns is None and columns.whole_times:
        remarks += _on_unit(calls)
    fidelity = Fidelity(response=columns.has_response, duration=columns.has_duration)
    notes = {NOTE: "a table of calls, which no daemon can be played"}
    notes |= {f"remark {number}": text for number, text in enumerate(remarks[:_EXAMPLES], 1)}
    meta = TraceMeta(
        scale or {}, first_ns / 1e9, source_id, "", fidelity, Loss(undecodable_frames=bad.total), notes
    )
    return Trace(meta, schema, LazyCalls(calls)), remarks


def _look(path: Path, table: Table, columns: Columns, methods: _Methods, bad: Dropped | None) -> int | None:
    """The first pass: the types of all values, and when the first call was; None where there is none."""
    first_ns: int | None = None
    rows = 0
    taken: dict[str, set[str]] = {}
    for method in methods.values():
        taken.setdefault(method.protocol, set()).add(method.name)
    for row in read_rows(path, columns, mapping=table.mapping, unit_ns=table.unit_ns or _SECOND_NS):
        if isinstance(row, BadRow):
            if table.strict:
                raise _stated(row, path)
            if bad is not None:
                bad.add(_reason(row.error), f"{path.name}:{row.line}", str(row.error.found or ""))
            continue
        rows += 1
        _take(row, methods, taken)
        first_ns = row.start_ns if first_ns is None else min(first_ns, row.start_ns)
    if columns.cut_at is not None and bad is not None:
        bad.add(CUT_SHORT, f"{path.name}:{columns.cut_at}")
    if bad is not None and rows:
        bad.refuse(path, rows + bad.total, strict=table.strict, least=SHORT_LOG)
    check_limit("rows", rows, file=path)
    return first_ns


def _hide(columns: Columns, methods: _Methods) -> None:
    """Make all values secrets whose column is named like one."""
    for path in columns.secret_paths("request"):
        for method in methods.values():
            method.request.hide(path)
    for path in columns.secret_paths("response"):
        for method in methods.values():
            method.response.hide(path)


def _take(row: Row, methods: _Methods, taken: dict[str, set[str]]) -> None:
    key = row.protocol, row.method
    method = methods.get(key)
    if method is None:
        if len(methods) == _MOST_METHODS:
            allowed = f"at most {_MOST_METHODS:,}"
            raise InputError("has too many methods", place=row.line, allowed=allowed)
        protocol = row.protocol or PROTOCOL
        names = taken.setdefault(protocol, set())
        method = methods[key] = _Method(protocol, identifier(row.method, names))
        names.add(method.name)
    method.request.add(row.request)
    if row.response is not None:
        method.response.add(row.response)


def _stated(row: BadRow, path: Path) -> InputError:
    error = row.error
    place = f"line {row.line}" + (f", {error.place}" if error.place else "")
    return InputError(error.message, file=path, place=place, found=error.found, allowed=error.allowed)


def _reason(error: InputError) -> str:
    return f"{error.place} {error.message}" if error.place else error.message


def _schema_of(methods: _Methods, naming: Naming) -> Schema:
    """The schema of all methods: one descriptor file a protocol; the methods get their message classes."""
    files: dict[str, bytes] = {}
    protocols: dict[str, tuple[str, str]] = {}
    by_protocol: dict[str, list[_Method]] = {}
    for method in methods.values():
        by_protocol.setdefault(method.protocol, []).append(method)
    for number, (protocol, listed) in enumerate(by_protocol.items(), 1):
        package = f"calls{number}"
        file = FileDescriptorProto(name=f"{package}.proto", package=package, syntax="proto2")
        service = file.service.add(name="Service")
        for method in listed:
            place = f"{protocol}.{method.name}"
            request = naming.message_of(method.request, f"{method.name}Request", f"{place} request")
            response = naming.message_of(method.response, f"{method.name}Response", f"{place} response")
            method.request_type, method.response_type = request, response
            file.message_type.extend([request.descriptor, response.descriptor])
            service.method.add(
                name=method.name,
                input_type=f".{package}.{request.descriptor.name}",
                output_type=f".{package}.{response.descriptor.name}",
            )
        files[file.name] = file.SerializeToString()
        protocols[protocol] = file.name, service.name
    schema = Schema(files, protocols)
    for method in methods.values():
        known = schema.method(method.protocol, method.name)
        method.classes = known.request, known.response
    return schema


def _good(path: Path, table: Table) -> Iterator[Row]:
    rows = read_rows(path, Columns(), mapping=table.mapping, unit_ns=table.unit_ns or _SECOND_NS)
    return (row for row in rows if isinstance(row, Row))


class _Writer:
    """The second pass: rows as a Trace's rows."""

    def __init__(self, methods: _Methods, masker: Masker, columns: Columns, first_ns: int) -> None:
        self._methods = methods
        self._masker = masker
        self._converter = Converter(masker)
        self._secret = {says for says in columns.known if columns.is_secret(says)}
        self._first_ns = first_ns
        self._connections: dict[tuple[str, str], tuple[int, bytes]] = {}

    def table(self, rows: Iterable[Row]) -> pa.Table:
        """All rows, in order of time; each sender's calls numbered in that order."""
        batches: list[pa.Table] = []
        batch: list[tuple[Any, ...]] = []
        for row in rows:
            batch.append(self._row(row))
            if len(batch) == _BATCH:
                batches.append(to_table(batch))
                batch.clear()
        whole = pa.concat_tables([*batches, to_table(batch)])
        whole = whole.take(pc.sort_indices(whole.column("start_s")))
        counts = [0] * (len(self._connections) + 1)
        numbers: list[int] = []
        for connection in map(int, whole.column("connection").to_numpy()):
            numbers.append(counts[connection] & 0x7FFFFFFF)
            counts[connection] += 1
        at = SCHEMA.get_field_index("call_id")
        return whole.set_column(at, SCHEMA.field(at), pa.array(numbers, type=pa.int32()))

    def _row(self, row: Row) -> tuple[Any, ...]:
        method = self._methods.get((row.protocol, row.method))
        if method is None or method.classes is None or method.request_type is None:
            raise InputError("changed while it was read", place=f"line {row.line}")
        request = self._bytes(row, method.classes[0], method.request_type, row.request)
        response = None
        if row.response is not None and method.response_type is not None:
            response = self._bytes(row, method.classes[1], method.response_type, row.response)
        connection, client_id = self._sender(row)
        duration_s = None if row.duration_ns is None else row.duration_ns / 1e9
        return (
            (row.start_ns - self._first_ns) / 1e9,
            duration_s,
            connection,
            self._plain(row.sender, "sender"),
            client_id,
            0,  # numbered once all are in order
            -1,
            self._plain(row.user, "user"),
            None,
            self._plain(row.context, "context"),
            method.protocol,
            method.name,
            request,
            response,
            row.status.value,
            self._plain(row.error, "error"),
            self._plain(row.error_message, "error_message"),
            method.protocol.rpartition(".")[2],
            self._plain(row.receiver, "receiver"),
            "",
        )

    def _plain(self, text: str | None, says: str) -> str | None:
        if not text:
            return text
        return self._masker.stand_in(text) if says in self._secret else self._masker.text(text)

    def _sender(self, row: Row) -> tuple[int, bytes]:
        """Number and id of a sender: each thread of one is a sender of its own."""
        key = row.sender, row.thread
        known = self._connections.get(key)
        if known is None:
            client_id = hashlib.blake2b("\0".join(key).encode(), digest_size=16).digest()
            known = self._connections[key] = len(self._connections) + 1, client_id
        return known

    def _bytes(self, row: Row, kind: type[Message], message: MessageType, value: Mapping[str, Any]) -> bytes:
        try:
            return kind(**self._converter.message(message, value)).SerializeToString(deterministic=True)
        except (TypeError, ValueError, InputError) as error:
            raise InputError("changed while it was read", place=f"line {row.line}") from error


def _on_unit(calls: pa.Table) -> list[str]:
    """That whole numbers were read as seconds, where calls would then be whole seconds apart, as hardly any are."""
    starts = calls.column("start_s").to_numpy()
    if (
        len(starts) < 2
        or sorted(after - before for before, after in pairwise(starts))[len(starts) // 2 - 1] <= 1
    ):
        return []
    span = f"{len(starts):,} calls over {starts[-1] - starts[0]:,.0f} s"
    return [f"times read as seconds: {span}; --time-unit ms if they are milliseconds"]


def _remarks(naming: Naming, columns: Columns, bad: Dropped, within_texts: int) -> list[str]:
    remarks = bad.notes()
    if columns.clocks_back_at is not None:
        remarks.append(
            f"clock times go back by more than half a day at line {columns.clocks_back_at}: all are taken for one "
            "day, so what was called after midnight comes before the rest; give dates if the run went over it"
        )
    if columns.unused:
        remarks.append(f"columns not used: {_listed(list(columns.unused))}")
    if naming.redacted:
        remarks.append(f"replaced because their names say that they are secrets: {_listed(naming.redacted)}")
    if within_texts:
        remarks.append(f"texts in which what is named like a secret was replaced: {within_texts:,}")
    remarks += naming.remarks[:_EXAMPLES]
    more = len(naming.remarks) - _EXAMPLES
    if more > 0:
        remarks.append(f"and {more:,} more arguments that became text")
    return ["".join(c if c.isprintable() else ascii(c)[1:-1] for c in remark) for remark in remarks]


def _listed(names: Sequence[str]) -> str:
    """The first ten of them, none of them long, and how many more there are."""
    shown = ", ".join(
        name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…" for name in names[:_EXAMPLES]
    )
    more = len(names) - _EXAMPLES
    return f"{shown} and {more:,} more" if more > 0 else shown
