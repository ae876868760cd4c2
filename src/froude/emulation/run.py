"""The Run: what happened when a plan was played, and what limited it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from froude.base.summary import Summarised
from froude.emulation.tally import Histogram, Percentiles, Series, Tally

_BUSY = 0.85
"""Share of a core, or of all the machine's for a target, above which one counts as busy."""
_MANY = 2000
LEFT_OUT = "call left out: "
"""How the note of a call begins that could not be sent."""
_LAG_MS = 25.0
"""A player whose own timers fire later than this is behind."""


class Load(NamedTuple):
    """The player at one moment."""

    time_s: float
    """Since the play began."""
    cpu_share: float
    """Of one core, since the moment before."""
    rss_bytes: int
    nodes: int
    """Nodes that have begun."""
    in_flight: int
    """Calls without an answer yet."""


class Measured(NamedTuple):
    """The target's numbers at one moment."""

    time_s: float
    """Since the play began."""
    values: Mapping[str, float]
    """By name, such as `FSNamesystemState.NumLiveDataNodes`."""


class Limit(Enum):
    """Who kept a play from going faster."""

    PLAYER = "player"
    TARGET = "target"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """What limited a run, and how one can tell."""

    limit: Limit
    reason: str
    """One sentence."""

    def __str__(self) -> str:
        return f"{self.limit.value}: {self.reason}"


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
    """A method's latencies.

    Args:
        series: the method.
        latency: which.
    """
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
    """Counts and latencies."""
    target: str
    """`host:port`."""
    target_id: str
    begun_at_s: float
    """Wall time of its beginning, seconds since the epoch."""
    elapsed_s: float
    scale: Mapping[str, str] = field(default_factory=dict)
    """The scale played, as text by variable."""
    nodes: Mapping[str, int] = field(default_factory=dict)
    """Nodes planned by type."""
    record: str = "summary"
    load: Sequence[Load] = ()
    """The player over time."""
    metrics: Sequence[Measured] = ()
    """The target over time."""
    failure: str | None = None
    """What ended the run before its time; None for a whole run."""
    interrupted: bool = False
    seed: int = 0
    speed: float = 1.0
    pacing: str = "closed"
    """How scripted nodes were paced, `closed` or `scheduled` (`emulation.pacing`): which latency answers for them."""
    cores: int = 1
    """Cores that player and target shared."""
    remarks: Sequence[str] = ()
    differences: Sequence[Difference] | None = None
    """Closure: where the target's own counts differ from what was sent; None when nobody looked."""
    trace: Path | None = None
    """The calls that were written down."""
    folder: Path | None = None
    """Where it was saved."""

    def summary(self) -> Mapping[str, str]:
        """What was played, how it went, and what limited it."""
        latency = self.latency()
        errors = sum(sum(by_class.values()) for by_class in self.errors.values())
        return {
            "scale": ", ".join(f"{name}={value}" for name, value in self.scale.items()),
            "calls": f"{sum(answered for _, answered in self.counts.values()):,} in {self.elapsed_s:.0f} s",
            "p99": f"{latency.p99_ms:.3g} ms {self.main_latency.value}",
            "errors": f"{errors:,}" if errors else "",
            "limited by": self.bottleneck.limit.value,
            "failed": self.failure or ("interrupted" if self.interrupted else ""),
        }

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
        """Answered calls per second over the whole run."""
        counts = self.counts
        answered = sum(n for _, n in counts.values()) if method is None else counts.get(method, (0, 0))[1]
        return answered / self.elapsed_s if self.elapsed_s > 0 else 0.0

    @property
    def counts(self) -> Mapping[str, tuple[int, int]]:
        """Sent and answered calls by method."""
        return self.tally.counts

    @property
    def errors(self) -> Mapping[str, Mapping[str, int]]:
        """Errors by method and class; methods without any are left out."""
        return {method: dict(each.errors) for method, each in self.tally.series.items() if each.errors}

    @property
    def notes(self) -> Mapping[str, int]:
        """What programs found worth counting."""
        return dict(self.tally.notes)

    @property
    def left_out(self) -> Mapping[str, int]:
        """Calls never sent, since an argument they need was not there: how often, by step and method."""
        return {
            what.removeprefix(LEFT_OUT): times
            for what, times in self.notes.items()
            if what.startswith(LEFT_OUT)
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
        return judge(lag_ms, self.load, self.metrics, self.cores)


def judge(lag_ms: float, load: Sequence[Load], metrics: Sequence[Measured], cores: int) -> Bottleneck:
    """Tell from lateness and CPU who was the limit.

    Args:
        lag_ms: how late the player's own timers fired.
        load: the player over time.
        metrics: the target over time; `process.cpu_seconds` is looked at.
        cores: how many both shared.
    """
    player = _busiest([each.cpu_share for each in load])
    target = _busiest(_shares(metrics))
    if player >= _BUSY or lag_ms > _LAG_MS:
        reason = f"the player used {player:.0%} of its core and its timers fired up to {lag_ms:.1f} ms late"
        return Bottleneck(Limit.PLAYER, f"{reason}: latencies include its own delay")
    if target >= _BUSY * max(1, cores - 1):
        return Bottleneck(Limit.TARGET, f"the target used {target:.0%} of a core, the player {player:.0%}")
    return Bottleneck(
        Limit.NEITHER, f"the target used {target:.0%} of a core, the player {player:.0%} of its own"
    )


def closure(run: Run, before: Mapping[str, int], after: Mapping[str, int]) -> list[Difference]:
    """Where the target counted differently from the player: nothing, when every call arrived as often as it was sent.

    A call that was sent again, since its connection was lost, may have arrived the first time or not.

    Args:
        run: what was sent.
        before: the target's calls by method before the play (`NameNode.rpc_counts`).
        after: the same afterwards, once settled (`metrics.settled_counts`).

    Returns:
        Differences by method; methods that others may call meanwhile count as well.
    """
    differences = []
    expected = counted_as(run)
    for method in sorted(set(expected) | set(after)):
        sent = expected[method]
        series = run.tally.series.get(method)
        resent = 0 if series is None else series.resent
        counted = after.get(method, 0) - before.get(method, 0)
        if not sent <= counted <= sent + resent:
            differences.append(Difference(method, sent, counted))
    return differences


def counted_as(run: Run) -> Counter[str]:
    """What was sent, as a target counts it: a call that ends with an exception under the exception's name.

    Source: `Server.RpcCall` and `RpcDetailedMetrics` of Hadoop, which name it by the simple name of its class.
    """
    counts = Counter({method: sent for method, (sent, _) in run.counts.items()})
    for method, by_class in run.errors.items():
        for name, times in by_class.items():
            simple = re.split(r"[.$]", name)[-1]
            if (
                "." in name and simple
            ):  # a class; what has no dot is the player's own word, such as Unanswered
                counts[method] -= times
                counts[simple[0].lower() + simple[1:]] += times
    return counts


def _shares(metrics: Sequence[Measured]) -> list[float]:
    seen = [
        (sample.time_s, sample.values["process.cpu_seconds"])
        for sample in metrics
        if "process.cpu_seconds" in sample.values
    ]
    return [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(seen) if b[0] > a[0]]


def _busiest(shares: Sequence[float]) -> float:
    """The highest mean of any half of the run: a busy second is no bottleneck, a busy half is."""
    if not shares:
        return 0.0
    half = max(1, len(shares) // 2)
    return max(sum(shares[at : at + half]) / half for at in range(len(shares) - half + 1))
