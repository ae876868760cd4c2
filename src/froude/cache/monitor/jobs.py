"""What a job cost: its time, and what its VMs read and missed meanwhile; what a miss costs is fitted to that."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from froude.cache.monitor.messages import JobSample

Totals = Mapping[str, tuple[float, float]]
"""Chunks read and missed so far, by VM."""
_MOST_RUNS = 50
_MOST_JOBS = 1000
"""Jobs followed at a time; a ResourceManager with more running ones gives the first."""


@dataclass(frozen=True, slots=True)
class JobRun:
    """A job that has ended."""

    application: str
    time_s: float
    reads: Mapping[str, float]
    """Chunks that its VMs read meanwhile, by VM: those of other jobs at the same time, too."""
    misses: Mapping[str, float]


class JobRuns:
    """Follows jobs from the report that first shows them to the one that shows their end."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._begun: dict[tuple[str, str], Totals] = {}
        self.runs: deque[JobRun] = deque(maxlen=_MOST_RUNS)
        """The last ones, the oldest first."""

    def running(self, application: str) -> int:
        """How many jobs of an application are followed now."""
        return sum(1 for name, _ in self._begun if name == application)

    def add(self, application: str, jobs: Iterable[JobSample], totals: Totals) -> list[JobRun]:
        """Take what is told of an application's jobs.

        Returns:
            The runs of those that have ended and were seen while they ran.
        """
        ended, told = [], set()
        for job in jobs:
            told.add((application, job.id))
            key = (application, job.id)
            if job.running:
                if key not in self._begun and len(self._begun) < _MOST_JOBS:
                    self._begun[key] = dict(totals)
            elif key in self._begun and job.elapsed_s > 0:
                ended.append(_run(application, job, self._begun.pop(key), totals))
        for key in [key for key in self._begun if key[0] == application and key not in told]:
            del self._begun[key]  # nobody will tell how it ended
        self.runs.extend(ended)
        return ended


def _run(application: str, job: JobSample, before: Totals, after: Totals) -> JobRun:
    grown = {
        vm: (now[0] - before[vm][0], now[1] - before[vm][1]) for vm, now in after.items() if vm in before
    }
    reads = {vm: max(0.0, each[0]) for vm, each in grown.items()}
    return JobRun(application, job.elapsed_s, reads, {vm: max(0.0, each[1]) for vm, each in grown.items()})
