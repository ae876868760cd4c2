"""What is compared of runs: latency, throughput, errors and CPU time for a call, and what the NameNode reports of why.

The first decide a verdict: where a busy machine hides a slower answer, the CPU time that it takes is seen all the same.
The others explain it, and are tested as a family of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial

from froude.base.errors import InputError
from froude.emulation.run.bottleneck import CALL_QUEUE
from froude.emulation.run.core_time import cpu_per_call_s
from froude.emulation.run.readings import LOCKS, Readings, mean_of
from froude.emulation.run.run import LOCK_QUEUE, Latency, Run, histogram_of
from froude.emulation.run.tally import Histogram
from froude.hadoop.metrics.gc_log import Pauses, put_together
from froude.hadoop.rpc.target import daemon_name

DEFAULT_MARGIN, DEFAULT_LEVEL = 0.05, 0.05
DEFAULT_PRIMARY = "mean"
"""Every slower call has a part in it, and it varies least from run to run."""
CPU_PER_CALL = "CPU per call"
_LEAST = {"mean": 20, "p50": 20, "p99": 500}
"""Calls from which on a run's value says something: of 500 the 99th percentile has five above it."""
_PRIMARY = re.compile(
    rf"(?:{'|'.join(_LEAST)})(?:\([A-Za-z]\w*\))?|throughput|errors|{CPU_PER_CALL}(?: of the \w+)?"
)
_QUANTILES = {"p50": 0.5, "p99": 0.99}
PRIMARY_TEXT = f"mean, p50 or p99, or one of a method as p99(addBlock); throughput, errors, {CPU_PER_CALL}"
_DIGITS = 2.0**-10
"""Width of a histogram's buckets, as a share of the value."""
_MICROSECOND = 1e-6
_OTHER = {Latency.RESPONSE: Latency.SERVICE, Latency.SERVICE: Latency.RESPONSE}
_WORDS = {Latency.RESPONSE: "from when a call was due", Latency.SERVICE: "from when a call was sent"}


class Sort(Enum):
    """What a measure is, and so how a change of it is called and counted."""

    LATENCY = "latency"
    THROUGHPUT = "throughput"
    ERRORS = "errors"
    """A share of calls: compared by difference, since it may be 0."""
    COST = "cost"
    """CPU time of the target for a call."""
    RESOURCE = "resource"
    """Explains; decides nothing."""


@dataclass(frozen=True, slots=True)
class Measure:
    """Something that is compared."""

    name: str
    """Such as `p99(addBlock)`; of all calls, `p99`."""
    what: str
    unit: str
    """`s`, `calls/s`, `share`, or what one of it is."""
    sort: Sort

    @property
    def decides(self) -> bool:
        """Whether a verdict rests on it."""
        return self.sort is not Sort.RESOURCE


@dataclass(frozen=True, slots=True)
class RunMeasure(Measure):
    """A measure of which every run has a value."""

    of: Callable[[Run], float | None]
    """Its value in a run; None where nobody knows it."""
    resolution: Callable[[float], float] = lambda _: 0.0
    """Share of a value below which the measure cannot tell two apart."""


def check_primary(name: str) -> None:
    """Refuse what no run could ever have as its primary measure, before runs are made.

    Raises:
        InputError: it is none that decides.
    """
    if _PRIMARY.fullmatch(name) is None:
        raise InputError("is no measure that decides", found=name, allowed=PRIMARY_TEXT)


def measures_of(runs: Sequence[Run]) -> Iterator[RunMeasure]:
    """Everything that may be compared of runs of one load; whether each has a value in every run is seen then.

    Args:
        runs: of both arms, paced alike; one at least.
    """
    main = runs[0].main_latency
    methods = sorted({method for run in runs for method in run.counts})
    yield from _latencies(main, [None, *methods], Sort.LATENCY)
    yield RunMeasure("throughput", "answered calls in a second", "calls/s", Sort.THROUGHPUT, _throughput)
    yield RunMeasure("errors", "share of the calls that failed", "share", Sort.ERRORS, _error_share)
    yield from _latencies(_OTHER[main], [None, *methods], Sort.RESOURCE, mark=_OTHER[main])
    for daemon in sorted({each for run in runs for each in run.daemons}) or ["namenode"]:
        whose, of = daemon_name(daemon), partial(cpu_per_call_s, daemon=daemon)
        name = CPU_PER_CALL + (f" of the {whose}" if daemon != "namenode" else "")
        yield RunMeasure(
            name,
            f"CPU time of the {whose} for a call, without JIT compiler and garbage collector",
            "s",
            Sort.COST,
            of,
        )
    yield from EXPLAINING


def _latencies(
    latency: Latency, methods: Sequence[str | None], sort: Sort, mark: Latency | None = None
) -> Iterator[RunMeasure]:
    beside = "" if mark is None else f"{mark.value.split()[0]} "
    for method in methods:
        for which in _LEAST:
            name = beside + which + ("" if method is None else f"({method})")
            what = f"{which} latency of {method or 'all calls'} ({_WORDS[latency]})"
            resolution = _bucket if which in _QUANTILES else lambda _: 0.0
            yield RunMeasure(name, what, "s", sort, _latency(latency, method, which), resolution)


def _bucket(value_s: float) -> float:
    return max(_DIGITS, _MICROSECOND / value_s)


def _latency(latency: Latency, method: str | None, which: str) -> Callable[[Run], float | None]:
    def value(run: Run) -> float | None:
        series = run.tally.series
        chosen = series.values() if method is None else [series[method]] if method in series else []
        histogram = Histogram()
        for each in chosen:
            histogram.merge(histogram_of(each, latency))
        if histogram.total < _LEAST[which]:
            return None
        if which in _QUANTILES:
            return histogram.quantiles_ms([_QUANTILES[which]])[0] / 1e3
        return sum(us * count for us, count in histogram.counts.items()) / histogram.total / 1e6

    return value


def _throughput(run: Run) -> float | None:
    return run.throughput() or None


def _error_share(run: Run) -> float | None:
    sent = calls_of(run)
    return run.failed.total() / sent if sent else None


def calls_of(run: Run) -> int:
    """Calls over which an error's share counts: of the whole run."""
    return sum(sent for sent, _ in run.tally.whole.counts.values())


def _readings(run: Run) -> Readings:
    return Readings(run.steady_metrics)


def _rate(name: str, scale: float) -> Callable[[Run], float | None]:
    return lambda run: mean_of(_readings(run).rate(name, scale))


def _average(stem: str) -> Callable[[Run], float | None]:
    return lambda run: _readings(run).mean(stem, _MS)


def _locked(mode: str) -> Callable[[Run], float | None]:
    """Share of the time in which the namespace was locked: by its one lock, or by that of folders and files."""

    def value(run: Run) -> float | None:
        readings = _readings(run)
        shares = (mean_of(readings.busy(f"{lock}{mode}LockOverallNanos", _NS)) for lock in LOCKS)
        return next((share for share in shares if share is not None), None)

    return value


def _gauge(name: str) -> Callable[[Run], float | None]:
    return lambda run: mean_of(_readings(run).gauge(name))


def _pauses(run: Run) -> Pauses | None:
    """Stops for the garbage collector; None where its log is not there, or has none."""
    log = run.steady_gc
    return put_together(log.collections) if log is not None and log.collections else None


def _stopped(run: Run) -> float | None:
    pauses = _pauses(run)
    return None if pauses is None or run.steady_s <= 0 else pauses.total_s / run.steady_s


def _longest(run: Run) -> float | None:
    pauses = _pauses(run)
    return None if pauses is None else pauses.longest_s


def _kept(run: Run) -> float | None:
    """Mean of the heap in use after a collection."""
    log = run.steady_gc
    return None if log is None else mean_of([(each.time_s, each.after_bytes) for each in log.heap])


_MS, _NS = 1e-3, 1e-9
EXPLAINING: tuple[RunMeasure, ...] = tuple(
    RunMeasure(name, what, unit, Sort.RESOURCE, of)
    for name, what, unit, of in (
        ("GC", "share of the time in which the target collected garbage", "share",
         _rate("JvmMetrics.GcTimeMillis", _MS)),
        ("GC pauses", "share of the time for which the target stood still to collect garbage", "share", _stopped),
        ("longest GC pause", "longest stop of the target to collect garbage", "s", _longest),
        ("heap after GC", "mean heap in use of the target after a collection", "bytes", _kept),
        ("waiting calls", "mean number of calls in the target's queue", "calls", _gauge(CALL_QUEUE)),
        ("lock queue", "mean number of threads that wait for the NameNode's lock", "threads", _gauge(LOCK_QUEUE)),
        ("call queue", "mean time of a call in the target's queue", "s", _average("RpcActivity.RpcQueueTime")),
        ("handling", "mean time of a call with a handler of the target", "s",
         _average("RpcActivity.RpcProcessingTime")),
        ("lock wait", "mean time of a call waiting for the namespace lock", "s",
         _average("RpcActivity.RpcLockWaitTime")),
        ("write lock", "share of the time in which the namespace was locked for writing", "share",
         _locked("Write")),
        ("read lock", "share of the time for which readers held the namespace lock, together", "share",
         _locked("Read")),
        ("edit log sync", "mean time of a sync of the edit log", "s", _average("NameNodeActivity.Syncs")),
    )
)  # fmt: skip
"""What explains: names of `Readings`, as the page of a run draws them."""
