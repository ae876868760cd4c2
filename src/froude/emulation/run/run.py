"""The Run: what happened when a plan was played, and what limited it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import accumulate
from pathlib import Path

from froude.base.summary import Summarised
from froude.base.units import seconds_text
from froude.emulation.notes import AS_RECORDED, LEFT_OUT, NODE_REFUSED, OCCUPIED, REFUSED, RETRIED, UNSENT
from froude.emulation.run.bottleneck import (
    CALL_QUEUE,
    MASTER,
    PREFIX,
    RESOURCEMANAGER,
    Bottleneck,
    Load,
    Measured,
    judge,
)
from froude.emulation.run.tally import Histogram, Percentiles, Phase, Series, Tally
from froude.emulation.run.verdict import LimitResult, Verdict, verdict_of
from froude.emulation.steadiness import compiler_share
from froude.hadoop.metrics.gc_log import GcLog
from froude.hadoop.metrics.jmx import failure_name
from froude.hadoop.metrics.threads import COLLECTOR
from froude.hadoop.rpc.target import is_loopback
from froude.trace.failures import Failure

ABORTED = "aborted, "
"""How the failure of a run begins that a condition of its own has ended."""
PARTIAL = "partial, "
"""How the failure of a run begins of which a player was lost: its calls are not counted."""
_MANY = 2000
"""Timers from which their 99th percentile says something."""
_TAKEN = ("AnsweredFalse", "FileAlreadyExistsException", "AlreadyBeingCreatedException")
"""Errors of calls whose path is there already."""
_FILES = "FSNamesystem.FilesTotal"
"""Files and folders of a NameNode, the root among them."""
LOCK_QUEUE, HEAP_USED = "FSNamesystem.LockQueueLength", "process.heap_used_bytes"
"""Threads that wait for the NameNode's lock, and the heap in use of the target's JVM."""
_STALE, _DEAD, _LIVE = (f"FSNamesystemState.Num{how}DataNodes" for how in ("Stale", "Dead", "Live"))
"""DataNodes that a NameNode has not heard of for half a minute (counted twice a minute, among those live), those it
gave up, and the others."""
TARGET = "target"
"""In an environment, what was played against; missing where that is a NameNode."""
PLAYERS = "players"
"""In an environment, how many processes played; missing where one did."""
WORKERS = "workers"
"""In an environment, the dask workers whose players played; missing where none did."""
_NAMED = re.compile(r"\((\w+)\)")
"""The method in the text of a limit."""
_REFUSALS = {"namenode": REFUSED, RESOURCEMANAGER: NODE_REFUSED}
"""How notes begin on nodes that a daemon did not take."""
_LOST_NODES = tuple(f"{MASTER}ClusterMetrics.Num{how}NMs" for how in ("Lost", "Shutdown", "Unhealthy"))


@dataclass(frozen=True, slots=True)
class Difference:
    """A method whose calls the target counted differently from the player."""

    method: str
    sent: int
    counted: int


class Latency(Enum):
    """From where, and of what, a call's latency counts."""

    RESPONSE = "response time"
    """From when the call was due."""
    SERVICE = "service time"
    """From when it was sent."""
    CORRECTED = "service time, corrected for coordinated omission"
    """The same, and of the calls that slow ones kept from being made, by the expected interval."""


def histogram_of(series: Series, latency: Latency) -> Histogram:
    """A method's latencies."""
    match latency:
        case Latency.RESPONSE:
            return series.from_intended
        case Latency.SERVICE:
            return series.from_actual
    return series.corrected


@dataclass(slots=True, repr=False)
class Run(Summarised):
    """One play of a plan."""

    tally: Tally
    target: str
    """`host:port`."""
    target_id: str
    begun_at_s: float
    """Wall time of its beginning, seconds since the epoch."""
    elapsed_s: float
    scale: Mapping[str, str] = field(default_factory=dict)
    """The scale played, as text by variable."""
    nodes: Mapping[str, int] = field(default_factory=dict)
    record: str = "summary"
    load: Sequence[Load] = ()
    metrics: Sequence[Measured] = ()
    failure: str | None = None
    """What ended the run before its time; None for a whole run."""
    interrupted: bool = False
    seed: int = 0
    nonce: str = ""
    """Random digits from which, with the seed, its client ids were made; empty for a Run that did not keep them."""
    speed: float = 1.0
    pacing: str = "closed"
    """How scripted nodes were paced, `closed` or `scheduled` (`emulation.pacing`): which latency answers for them."""
    mode: str = "once"
    """Whether its load was sustained, and by what (`emulation.sustained.Mode`)."""
    cores: int = 1
    remarks: Sequence[str] = ()
    differences: Sequence[Difference] | None = None
    """Closure: where the target's own counts differ from what was sent; None when nobody looked."""
    limits: Sequence[LimitResult] = ()
    """Limits that were asked for, held against this run."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """What it ran on: cores, memory, releases, the target's heap and JVM."""
    gc: GcLog | None = None
    """What the log of the target's garbage collector tells of the play, on its clock; None where nobody read one."""
    gc_log: Path | None = None
    """That log, from the start of the target's JVM."""
    trace: Path | None = None
    folder: Path | None = None
    inputs: tuple[str, ...] = ()
    """Content hash of the plan that was played, by which runs of one load are known."""

    def summary(self) -> Mapping[str, str]:
        """What was played, what came of it, and what limited it."""
        latency = self.latency()
        return {
            "verdict": self.verdict.colour.value,
            "scale": ", ".join(f"{name}={value}" for name, value in self.scale.items()),
            "calls": f"{self.answered():,} in {self.steady_s:.0f} s",
            "p99": f"{seconds_text(latency.p99_ms / 1e3)} {self.main_latency.value}" if latency.count else "",
            "failed calls": f"{self.failed.total():,}" if self.failed else "",
            "limited by": self.bottleneck.by.value,
            "failed": self.failure or ("interrupted" if self.interrupted else ""),
        }

    @property
    def aborted(self) -> bool:
        """Whether a condition that was asked for has ended it: the target did not fail, it was too slow or too wrong."""
        return self.failure is not None and self.failure.startswith(ABORTED)

    @property
    def partial(self) -> bool:
        """Whether a player was lost, so that its calls are not counted."""
        return self.failure is not None and self.failure.startswith(PARTIAL)

    @property
    def daemons(self) -> tuple[str, ...]:
        """The daemons called, such as `namenode`, most calls first; empty for a Run that does not name them."""
        calls: Counter[str] = Counter()
        for series in (*self.tally.ramp.series.values(), *self.tally.series.values()):
            calls[series.daemon] += series.sent
        return tuple(daemon for daemon, _ in calls.most_common() if daemon)

    @property
    def parts(self) -> Mapping[str, Run]:
        """What was each daemon's, where several were called; empty where one was."""
        daemons = self.daemons
        return {daemon: self.part(daemon) for daemon in daemons} if len(daemons) > 1 else {}

    def part(self, daemon: str) -> Run:
        """What was a daemon's: its calls with their latency and failures, limits on them, and its own CPU.

        What ended the play before its time is in each daemon's part.

        Args:
            daemon: one of `daemons`.
        """
        ramp, steady = (
            {method: series for method, series in phase.series.items() if series.daemon == daemon}
            for phase in (self.tally.ramp, self.tally)
        )
        methods, kept = {*ramp, *steady}, (AS_RECORDED, OCCUPIED, RETRIED, _REFUSALS.get(daemon, UNSENT))
        noted = self.tally.notes.items()
        notes = Counter(
            {note: n for note, n in noted if note.startswith(kept) or note.removeprefix(UNSENT) in methods}
        )
        limits = [each for each in self.limits if methods.intersection(_NAMED.findall(each.limit))]
        tally = Tally(steady, ramp=Phase(ramp), steady_from_s=self.tally.steady_from_s, notes=notes)
        return replace(self, tally=tally, limits=limits, load=(), differences=None, interrupted=False)

    @property
    def rate_text(self) -> str:
        """Its p99 and throughput in words."""
        p99_s = self.latency().seconds("p99_ms")
        return f"{'no call' if p99_s is None else f'p99 {seconds_text(p99_s)}'} at {self.throughput():,.0f} calls/s"

    @property
    def main_latency(self) -> Latency:
        """The latency that a run's pacing measures: response time of a schedule, service time of closed clients."""
        return Latency.RESPONSE if self.pacing == "scheduled" else Latency.SERVICE

    def latency(self, method: str | None = None, of: Latency | None = None) -> Percentiles:
        """Percentiles of a method's latency, or of all calls'.

        Args:
            method: its name; None for all together.
            of: which latency; None for the one that the run's pacing measures.

        Raises:
            KeyError: no call of that method was sent.
        """
        chosen = self.tally.series.values() if method is None else [self.tally.series[method]]
        total = Histogram()
        for series in chosen:
            total.merge(histogram_of(series, of or self.main_latency))
        return total.percentiles()

    def throughput(self, method: str | None = None) -> float:
        """Answered calls per second over the steady phase."""
        return self.answered(method) / self.steady_s if self.steady_s > 0 else 0.0

    def answered(self, method: str | None = None) -> int:
        """Answered calls of the steady phase: of a method, or of all."""
        return sum(answered for name, (_, answered) in self.counts.items() if method in {None, name})

    @property
    def allocation(self) -> Percentiles:
        """How long after they were asked for containers were granted, in the steady phase; none that were not."""
        return self.tally.allocation.percentiles()

    @property
    def containers_per_s(self) -> float | None:
        """Containers granted in a second of the steady phase; None where no application asked for any.

        An application that was submitted asks for its master's first, which is not counted, but may wait.
        """
        asks = {"submitApplication", "allocate"}
        if not any(asks & phase.series.keys() for phase in (self.tally.ramp, self.tally)):
            return None
        return self.tally.allocation.total / self.steady_s if self.steady_s > 0 else 0.0

    @property
    def steady_from_s(self) -> float | None:
        """When every emulated daemon had started, and a sustained load was steady, seconds since the play began.

        None if the play ended before. Counts, latencies and lateness are of the calls that were sent from then on.
        """
        return self.tally.steady_from_s

    @property
    def steady_s(self) -> float:
        """Length of the phase that figures are of: the steady one, or, where the ramp never ended, the whole run."""
        return max(0.0, self.elapsed_s - (self.steady_from_s or 0.0))

    @property
    def counts(self) -> Mapping[str, tuple[int, int]]:
        """Sent and answered calls by method, of the steady phase."""
        return self.tally.counts

    @property
    def errors(self) -> Mapping[str, Mapping[str, int]]:
        """Errors by method and class, of the whole run; methods without any are left out."""
        errors: defaultdict[str, dict[str, int]] = defaultdict(dict)
        for (method, name), times in self.tally.errors.items():
            errors[method][name] = times
        return dict(errors)

    @property
    def failures(self) -> Sequence[Failure]:
        """Errors by method, class and message, of the whole run, most frequent first."""
        return tuple(self.tally.failures)

    @property
    def failed(self) -> Counter[str]:
        """Calls by method that failed, though they did not when they were recorded, nor were made again; whole run."""
        return self.tally.failed

    @property
    def notes(self) -> Mapping[str, int]:
        """What programs found worth counting."""
        return dict(self.tally.notes)

    @property
    def left_out(self) -> Mapping[str, int]:
        """Calls never sent, since an argument they need was not there: how often, by step and method."""
        return self._noted(LEFT_OUT)

    @property
    def unsent(self) -> Mapping[str, int]:
        """Calls that were due and not sent before the end, by method."""
        return self._noted(UNSENT)

    @property
    def refused(self) -> int:
        """Emulated DataNodes and NodeManagers that a target did not take, or sent away."""
        return sum(self._noted(REFUSED).values()) + sum(self._noted(NODE_REFUSED).values())

    def _noted(self, prefix: str) -> dict[str, int]:
        return {
            what.removeprefix(prefix): times
            for what, times in self.tally.notes.items()
            if what.startswith(prefix)
        }

    @property
    def lateness(self) -> Percentiles:
        """How much later than intended calls were sent, whoever is to blame."""
        return self.tally.lateness.percentiles()

    @property
    def bottleneck(self) -> Bottleneck:
        """What limited the run."""
        lag = self.tally.lag.percentiles()
        # Of few timers the worst hundredth is the start alone.
        lag_ms = lag.p99_ms if lag.count >= _MANY else lag.p90_ms
        from_s = self.steady_from_s or 0.0
        load = [each for each in self.load if each.time_s >= from_s]
        return judge(
            lag_ms,
            load or self.load,
            self.steady_metrics,
            self.cores,
            here=is_loopback(self.target),
            daemons=self.daemons,
            target_cores=self.target_cores,
        )

    @property
    def compiler_share(self) -> float | None:
        """Of the target's CPU time, what its JIT compiler used in the phase that figures are of; None if not sampled.

        Of several targets the largest share.
        """
        return compiler_share(self.steady_metrics)

    @property
    def compiler_elapsed(self) -> bool:
        """Whether that is by how long its compiler ran, also while it waited for a core: an upper bound.

        JMX states no more; the CPU time of threads, the collector's as well, is sampled where Linux shows them.
        """
        return not any(name.endswith(COLLECTOR) for each in self.steady_metrics for name in each.values)

    @property
    def target_cores(self) -> int:
        """Cores that the target's JVM has, as far as it says so; else those of the machine."""
        return int(self.environment.get("cores of the target", self.cores))

    @property
    def steady_metrics(self) -> Sequence[Measured]:
        """The target over time, in the steady phase."""
        from_s = self.steady_from_s or 0.0
        return [sample for sample in self.metrics if sample.time_s >= from_s]

    @property
    def steady_gc(self) -> GcLog | None:
        """What the log of the target's garbage collector tells of the steady phase."""
        return None if self.gc is None else self.gc.during(self.steady_from_s or 0.0, self.steady_s)

    @property
    def call_queue(self) -> float | None:
        """The most calls that waited for a handler of a target at once; None where it was not sampled."""
        queues = [self.most(CALL_QUEUE, daemon) for daemon in self.daemons or ("",)]
        return max((queue for queue in queues if queue is not None), default=None)

    def most(self, name: str, daemon: str = "") -> float | None:
        """The largest value that was sampled of one of a target's numbers in the steady phase; None of none.

        Args:
            name: such as `FSNamesystem.LockQueueLength`.
            daemon: such as `namenode`, which is the default.
        """
        name = PREFIX.get(daemon, "") + name
        return max((m.values[name] for m in self.steady_metrics if name in m.values), default=None)

    @property
    def datanodes_lost(self) -> float | None:
        """The most DataNodes of this play that the NameNode held for stale or dead at once.

        Those that were so before do not count, nor do others that were there before and have all fallen silent since,
        as those of an earlier play do.

        Returns:
            How many; None where nobody looked, or where some of those that were there before may be among them.
        """
        seen = [m for m in self.metrics if _STALE in m.values or _DEAD in m.values]
        if not seen:
            return None
        silent = [m.values.get(_STALE, 0.0) + m.values.get(_DEAD, 0.0) for m in seen]
        least = accumulate(silent, min)  # a count may still be that of before its nodes registered again
        from_s = self.steady_from_s or 0.0
        risen = [n - low for m, n, low in zip(seen, silent, least, strict=True) if m.time_s >= from_s]
        most, others = max(risen, default=None), self._others(seen[0].values, seen[-1].values)
        if not most:
            return most
        return max(0.0, most - others) if most >= others and self._registered else None if others else most

    @property
    def earlier_files(self) -> int:
        """Files and folders that were there before, where most failed calls met a path that was taken; else 0."""
        first = next((m.values[_FILES] for m in self.metrics if _FILES in m.values), 0.0)
        met, errors, failures = 0.0, self.errors, self.failed
        for method, failed in failures.items():
            by_class = errors[method]
            taken = sum(times for name, times in by_class.items() if name.rpartition(".")[2] in _TAKEN)
            met += failed * taken / sum(by_class.values())
        return max(0, int(first) - 1) if 2 * met > failures.total() else 0

    @property
    def _registered(self) -> int:
        """DataNodes that this play registered."""
        return self.tally.whole.counts.get("registerDatanode", (0, 0))[1]

    def _others(self, first: Mapping[str, float], last: Mapping[str, float]) -> float:
        """DataNodes at work when the play began that it did not register itself."""
        there = last.get(_LIVE, 0.0) + last.get(_DEAD, 0.0)
        at_work = first.get(_LIVE, 0.0) - first.get(_STALE, 0.0)
        return max(0.0, min(at_work, there - self._registered))

    @property
    def nodemanagers_lost(self) -> float | None:
        """The most NodeManagers that the ResourceManager had lost or sent away at once; None where nobody looked."""
        seen = [[m.values[name] for name in _LOST_NODES if name in m.values] for m in self.steady_metrics]
        return max((sum(values) for values in seen if values), default=None)

    @property
    def verdict(self) -> Verdict:
        """How far the run can be relied on, and why (`emulation.run.verdict`)."""
        return verdict_of(self, self.bottleneck)


def closure(run: Run, before: Mapping[str, int], after: Mapping[str, int]) -> list[Difference]:
    """Where the target counted differently from the player: nothing, when every call arrived as often as it was sent.

    A call that was sent again, since its connection was lost, may have arrived the first time or not.

    Args:
        before: the target's calls by method before the play (`NameNode.rpc_counts`).
        after: the same afterwards, once settled (`metrics.settled_counts`).

    Returns:
        Differences by method; methods that others may call meanwhile count as well.
    """
    differences = []
    expected, whole = counted_as(run), run.tally.whole
    for method in sorted(set(expected) | set(after)):
        sent = expected[method]
        resent = whole.series[method].resent if method in whole.series else 0
        # A question on a connection that was lost may have come to the target, or not.
        resent += max(0, run.tally.questions[method] - run.tally.identifications[method])
        counted = after.get(method, 0) - before.get(method, 0)
        if not sent <= counted <= sent + resent:
            differences.append(Difference(method, sent, counted))
    return differences


def counted_as(run: Run) -> Counter[str]:
    """What was sent, as a target counts it: a call that ends with an exception under the exception's name."""
    counts = Counter({method: sent for method, (sent, _) in run.tally.whole.counts.items()})
    for name, times in run.tally.identifications.items():
        counts[failure_name(name) if "." in name else name] += times
    for method, by_class in run.errors.items():
        for name, times in by_class.items():
            if "." in name and (
                counted := failure_name(name)
            ):  # others are the player's own words, such as Unanswered
                counts[method] -= times
                counts[counted] += times
    return counts
