"""Reads what a draft is made from: traces batch by batch, audit logs line by line, telemetry tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from froude.base.errors import InputError
from froude.base.packed import read_lines
from froude.hadoop.audit.lines import own_context, parse_line
from froude.provision.draft.audit import take_line
from froude.provision.draft.calls import CLIENT_PROTOCOL, HdfsCalls
from froude.provision.draft.jobs import short_user
from froude.provision.draft.log import AccessLog, Window
from froude.provision.draft.types import Caller
from froude.trace.files import CALLS, SCHEMA, open_calls, read_meta, read_schema
from froude.trace.types import Status, TraceMeta

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


def read_source(path: Path, log: AccessLog, *, zone: tzinfo = UTC) -> str:
    """Add what a Trace's folder, or an audit log, holds.

    Reads in pieces; linear in the calls. What is kept is `log`'s.

    Args:
        path: a folder of a Trace, or an audit log, plain or packed.
        zone: of an audit log's dates.

    Returns:
        The source in words.

    Raises:
        InputError: neither; damaged; a Trace without the requests' bytes; a log without a line of its kind.
    """
    log.windows.append(Window())
    if path.is_dir():
        return _read_trace(path, log)
    if not path.exists():
        raise InputError("does not exist", file=path, allowed="a Trace's folder, or an audit log")
    return _read_audit(path, log, zone)


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


def _read_audit(path: Path, log: AccessLog, zone: tzinfo) -> str:
    good = bad = 0
    for text in read_lines(path, longest=_LONGEST_LINE):
        if "cmd=" not in text:  # an error for each of the other lines of a NameNode's log takes long
            bad += bool(text.strip())
            continue
        try:
            line = parse_line(text, zone=zone)
        except InputError:
            bad += 1
            continue
        good += 1
        if line.time_s is not None:
            log.windows[-1].holds(line.time_s)
        take_line(line, log)
    if not good:
        raise InputError(
            "holds no line of an audit log", file=path, found=f"{bad} others", allowed="allowed=… ugi=… cmd=…"
        )
    return f"{path.name}: {good} lines of an audit log" + (f", {bad} of another kind left out" if bad else "")


def read_sources(paths: Sequence[Path], log: AccessLog, *, zone: tzinfo = UTC) -> tuple[str, ...]:
    """`read_source` for each; what each is, in words.

    Args:
        paths: traces and audit logs, in the order to read them.
        zone: of the times in audit logs, which carry none.
    """
    return tuple(read_source(path, log, zone=zone) for path in paths)
