"""Block traces of others → reads and writes of volumes: blktrace's, those that are published, and plain CSV.

A line that cannot be read is counted and left out; too many of them mean that the layout is another.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from froude.base.errors import InputError
from froude.base.input_limits import check_limit
from froude.base.packed import read_lines
from froude.base.summary import counted

_LONGEST = 4096
"""Bytes of a line."""
_MOST_VOLUMES = 10_000
_CHECKED_ROWS = 1 << 16
_LARGEST_BYTES = 1 << 30
_FARTHEST = 1 << 60
"""Byte of a volume."""
_LONGEST_NAME = 200
_SECTOR = 512
_EVENT = re.compile(r"\s*\d+,\d+\s+\d+\s+\d+\s+\d+\.\d+\s+\d+\s")
"""How a line of blkparse begins: device, processor, number, time, process."""
_SUMMARY = ("CPU", "Total", "Input file")
"""How blkparse's other lines begin; what follows them is no event."""
_MSR_TICKS = 10_000_000
"""Of 100 ns a second."""
_SEVERAL = 20
"""Requests from which on more volumes than half of them mean that the column is another, such as an offset."""
_MOST_DIRTY = 0.1
"""Part of the lines that may be unreadable."""


class Layout(Enum):
    """How a trace is written."""

    MQSIM = "mqsim"
    """`arrival-ns device first-sector sectors op`, op 1 for a read; DiskSim's ASCII form is the same."""
    MSR = "msr"
    """`ticks,host,disk,Read|Write,offset,size,response`, of MSR Cambridge."""
    SPC = "spc"
    """`unit,block,size,R|W,seconds`, of the Storage Performance Council, in blocks of 512 B."""
    ALIBABA = "alibaba"
    """`device,R|W,offset,size,microseconds`, of Alibaba's cloud."""
    BLKPARSE = "blkparse"
    """What `blkparse` prints of a `blktrace`, unless told otherwise; what was queued counts."""
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
    remarks: tuple[str, ...] = ()
    """What was taken to be, and might be otherwise."""
    layouts: tuple[str, ...] = ()
    """In which the files are written, each once."""

    @property
    def duration_s(self) -> float:
        """From the first request to the last."""
        return self.requests[-1].time_s - self.requests[0].time_s


def read_traces(paths: Iterable[Path], layout: Layout | None = None) -> BlockTrace:
    """Read block traces as one.

    Volumes of the same name in several files are the same, unless they have requests at the same times: recordings that
    each begin at 0 tell nothing of what came first, and become volumes side by side.

    Args:
        layout: how they are written; None to tell by the first line of each.

    Raises:
        InputError: unreadable, of no layout that is known, mostly dirty, empty, or too large.
    """
    files = list(paths)
    requests: list[Request] = []
    spans: dict[str, list[tuple[float, float]]] = {}
    dirty, first, remarks = 0, "", []
    layouts: list[str] = []
    names: set[str] = set()
    for path in files:
        own = str(path) if path.name in names else path.name
        names.add(path.name)
        mine = _File(path, layout, len(requests), len(spans))
        layouts += [mine.layout.value] * (mine.layout.value not in layouts)
        found = _spans(mine.requests) if len(files) > 1 else {}
        doubled = {name for name, span in found.items() if _meets(span, spans.get(name, []))}
        for name, span in found.items():
            spans.setdefault(f"{own}:{name}" if name in doubled else name, []).append(span)
        if doubled:
            many = f"{counted(len(doubled), 'volume')}, such as {min(doubled)}"
            remarks.append(
                f"{path}: has requests of {many}, at the same times as an earlier file: they count as others"
            )
            mine.requests = [
                each._replace(volume=f"{own}:{each.volume}") if each.volume in doubled else each
                for each in mine.requests
            ]
        requests += mine.requests
        dirty, first = dirty + mine.dirty, first or mine.first_dirty
    if not requests:
        allowed = "reads and writes; of blkparse those that were queued (Q)"
        raise InputError("has no requests", file=", ".join(map(str, files)) or None, allowed=allowed)
    requests.sort(key=lambda request: request.time_s)
    volumes = tuple(dict.fromkeys(each.volume for each in requests))
    if len(requests) >= _SEVERAL and 2 * len(volumes) > len(requests):
        number = f"{len(volumes):,} volumes in {len(requests):,} requests"
        raise InputError("has another column for its volume", file=files[0], found=number)
    return BlockTrace(tuple(requests), volumes, dirty, first, tuple(remarks), tuple(layouts))


class _File:
    """One trace."""

    def __init__(self, path: Path, layout: Layout | None, requests: int, volumes: int) -> None:
        """Read it.

        Args:
            layout: how it is written; None to tell.
        """
        self.requests: list[Request] = []
        self.dirty, self.first_dirty = 0, ""
        names: dict[str, str] = {}
        self.layout, parsed = _parsed(path, layout)
        for number, found in parsed:
            if found is None:
                self.dirty += 1
                self.first_dirty = self.first_dirty or f"{path}:{number}"
                continue
            name = names.setdefault(found.volume, found.volume)  # one text for each name
            self.requests.append(found._replace(volume=name))
            if volumes + len(names) > _MOST_VOLUMES:
                allowed = f"{_MOST_VOLUMES:,} volumes"
                raise InputError("has too many volumes", file=path, place=number, allowed=allowed)
            if len(self.requests) % _CHECKED_ROWS == 0:
                check_limit("rows", requests + len(self.requests), file=path, place=number)
        if self.dirty > _MOST_DIRTY * (self.dirty + len(self.requests)):
            allowed = f"at most {_MOST_DIRTY:.0%} of the lines"
            raise InputError(
                "has too many lines that are no requests",
                file=self.first_dirty,
                found=self.dirty,
                allowed=allowed,
            )


def _spans(requests: Iterable[Request]) -> dict[str, tuple[float, float]]:
    """By volume from the first request to the last."""
    found: dict[str, tuple[float, float]] = {}
    for request in requests:
        begin, end = found.get(request.volume, (request.time_s, request.time_s))
        found[request.volume] = min(begin, request.time_s), max(end, request.time_s)
    return found


def _meets(span: tuple[float, float], others: Iterable[tuple[float, float]]) -> bool:
    return any(span[0] < end and begin < span[1] for begin, end in others)


def _parsed(path: Path, layout: Layout | None) -> tuple[Layout, Iterator[tuple[int, Request | None]]]:
    """The layout, and line by line the number and the request; None for one that cannot be read."""
    lines: Iterator[tuple[int, str]] = enumerate(read_lines(path, longest=_LONGEST), 1)
    number, head = next((each for each in lines if _tells(each[1])), (0, ""))
    how = layout or _layout_of(head, path)
    if how is Layout.CSV:
        parse = _csv_parser(head, path)
    else:
        parse = _PARSERS[how]
        lines = chain([(number, head)], lines)
    events = _queued(lines) if how is Layout.BLKPARSE else lines
    return how, ((number, _checked(parse, line)) for number, line in events if line.strip())


def _tells(line: str) -> bool:
    """Whether a line tells how a trace is written; blkparse begins with others where it is told to."""
    return bool(line.strip()) and not line.startswith(_SUMMARY)


def _layout_of(head: str, path: Path) -> Layout:
    fields = head.split(",")
    if "offset" in head.lower() and len(fields) > 1:
        return Layout.CSV
    if len(fields) == 7 and fields[3].strip().lower() in {"read", "write"}:
        return Layout.MSR
    if len(fields) >= 5 and fields[3].strip().lower() in {"r", "w"} and fields[2].strip().isdecimal():
        return Layout.SPC
    if len(fields) == 5 and fields[1].strip().lower() in {"r", "w"}:
        return Layout.ALIBABA
    words = head.split()
    if len(words) == 5 and all(word.isdecimal() for word in words):
        return Layout.MQSIM
    if _EVENT.match(head):
        return Layout.BLKPARSE
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
    return Request(
        int(ticks) / _MSR_TICKS, f"{host.strip()}.{disk.strip()}", int(offset), int(size), _is_read(op)
    )


def _from_spc(line: str) -> Request:
    unit, block, size, op, time, *_ = line.split(",")
    return Request(float(time), unit.strip(), int(block) * _SECTOR, int(size), _is_read(op))


def _from_alibaba(line: str) -> Request:
    device, op, offset, size, time = line.split(",")
    return Request(int(time) / 1e6, device.strip(), int(offset), int(size), _is_read(op))


def _from_blkparse(line: str) -> Request:
    device, _, _, time, _, _, kinds, sector, _, sectors, *_ = line.split(maxsplit=10)
    return Request(float(time), device, int(sector) * _SECTOR, int(sectors) * _SECTOR, "R" in kinds)


_PARSERS: Mapping[Layout, Parse] = {
    Layout.MQSIM: _from_mqsim,
    Layout.MSR: _from_msr,
    Layout.SPC: _from_spc,
    Layout.ALIBABA: _from_alibaba,
    Layout.BLKPARSE: _from_blkparse,
}


def _queued(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Of what blkparse prints the reads and writes that were queued, and what is no event and in no summary."""
    summary = False
    for number, line in lines:
        if _EVENT.match(line):
            summary = False
            words = line.split(maxsplit=9)
            if words[5:6] == ["Q"] and words[8:9] == ["+"] and not {"R", "W"}.isdisjoint(words[6]):
                yield number, line
        elif line.startswith(_SUMMARY):
            summary = True
        elif not summary:
            yield number, line


def _csv_parser(head: str, path: Path) -> Parse:
    names = [name.strip().strip('"').lower() for name in head.split(",")]
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
