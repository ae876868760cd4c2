"""A JVM's own log of its garbage collector: how long it stopped, why, and what of the heap was in use around it.

Of the unified log (`-Xlog`, Java 9 and later) in any of its decorations, as long as the time of day is among them.
HotSpot's collectors are known: Serial, Parallel, G1, Z and Shenandoah write a pause alike. Stops that are not for the
collector are known as Java 14 and later write them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

_HEAD = re.compile(r"((?:\[[^]]*\])+) ?(.*)")
_TIME = re.compile(r"\[(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d{4})\]")
_SIZE = r"(\d{1,9})([BKMG])"
_HEAP = re.compile(rf"{_SIZE}(?:\(\d+%\))?->{_SIZE}(?:\(|\b)")
_COLLECTION = re.compile(r"GC\(\d+\) (.*)")
_PAUSE = re.compile(r"(?:[A-Za-z]: )?Pause (.*?) ?(\d{1,9}\.\d+)ms")
_STOP = re.compile(r'Safepoint "([^"]*)".*?\bReaching safepoint: (\d{1,18}) ns\b.*?\bTotal: (\d{1,18}) ns\b')
_USING = re.compile(r"Using (?:The )?(.+?)(?: Garbage Collector)?\s*")
_UNITS = {"B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_LONGEST = 4096
"""Characters of a line; what is longer is none of this log."""


class Pause(NamedTuple):
    """One stop of all threads of a JVM."""

    time_s: float
    """Its end: seconds since the epoch, or since a play began."""
    kind: str
    """Of a collection what the log calls it, such as `Young (Normal) (G1 Evacuation Pause)`; else the JVM's reason."""
    duration_s: float
    """How long nothing else ran."""
    collection: bool = True
    """Whether it was for the garbage collector."""
    reaching_s: float | None = None
    """How long it took before until every thread stood still; None where nobody told."""


class HeapChange(NamedTuple):
    """The heap in use around a collection."""

    time_s: float
    """Its end, as that of a pause."""
    before_bytes: int
    after_bytes: int


@dataclass(frozen=True, slots=True)
class Pauses:
    """Pauses in a length of time, put together."""

    count: int
    total_s: float
    p50_s: float
    p99_s: float
    longest_s: float


@dataclass(slots=True)
class GcLog:
    """What a log tells."""

    pauses: list[Pause] = field(default_factory=list)
    """Oldest first."""
    heap: list[HeapChange] = field(default_factory=list)
    """Oldest first."""
    collector: str = ""
    """Such as `G1`; empty where the log does not say."""
    lines: int = 0
    unread: int = 0
    """Lines that are none of this log, or have no time of day."""

    @property
    def collections(self) -> list[Pause]:
        """The pauses that were for the garbage collector."""
        return [pause for pause in self.pauses if pause.collection]

    @property
    def others(self) -> list[Pause]:
        """The pauses that were for something else."""
        return [pause for pause in self.pauses if not pause.collection]

    def during(self, begin_s: float, length_s: float) -> GcLog:
        """What it tells of one stretch of time, with times that count from its begin.

        Args:
            begin_s: on the clock of the times that are here.
        """
        end_s = begin_s + length_s
        return replace(
            self,
            pauses=[
                p._replace(time_s=p.time_s - begin_s) for p in self.pauses if begin_s <= p.time_s <= end_s
            ],
            heap=[h._replace(time_s=h.time_s - begin_s) for h in self.heap if begin_s <= h.time_s <= end_s],
        )


def gc_log_flag(path: object) -> str:
    """The JVM's flag that writes such a log, in one file that never begins anew."""
    return f'-Xlog:gc*,safepoint:file="{path}":utctime,uptime,tags:filecount=0'


def put_together(pauses: Sequence[Pause]) -> Pauses:
    """Number, sum and percentiles of pauses; zeros of none."""
    lengths = sorted(pause.duration_s for pause in pauses)
    if not lengths:
        return Pauses(0, 0.0, 0.0, 0.0, 0.0)
    p50, p99 = (lengths[math.ceil(q * len(lengths)) - 1] for q in (0.5, 0.99))
    return Pauses(len(lengths), sum(lengths), p50, p99, lengths[-1])


def parse_gc_log(lines: Iterable[str]) -> GcLog:
    """Read a log; lines that tell of something else are passed over, and what is no line of such a log is counted.

    Args:
        lines: without their line feeds.
    """
    log = GcLog()
    open_: list[int] = []
    for line in lines:
        log.lines += 1
        parts = _parts(line)
        if parts is None:
            log.unread += bool(line.strip())
            continue
        time_s, text = parts
        collection = _COLLECTION.fullmatch(text)
        if collection is not None:
            for each in _told(time_s, collection[1]):
                if isinstance(each, Pause):
                    open_.append(len(log.pauses))
                    log.pauses.append(each)
                else:
                    log.heap.append(each)
        elif stop := _STOP.match(text):
            reaching_s = int(stop[2]) / 1e9
            for at in open_:
                log.pauses[at] = log.pauses[at]._replace(reaching_s=reaching_s)
            if not open_:
                log.pauses.append(
                    Pause(time_s, stop[1], (int(stop[3]) - int(stop[2])) / 1e9, False, reaching_s)
                )
            open_.clear()
        elif not log.collector and (using := _USING.fullmatch(text)):
            log.collector = using[1]
    return log


def _parts(line: str) -> tuple[float, str] | None:
    """Time and text of a line; None where it is none."""
    head = _HEAD.fullmatch(line.rstrip("\r\n")) if len(line) <= _LONGEST else None
    time = None if head is None else _TIME.search(head[1])
    if head is None or time is None:
        return None
    try:
        return datetime.fromisoformat(time[1]).timestamp(), head[2]
    except (ValueError, OverflowError):
        return None


def _told(time_s: float, text: str) -> Iterator[Pause | HeapChange]:
    """What a line of a collection's end tells: its pause, the heap around it, or both."""
    heap = _HEAP.search(text)
    told = (
        text if heap is None else f"{text[: heap.start()].rstrip()} {text[heap.end() :].partition(') ')[2]}"
    )
    if pause := _PAUSE.fullmatch(told.strip()):
        yield Pause(time_s, pause[1], float(pause[2]) / 1e3)
    if heap is not None and (pause or "Collection" in text):
        before, after = (int(heap[at]) * _UNITS[heap[at + 1]] for at in (1, 3))
        yield HeapChange(time_s, before, after)
