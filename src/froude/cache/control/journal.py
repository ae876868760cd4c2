"""The controller's memory on disk: a line a round, and numbers of changes that are never given twice.

Lines are only added, each on the disk before anything follows from it; a line that a crash cut short is the last one and
is passed over. When there are too many, the file is written anew, whole or not at all.
"""

from __future__ import annotations

import errno
import json
import os
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

from froude.base.errors import InputError
from froude.base.files import atomic_write_bytes, read_bounded, refuse_special, stated_os_errors
from froude.base.locks import alone
from froude.cache.control.types import Record, plain, record_of
from froude.cache.monitor.limits import MOST
from froude.documents.reading import STAMP, parse_stamp

KEPT = 1000
"""Rounds that are remembered: 17 hours at one a minute, less where many are asked for."""
_KIND, _VERSION = "cache-journal", 1
_LIMIT_BYTES = 1 << 30
_NAME = "journal.jsonl"


class FileJournal:
    """The journal in a folder; one controller at a time has it open."""

    def __init__(self, folder: Path) -> None:
        """Read what is there, and hold the folder.

        Args:
            folder: of the journal; made where it is not there.

        Raises:
            GuardError: another controller holds it.
            InputError: what is there is no journal.
            MissingError: no right to write there.
        """
        self._path = folder / _NAME
        with stated_os_errors(folder):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = ExitStack()
        self._lock.enter_context(alone(folder / ".lock", of=folder, other="controller"))
        self._records: dict[int, Record] = {}
        self._given = 0
        self._lines = 0
        self.paused = False
        """Whether rounds pause, as was written down last."""
        try:
            refuse_special(self._path)
            if self._path.exists():
                self._read()
            self._write_anew()
        except BaseException:
            self._lock.close()
            raise

    def numbers(self, count: int, *, above: int) -> range:
        """See `Journal`."""
        first = max(self._given, above) + 1
        self._add({"given": first + count - 1})
        self._given = first + count - 1
        return range(first, first + count)

    def add(self, record: Record) -> None:
        """See `Journal`; a later word on the same round takes the place of the earlier."""
        self._add({"round": plain(record)})
        self._keep(record)
        if self._lines > 4 * KEPT:
            self._write_anew()

    def pause(self, paused: bool) -> None:
        """See `Journal`."""
        self._add({"paused": paused})
        self.paused = paused

    def records(self) -> tuple[Record, ...]:
        """See `Journal`."""
        return tuple(self._records.values())

    def close(self) -> None:
        """Let another controller have it."""
        self._lock.close()

    def __enter__(self) -> FileJournal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _keep(self, record: Record) -> None:
        self._records.pop(record.number, None)
        self._records[record.number] = record
        while len(self._records) > KEPT:
            del self._records[next(iter(self._records))]

    def _add(self, line: dict[str, Any]) -> None:
        data = json.dumps(line, separators=(",", ":")).encode() + b"\n"
        with stated_os_errors(self._path), self._path.open("ab", buffering=0) as file:
            before = file.tell()
            try:
                if file.write(data) != len(data):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(file.fileno())
            except OSError:
                file.truncate(before)  # half a line would be read as one with the next
                raise
        self._lines += 1

    def _write_anew(self) -> None:
        """Only what is remembered, and no half line."""
        lines: list[dict[str, Any]] = [
            {STAMP: f"{_KIND}/{_VERSION}"},
            {"given": self._given},
            {"paused": self.paused},
        ]
        lines += [{"round": plain(record)} for record in self._records.values()]
        data = b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines)
        atomic_write_bytes(self._path, data)
        self._lines = len(lines)

    def _read(self) -> None:
        head, *lines = read_bounded(self._path, limit_bytes=_LIMIT_BYTES).split(b"\n")
        if parse_stamp(_plain(head).get(STAMP)) != (_KIND, _VERSION):
            found, allowed = head[:80].decode(errors="replace"), f"{_KIND}/{_VERSION}"
            raise InputError("is no journal", file=self._path, found=found, allowed=allowed)
        for number, line in enumerate(lines, 2):
            if not line:
                continue
            fields = _plain(line)
            try:
                match next(iter(fields.items()), None) if len(fields) == 1 else None:
                    case "given", value:
                        self._given = max(self._given, _number(value))
                    case "paused", bool(value):
                        self.paused = value
                    case "round", value:
                        self._keep(record_of(value))
                    case _ if number < len(lines) + 1:
                        raise ValueError("neither a round nor a number")
            except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
                raise InputError("is damaged", file=self._path, place=number, found=error) from error


def _number(value: object) -> int:
    if type(value) is not int or not 0 <= value <= MOST // 2:
        raise ValueError(f"no number of a change: {value!r}"[:80])
    return value


def _plain(line: bytes) -> dict[str, Any]:
    """A line's fields; none where it is no JSON object."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return fields if isinstance(fields, dict) else {}
