"""Counts and latencies of a play, by method: cheap while calls fly, exact to three digits afterwards.

A call costs a few list appends. Once a second the lists are turned into rows of a time series and into
histograms; these keep microseconds to three significant digits, as HdrHistogram does, and are written in its
form (`froude.emulation.run_files`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

_DIGIT_BITS = 11  # 2^11 sub-buckets: what HdrHistogram takes for three significant digits


@dataclass(frozen=True, slots=True)
class Percentiles:
    """A latency's distribution, in milliseconds."""

    count: int
    p50_ms: float
    p90_ms: float
    p99_ms: float
    p999_ms: float
    max_ms: float


class Histogram:
    """Counts of durations in microseconds, to three significant digits; mergeable."""

    __slots__ = ("counts", "max_us", "total")

    def __init__(self) -> None:
        self.counts: Counter[int] = Counter()
        """Count by duration, rounded down to three digits."""
        self.total = 0
        """How many durations."""
        self.max_us = 0
        """The largest, not rounded."""

    def add(self, durations_s: Iterable[float]) -> None:
        """Count durations in seconds; negative ones count as zero."""
        exact = Counter([int(duration * 1e6) for duration in durations_s])
        if not exact:
            return
        self.total += exact.total()
        self.max_us = max(self.max_us, *exact)
        counts = self.counts
        for value, count in exact.items():
            counts[_rounded(value)] += count

    def merge(self, other: Histogram) -> None:
        """Count another's durations too."""
        self.counts.update(other.counts)
        self.total += other.total
        self.max_us = max(self.max_us, other.max_us)

    def quantiles_ms(self, qs: Iterable[float]) -> list[float]:
        """The smallest durations at or below which a share `q` of all lie, milliseconds; 0 where empty."""
        ordered = sorted(self.counts.items())
        out = []
        for q in qs:
            need, seen, found = q * self.total, 0, 0
            for value, count in ordered:
                seen, found = seen + count, value
                if seen >= need:
                    break
            out.append((self.max_us if q >= 1 else found) / 1e3)
        return out

    def percentiles(self) -> Percentiles:
        """The usual summary."""
        p50, p90, p99, p999, largest = self.quantiles_ms((0.5, 0.9, 0.99, 0.999, 1.0))
        return Percentiles(self.total, p50, p90, p99, p999, largest)


class Row(NamedTuple):
    """One method in one interval."""

    time_s: float
    """The interval's end, seconds since the play began."""
    method: str
    sent: int
    answered: int
    errors: int
    p50_ms: float
    """From intended send time, as all latencies of a row."""
    p90_ms: float
    p99_ms: float
    max_ms: float


class Series:
    """One method's calls."""

    __slots__ = (
        "actual", "answered", "errors", "from_actual", "from_intended", "intended", "key", "mark", "sent",
    )  # fmt: skip

    def __init__(self, key: str) -> None:
        self.key = key
        """Method name."""
        self.sent = 0
        self.answered = 0
        """Answers, errors included."""
        self.errors: Counter[str] = Counter()
        """Error answers and lost calls by class."""
        self.actual: list[float] = []
        """Seconds from sending, of this interval."""
        self.intended: list[float] = []
        """Seconds from intended sending, of this interval."""
        self.from_actual = Histogram()
        self.from_intended = Histogram()
        self.mark = (0, 0, 0)
        """Sent, answered and errors at the last interval's end."""


@dataclass(slots=True)
class Tally:
    """Everything counted in a play."""

    series: dict[str, Series] = field(default_factory=dict)
    """By method."""
    rows: list[Row] = field(default_factory=list)
    """The time series."""
    late: list[float] = field(default_factory=list)
    """Lateness of this interval's sends, seconds."""
    lateness: Histogram = field(default_factory=Histogram)
    """Actual minus intended send time, whoever is to blame: also a call that waited for another's answer."""
    lags: list[float] = field(default_factory=list)
    """How late this interval's timers rang, seconds."""
    lag: Histogram = field(default_factory=Histogram)
    """How late timers rang: the player's own fault, and nobody else's."""
    notes: Counter[str] = field(default_factory=Counter)
    """What programs found worth counting."""

    def of(self, method: str) -> Series:
        """A method's series, made at its first call."""
        found = self.series.get(method)
        if found is None:
            found = self.series[method] = Series(method)
        return found

    def close_interval(self, time_s: float) -> None:
        """Turn what was collected into rows and histograms."""
        self.lateness.add(self.late)
        self.late.clear()
        self.lag.add(self.lags)
        self.lags.clear()
        for one in self.series.values():
            errors = one.errors.total()
            now = (one.sent, one.answered, errors)
            if now == one.mark:
                continue
            sent, answered, failed = (a - b for a, b in zip(now, one.mark, strict=True))
            one.mark = now
            self.rows.append(Row(time_s, one.key, sent, answered, failed, *_summary_ms(one.intended)))
            one.from_actual.add(one.actual)
            one.from_intended.add(one.intended)
            one.actual.clear()
            one.intended.clear()

    def merge(self, other: Tally) -> None:
        """Add another player's counts."""
        for method, theirs in other.series.items():
            ours = self.of(method)
            ours.sent += theirs.sent
            ours.answered += theirs.answered
            ours.errors.update(theirs.errors)
            ours.from_actual.merge(theirs.from_actual)
            ours.from_intended.merge(theirs.from_intended)
        self.rows = sorted([*self.rows, *other.rows])
        self.lateness.merge(other.lateness)
        self.lag.merge(other.lag)
        self.notes.update(other.notes)

    @property
    def counts(self) -> Mapping[str, tuple[int, int]]:
        """Sent and answered calls by method."""
        return {method: (one.sent, one.answered) for method, one in sorted(self.series.items())}


def _rounded(value: int) -> int:
    shift = value.bit_length() - _DIGIT_BITS
    return value if shift <= 0 else value >> shift << shift


def _summary_ms(durations_s: list[float]) -> tuple[float, float, float, float]:
    if not durations_s:
        return (0.0, 0.0, 0.0, 0.0)
    ordered = sorted(durations_s)
    last = len(ordered) - 1
    p50, p90, p99 = (ordered[min(last, int(q * len(ordered)))] * 1e3 for q in (0.5, 0.9, 0.99))
    return (p50, p90, p99, ordered[-1] * 1e3)
