"""Rows of a table of calls: CSV or JSON lines, columns by their names, times in nanoseconds.

A row that is wrong is not an error of the table: it is left out and counted, and the reader goes on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from froude.base.columns import Column
from froude.base.dropped import Dropped
from froude.base.errors import InputError
from froude.base.files import open_regular
from froude.base.forms import Form, Options, positions_by_names
from froude.base.packed import unpacked
from froude.base.tables import read_records
from froude.trace.importers.call_secrets import is_secret
from froude.trace.importers.call_values import (
    Cell,
    Times,
    check_duration,
    form_of,
    parse_arguments,
    parse_json,
    put,
)
from froude.trace.types import Status

FORM = Form(
    "calls",
    (
        Column("time", ("time", "timestamp", "start", "start_time", "ts")),
        Column("sender", ("sender", "sender_id", "client", "client_id", "caller")),
        Column("method", ("method", "rpc", "call")),
        *(
            Column(says, (says, *others), needed=False)
            for says, *others in (
                ("protocol", "service"),
                ("receiver", "receiver_id", "server", "callee", "target"),
                ("thread", "thread_id"),
                ("user",),
                ("context", "caller_context"),
                ("duration", "latency", "elapsed"),
                ("end", "end_time"),
                ("status",),
                ("error", "exception"),
                ("error_message",),
                ("request", "req", "args", "arguments"),
                ("response", "resp", "result", "answer"),
            )
        ),
    ),
)
"""What a column says, and the names by which it is known."""
_SAYS = {column.what: column for column in FORM.columns}
UNITS_NS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
"""Units of times and durations that are numbers."""
_STATUS: dict[str, Status] = {
    **dict.fromkeys(("", "success", "succeeded", "ok", "true", "0"), Status.SUCCESS),
    **dict.fromkeys(("error", "failed", "failure", "false"), Status.ERROR),
    "fatal": Status.FATAL,
    **dict.fromkeys(("unanswered", "timeout", "lost"), Status.UNANSWERED),
}


@dataclass(slots=True)
class Row:
    """One call of the table."""

    line: int
    start_ns: int
    """Since the epoch, or since whatever the table counts from."""
    duration_ns: int | None
    sender: str
    thread: str
    receiver: str
    protocol: str
    """Empty where the table names none."""
    method: str
    user: str | None
    context: str | None
    status: Status
    error: str | None
    error_message: str | None
    request: dict[str, Any]
    response: dict[str, Any] | None
    """None unless the call succeeded."""


@dataclass(slots=True)
class Columns:
    """Which columns a table has, by what they say."""

    known: dict[str, str] = field(default_factory=dict)
    """What it says -> the column's name: `request` and `response` are whole objects."""
    parts: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    """Column's name -> side and path, of those that hold one argument each."""
    unused: dict[str, None] = field(default_factory=dict)
    """Names that say nothing to us, in their order."""
    clocks_back_at: int | None = None
    """Line where times that are clocks went back by more than half a day for the first time."""
    whole_times: bool = True
    """Whether all times so far were whole numbers without a unit of their own."""

    @property
    def has_response(self) -> bool:
        """Whether any column holds answers."""
        return "response" in self.known or any(side == "response" for side, _ in self.parts.values())

    @property
    def has_duration(self) -> bool:
        """Whether any column says how long a call took."""
        return "duration" in self.known or "end" in self.known

    def secret_paths(self, side: str) -> list[tuple[str, ...]]:
        """Where values stand whose column is named like a secret, whatever their own name is.

        Args:
            side: `request` or `response`; the empty path is all of it.
        """
        paths = [path for name, (of, path) in self.parts.items() if of == side and is_secret(name)]
        return [*paths, ()] if is_secret(self.known.get(side, "")) else paths

    def is_secret(self, says: str) -> bool:
        """Whether the column that says something is named like a secret."""
        return is_secret(self.known.get(says, ""))


def parse_mapping(texts: list[str]) -> dict[str, str]:
    """`WHAT=COLUMN` texts: column's name -> what it says.

    Raises:
        InputError: another form, or something that no column says.
    """
    mapping: dict[str, str] = {}
    for text in texts:
        says, equals, column = text.partition("=")
        part = re.fullmatch(r"(?:request|response)(?:\.[^.]+)+", says)
        if not equals or not column or not (part or says in _SAYS):
            allowed = f"WHAT=COLUMN, WHAT being {', '.join(_SAYS)}, request.NAME or response.NAME"
            raise InputError("is no column's meaning", place="--column", found=text, allowed=allowed)
        if says in mapping.values() or column in mapping:
            raise InputError("is given twice", place="--column", found=text)
        mapping[column] = says
    return mapping


def name_columns(columns: Columns, names: Sequence[str], mapping: Mapping[str, str], file: Path) -> None:
    """Find out what a table's columns say.

    Args:
        columns: filled.
        mapping: column's name -> what it says, where its name does not tell that.

    Raises:
        InputError: two columns say the same, one that is needed is missing, or one of the mapping is not there.
    """
    of_parts = {name: says for name, says in mapping.items() if "." in says}
    absent = [name for name in of_parts if name not in names]
    if absent:
        raise InputError("has no such column", file=file, place="--column", found=absent[0], allowed=names)
    given = Options(columns={says: name for name, says in mapping.items() if says in _SAYS})
    open_ = [name if name not in of_parts else "" for name in names]
    found = positions_by_names(file, open_, FORM, given) or {}
    columns.known = {says: names[at] for says, at in found.items()}
    columns.parts, columns.unused = {}, {}
    for name in names:
        side, _, path = of_parts.get(name, name).strip().partition(".")
        of = next((each for each in ("request", "response") if side.lower() in _SAYS[each].names), "")
        if name in columns.known.values():
            continue
        if of and path:
            columns.parts[name] = of, tuple(path.split("."))
        else:
            columns.unused[name] = None


def read_rows(
    path: Path, columns: Columns, dropped: Dropped, *, mapping: Mapping[str, str], unit_ns: int
) -> Iterator[Row]:
    """The rows of a table.

    Args:
        path: CSV with a header, or objects of JSON, one a line or in a list; plain or packed.
        columns: gets what its columns say; filled before the first row comes.
        dropped: gets the lines that are left out.
        mapping: column's name -> what it says.
        unit_ns: nanoseconds of the unit of times and durations that are numbers.

    Yields:
        Each row, in the order of the file.

    Raises:
        InputError: it cannot be read, is empty, or lacks a column.
    """
    times = Times(unit_ns)
    with open_regular(path) as raw, unpacked(raw, path, whole=False) as source:
        reading, records = read_records(source, path, dropped, cell=_cell, parsed=parse_json)
        names: dict[str, None] = {} if reading is None else dict.fromkeys(reading.names)
        if names:
            name_columns(columns, list(names), mapping, path)
        for line, record in records:
            if record.keys() - names.keys():
                names.update(dict.fromkeys(record))
                name_columns(columns, list(names), mapping, path)
            try:
                yield _row(line, record, columns, times)
            except InputError as error:
                reason = f"{error.place} {error.message}" if error.place else error.message
                reason += f" ({error.allowed})" if error.allowed else ""
                dropped.add(reason, f"{path.name}:{line}", str(error.found or ""))
    columns.clocks_back_at = times.back_at


def _cell(text: str) -> Cell:
    return Cell(text.lstrip())


def _row(line: int, record: Mapping[str, Any], columns: Columns, times: Times) -> Row:
    """A record as a row.

    Raises:
        InputError: a value that is none, or is missing.
    """

    def text(says: str) -> str:
        name = columns.known.get(says)
        value = None if name is None else record.get(name)
        if value is None or isinstance(value, str):
            return "" if value is None else str(value)
        if isinstance(value, dict | list):
            raise InputError(
                "is no single value", place=name, found="an object" if isinstance(value, dict) else "a list"
            )
        return json.dumps(value)

    for says in ("time", "sender", "method"):
        if not text(says).strip():
            raise InputError("is empty", place=columns.known[says])
    protocol, method = _names(text("protocol").strip(), text("method").strip())
    start_ns = times.start(text("time"), columns.known["time"], line)
    columns.whole_times = columns.whole_times and text("time").strip().isdecimal()
    error = text("error") or None
    status = _status(text("status"), error, columns)
    response = (
        _side(record, columns, "response") if status is Status.SUCCESS and columns.has_response else None
    )
    return Row(
        line,
        start_ns,
        None if status is Status.UNANSWERED else _duration(text, start_ns, times, columns),
        text("sender").strip(),
        text("thread").strip(),
        text("receiver").strip(),
        protocol,
        method,
        text("user") or None,
        text("context") or None,
        status,
        error if status in (Status.ERROR, Status.FATAL) else None,
        (text("error_message") or None) if status in (Status.ERROR, Status.FATAL) else None,
        _side(record, columns, "request"),
        response,
    )


def _names(protocol: str, method: str) -> tuple[str, str]:
    """Protocol and method: `kv.Store.put`, `/kv.Store/put` (as gRPC writes it), or `put` alone."""
    before, _, last = method.replace("/", ".").strip(".").rpartition(".")
    if not last:
        raise InputError("is no method's name", found=form_of(method), allowed="METHOD, or PROTOCOL.METHOD")
    return protocol or before, last


def _status(text: str, error: str | None, columns: Columns) -> Status:
    status = _STATUS.get(text.strip().lower())
    if status is None:
        allowed = ", ".join(word for word in _STATUS if word)
        raise InputError("is no status", place=columns.known["status"], found=form_of(text), allowed=allowed)
    return Status.ERROR if error and status is Status.SUCCESS else status


def _side(record: Mapping[str, Any], columns: Columns, side: str) -> dict[str, Any]:
    """The arguments of a request, or what was answered."""
    whole: Any = record.get(columns.known.get(side, ""), None)
    if isinstance(whole, Cell):
        whole = parse_arguments(whole) if whole.strip() else None
    if isinstance(whole, list) and side == "request":
        whole = {f"arg{at}": value for at, value in enumerate(whole)}
    root: dict[str, Any] = {}
    if isinstance(whole, dict):
        root = dict(whole)
    elif whole is not None:
        root["value"] = whole
    for name, (of, path) in columns.parts.items():
        if of == side and record.get(name) is not None:
            put(root, path, record[name])
    return root


def _duration(text: Callable[[str], str], start_ns: int, times: Times, columns: Columns) -> int | None:
    if told := text("duration").strip():
        return times.duration(told, columns.known["duration"])
    if told := text("end").strip():
        place = columns.known["end"]
        return check_duration(times.moment(told, place) - start_ns, told, place)
    return None
