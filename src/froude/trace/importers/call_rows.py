"""Rows of a table of calls: CSV or JSON lines, columns by their names, times in nanoseconds.

A row that is wrong is no error of the table: it comes out as a `BadRow` with its line, and the reader goes on.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

from froude.base.errors import InputError
from froude.base.files import open_regular
from froude.base.input_limits import check_limit
from froude.base.packed import cut_short, unpacked
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

ALIASES: dict[str, tuple[str, ...]] = {
    "time": ("time", "timestamp", "time_stamp", "start", "start_time", "ts"),
    "sender": ("sender", "sender_id", "client", "client_id", "caller"),
    "method": ("method", "rpc", "call"),
    "protocol": ("protocol", "service"),
    "receiver": ("receiver", "receiver_id", "server", "callee", "target"),
    "thread": ("thread", "thread_id"),
    "user": ("user",),
    "context": ("context", "caller_context"),
    "duration": ("duration", "latency", "elapsed"),
    "end": ("end", "end_time"),
    "status": ("status",),
    "error": ("error", "exception"),
    "error_message": ("error_message",),
    "request": ("request", "req", "args", "arguments"),
    "response": ("response", "resp", "result", "answer"),
}
"""What a column says, and the names by which it is known; upper and lower case are the same."""
NEEDED = ("time", "sender", "method")
UNITS_NS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
"""Units of times and durations that are numbers."""
_STATUS: dict[str, Status] = {
    **dict.fromkeys(("", "success", "succeeded", "ok", "true", "0"), Status.SUCCESS),
    **dict.fromkeys(("error", "failed", "failure", "false"), Status.ERROR),
    "fatal": Status.FATAL,
    **dict.fromkeys(("unanswered", "timeout", "lost"), Status.UNANSWERED),
}
_LONGEST_LINE = 1 << 20
_ODD = re.compile("[\udc80-\udcff]")
"""Bytes that are no UTF-8."""
_DELIMITERS = ",;\t|"
_DECLARED = re.compile(r'\ufeff?"?sep=."?\s*', re.IGNORECASE)
"""A first line in which a spreadsheet names the separator."""


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


@dataclass(frozen=True, slots=True)
class BadRow:
    """A line that is no call."""

    line: int
    error: InputError


@dataclass(slots=True)
class Columns:
    """Which columns a table has, by what they say."""

    known: dict[str, str] = field(default_factory=dict)
    """What it says -> the column's name: `request` and `response` are whole objects."""
    parts: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    """Column's name -> side and path, of those that hold one argument each."""
    unused: dict[str, None] = field(default_factory=dict)
    """Names that say nothing to us, in their order."""
    cut_at: int | None = None
    """Line at which a packed table is cut short."""
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


_JOINTS = re.compile(r"[\s_-]+")
"""What does not matter in the name of a column."""
_BY_ALIAS = {_JOINTS.sub("", alias): says for says, aliases in ALIASES.items() for alias in aliases}


def parse_mapping(texts: list[str]) -> dict[str, str]:
    """`WHAT=COLUMN` texts: column's name -> what it says.

    Raises:
        InputError: another form, or something that no column says.
    """
    mapping: dict[str, str] = {}
    for text in texts:
        says, equals, column = text.partition("=")
        part = re.fullmatch(r"(?:request|response)(?:\.[^.]+)+", says)
        if not equals or not column or not (part or says in ALIASES):
            allowed = f"WHAT=COLUMN, WHAT being {', '.join(ALIASES)}, request.NAME or response.NAME"
            raise InputError("is no column's meaning", place="--column", found=text, allowed=allowed)
        if says in mapping.values() or column in mapping:
            raise InputError("is given twice", place="--column", found=text)
        mapping[column] = says
    return mapping


def columns_of(names: list[str], mapping: Mapping[str, str], file: Path) -> Columns:
    """What a table's columns say.

    Args:
        mapping: column's name -> what it says, where its name does not tell that.

    Raises:
        InputError: two columns say the same, one that is needed is missing, or one of the mapping is not there.
    """
    columns = Columns()
    absent = [name for name in mapping if name not in names]
    if absent:
        found, allowed = absent[0], ", ".join(names)
        raise InputError("has no such column", file=file, place="--column", found=found, allowed=allowed)
    for name in names:
        add_column(columns, name, mapping, file)
    missing = [says for says in NEEDED if says not in columns.known]
    if missing:
        says = missing[0]
        allowed = f"a column named {' or '.join(ALIASES[says])}"
        remedy = f"Name it with `--column {says}=NAME`"
        raise InputError(
            f"has no column for the {says}", file=file, found=", ".join(names), allowed=allowed, remedy=remedy
        )
    return columns


def add_column(columns: Columns, name: str, mapping: Mapping[str, str], file: Path) -> None:
    """Find out what one more column says.

    Args:
        mapping: as `columns_of`.

    Raises:
        InputError: another column says that already.
    """
    says = mapping.get(name)
    if says is None:
        plain = _JOINTS.sub("", name.lower())
        says = _BY_ALIAS.get(plain)
        if says in mapping.values() and says is not None:
            says = None  # somebody said which column it is
        side, dot, path = name.strip().partition(".")
        if says is None and dot and _BY_ALIAS.get(side.lower()) in ("request", "response") and path:
            says = f"{_BY_ALIAS[side.lower()]}.{path}"
    if says is None:
        columns.unused[name] = None
    elif "." in says:
        side, _, path = says.partition(".")
        columns.parts[name] = side, tuple(path.split("."))
    elif says in columns.known:
        found = f"{columns.known[says]} and {name}"
        remedy = f"Say which with `--column {says}=NAME`"
        raise InputError(f"has two columns for the {says}", file=file, found=found, remedy=remedy)
    else:
        columns.known[says] = name


def read_rows(
    path: Path, columns: Columns, *, mapping: Mapping[str, str], unit_ns: int
) -> Iterator[Row | BadRow]:
    """The rows of a table.

    Args:
        path: `.csv`, `.tsv`, `.jsonl` or `.ndjson`, plain or packed; another name is told by its first byte.
        columns: gets what its columns say; filled before the first row comes.
        mapping: column's name -> what it says.
        unit_ns: nanoseconds of the unit of times and durations that are numbers.

    Yields:
        Each row, in the order of the file; what is wrong as a `BadRow`.

    Raises:
        InputError: it cannot be read, is empty, or lacks a column.
    """
    times = Times(unit_ns)
    lines = _lines(path, columns)
    skipped, first = 0, next(lines, None)
    while first is not None and (not first.strip() or _DECLARED.fullmatch(first)):
        skipped, first = skipped + 1, next(lines, None)
    if first is None:
        raise InputError(
            "holds no calls", file=path, found="nothing", allowed="a CSV with a header, or JSON lines"
        )
    begin = first.lstrip("\ufeff \t")[:1]
    if begin == "[":
        remedy = "Write an object on each line: jq -c '.[]' FILE"
        raise InputError(
            "is a JSON list", file=path, place=skipped + 1, allowed="a CSV, or JSON lines", remedy=remedy
        )
    records = _json_lines if begin == "{" else _csv
    for number, record in records(first, lines, path, columns, mapping):
        line = skipped + number
        if isinstance(record, InputError):
            yield BadRow(line, record)
            continue
        try:
            yield _row(line, record, columns, times)
        except InputError as error:
            yield BadRow(line, error)
    columns.clocks_back_at = times.back_at


def _lines(path: Path, columns: Columns) -> Iterator[str]:
    """The lines of a table, bytes that are no UTF-8 as lone surrogates; if it is cut, those that are whole."""
    number = 0
    with open_regular(path) as raw, unpacked(raw, path, whole=False) as source:
        if b"\0" in source.peek(4)[:4]:
            remedy = "Convert it: `iconv -f UTF-16LE -t UTF-8`"
            raise InputError(
                "is not UTF-8", file=path, found="UTF-16 without a mark, or UTF-32", remedy=remedy
            )
        text = io.TextIOWrapper(source, "utf-8", "surrogateescape", "\n")
        for number, line in enumerate(iter(partial(text.readline, _LONGEST_LINE + 1), ""), 1):
            if len(line) > _LONGEST_LINE:
                allowed = f"at most {_LONGEST_LINE:,} characters"
                raise InputError("has a line too long for a table", file=path, place=number, allowed=allowed)
            if not line.endswith("\n") and cut_short(source):
                break
            yield line.rstrip("\n")
        if cut_short(source):
            columns.cut_at = number


def _is_odd(line: str) -> bool:
    return not line.isascii() and _ODD.search(line) is not None


def _no_utf8() -> InputError:
    return InputError("is no UTF-8", allowed="text in UTF-8; iconv converts other encodings")


@lru_cache  # one error for millions of such lines
def _not_as_wide(cells: int, names: int) -> InputError:
    return InputError("has another number of cells", found=f"{cells} cells", allowed=names)


_Records = Iterator[tuple[int, dict[str, Any] | InputError]]


def _csv(
    first: str, lines: Iterator[str], path: Path, columns: Columns, mapping: Mapping[str, str]
) -> _Records:
    """Records by the columns' names; cells are `Cell`s."""
    first = first.removeprefix("\ufeff")
    delimiter = max(_DELIMITERS, key=first.count)
    odd: list[str] = []

    def fed() -> Iterator[str]:
        for line in chain((first,), lines):
            if _is_odd(line):
                odd.append(line)
            yield f"{line}\n"

    reader = csv.reader(
        fed(),
        delimiter=delimiter,
        strict=True,
        skipinitialspace=True,
    )
    names = _header(reader, odd, path)
    check_limit("columns", len(names), file=path, place=1)
    known = columns_of(names, mapping, path)
    _check_unique(names, path)
    columns.known, columns.parts, columns.unused = known.known, known.parts, known.unused
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield reader.line_num, InputError("is no line of a CSV", found=str(error))
            continue
        if odd:
            odd.clear()
            yield reader.line_num, _no_utf8()
            continue
        if not cells:
            continue
        if len(cells) != len(names):
            yield reader.line_num, _not_as_wide(len(cells), len(names))
            continue
        yield reader.line_num, dict(zip(names, map(Cell, cells), strict=True))


def _header(reader: Iterator[list[str]], odd: list[str], path: Path) -> list[str]:
    try:
        names = next(reader)
    except csv.Error as error:
        raise InputError("has no header", file=path, place=1, found=str(error)) from error
    if odd:
        raise InputError("has a header that is no UTF-8", file=path, place=1, allowed="text in UTF-8")
    return names


def _check_unique(names: list[str], path: Path) -> None:
    twice = next((name for name, count in Counter(names).items() if name and count > 1), None)
    if twice is not None:
        raise InputError("has two columns of one name", file=path, place=1, found=twice)


def _json_lines(
    first: str, lines: Iterator[str], path: Path, columns: Columns, mapping: Mapping[str, str]
) -> _Records:
    begun = False
    for number, line in enumerate(chain((first.removeprefix("\ufeff"),), lines), 1):
        if not line.strip():
            continue
        try:
            if _is_odd(line):
                raise _no_utf8()
            record = parse_json(line)
            if not isinstance(record, dict):
                found = "a list" if isinstance(record, list) else "a single value"
                raise InputError("is no object", found=found, allowed='{"time": …, "sender": …}')
        except InputError as error:
            yield number, error
            continue
        if not begun:
            known = columns_of(list(record), mapping, path)
            columns.known, columns.parts, columns.unused = known.known, known.parts, known.unused
            begun = True
        for name in record:
            if not any(name in names for names in (columns.unused, columns.parts, columns.known.values())):
                add_column(columns, name, mapping, path)
        yield number, record


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

    for says in NEEDED:
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
