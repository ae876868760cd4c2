"""A daemon's samples as time series: gauges as they stand, counters as rates, averages where something happened.

Hadoop's metrics system answers from a cache, ten seconds old at most where nobody tells it otherwise. A reading in
which nothing of its bean has changed since the one before is that cache again: it is left out, so that no line stands
still because nobody looked, and no rate is a zero and then a peak.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from froude.emulation.run.bottleneck import MASTER, Measured

Points = list[tuple[float, float]]
"""Seconds since the play began, and a value."""

NAMESPACE = "the namespace"
LOCKS: Mapping[str, str] = {
    "FSNamesystem.FSN": NAMESPACE,
    "FSNamesystem.FS": "folders and files",
    "FSNamesystem.BM": "blocks",
}
"""Locks of a NameNode by the beginning of their readings' names, and what is locked: one of all, or, where its
`dfs.namenode.lock.model.provider.class` is `FineGrainedFSNamesystemLock` (3.5 and later), two."""
_MIB = float(1 << 20)
_QUEUES, _ALLOCATED = f"{MASTER}Queues.", ".AllocatedMB"
_LIVE = {"FSNamesystemState", "process", f"{MASTER}process"}
"""Beans that are asked anew each time."""


def mean_of(points: Points) -> float | None:
    """The mean of a series' values; None of none."""
    return sum(value for _, value in points) / len(points) if points else None


@dataclass(frozen=True)
class Readings:
    """What was sampled of one daemon."""

    metrics: Sequence[Measured]
    """As sampled, oldest first."""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every number that was ever read, by name."""
        return tuple(sorted({name for sample in self.metrics for name in sample.values}))

    @property
    def stale(self) -> int:
        """The most readings of one bean that repeated the one before, and are left out."""
        return max((len(self.metrics) - len(list(rows)) for rows in self._fresh.values()), default=0)

    def gauge(self, name: str, scale: float = 1.0) -> Points:
        """A number as it stood.

        Args:
            name: such as `JvmMetrics.MemHeapUsedM`.
            scale: what one of it is in the unit wanted.
        """
        return [(time_s, values[name] * scale) for time_s, values in self._of(name) if name in values]

    def heap(self, part: str) -> Points:
        """The heap of its JVM, bytes: as that tells itself, else as Hadoop's metrics do, which are older.

        Args:
            part: `used` or `committed`.
        """
        live = self.gauge(f"process.heap_{part}_bytes")
        return live or self.gauge(f"JvmMetrics.MemHeap{part.capitalize()}M", _MIB)

    def rate(self, name: str, scale: float = 1.0) -> Points:
        """How much a counter rose in a second, at the end of each interval; a restart of the daemon leaves a gap.

        Args:
            name: such as `NameNodeActivity.SyncsNumOps`.
            scale: what one of it is in the unit wanted.
        """
        return [(b[0], (b[1] - a[1]) / (b[0] - a[0])) for a, b in self._rises(name, scale)]

    def average(self, stem: str, scale: float = 1.0) -> Points:
        """Mean of each interval that had any: Hadoop keeps the last mean where nothing happened since.

        Args:
            stem: what `AvgTime` and `NumOps` are written after, such as `RpcActivity.RpcQueueTime`.
            scale: what one of it is in the unit wanted.
        """
        happened = {b[0] for a, b in self._rises(f"{stem}NumOps") if b[1] > a[1]}
        return [point for point in self.gauge(f"{stem}AvgTime", scale) if point[0] in happened]

    def mean(self, stem: str, scale: float = 1.0) -> float | None:
        """Mean of all operations, of an interval as many as it had; None of none.

        Args:
            stem: as in `average`.
            scale: what one of its unit is in the unit wanted.
        """
        means = dict(self.average(stem, scale))
        numbers = {b[0]: b[1] - a[1] for a, b in self._rises(f"{stem}NumOps") if b[0] in means}
        total = sum(numbers.values())
        return sum(means[time_s] * number for time_s, number in numbers.items()) / total if total else None

    def busy(self, stem: str, scale: float) -> Points:
        """Share of the time that operations took one after another: how many in a second, times how long each.

        Args:
            stem: as in `average`.
            scale: seconds of one of its unit.
        """
        means = dict(self.average(stem, scale))
        return [(t, rate * means.get(t, 0.0)) for t, rate in self.rate(f"{stem}NumOps")]

    def each(self, total: str, count: str, scale: float = 1.0) -> Points:
        """What one of a counter's events took of another counter, where there was any.

        Args:
            total: what they took, such as `JvmMetrics.GcTimeMillis`.
            count: how many there were, such as `JvmMetrics.GcCount`.
            scale: what one of the total is in the unit wanted.
        """
        took = {b[0]: b[1] - a[1] for a, b in self._rises(total, scale)}
        counted = {b[0]: b[1] - a[1] for a, b in self._rises(count)}
        return [(t, took[t] / n) for t, n in counted.items() if n > 0 and t in took]

    def queues(self) -> dict[str, Points]:
        """Memory that was allocated to each of a ResourceManager's queues that has none below it, MiB, by its path."""
        paths = [
            name[len(_QUEUES) : -len(_ALLOCATED)]
            for name in self.names
            if name.startswith(_QUEUES) and name.endswith(_ALLOCATED)
        ]
        found = {path: self.gauge(f"{_QUEUES}{path}{_ALLOCATED}") for path in dict.fromkeys(paths)}
        above = {path.rpartition(".")[0] for path in found}
        return {path: points for path, points in found.items() if path not in above and points}

    def queue_shares(self) -> dict[str, float]:
        """Of all memory that was allocated over time, what each queue had, 0 to 1; empty where none was."""
        sums = {path: sum(value for _, value in points) for path, points in self.queues().items()}
        total = sum(sums.values())
        return {path: each / total for path, each in sums.items()} if total else {}

    def _rises(
        self, name: str, scale: float = 1.0
    ) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
        for a, b in pairwise(self.gauge(name, scale)):
            if b[0] > a[0] and b[1] >= a[1]:
                yield a, b

    def _of(self, name: str) -> Sequence[tuple[float, Mapping[str, float]]]:
        return self._fresh.get(name.partition(".")[0], ())

    @cached_property
    def _fresh(self) -> dict[str, list[tuple[float, Mapping[str, float]]]]:
        """Readings of each bean that are no repetition."""
        fresh: dict[str, list[tuple[float, Mapping[str, float]]]] = {}
        for sample in self.metrics:
            beans: dict[str, dict[str, float]] = {}
            for name, value in sample.values.items():
                beans.setdefault(name.partition(".")[0], {})[name] = value
            for bean, values in beans.items():
                rows = fresh.setdefault(bean, [])
                if bean in _LIVE or not rows or rows[-1][1] != values:
                    rows.append((sample.time_s, values))
        return fresh
