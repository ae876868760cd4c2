"""Block traces of others → reads and writes of volumes: MQSim's, Microsoft Research Cambridge's, and plain CSV.

A line that cannot be read is counted and left out; too many of them mean that the layout is another.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from froude.base.errors import InputError
from froude.base.files import read_lines

_LONGEST = 4096
"""Bytes of a line."""
_MOST_REQUESTS = 50_000_000
_MOST_VOLUMES = 10_000
_LARGEST_BYTES = 1 << 30
"""Of one request."""
_FARTHEST = 1 << 60
"""Byte of a volume."""
_LONGEST_NAME = 200
_SECTOR = 512
_MSR_TICKS = 10_000_000
"""Of 100 ns a second."""
_MOST_DIRTY = 0.1
"""Part of the lines that may be unreadable."""


class Layout(Enum):
    """How a trace is written."""

    MQSIM = "mqsim"
    """`arrival-ns device first-sector sectors op`, op 1 for a read; DiskSim's ASCII form is the same."""
    MSR = "msr"
    """`ticks,host,disk,Read|Write,offset,size,response`, of MSR Cambridge."""
    CSV = "csv"
    """With a head: time, volume, offset, size and op; seconds, bytes, and read or write."""


class Request(NamedTuple):
    """One read or write."""

    time_s: float
    volume: str
    offset: int
    """In bytes."""
    size: int
    """In bytes, 1 or more."""
    read: bool


@dataclass(frozen=True, slots=True)
class BlockTrace:
    """Requests in the order of their times."""

    requests: tuple[Request, ...]
    volumes: tuple[str, ...]
    """Those that there are, in the order of their first request."""
    dirty: int
    """Lines that could not be read."""
    first_dirty: str = ""
    """Where the first of them stands, and what it is."""

    @property
    def duration_s(self) -> float:
        """From the first request to the last."""
        return self.requests[-1].time_s - self.requests[0].time_s


def read_traces(paths: Iterable[Path], layout: Layout | None = None) -> BlockTrace:
    """Read block traces as one; volumes of the same name in several files are the same.

    Args:
        paths: plain or packed with gzip.
        layout: how they are written; None to tell by the first line of each.

    Raises:
        InputError: unreadable, of no layout that is known, mostly dirty, empty, or too large.
    """
    requests: list[Request] = []
    volumes: dict[str, str] = {}
    dirty, first = 0, ""
    for path in paths:
        before = len(requests)
        mine = 0
        for number, found in _parsed(path, layout):
            if found is None:
                mine += 1
                first = first or f"{path}:{number}"
                continue
            name = volumes.setdefault(found.volume, found.volume)  # one text for each name
            requests.append(found._replace(volume=name))
            if len(requests) > _MOST_REQUESTS or len(volumes) > _MOST_VOLUMES:
                allowed = f"{_MOST_REQUESTS:,} requests of {_MOST_VOLUMES:,} volumes"
                raise InputError("is too large a trace", file=path, place=number, allowed=allowed)
        if mine > _MOST_DIRTY * (mine + len(requests) - before):
            allowed = f"at most {_MOST_DIRTY:.0%} of the lines"
            raise InputError(
                "has too many lines that are no requests", file=first, found=mine, allowed=allowed
            )
        dirty += mine
    if not requests:
        raise InputError("has no requests", file=", ".join(map(str, paths)) or None)
    requests.sort(key=lambda request: request.time_s)
    return BlockTrace(tuple(requests), tuple(dict.fromkeys(each.volume for each in requests)), dirty, first)


def _parsed(path: Path, layout: Layout | None) -> Iterator[tuple[int, Request | None]]:
    """Line by line, with its number; None for one that cannot be read."""
    lines = enumerate(read_lines(path, longest=_LONGEST), 1)
    number, head = next(lines, (0, ""))
    how = layout or _layout_of(head, path)
    if how is Layout.CSV:
        parse = _csv_parser(head, path)
    else:
        parse = _from_mqsim if how is Layout.MQSIM else _from_msr
        yield number, _checked(parse, head)
    for number, line in lines:
        if line.strip():
            yield number, _checked(parse, line)


def _layout_of(head: str, path: Path) -> Layout:
    fields = head.split(",")
    if "offset" in head.lower() and len(fields) > 1:
        return Layout.CSV
    if len(fields) == 7 and fields[3].strip().lower() in {"read", "write"}:
        return Layout.MSR
    if len(head.split()) == 5 and all(word.isdecimal() for word in head.split()):
        return Layout.MQSIM
    names = ", ".join(each.value for each in Layout)
    raise InputError(
        "begins like no block trace that is known", file=path, place=1, found=head[:80], allowed=names
    )


Parse = Callable[[str], Request]


def _checked(parse: Parse, line: str) -> Request | None:
    """A request that can be; None for any other line."""
    try:
        request = parse(line)
    except (ValueError, IndexError, OverflowError, csv.Error):
        return None
    fits = 0 <= request.offset <= _FARTHEST and 0 < request.size <= _LARGEST_BYTES
    named = 0 < len(request.volume) <= _LONGEST_NAME and request.volume.isprintable()
    return request if fits and named and 0 <= request.time_s < float("inf") else None


def _from_mqsim(line: str) -> Request:
    time, device, sector, sectors, op = line.split()
    if op not in {"0", "1"}:
        raise ValueError(op)
    return Request(int(time) / 1e9, device, int(sector) * _SECTOR, int(sectors) * _SECTOR, op == "1")


def _from_msr(line: str) -> Request:
    ticks, host, disk, op, offset, size, _ = line.split(",")
    return Request(int(ticks) / _MSR_TICKS, f"{host}.{disk}", int(offset), int(size), _is_read(op))


def _csv_parser(head: str, path: Path) -> Parse:
    names = [name.strip().lower() for name in next(csv.reader([head]))]
    wanted = ("time", "volume", "offset", "size", "op")
    missing = [name for name in wanted if name not in names]
    if missing:
        raise InputError(
            f"has no column {missing[0]}", file=path, place=1, found=head[:80], allowed=", ".join(wanted)
        )
    at = [names.index(name) for name in wanted]

    def parse(line: str) -> Request:
        fields = next(csv.reader([line]))
        time, volume, offset, size, op = (fields[column].strip() for column in at)
        return Request(float(time), volume, int(offset), int(size), _is_read(op))

    return parse


def _is_read(op: str) -> bool:
    word = op.strip().lower()
    if word not in {"read", "write", "r", "w"}:
        raise ValueError(op)
    return word[0] == "r"
