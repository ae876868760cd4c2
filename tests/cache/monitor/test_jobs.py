"""What jobs cost, followed from report to report."""

from __future__ import annotations

from froude.cache.monitor.jobs import JobRun, JobRuns
from froude.cache.monitor.messages import JobSample


def _job(running: bool, elapsed_s: float = 10.0, job: str = "j1") -> JobSample:
    return JobSample(id=job, running=running, elapsed_s=elapsed_s)


def test_a_job_from_its_begin_to_its_end() -> None:
    """Its time is its own; its reads and misses are what its VMs' caches counted meanwhile."""
    runs = JobRuns()
    assert runs.add("app", [_job(True)], {"vm1": (100, 10)}) == []
    assert runs.running("app") == 1
    runs.add("app", [_job(True, 40)], {"vm1": (200, 20)})
    (run,) = runs.add("app", [_job(False, 60)], {"vm1": (300, 40), "vm2": (5, 5)})
    assert run == JobRun("app", 60, {"vm1": 200}, {"vm1": 30})
    assert (runs.running("app"), list(runs.runs)) == (0, [run])


def test_a_job_that_was_never_seen_to_run() -> None:
    """Nobody knows what it cost; the same end told again is no second job."""
    runs = JobRuns()
    assert runs.add("app", [_job(False)], {"vm1": (1, 1)}) == []
    runs.add("app", [_job(True, job="j2")], {"vm1": (1, 1)})
    assert len(runs.add("app", [_job(False, job="j2")], {"vm1": (2, 2)})) == 1
    assert runs.add("app", [_job(False, job="j2")], {"vm1": (3, 3)}) == []


def test_a_job_that_is_told_of_no_more() -> None:
    """It is not followed for ever; another application's is not touched."""
    runs = JobRuns()
    runs.add("app", [_job(True)], {})
    runs.add("other", [_job(True)], {})
    runs.add("app", [], {})
    assert (runs.running("app"), runs.running("other")) == (0, 1)


def test_counters_that_begin_anew() -> None:
    """A cache that was restarted meanwhile has missed nothing less than nothing."""
    runs = JobRuns()
    runs.add("app", [_job(True)], {"vm1": (100, 10)})
    (run,) = runs.add("app", [_job(False)], {"vm1": (5, 1)})
    assert (run.reads, run.misses) == ({"vm1": 0.0}, {"vm1": 0.0})
