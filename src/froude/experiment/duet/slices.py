"""What two targets did in the same seconds: service time by method, CPU time and errors of each, by slice. Pure.

What else runs on a machine slows both at the same moment, so that the ratio of the two within a slice varies less than
either. A slice's service time is a mean over methods of the logarithm of their times, so that no method counts more
than another, whatever its share of the calls; methods that either target answered rarely in a slice are left out of it.

Source: Bulej et al., "Duet Benchmarking: Improving Measurement Accuracy in the Cloud" (ICPE 2020, arXiv 2001.05811).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from froude.emulation.run.tally import Served

SLICE_S = 3.0
"""Long enough that heartbeats of every DataNode fall into each slice."""
LEAST_CALLS = 5
"""Answers of a method from either target below which a slice leaves it out."""
_UNKNOWN = Served()
_Times = NDArray[np.float64]


@dataclass(slots=True)
class Series:
    """What one target has counted so far, as it was seen about once a second; times are on one clock for both."""

    times_s: list[float] = field(default_factory=list)
    served: list[Mapping[str, Served]] = field(default_factory=list)
    """At each time, by method."""
    errors: list[int] = field(default_factory=list)
    """At each time: error answers and lost calls."""
    cpu: list[tuple[float, float]] = field(default_factory=list)
    """Time, and CPU seconds of the target without its JIT compiler and garbage collector."""

    def add(self, time_s: float, served: Mapping[str, Served], errors: int) -> None:
        """What was counted up to a moment; one that is not after the last one is left out."""
        if not self.times_s or time_s > self.times_s[-1]:
            self.times_s.append(time_s)
            self.served.append(served)
            self.errors.append(errors)


@dataclass(frozen=True, slots=True)
class Slice:
    """The same seconds of both targets; pairs are of baseline and candidate."""

    from_s: float
    to_s: float
    service_s: Mapping[str, tuple[float, float]]
    """Geometric mean of a method's service times, seconds; of methods that both answered often enough."""
    missing: tuple[frozenset[str], frozenset[str]]
    """Methods that only the other target answered often enough."""
    calls: tuple[float, float]
    """Answered."""
    errors: tuple[float, float]
    cpu_s: tuple[float, float] | None = None
    """CPU time of the target for a call, without JIT compiler and garbage collector; None where it is not known."""


def slices_of(
    arms: tuple[Series, Series], from_s: float, to_s: float, *, length_s: float = SLICE_S
) -> list[Slice]:
    """The whole slices between two moments.

    Counters are interpolated at the ends of slices, since both targets are looked at at moments of their own.

    Args:
        from_s: on the clock of the series.
        to_s: no slice ends later.
        length_s: of a slice, seconds, above 0.
    """
    number = int((to_s - from_s) / length_s + 1e-9)
    if number < 1 or not all(arm.times_s for arm in arms):
        return []
    edges: _Times = from_s + length_s * np.arange(number + 1, dtype=np.float64)
    methods = sorted(set(arms[0].served[-1]) | set(arms[1].served[-1]))
    calls, logs = (
        {name: [_rises(arm, name, at, edges) for arm in arms] for name in methods} for at in (0, 2)
    )
    every = [np.sum([calls[name][arm] for name in methods], axis=0) for arm in (0, 1)] if methods else []
    errors = [np.diff(np.interp(edges, arm.times_s, arm.errors)) for arm in arms]
    cpu = [_used(arm.cpu, edges) for arm in arms]
    found = []
    for at in range(number if methods else 0):
        service = {
            name: _pair(math.exp(logs[name][arm][at] / calls[name][arm][at]) for arm in (0, 1))
            for name in methods
            if min(calls[name][arm][at] for arm in (0, 1)) >= LEAST_CALLS
        }
        often = [{name for name in methods if calls[name][arm][at] >= LEAST_CALLS} for arm in (0, 1)]
        answered = _pair(float(each[at]) for each in every)
        used = [float(each[at]) for each in cpu]
        known = min(*used, *answered) > 0
        found.append(
            Slice(
                float(edges[at]),
                float(edges[at + 1]),
                service,
                (frozenset(often[1] - often[0]), frozenset(often[0] - often[1])),
                answered,
                _pair(float(each[at]) for each in errors),
                (used[0] / answered[0], used[1] / answered[1]) if known else None,
            )
        )
    return found


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive slices as one value of each measure; what is close in time depends on each other."""

    slices: tuple[Slice, ...]

    @property
    def service_s(self) -> tuple[float, float] | None:
        """Geometric mean over slices and their methods; None where no slice has any."""
        return _geometric([pair for each in self.slices for pair in [_geometric([*each.service_s.values()])]])

    @property
    def cpu_s(self) -> tuple[float, float] | None:
        """Geometric mean over slices of CPU time for a call; None where it is not known."""
        return _geometric([each.cpu_s for each in self.slices])

    def method_s(self, method: str) -> tuple[float, float] | None:
        """Geometric mean over slices of a method's service time; None where no slice has it."""
        return _geometric([each.service_s.get(method) for each in self.slices])

    @property
    def error_shares(self) -> tuple[float, float]:
        """Errors over all answers."""
        sums = [
            [sum(pair[arm] for pair in pairs) for arm in (0, 1)]
            for pairs in ([each.errors for each in self.slices], [each.calls for each in self.slices])
        ]
        return _pair(errors / max(1.0, errors + calls) for errors, calls in zip(*sums, strict=True))

    @property
    def silent_s(self) -> tuple[float, float]:
        """Seconds of slices in which a target answered nothing, though the other did."""
        return _pair(
            sum(each.to_s - each.from_s for each in self.slices if each.calls[arm] < 1 <= each.calls[1 - arm])
            for arm in (0, 1)
        )

    @property
    def calls_per_s(self) -> tuple[float, float]:
        """Answered calls in a second."""
        seconds = self.slices[-1].to_s - self.slices[0].from_s
        return _pair(sum(each.calls[arm] for each in self.slices) / seconds for arm in (0, 1))


def batches_of(slices: Sequence[Slice], number: int) -> list[Batch]:
    """Slices in so many consecutive groups of one size; what is left over at the beginning is left out.

    Args:
        number: how many, 1 to the number of slices.
    """
    size = len(slices) // number
    left = len(slices) - size * number
    return [Batch(tuple(slices[left + at * size : left + (at + 1) * size])) for at in range(number)]


def _rises(arm: Series, method: str, part: int, edges: _Times) -> _Times:
    """How much a part of a method's `Served` rose in each slice."""
    counted = [served.get(method, _UNKNOWN)[part] for served in arm.served]
    return np.diff(np.interp(edges, arm.times_s, counted))


def _used(cpu: Sequence[tuple[float, float]], edges: _Times) -> _Times:
    """CPU seconds in each slice; 0 in those that were not sampled from end to end."""
    if not cpu:
        return np.zeros(len(edges) - 1)
    used = np.diff(np.interp(edges, [time_s for time_s, _ in cpu], [used for _, used in cpu]))
    sampled = (edges[:-1] >= cpu[0][0]) & (edges[1:] <= cpu[-1][0])
    return np.where(sampled, used, 0.0)


def _geometric(pairs: Sequence[tuple[float, float] | None]) -> tuple[float, float] | None:
    known = [pair for pair in pairs if pair is not None]
    if not known:
        return None
    return _pair(math.exp(fmean(math.log(pair[arm]) for pair in known)) for arm in (0, 1))


def _pair(values: Iterable[float]) -> tuple[float, float]:
    first, second = values
    return first, second
