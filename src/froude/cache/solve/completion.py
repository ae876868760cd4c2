"""What a miss costs a job: time = a + b x misses, fitted to the jobs of an application that have ended.

Two forms are tried. In *slowest* a job ends when its slowest VM does, so the misses are those of the VM with the most;
in *total* work moves to who is free, so they are those of all. Where neither explains the times, there is no model, and
the split of that application goes by its misses alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from froude.cache.solve.max_min import Floats
from froude.cache.solve.state import Application, JobRun

FEWEST = 4
"""Jobs that a fit needs: two for its line, two to tell whether they lie on one."""
EXPLAINED = 0.5
"""Part of the times' variance that a fit must explain."""
_TIE = 0.02
"""Total must explain this much more to be chosen: it promises gains that a job with one slow VM does not see."""


@dataclass(frozen=True, slots=True)
class Completion:
    """The time of an application's jobs by their misses."""

    fixed_s: float
    """a: without any miss."""
    miss_s: float
    """b: what each one adds; above 0."""
    slowest: bool
    """Whether the misses are those of the VM that has most; else those of all."""
    explained: float
    """Part of the variance of the times that the fit explains, 0 to 1."""
    reads: Mapping[str, float]
    """Of a job, by VM: the mean of those fitted."""

    def time_s(self, ratios: Mapping[str, float]) -> float:
        """Of a job.

        Args:
            ratios: miss ratio by VM.
        """
        misses = [reads * ratios.get(vm, 1.0) for vm, reads in self.reads.items()]
        return self.fixed_s + self.miss_s * (max(misses, default=0.0) if self.slowest else sum(misses))


def fit(application: Application) -> Completion | None:
    """The form that explains the times best; None where there are too few jobs or neither does.

    Args:
        application: with jobs that have ended, at caches of different sizes, or there is nothing to see.
    """
    runs = [run for run in application.runs if run.misses]
    if len(runs) < FEWEST:
        return None
    times = np.array([run.time_s for run in runs])
    slowest = _line(np.array([max(run.misses.values()) for run in runs]), times)
    total = _line(np.array([sum(run.misses.values()) for run in runs]), times)
    by_slowest = slowest[2] + _TIE >= total[2]
    fixed, each, explained = slowest if by_slowest else total
    if explained < EXPLAINED or each <= 0:
        return None
    return Completion(fixed, each, by_slowest, explained, _mean_reads(runs))


def _line(misses: Floats, times: Floats) -> tuple[float, float, float]:
    """A of 0 or more, b, and the part of the variance that they explain."""
    spread, varied = times - times.mean(), misses - misses.mean()
    if not varied.any() or not spread.any():
        return float(times.mean()), 0.0, 0.0
    slope = float((varied * spread).sum() / (varied**2).sum())
    fixed = float(times.mean() - slope * misses.mean())
    if fixed < 0:  # a job without misses takes some time: the line through the origin is the nearest
        fixed, slope = 0.0, float((misses * times).sum() / (misses**2).sum())
    left = times - fixed - slope * misses
    return fixed, slope, max(0.0, 1 - float((left**2).sum() / (spread**2).sum()))


def _mean_reads(runs: Sequence[JobRun]) -> dict[str, float]:
    """Of each VM: as recorded, or its misses where reads were not."""
    totals: dict[str, float] = {}
    for run in runs:
        for vm, reads in (run.reads or run.misses).items():
            totals[vm] = totals.get(vm, 0.0) + reads / len(runs)
    return totals
