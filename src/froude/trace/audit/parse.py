"""Bytes of an audit log → columns: lines of the usual shape all at once, the others one by one.

A NameNode writes nearly all lines alike: the same keys, in the same order. Such lines are cut at their TABs as whole
columns; whatever differs (another prefix, a TAB in a path, no date where one is expected) goes through the line
grammar, which takes every variant. Both give the same, and a test holds them together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from froude.base.errors import InputError
from froude.hadoop.audit.lines import (
    KEYS,
    AuditLine,
    address,
    dated,
    named_address,
    parse_hive,
    parse_message,
    reason,
    records_of,
    split_command,
    split_line,
    split_users,
    unescape,
)
from froude.trace.audit.columns import from_lines, joined
from froude.trace.audit.times import date_reader

Ints = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
Column = Any
_DATE_BYTES = 23
_SECOND_BYTES = 20
"""Of a date, up to its milliseconds."""
_DIGITS = np.array([0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18])
_MARKS = {4: b"-", 7: b"-", 10: b" ", 13: b":", 16: b":", 19: b","}
"""Of log4j's ISO8601: `2026-11-20 09:43:54,218`."""
_WORD = 8
_MOST_SHAPES = 8
_MOST_TEXT = 100
"""Characters that are kept of a line that is no audit line."""
Bad = list[tuple[int, str, str]]
"""Number (from 0), reason and text of each line that is no audit line."""


@dataclass(frozen=True, slots=True)
class Form:
    """How lines look."""

    name: str = "direct"
    """`direct` as a NameNode writes them, `hive` as Dynamometer's query does, `pattern` for a form of the site's own."""
    escaped: bool = True
    """Whether paths are Java-escaped."""
    pattern: str = ""
    """Regular expression with the groups `timestamp` and `message`."""
    date_format: str = "yyyy-MM-dd HH:mm:ss,SSS"
    """Of the group `timestamp`, as Java's SimpleDateFormat has it."""
    start_us: int = 0
    """What the times of the Hive form count from."""

    def __post_init__(self) -> None:
        """Refuse what cannot read anything.

        Raises:
            InputError: the pattern is no regular expression or lacks a group, or the date format is none.
        """
        if self.name != "pattern":
            return
        try:
            groups = re.compile(self.pattern).groupindex.keys()
        except re.error as error:
            raise InputError(
                "is no regular expression", place="--pattern", found=f"{self.pattern}: {error}"
            ) from error
        if not {"timestamp", "message"} <= groups:
            allowed = "(?P<timestamp>...) and (?P<message>...)"
            raise InputError("lacks a group", place="--pattern", found=self.pattern, allowed=allowed)
        date_reader(self.date_format)


@dataclass(slots=True)
class Parsed:
    """What some lines hold, in their order."""

    texts: pa.Table
    """(lines,) the columns of `TEXTS`."""
    times: Ints
    """(lines,) microseconds since 1970: UTC where `known`, else on the NameNode's clock."""
    known: npt.NDArray[np.bool_]
    lines: int
    """All of them, empty ones too."""
    bad: Bad = field(default_factory=list)


def parse_bytes(data: bytes, form: Form) -> Parsed:
    """Read whole lines. Never raises for what they hold."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if data and not data.endswith(b"\n"):
        data += b"\n"
    if not data.isascii():
        data = data.decode("utf-8", "replace").encode()
    bytes_ = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(bytes_ == ord("\n"))
    starts = np.concatenate(([0], ends + 1))[: len(ends)]
    left = ends > starts
    groups: list[_Group] = []
    if form.name == "direct":
        groups = _Shapes(data, bytes_, starts, ends, form).groups(left)
        for group in groups:
            left[group.rows] = False
    slow, bad = _one_by_one(data, starts, ends, np.flatnonzero(left), form)
    return _joined([*groups, slow], len(ends), bad)


@dataclass(slots=True)
class _Group:
    """Lines that were read together."""

    rows: Ints
    times: Ints
    known: npt.NDArray[np.bool_]
    texts: dict[str, Column]


def _joined(groups: Sequence[_Group], lines: int, bad: Bad) -> Parsed:
    full = [group for group in groups if len(group.rows)] or [groups[-1]]
    rows = np.concatenate([group.rows for group in full])
    times = np.concatenate([group.times for group in full])
    known = np.concatenate([group.known for group in full])
    table = joined([pa.table(group.texts) for group in full])
    if len(full) > 1:
        order = np.argsort(rows, kind="stable")
        table, times, known = table.take(order), times[order], known[order]
    return Parsed(table, times, known, lines, bad)


class _Shapes:
    """Lines of the usual shape, as columns.

    Args:
        starts: (lines,) where each begins.
        ends: (lines,) where its line feed stands.
        form: whether paths are escaped.
    """

    def __init__(self, data: bytes, bytes_: Bytes, starts: Ints, ends: Ints, form: Form) -> None:
        self._data, self._bytes, self._starts, self._ends, self._form = data, bytes_, starts, ends, form
        self._buffer = pa.py_buffer(data)
        padded = np.concatenate((bytes_, np.zeros(4 * _WORD, np.uint8)))
        self._words = np.ndarray(len(bytes_) + 3 * _WORD, dtype="<u8", buffer=padded, strides=(1,))
        """The eight bytes from each place on, as one number; an index below 0 finds zeros."""
        self._tabs = np.flatnonzero(bytes_ == ord("\t"))
        self._first = np.searchsorted(self._tabs, starts)
        self._count = np.diff(self._first, append=len(self._tabs))
        self._escapes = form.escaped and b"\\" in data

    def groups(self, left: npt.NDArray[np.bool_]) -> list[_Group]:
        """Groups of lines that have the same keys, without those that are not of a usual shape."""
        groups = []
        left = left & (self._ends - self._starts > _DATE_BYTES + 1) & (self._count > 0)
        for _ in range(_MOST_SHAPES):
            rows = np.flatnonzero(left)
            if not len(rows):
                break
            keys = self._keys(int(rows[0]))
            alike = rows[self._count[rows] == self._count[rows[0]]]
            group, seen = (None, rows[:1]) if keys is None else self._group(alike, keys)
            left[seen] = False
            if group is not None:
                groups.append(group)
        return groups

    def _keys(self, row: int) -> list[bytes] | None:
        """The keys of a line behind its first TAB, each with its `=`; None where they are not the usual ones."""
        line = self._data[self._starts[row] : self._ends[row]]
        pieces = line.split(b"\t")[1:]
        keys = [piece.partition(b"=")[0] for piece in pieces]
        names = [key.decode() for key in keys]
        if len({*names}) < len(names) or not {*names} <= KEYS or not {"ugi", "cmd"} <= {*names}:
            return None
        try:
            dated(line[: line.index(b"\t")].decode("utf-8", "replace"), UTC)
        except InputError:  # a name of a zone, which each line may have
            return None
        return [key + b"=" for key in keys]

    def _group(self, rows: Ints, keys: list[bytes]) -> tuple[_Group | None, Ints]:
        """The lines among some that have these keys, and those that were looked at."""
        tabs = self._tabs[self._first[rows][:, None] + np.arange(len(keys))]
        good = np.ones(len(rows), dtype=bool)
        for number, key in enumerate(keys):
            good &= self._stands(tabs[:, number] + 1, key)
        seen = rows[good]
        times, dated = self._times(self._starts[rows])
        allowed = self._stands(tabs[:, 0] - len(b"allowed=true"), b"allowed=true")
        denied = self._stands(tabs[:, 0] - len(b"allowed=false"), b"allowed=false")
        before = tabs[:, 0] - np.where(allowed, len(b" allowed=true"), len(b" allowed=false"))
        good &= dated & (allowed | denied) & np.isin(self._bytes[np.maximum(before, 0)], list(b' :"'))
        if not good.any():
            return None, seen
        rows, tabs = rows[good], tabs[good]
        ends = np.column_stack((tabs[:, 1:], self._ends[rows]))
        raw = {
            key[:-1].decode(): self._between(
                tabs[:, number] + 1 + len(key), ends[:, number], path=key in {b"src=", b"dst="}
            )
            for number, key in enumerate(keys)
        }
        texts = self._texts(raw, allowed[good])
        return (None if texts is None else _Group(rows, times[good], np.zeros(len(rows), bool), texts)), seen

    def _stands(self, places: Ints, text: bytes) -> npt.NDArray[np.bool_]:
        """Whether a text of up to 16 bytes stands at each of some places, which are less than 16 before the first."""
        stands = np.ones(len(places), dtype=bool)
        for at in range(0, len(text), _WORD):
            part = text[at : at + _WORD]
            mask = (1 << 8 * len(part)) - 1
            stands &= self._words[places + at] & np.uint64(mask) == int.from_bytes(part, "little")
        return stands

    def _times(self, starts: Ints) -> tuple[Ints, npt.NDArray[np.bool_]]:
        """The dates that lines begin with, and which lines begin with one."""
        heads = np.lib.stride_tricks.sliding_window_view(self._bytes, _DATE_BYTES + 2)[starts]
        other = (heads[1:, :_SECOND_BYTES] != heads[:-1, :_SECOND_BYTES]).any(axis=1)
        firsts = np.concatenate(([0], np.flatnonzero(other) + 1))  # one of all lines of a second
        seconds, good = _seconds(heads[firsts])
        lines = np.diff(np.append(firsts, len(starts)))
        good = np.repeat(good, lines)
        milli = np.zeros(len(starts), np.int64)
        for at in range(_SECOND_BYTES, _DATE_BYTES):
            digit = heads[:, at].astype(np.int64) - ord("0")
            good &= (digit >= 0) & (digit <= 9)
            milli = milli * 10 + digit
        good &= heads[:, _DATE_BYTES] == ord(" ")
        good &= ~np.isin(heads[:, _DATE_BYTES + 1], list(b"+-Z"))  # a date with a zone of its own
        return (np.repeat(seconds, lines) * 1000 + milli) * 1000, good

    def _between(self, starts: Ints, ends: Ints, *, path: bool = False) -> Column:
        """The texts between places, ascending and apart from each other: each second gap of one array over all.

        Of a path, `null` is none.
        """
        offsets = np.empty(2 * len(starts), dtype=np.int32)
        offsets[0::2], offsets[1::2] = starts, ends
        over_all = pa.StringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets.data), self._buffer)
        none = (ends - starts == len(b"null")) & self._stands(starts, b"null") if path else None
        gaps: Any = pa.array(np.arange(0, len(offsets) - 1, 2), mask=none)
        return over_all.take(gaps)

    def _texts(self, raw: dict[str, Column], allowed: npt.NDArray[np.bool_]) -> dict[str, Column] | None:
        """Columns of `TEXTS` of raw values; None where a command is none."""
        size, escaped = len(allowed), self._form.escaped
        nothing: Any = pa.nulls(size, pa.string())
        try:
            command, options = _mapped(raw["cmd"], split_command, 2)
        except InputError:
            return None
        user, auth, real = _mapped(raw["ugi"], split_users, 3)

        def text(value: str) -> str | None:
            return None if value == "null" else value

        def few(key: str, f: Callable[[str], str | None] = text) -> Column:
            return (
                _mapped(raw[key], lambda value: (f(value),), 1)[0]
                if key in raw
                else nothing.dictionary_encode()
            )

        context = few("callerContext", lambda value: text(unescape(value) if escaped else value))
        return {
            "allowed": pa.array(allowed),
            "user": user,
            "auth": auth,
            "real_user": real,
            "ip": _addresses(few("ip", address), context),
            "command": command,
            "options": options,
            "src": _path(raw["src"], escaped=self._escapes) if "src" in raw else nothing,
            "dst": _path(raw["dst"], escaped=self._escapes) if "dst" in raw else nothing,
            "perm": few("perm"),
            "proto": few("proto"),
            "caller_context": context,
        }


def _addresses(ips: Column, contexts: Column) -> Column:
    """The address that a line's context names, else that of its connection; (lines,), with a dictionary."""
    (named,) = _mapped(contexts, lambda value: (named_address(value),), 1)
    if named.null_count == len(named):
        return ips
    plain: Any = pc.coalesce(named.cast(pa.string()), ips.cast(pa.string()))
    return plain.dictionary_encode()


def _seconds(heads: Bytes) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Seconds since 1970 of dates to the second, (lines, bytes), and which are dates."""
    good = np.ones(len(heads), dtype=bool)
    for at, mark in _MARKS.items():
        good &= heads[:, at] == mark[0]
    digits = heads[:, _DIGITS].astype(np.int64) - ord("0")
    good &= ((digits >= 0) & (digits <= 9)).all(axis=1)
    digits[~good] = 0
    year = digits[:, :4] @ np.array([1000, 100, 10, 1])
    month, day, hour, minute, second = (digits[:, at] * 10 + digits[:, at + 1] for at in range(4, 14, 2))
    good &= (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1)
    good &= (hour < 24) & (minute < 60) & (second < 60)
    months = ((year - 1970) * 12 + np.where(good, month, 1) - 1).astype("datetime64[M]")
    first, after = ((months + ahead).astype("datetime64[D]").astype(np.int64) for ahead in (0, 1))
    good &= day <= after - first
    return (((first + day - 1) * 24 + hour) * 60 + minute) * 60 + second, good


def _mapped(column: Column, f: Callable[[str], tuple[str | None, ...]], width: int) -> list[Column]:
    """What a function makes of the texts of a column, each distinct one asked once; columns with a dictionary."""
    packed: Any = column.dictionary_encode()
    values = [f(str(value)) for value in packed.dictionary.to_pylist()]
    columns_ = []
    for at in range(width):
        distinct: Any = pa.array([value[at] for value in values], type=pa.string()).dictionary_encode()
        indices = distinct.indices.take(packed.indices)
        columns_.append(pa.DictionaryArray.from_arrays(indices, distinct.dictionary))
    return columns_


def _path(column: Column, *, escaped: bool) -> Column:
    if not escaped:
        return column
    texts: Any = pc  # its stubs do not know these calls
    marked = texts.match_substring(column, "\\")
    values = [unescape(str(value)) for value in column.filter(marked).to_pylist()]
    if not values:
        return column
    return texts.replace_with_mask(column, texts.fill_null(marked, False), pa.array(values, pa.string()))


def _one_by_one(data: bytes, starts: Ints, ends: Ints, rows: Ints, form: Form) -> tuple[_Group, Bad]:
    """Lines through the grammar."""
    read = _reader(form)
    lines: list[AuditLine] = []
    good: list[int] = []
    times: list[int] = []
    known: list[bool] = []
    bad: Bad = []
    for row in rows.tolist():
        text = data[starts[row] : ends[row]].decode("utf-8", "replace")
        for each in records_of(text) if text.strip() else ():
            try:
                line, micros, utc = read(each)
            except InputError as error:
                bad.append((row, reason(error), text[:_MOST_TEXT]))
                continue
            lines.append(line)
            good.append(row)
            times.append(micros)
            known.append(utc)
    group = _Group(
        np.array(good, np.int64), np.array(times, np.int64), np.array(known, bool), from_lines(lines)
    )
    return group, bad


def _reader(form: Form) -> Callable[[str], tuple[AuditLine, int, bool]]:
    """A function from a text to its line, microseconds, and whether these are UTC."""
    if form.name == "hive":
        return lambda text: _stamped(parse_hive(text, start_s=form.start_us / 1e6), utc=True)
    if form.name == "pattern":
        regex, read = re.compile(form.pattern), date_reader(form.date_format)
        return lambda text: _by_pattern(text, regex, read, escaped=form.escaped)
    return lambda text: _direct(text, escaped=form.escaped)


def _direct(text: str, *, escaped: bool) -> tuple[AuditLine, int, bool]:
    prefix, message = split_line(text)
    when_s, utc = dated(prefix, UTC)
    return _stamped(parse_message(message, when_s, escaped=escaped), utc=utc)


def _stamped(line: AuditLine, *, utc: bool) -> tuple[AuditLine, int, bool]:
    if line.time_s is None:
        raise InputError("has no date", found=line.command)
    return line, _checked(round(line.time_s * 1e6)), utc


def _by_pattern(
    text: str, regex: re.Pattern[str], read: Callable[[str], tuple[int, bool]], *, escaped: bool
) -> tuple[AuditLine, int, bool]:
    match = regex.match(text)
    if match is None or match["timestamp"] is None or match["message"] is None:
        raise InputError("does not match the pattern", found=text)
    micros, utc = read(match["timestamp"])
    return parse_message(match["message"], micros / 1e6, escaped=escaped), _checked(micros), utc


def _checked(micros: int) -> int:
    """A time within the calendar, with a day to spare for any zone.

    Raises:
        InputError: it is beyond it.
    """
    if not -62_000_000_000_000_000 < micros < 253_000_000_000_000_000:
        raise InputError("has a time beyond the calendar", found=micros)
    return micros
