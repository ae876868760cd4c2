"""Counts and latencies of a play, by method: cheap while calls fly, exact to three digits afterwards.

A call costs a few list appends. Once a second the lists are turned into rows of a time series and into
histograms; these keep microseconds to three significant digits, as HdrHistogram does, and are written in its
form (`froude.emulation.run.files`).
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from froude.emulation.notes import AS_RECORDED, OCCUPIED, RETRIED
from froude.trace.failures import Failures

_LEAST_S = 1e-6
"""A service time below it counts as much in a sum of logarithms."""
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

    def seconds(self, name: str) -> float | None:
        """One of them in seconds; None where nothing was measured.

        Args:
            name: of the field, such as `p99_ms`.
        """
        return float(getattr(self, name)) / 1e3 if self.count else None


class Histogram:
    """Counts of durations in microseconds, to three significant digits; mergeable."""

    __slots__ = ("counts", "max_us", "total")

    def __init__(self) -> None:
        self.counts: Counter[int] = Counter()
        """Count by duration, rounded down to three digits."""
        self.total = 0
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

    def add_held_up(self, duration_us: int, expected_us: int, times: int = 1) -> None:
        """Count the calls that a slow one kept from being made: HdrHistogram's correction by the expected interval.

        One was due every `expected_us` while the slow one lasted, and would have taken what was left of it. Linear in
        the sub-buckets that the slow one spans, however many calls it held up.

        Args:
            duration_us: how long the slow call took, microseconds.
            expected_us: the interval in which calls were expected, microseconds; more than 0.
            times: how many such calls there were.
        """
        value = duration_us - expected_us
        while value >= expected_us:
            bucket = _rounded(value)
            in_bucket = (value - max(bucket, expected_us)) // expected_us + 1
            self.counts[bucket] += in_bucket * times
            self.total += in_bucket * times
            value -= in_bucket * expected_us

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
            needed, counted, quantile_us = q * self.total, 0, 0
            for value, count in ordered:
                counted, quantile_us = counted + count, value
                if counted >= needed:
                    break
            out.append((self.max_us if q >= 1 else quantile_us) / 1e3)
        return out

    def percentiles(self) -> Percentiles:
        """The usual summary."""
        p50, p90, p99, p999, largest = self.quantiles_ms((0.5, 0.9, 0.99, 0.999, 1.0))
        return Percentiles(self.total, p50, p90, p99, p999, largest)


class IntervalRow(NamedTuple):
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


class Served(NamedTuple):
    """The answered calls of one method so far, by how long their answers took from when they were sent."""

    calls: int = 0
    total_s: float = 0.0
    """Their service times added up."""
    logs: float = 0.0
    """The logarithms of their service times in seconds, added up: the geometric mean comes of them."""

    def __add__(self, other: object) -> Served:
        """Those of both."""
        if not isinstance(other, Served):
            return NotImplemented
        return Served(self.calls + other.calls, self.total_s + other.total_s, self.logs + other.logs)


class Series:
    """One method's calls."""

    __slots__ = (
        "actual", "answered", "daemon", "errors", "from_actual", "from_intended", "held_up", "intended", "key", "mark",
        "resent", "sent", "served",
    )  # fmt: skip

    def __init__(self, key: str) -> None:
        self.key = key
        self.daemon = ""
        """The daemon called, such as `namenode`; empty before any call, or where it is not known."""
        self.sent = 0
        """Calls; one that is sent again after its connection was lost counts once."""
        self.resent = 0
        self.answered = 0
        self.errors: Counter[str] = Counter()
        """Error answers and lost calls by class."""
        self.actual: list[float] = []
        """Seconds from sending, of this interval."""
        self.intended: list[float] = []
        """Seconds from intended sending, of this interval."""
        self.served = Served()
        """Up to the last interval's end; a run's file does not have it."""
        self.from_actual = Histogram()
        self.from_intended = Histogram()
        self.held_up: Counter[tuple[int, int]] = Counter()
        """Calls that took longer than the interval in which their node's next one was expected: number by duration and
        interval, microseconds."""
        self.mark = (0, 0, 0)
        """Sent, answered and errors at the last interval's end."""

    @property
    def corrected(self) -> Histogram:
        """From actual sending, with the calls added that slow ones kept from being made."""
        histogram = Histogram()
        histogram.merge(self.from_actual)
        for (duration_us, expected_us), times in self.held_up.items():
            histogram.add_held_up(duration_us, expected_us, times)
        return histogram


@dataclass(slots=True)
class Phase:
    """What was counted of the calls that were sent in one part of a play."""

    series: dict[str, Series] = field(default_factory=dict)
    """By method."""
    late: list[float] = field(default_factory=list)
    """Lateness of this interval's sends, seconds."""
    lateness: Histogram = field(default_factory=Histogram)
    """Actual minus intended send time, whoever is to blame: also a call that waited for another's answer."""
    lags: list[float] = field(default_factory=list)
    """How late this interval's timers fired, seconds."""
    lag: Histogram = field(default_factory=Histogram)
    """How late timers fired: the player's own fault, and nobody else's."""

    grants: list[float] = field(default_factory=list)
    """Of this interval's containers, how long after they were asked for they were granted, seconds."""
    allocation: Histogram = field(default_factory=Histogram)
    """The same of all containers."""

    @property
    def counts(self) -> Mapping[str, tuple[int, int]]:
        """Sent and answered calls by method."""
        return {method: (series.sent, series.answered) for method, series in sorted(self.series.items())}

    def of(self, method: str, daemon: str = "") -> Series:
        """A method's series, made at its first call; of a method of two daemons the later one's has its name too."""
        series = self.series.get(method)
        if series is not None and daemon and series.daemon not in {"", daemon}:
            method = f"{method} ({daemon})"
            series = self.series.get(method)
        if series is None:
            series = self.series[method] = Series(method)
        series.daemon = series.daemon or daemon
        return series

    def settle(self) -> None:
        """Turn what was collected of lateness and allocation into histograms."""
        self.lateness.add(self.late)
        self.late.clear()
        self.lag.add(self.lags)
        self.lags.clear()
        self.allocation.add(self.grants)
        self.grants.clear()

    def merge(self, other: Phase) -> None:
        """Add another's counts."""
        for method, theirs in other.series.items():
            ours = self.of(method, theirs.daemon)
            ours.sent += theirs.sent
            ours.resent += theirs.resent
            ours.held_up.update(theirs.held_up)
            ours.answered += theirs.answered
            ours.errors.update(theirs.errors)
            ours.from_actual.merge(theirs.from_actual)
            ours.from_intended.merge(theirs.from_intended)
        self.lateness.merge(other.lateness)
        self.lag.merge(other.lag)
        self.allocation.merge(other.allocation)


@dataclass(slots=True)
class Tally(Phase):
    """Everything counted in a play: of its steady phase, or, while its daemons still register, of all so far."""

    ramp: Phase = field(default_factory=Phase)
    """Calls that were sent while the emulated daemons registered; empty where the play has none, or the ramp never
    ended."""
    steady_from_s: float | None = 0.0
    """When the ramp was over, seconds since the play began; None while it is not."""
    rows: list[IntervalRow] = field(default_factory=list)
    samples: list[array[float]] | None = None
    """Of each row the latencies, seconds, where those of other players are to be added; None where they are not."""
    latest: list[float] | None = None
    """Latencies of all calls in the last whole interval, seconds; None where they are not kept."""
    failures: Failures = field(default_factory=Failures)
    """Error answers and lost calls by message."""
    notes: Counter[str] = field(default_factory=Counter)
    questions: Counter[str] = field(default_factory=Counter)
    """Calls by method that asked a target who it is; not among those of the nodes."""
    identifications: Counter[str] = field(default_factory=Counter)
    """Those that were answered, by method, and the refused ones by class of the error."""

    def begin_ramp(self) -> None:
        """What is sent from now on is of the ramp."""
        self.steady_from_s = None

    def end_ramp(self, time_s: float) -> None:
        """What is sent from now on is of the steady phase; a call in flight counts where it was sent.

        Args:
            time_s: seconds since the play began.
        """
        self.steady_from_s = time_s
        self.settle()
        self.ramp = Phase(self.series, lateness=self.lateness, lag=self.lag, allocation=self.allocation)
        self.series, self.lateness, self.lag, self.allocation = {}, Histogram(), Histogram(), Histogram()

    def close_interval(self, time_s: float) -> None:
        """Turn what was collected into rows and histograms."""
        self.settle()
        self.latest = None if self.latest is None else []
        for method in [*self.ramp.series, *(name for name in self.series if name not in self.ramp.series)]:
            parts = [phase.series[method] for phase in (self.ramp, self) if method in phase.series]
            row, latencies = _row(time_s, method, parts)
            if row is not None:
                self.rows.append(row)
            if row is not None and self.samples is not None:
                self.samples.append(array("f", latencies))
            if self.latest is not None:
                self.latest += latencies

    def merge(self, other: Phase) -> None:
        """Add another player's counts."""
        super(Tally, self).merge(other)
        if isinstance(other, Tally):
            self.ramp.merge(other.ramp)
            self.rows = sorted([*self.rows, *other.rows])
            self.failures.merge(other.failures)
            self.notes.update(other.notes)
            self.questions.update(other.questions)
            self.identifications.update(other.identifications)

    @property
    def errors(self) -> Counter[tuple[str, str]]:
        """Error answers and lost calls by method and class, of both phases."""
        errors: Counter[tuple[str, str]] = Counter()
        for phase in (self.ramp, self):
            for method, series in phase.series.items():
                errors.update({(method, name): times for name, times in series.errors.items()})
        return errors

    @property
    def failed(self) -> Counter[str]:
        """Calls by method that failed, though they did not when they were recorded, nor were made again."""
        failed: Counter[str] = Counter()
        for (method, _), times in self.errors.items():
            failed[method] += times
        for note, times in self.notes.items():
            for expected in (AS_RECORDED, OCCUPIED, RETRIED):
                if note.startswith(expected):
                    failed[note.removeprefix(expected).partition(" ")[0]] -= times
        return +failed

    @property
    def whole(self) -> Phase:
        """Both phases together."""
        both = Phase()
        both.merge(self.ramp)
        both.merge(self)
        return both


def _row(time_s: float, method: str, parts: list[Series]) -> tuple[IntervalRow | None, list[float]]:
    """One method's interval, of one phase or of two, and its latencies; None where nothing happened."""
    sent = answered = failed = 0
    latencies: list[float] = []
    for series in parts:
        now = (series.sent, series.answered, series.errors.total())
        sent, answered, failed = (
            total + new - old
            for total, new, old in zip((sent, answered, failed), now, series.mark, strict=True)
        )
        series.mark = now
        latencies += series.intended
        series.served += _served(series.actual)
        series.from_actual.add(series.actual)
        series.from_intended.add(series.intended)
        series.actual.clear()
        series.intended.clear()
    if not (sent or answered or failed or latencies):
        return None, latencies
    return IntervalRow(time_s, method, sent, answered, failed, *summary_ms(latencies)), latencies


def overall_row(
    time_s: float, rows: Sequence[IntervalRow], latencies_s: Sequence[float]
) -> IntervalRow | None:
    """All methods in one interval; None where no call was answered.

    Args:
        rows: of each method.
    """
    if not latencies_s:
        return None
    sent, answered, errors = (sum(counts) for counts in zip(*(row[2:5] for row in rows), strict=True))
    return IntervalRow(time_s, "", sent, answered, errors, *summary_ms(latencies_s))


def _served(durations_s: Sequence[float]) -> Served:
    logs = sum(map(math.log, [max(each, _LEAST_S) for each in durations_s]))
    return Served(len(durations_s), sum(durations_s), logs)


def _rounded(value: int) -> int:
    shift = value.bit_length() - _DIGIT_BITS
    return value if shift <= 0 else value >> shift << shift


def summary_ms(durations_s: Sequence[float]) -> tuple[float, float, float, float]:
    """Median, 90th and 99th percentile and maximum, milliseconds; 0 of nothing."""
    if not durations_s:
        return (0.0, 0.0, 0.0, 0.0)
    ordered = sorted(durations_s)
    last = len(ordered) - 1
    p50, p90, p99 = (ordered[min(last, int(q * len(ordered)))] * 1e3 for q in (0.5, 0.9, 0.99))
    return (p50, p90, p99, ordered[-1] * 1e3)
