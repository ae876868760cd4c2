"""An audit log in numbers: how many lines a second, which commands, whose, from where, on what; read in one pass.

There is no duration in a log, so concurrency is said by how many clients are heard from in one and the same second.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from froude.trace.audit.files import AuditLog, AuditMeta, column_counts

Ints = npt.NDArray[np.int64]
_MOST_BINS = 300
_MOST = 50
_KEPT_PATHS = 100_000
"""Paths and folders that are counted at the same time; beyond four times as many the rarest are forgotten."""
_SECOND_US = 1_000_000
_COLUMNS = ("time", "client", "allowed", "user", "ip", "command", "src", "proto", "real_user")
_STEPS_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400)


@dataclass(frozen=True, slots=True)
class Share:
    """How many lines something has."""

    name: str
    lines: int
    denied: int = 0


@dataclass(frozen=True, slots=True)
class Rate:
    """Lines in some time."""

    begin_s: float
    """Since the first line's second."""
    lines: int
    per_s: float
    """Mean over that time."""
    peak: int
    """Most lines in one second of it."""
    clients: int
    """Most clients heard from in one second of it."""


@dataclass(frozen=True, slots=True)
class AuditSummary:
    """All of it."""

    name: str
    meta: AuditMeta
    seconds: float
    """From the first line to the last."""
    peak_per_s: int
    """Most lines in one second."""
    clients: int
    """Users at an address; behind a proxy that names ports, connections."""
    concurrent_clients: int
    """Most of them that were heard from in one second."""
    denied: int
    """Lines of calls that were refused for want of a right."""
    proxied: int
    """Lines of users whom another one impersonates."""
    rates: tuple[Rate, ...]
    commands: tuple[Share, ...]
    users: tuple[Share, ...]
    hosts: tuple[Share, ...]
    protocols: tuple[Share, ...]
    paths: tuple[Share, ...]
    folders: tuple[Share, ...]
    """By the folder that a path lies in."""
    paths_exact: bool
    """Whether no path was forgotten while counting; if not, the numbers of the last ones may be too small."""

    def to_mapping(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


class _Counts:
    """Lines by name, and those that were denied."""

    def __init__(self, most: int | None = None) -> None:
        self.lines: Counter[str] = Counter()
        self.denied: Counter[str] = Counter()
        self.exact = True
        self._most = most

    def add(self, lines: Mapping[str, int], denied: Mapping[str, int]) -> None:
        """Count some more."""
        self.lines.update(lines)
        self.denied.update(denied)
        if self._most is not None and len(self.lines) > 4 * self._most:
            self.lines = Counter(dict(self.lines.most_common(self._most)))
            self.denied = Counter({name: n for name, n in self.denied.items() if name in self.lines})
            self.exact = False

    def top(self, most: int | None = _MOST) -> tuple[Share, ...]:
        """The most frequent ones; names of as many lines in their order."""
        size = len(self.lines) if most is None else most
        order = heapq.nsmallest(size, self.lines.items(), key=lambda item: (-item[1], item[0]))
        return tuple(Share(name, count, self.denied[name]) for name, count in order)


def summarise_audit(log: AuditLog) -> AuditSummary:
    """Count an audit log; linear in its lines, with memory for its seconds, clients and some of its paths."""
    first = log.meta.begin_us // _SECOND_US
    seconds = log.meta.end_us // _SECOND_US - first + 1
    per_second = _Seconds(first, seconds)
    clients: set[int] = set()
    counts = {name: _Counts() for name in ("command", "user", "ip", "proto")}
    paths, folders = _Counts(_KEPT_PATHS), _Counts(_KEPT_PATHS)
    proxied = denied_lines = 0
    for batch in log.batches(_COLUMNS):
        table: Any = {name: batch.column(name) for name in _COLUMNS}
        denied: Any = pc.invert(table["allowed"])
        per_second.add(np.asarray(table["time"].cast(pa.int64())), np.asarray(table["client"]))
        clients.update(np.unique(np.asarray(table["client"])).tolist())
        for name, each in counts.items():
            each.add(column_counts(table[name]), column_counts(table[name].filter(denied)))
        sources = column_counts(table["src"]), column_counts(table["src"].filter(denied))
        paths.add(*sources)
        folders.add(*map(_folders, sources))
        denied_lines += int(pc.sum(denied).as_py() or 0)
        proxied += batch.num_rows - table["real_user"].null_count
    per_second.finish()
    return AuditSummary(
        log.folder.name,
        log.meta,
        (log.meta.end_us - log.meta.begin_us) / _SECOND_US,
        max(per_second.lines.values(), default=0),
        len(clients),
        max(per_second.clients.values(), default=0),
        denied_lines,
        proxied,
        tuple(per_second.rates()),
        counts["command"].top(None),
        counts["user"].top(),
        counts["ip"].top(),
        counts["proto"].top(),
        paths.top(),
        folders.top(),
        paths.exact and folders.exact,
    )


def _folders(paths: Mapping[str, int]) -> Counter[str]:
    """Lines by the folder that a path lies in; what is no path counts by itself."""
    folders: Counter[str] = Counter()
    for path, lines in paths.items():
        folders[(path.rpartition("/")[0] or "/") if path[:1] == "/" else path] += lines
    return folders


class _Seconds:
    """Lines and clients of each second that has any; a second may lie in two batches.

    Args:
        first: the log's first second.
    """

    def __init__(self, first: int, seconds: int) -> None:
        self._first, self._span = first, seconds
        self.lines: dict[int, int] = {}
        self.clients: dict[int, int] = {}
        self._open: tuple[int, set[int]] | None = None

    def add(self, times: Ints, clients: npt.NDArray[np.uint64]) -> None:
        """Count some lines behind those before."""
        seconds = times // _SECOND_US - self._first
        starts = np.concatenate(([0], np.flatnonzero(np.diff(seconds)) + 1, [len(seconds)]))
        for begin, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            second = int(seconds[begin])
            self.lines[second] = self.lines.get(second, 0) + end - begin
            heard = set(np.unique(clients[begin:end]).tolist())
            if self._open is not None and self._open[0] == second:
                heard |= self._open[1]
            else:
                self.finish()
            self._open = second, heard

    def finish(self) -> None:
        """Close the last second."""
        if self._open is not None:
            self.clients[self._open[0]] = len(self._open[1])

    def rates(self) -> Iterator[Rate]:
        """In steps that divide the time into some hundreds at most."""
        step = next(
            (each for each in _STEPS_S if self._span <= each * _MOST_BINS), self._span // _MOST_BINS + 1
        )
        bins: dict[int, list[int]] = {}
        for second in self.lines:
            bins.setdefault(second // step, []).append(second)
        for number in range((self._span - 1) // step + 1):
            inside = bins.get(number, [])
            lines = sum(self.lines[second] for second in inside)
            width = min(step, self._span - number * step)
            peak, heard = (max((of[s] for s in inside), default=0) for of in (self.lines, self.clients))
            yield Rate(number * step, lines, lines / width, peak, heard)


def counts_in_words(counts: Mapping[str, int]) -> str:
    """What importing counted, for people; empty where there is nothing to say.

    Args:
        counts: by the name of a field of `Counts`.
    """
    words = {
        "bad": "no audit lines",
        "out_of_order": "out of order, sorted",
        "late": "of them later than the window",
        "repeated_hour": "of a repeated hour, taken as its first pass",
        "before_image": "left out, which the image holds",
        "at_the_cut": "of the millisecond of the cut, kept",
    }
    return "; ".join(f"{counts[name]:,} {text}" for name, text in words.items() if counts.get(name))
