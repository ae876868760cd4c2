"""Which class of servers a job runs on: Algorithm 1 of the paper."""

from __future__ import annotations

import bisect
import itertools
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType

import numpy as np

from froude.harvest.telemetry.profiles import Pattern


class JobType(Enum):
    """How long a job runs, by its last run."""

    SHORT = "short"
    MEDIUM = "medium"
    LONG = "long"


_SLACK = 1e-9
"""Part of a request that rounding may take from a class's headroom."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where types begin and end; those of the paper's testbed (section 6.1)."""

    short_below_s: float = 173.0
    long_above_s: float = 433.0

    def __post_init__(self) -> None:
        if not 0 <= self.short_below_s <= self.long_above_s:
            raise ValueError("a short job is no longer than a long one")

    def type_of(self, last_run_s: float | None) -> JobType:
        """The type of a job; one that never ran is medium (Algorithm 1, line 5).

        Args:
            last_run_s: how long its last run took; None for none.
        """
        if last_run_s is None:
            return JobType.MEDIUM
        if last_run_s < self.short_below_s:
            return JobType.SHORT
        return JobType.LONG if last_run_s > self.long_above_s else JobType.MEDIUM


WEIGHTS: Mapping[JobType, Mapping[Pattern, float]] = MappingProxyType(
    {
        JobType.LONG: MappingProxyType({Pattern.CONSTANT: 3, Pattern.PERIODIC: 2, Pattern.UNPREDICTABLE: 1}),
        JobType.MEDIUM: MappingProxyType(
            {Pattern.PERIODIC: 3, Pattern.CONSTANT: 2, Pattern.UNPREDICTABLE: 1}
        ),
        JobType.SHORT: MappingProxyType({Pattern.UNPREDICTABLE: 3, Pattern.PERIODIC: 2, Pattern.CONSTANT: 1}),
    }
)
"""The paper gives the orders (section 4.3); 3, 2, 1 are ours."""


@dataclass(frozen=True, slots=True)
class Container:
    """What one container of a job takes."""

    cores: float = 1.0
    memory_mb: float = 2048.0


@dataclass(frozen=True, slots=True)
class ClassRoom:
    """A class as the scheduler sees it now."""

    name: str
    pattern: Pattern
    servers: int
    average: float
    """Mean CPU utilisation of its primary tenants over the last month, 0 to 1."""
    peak: float
    """Their 99th percentile."""
    current: float
    """CPU in use now, by primary tenants and containers, 0 to 1."""
    memory: float = 0.0
    """Memory in use now, 0 to 1."""
    cores: float | None = None
    """Of each of its servers; None for the policy's."""
    memory_mb: float | None = None
    """Of each of its servers; None for the policy's."""


@dataclass(frozen=True, slots=True)
class Policy:
    """How Algorithm 1 decides; by default as the paper does."""

    cores: int = 12
    memory_mb: int = 32 * 1024
    reserve_cpu: float = 4 / 12
    """Share of each server that stays free."""
    reserve_memory: float = 10 / 32
    weights: Mapping[JobType, Mapping[Pattern, float]] = field(default_factory=lambda: WEIGHTS)


class Fit(Enum):
    """How a job was placed."""

    ONE = "one class"
    SEVERAL = "several classes"
    NONE = "no class"
    """It is submitted without a label, and the scheduler's default decides."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What Algorithm 1 chose."""

    fit: Fit
    classes: tuple[int, ...] = ()
    """Numbers of the classes, in the order in which they were drawn."""


def headroom(kind: JobType, room: ClassRoom, policy: Policy, container: Container | None = None) -> float:
    """Containers that a class has room for while a job of some type runs.

    Args:
        container: what one takes; None for one core and 2 GiB.

    Returns:
        Containers, 0 or more; of cores and memory the scarcer.

    Source: section 4.3: 1 less the current utilisation for short jobs, less the larger of average and current for
    medium ones, less the larger of peak and current for long ones. The reserve is taken off, and the share turned
    into containers, since a job's request counts those.
    """
    container = container or Container()
    used = room.current
    if kind is JobType.MEDIUM:
        used = max(room.average, used)
    elif kind is JobType.LONG:
        used = max(room.peak, used)
    server_cores = policy.cores if room.cores is None else room.cores
    server_mb = policy.memory_mb if room.memory_mb is None else room.memory_mb
    cores = max(0.0, 1 - used - policy.reserve_cpu) * server_cores / container.cores
    if not container.memory_mb:
        return cores * room.servers
    memory = max(0.0, 1 - room.memory - policy.reserve_memory) * server_mb / container.memory_mb
    return min(cores, memory) * room.servers


def select(
    rooms: Sequence[ClassRoom],
    kind: JobType,
    request: float,
    policy: Policy,
    rng: random.Random,
    *,
    container: Container | None = None,
) -> Selection:
    """The class, or classes, that a job runs on.

    Args:
        request: the most containers it uses at once.

    Returns:
        One class, drawn in proportion to its weighted headroom, of those that hold all of the request; else classes
        drawn so without replacement until they hold it together; else none. Linear in classes.

    Source: Algorithm 1.
    """
    room = [headroom(kind, each, policy, container) for each in rooms]
    request *= 1 - _SLACK  # headroom is a difference of shares: a job that fits exactly does fit
    weights = policy.weights[kind]
    weighted = [free * weights[each.pattern] for free, each in zip(room, rooms, strict=True)]
    fitting = [n for n, free in enumerate(room) if free >= request and weighted[n] > 0]
    if fitting:
        return Selection(Fit.ONE, (_drawn(fitting, weighted, rng),))
    left = [n for n, weight in enumerate(weighted) if weight > 0]
    if sum(room[n] for n in left) < request:
        return Selection(Fit.NONE)
    chosen: list[int] = []
    held = 0.0
    while held < request and left:
        drawn = _drawn(left, weighted, rng)
        left.remove(drawn)
        chosen.append(drawn)
        held += room[drawn]
    return Selection(Fit.SEVERAL, tuple(chosen)) if chosen else Selection(Fit.NONE)


def thresholds_of(
    durations_s: Sequence[float], work: Sequence[float], shares: Mapping[Pattern, float]
) -> Thresholds:
    """Thresholds by which each type of job demands what its preferred pattern can give (section 4.3).

    Args:
        work: container-seconds of each, in the same order.
        shares: of the capacity, by pattern; they add up to 1.

    Returns:
        Short jobs do the share of the work that unpredictable classes have of the capacity, long ones that of
        constant classes. n log n.

    Raises:
        ValueError: no job, or none that did any work.
    """
    order = np.argsort(durations_s, kind="stable")
    if not len(order) or float(np.sum(work)) <= 0:
        raise ValueError("there is no work in the jobs of the past")
    duration = np.asarray(durations_s, float)[order]
    done = np.cumsum(np.asarray(work, float)[order]) / float(np.sum(work))

    def at(share: float) -> float:
        return float(duration[min(len(duration) - 1, int(np.searchsorted(done, share - 1e-12)))])

    short = at(shares[Pattern.UNPREDICTABLE])
    return Thresholds(short, max(short, at(1 - shares[Pattern.CONSTANT])))


def _drawn(numbers: Sequence[int], weights: Sequence[float], rng: random.Random) -> int:
    sums = list(itertools.accumulate(weights[n] for n in numbers))
    return numbers[min(bisect.bisect_right(sums, rng.random() * sums[-1]), len(numbers) - 1)]
