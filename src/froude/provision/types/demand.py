"""What must be sustained: rates and latencies, batch jobs, growth; the Sla of them.

Everything is in SI units: bytes, seconds, dollars, watts, bytes per second. Names are those of the paper's
XML; what the paper says only in prose, and what is ours, is said at the attribute.

Source: scc (FAST 2012), section 3 and Figure 2.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from froude.provision.types.hdfs import ReReplication
from froude.provision.types.ranges import not_negative, positive


@dataclass(frozen=True, slots=True)
class RateTarget:
    """A rate that a task must sustain."""

    task: str
    rate: float
    """Executions per second at peak, from outside."""
    latency: float | None = None
    """Longest run time of an execution, seconds; None asks for none."""
    quantile: float | None = None
    """Share of executions that must be as fast, below 1; None means their mean."""

    def __post_init__(self) -> None:
        not_negative("rate", self.rate)
        if self.latency is not None:
            positive("latency", self.latency)
        if self.quantile is not None and not 0 < self.quantile < 1:
            raise ValueError(f"quantile must lie in (0, 1), got {self.quantile:g}")
        if self.quantile is not None and self.latency is None:
            raise ValueError("quantile is of a latency, and there is none")


@dataclass(frozen=True, slots=True)
class BatchTarget:
    """A job that a task's executions must get through within the phase's share of the time."""

    task: str
    executions: float
    """In the whole job."""

    def __post_init__(self) -> None:
        not_negative("executions", self.executions)


@dataclass(frozen=True, slots=True)
class Batch:
    """A job with a deadline (ours; the paper publishes no XML for it)."""

    time: float
    """Seconds that the whole job may take."""
    targets: tuple[BatchTarget, ...]
    split: dict[str, float] = field(default_factory=dict)
    """Share of the time per phase, adding up to at most 1; a single phase may leave it out."""

    def __post_init__(self) -> None:
        positive("time", self.time)
        for share in self.split.values():
            positive("split", share)
        if sum(self.split.values()) > 1 + 1e-9:
            raise ValueError(f"split must add up to at most 1, got {sum(self.split.values()):g}")


@dataclass(frozen=True, slots=True)
class Growth:
    """How demand grows until more can be bought: the cluster must still do at the end of the lead time."""

    load: float = 0.0
    """Of all rates, per year: 0.4 is 40 % more each year, compound."""
    data: float = 0.0
    """Of all sizes, per year."""
    lead_time: float = 0.0
    """Seconds from the order of more to its service."""

    def __post_init__(self) -> None:
        for name in ("load", "data", "lead_time"):
            not_negative(name, getattr(self, name))


@dataclass(frozen=True, slots=True)
class Sla:
    """What the application must sustain: rates from outside, or a batch job, or both."""

    targets: tuple[RateTarget, ...] = ()
    batch: Batch | None = None
    growth: Growth | None = None
    re_replication: ReReplication | None = None
    """None sets no time."""

    def scaled(self, factor: float) -> Sla:
        """The same mix at another load."""
        targets = tuple(replace(t, rate=t.rate * factor) for t in self.targets)
        batch = self.batch and Batch(
            self.batch.time,
            tuple(BatchTarget(t.task, t.executions * factor) for t in self.batch.targets),
            self.batch.split,
        )
        return replace(self, targets=targets, batch=batch)
