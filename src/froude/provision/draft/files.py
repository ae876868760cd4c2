"""Reads what a draft is made from: traces batch by batch, audit logs line by line, telemetry tables.

From calls of HDFS clients: many calls about one file become one read or one write with its length. A read is a
`getBlockLocations` from the beginning of the file, and its answer has the length of the file. A write is `create` (or
`append`), `addBlock` for each block, whose request has the length of the block before, and `complete`, which has that of
the last block. Answers of `getFileInfo`, `getListing` and `getContentSummary` show how much there is. Of an audit log,
`open` reads, `create` and `append` write; no line has a length.

Source: org.apache.hadoop.hdfs.protocol.ClientProtocol; DFSInputStream.openInfo, DFSOutputStream.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from google.protobuf.message import Message

from froude.base.dropped import SHORT_LOG, Dropped
from froude.base.errors import InputError
from froude.base.packed import parts, read_lines, refuse_copies
from froude.base.summary import counted, recognised_text
from froude.hadoop.audit.lines import AuditLine, audit_lines, own_context, without_lines
from froude.messages.schema import Schema
from froude.provision.draft.jobs import short_user
from froude.provision.draft.log import AccessLog, Window
from froude.provision.draft.types import Access, Caller
from froude.provision.types import Op
from froude.trace.audit.files import open_audit, part_name
from froude.trace.files import CALLS, META, SCHEMA, open_calls, read_meta, read_schema
from froude.trace.types import Status, TraceMeta

CLIENT_PROTOCOL = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
_IS_FILE = 2
_MOST_OPEN = 1_000_000
_MOST_COPIES = 512
"""HDFS's own limit (dfs.replication.max)."""
_OPS = {"open": Op.READ, "create": Op.WRITE, "append": Op.WRITE}
_BATCH_ROWS = 16_384
_LONGEST_LINE = 1 << 20
_COLUMNS = (
    "start_s",
    "user",
    "caller_context",
    "client_id",
    "connection",
    "protocol",
    "method",
    "request",
    "response",
    "status",
)


def read_source(path: Path, log: AccessLog, *, zone: tzinfo = UTC, strict: bool = False) -> str:
    """Add what a Trace's folder, or an audit log, as it was written or imported, holds.

    Reads in pieces; linear in the calls. What is kept is `log`'s.

    Args:
        path: a folder of a Trace, or an audit log, plain or packed, or a folder of such logs.
        strict: whether one line that is no audit line is an error.

    Returns:
        The source in words, with what was left out of it.

    Raises:
        InputError: neither; damaged; a Trace without the requests' bytes; a log without a line of its kind, or with
            too many damaged ones.
    """
    log.windows.append(Window())
    if path.is_dir() and (path / part_name(0)).exists():
        return _read_lines(open_audit(path).lines(), path.name, log, Dropped())[1]
    if path.is_dir() and ((path / META).exists() or not any(path.iterdir())):
        return _read_trace(path, log)
    if not path.exists():
        raise InputError("does not exist", file=path, allowed="a Trace's folder, or an audit log")
    logs = parts(path)
    refuse_copies([each for each in logs if each.is_file()])
    return "; ".join(_read_audit(part, log, zone, strict=strict) for part in logs)


def _read_trace(path: Path, log: AccessLog) -> str:
    meta = read_meta(path).meta
    if not meta.fidelity.payload:
        raise InputError(
            "has no request bytes, which tell the files",
            file=path,
            found="fidelity.payload: false",
            remedy="Draft from a capture, or from the audit log itself",
        )
    calls = HdfsCalls(read_schema(path / SCHEMA), log)
    read = took = 0
    for batch in _batches(path / CALLS):
        read += batch.num_rows
        _widen(log.windows[-1], batch, meta)
        took += _take_batch(batch, calls, meta)
    calls.finish()
    log.others += read - took
    lost = f", incomplete: {meta.loss.total} losses while recording" if meta.loss.total else ""
    return f"{path.name}: {read} calls{lost}"


def _batches(path: Path) -> Iterator[pa.RecordBatch]:
    with open_calls(path) as file:
        yield from file.iter_batches(batch_size=_BATCH_ROWS, columns=list(_COLUMNS))


def _widen(window: Window, batch: pa.RecordBatch, meta: TraceMeta) -> None:
    ends: Any = pc.min_max(batch.column("start_s"))
    if ends["min"].is_valid:
        window.holds(meta.started_at_s + ends["min"].as_py())
        window.holds(meta.started_at_s + ends["max"].as_py())


def _take_batch(batch: pa.RecordBatch, calls: HdfsCalls, meta: TraceMeta) -> int:
    wanted: Any = pc.and_(
        pc.equal(batch.column("protocol"), pa.scalar(CLIENT_PROTOCOL)),
        pc.and_(
            pc.equal(batch.column("status"), pa.scalar(Status.SUCCESS.value)),
            pc.is_in(batch.column("method"), value_set=pa.array(calls.methods)),
        ),
    )
    chosen = batch.filter(wanted)
    rows = zip(*(chosen.column(name).to_pylist() for name in _COLUMNS), strict=True)
    for start_s, user, context, client, connection, _, method, request, response, _ in rows:
        if request is None:
            continue
        sender = client.hex() if client else (f"connection {connection}" if meta.fidelity.sender else None)
        caller = Caller(short_user(user), own_context(context or "") or None, sender)
        calls.take(meta.started_at_s + start_s, caller, method, request, response)
    return chosen.num_rows


def _read_audit(path: Path, log: AccessLog, zone: tzinfo, *, strict: bool) -> str:
    dropped = Dropped()
    texts = read_lines(path, longest=_LONGEST_LINE, dropped=dropped)
    good, said = _read_lines(audit_lines(texts, path.name, dropped, zone=zone), path.name, log, dropped)
    if not good:
        raise without_lines(path, dropped)
    dropped.refuse(path, good + dropped.total, strict=strict, least=SHORT_LOG)
    return said


def _read_lines(lines: Iterable[AuditLine], name: str, log: AccessLog, dropped: Dropped) -> tuple[int, str]:
    """Count lines; and how many there are, and the source in words."""
    good = undated = 0
    for line in lines:
        good += 1
        if line.time_s is None:
            undated += 1
        else:
            log.windows[-1].holds(line.time_s)
        take_line(line, log)
    span_s = log.windows[-1].length_s
    found = recognised_text("audit log", counted(good, "line"), span_s / max(1, good - 1), span_s or None)
    notes = dropped.notes()
    if undated:
        how = "`froude trace import audit --pattern` reads other dates, and its folder can be drafted from"
        notes.append(f"{counted(undated, 'line')} without a date that is read, which give no rate: {how}")
    return good, "; ".join([f"{name}: {found}", *notes])


def take_line(line: AuditLine, log: AccessLog) -> None:
    """Count a line; a denied call did nothing.

    Args:
        log: takes the access, or counts a line that is none.
    """
    if not line.allowed:
        log.others += 1
        return
    op = _OPS.get(line.command)
    if op is None or not line.src:
        if line.command == "rename" and line.dst:
            log.jobs.heard(line.dst)
        log.others += 1
        return
    caller = Caller(short_user(line.user), own_context(line.caller_context or "") or None, None)
    log.add(Access(line.time_s, caller, op, line.command, line.src))


@dataclass(slots=True)
class _Open:
    """A file that is being written."""

    access: Access
    blocks: dict[int, float]
    """Length of each block known so far, by its id."""
    before: float = 0.0
    """Bytes of the last block that were there before (append)."""


@dataclass(frozen=True, slots=True)
class _Call:
    """One call, decoded."""

    time_s: float
    caller: Caller
    request: Any
    response: Any
    """None where no answer was recorded."""


class HdfsCalls:
    """Joins the successful calls of one trace; memory grows with the files open for writing."""

    def __init__(self, schema: Schema, log: AccessLog) -> None:
        self._schema = schema
        self._log = log
        self._open: dict[str, _Open] = {}
        self._steps: dict[str, Callable[[_Call], None]] = {
            "getBlockLocations": self._read,
            "getLocatedFileInfo": self._read_located,
            "create": self._create,
            "append": self._append,
            "addBlock": self._add_block,
            "complete": self._complete,
            "getFileInfo": self._info,
            "getListing": self._listing,
            "getContentSummary": self._summary,
            "rename": self._rename,
            "rename2": self._rename2,
            "delete": self._delete,
        }

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that tell something; others need not be given."""
        return tuple(self._steps)

    def take(
        self, time_s: float, caller: Caller, method: str, request: bytes | None, response: bytes | None
    ) -> None:
        """One call that succeeded.

        Args:
            time_s: when the call began, seconds since the epoch.
            request: the bytes of the message.
            response: the bytes of the answer; None where it was not recorded.

        Raises:
            InputError: its messages do not decode.
        """
        asked = self._schema.decode_request(CLIENT_PROTOCOL, method, request)
        answer = None
        if response is not None:
            answer = self._schema.decode_response(CLIENT_PROTOCOL, method, response)
        self._steps[method](_Call(time_s, caller, asked, answer))

    def finish(self) -> None:
        """Count the files that were still being written when the trace ended."""
        for opened in self._open.values():
            self._log.add(opened.access)
        self._open.clear()

    def _read(self, call: _Call) -> None:
        if call.request.offset:
            return  # the same reader goes on
        read = Access(call.time_s, call.caller, Op.READ, "open", call.request.src)
        if call.response is not None and call.response.HasField("locations"):
            located = call.response.locations
            length, first = float(located.fileLength), located.blocks[0] if located.blocks else None
            blocks = math.ceil(length / first.b.numBytes) if first and first.b.numBytes else 1
            read = replace(read, bytes=length, blocks=max(1, blocks), copies=len(first.locs) if first else 0)
            self._log.space.saw(read.path, length)
        self._log.add(read)

    def _read_located(self, call: _Call) -> None:
        self._info(call)
        if not call.request.needBlockToken:
            return
        read = Access(call.time_s, call.caller, Op.READ, "open", call.request.src)
        if call.response is not None and call.response.HasField("fs"):
            status = call.response.fs
            read = replace(read, bytes=float(status.length), copies=status.block_replication)
        self._log.add(read)

    def _create(self, call: _Call) -> None:
        copies = min(call.request.replication, _MOST_COPIES)
        self._begin(
            _Open(Access(call.time_s, call.caller, Op.WRITE, "create", call.request.src, copies=copies), {})
        )

    def _append(self, call: _Call) -> None:
        opened = _Open(Access(call.time_s, call.caller, Op.WRITE, "append", call.request.src), {})
        if call.response is not None and call.response.HasField("block"):
            opened.before = float(call.response.block.b.numBytes)
            opened.blocks[call.response.block.b.blockId] = opened.before
        self._begin(opened)

    def _begin(self, opened: _Open) -> None:
        before = self._open.pop(opened.access.path, None)
        if before is not None:  # written anew before it was complete
            self._log.add(before.access)
        if len(self._open) >= _MOST_OPEN:
            self._log.add(opened.access)
        else:
            self._open[opened.access.path] = opened

    def _add_block(self, call: _Call) -> None:
        opened = self._open.get(call.request.src)
        if opened is not None and call.request.HasField("previous"):
            opened.blocks[call.request.previous.blockId] = float(call.request.previous.numBytes)

    def _complete(self, call: _Call) -> None:
        if call.response is not None and not call.response.result:
            return  # the NameNode waits for a replica; the client asks again
        opened = self._open.pop(call.request.src, None)
        if opened is None:  # created before the trace began
            self._log.add(Access(call.time_s, call.caller, Op.WRITE, "create", call.request.src))
            return
        if call.request.HasField("last"):
            opened.blocks[call.request.last.blockId] = float(call.request.last.numBytes)
        written = max(0.0, sum(opened.blocks.values()) - opened.before)
        first = opened.access
        if first.command == "create":
            self._log.space.saw(call.request.src, written)
        self._log.add(replace(first, bytes=written))

    def _info(self, call: _Call) -> None:
        if call.response is not None and call.response.HasField("fs"):
            self._saw(call.request.src, call.response.fs)

    def _saw(self, path: str, status: Any) -> None:
        if status.fileType == _IS_FILE and path not in self._open:
            self._log.space.saw(path, float(status.length))

    def _listing(self, call: _Call) -> None:
        if call.response is None or not call.response.HasField("dirList"):
            return
        for status, name in _named(call.response.dirList.partialListing):
            path = f"{call.request.src.rstrip('/')}/{name}" if name else call.request.src
            self._saw(path, status)

    def _summary(self, call: _Call) -> None:
        if call.response is not None:
            self._log.totals[call.request.path] = float(call.response.summary.length)

    def _rename(self, call: _Call) -> None:
        if call.response is None or call.response.result:
            self._rename2(call)

    def _rename2(self, call: _Call) -> None:
        self._log.jobs.heard(call.request.dst)
        self._log.space.moved(call.request.src, call.request.dst)

    def _delete(self, call: _Call) -> None:
        if call.response is None or call.response.result:
            self._log.space.gone(call.request.src)


def _named(statuses: Any) -> Iterator[tuple[Message, str]]:
    for status in statuses:
        yield status, status.path.decode("utf-8", "replace")
