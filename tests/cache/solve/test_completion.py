"""Fits of jobs' times to their misses."""

from __future__ import annotations

import random

import pytest

from froude.cache.solve.completion import Completion, fit
from froude.cache.solve.state import Application, JobRun


def jobs(slowest: bool, noise_s: float, *, count: int = 12, fixed_s: float = 30.0) -> Application:
    """Of three VMs, with misses of their own in each."""
    rng = random.Random(7)
    runs = []
    for _ in range(count):
        misses = {vm: rng.uniform(0, 1000) for vm in "abc"}
        count_ = max(misses.values()) if slowest else sum(misses.values())
        time_s = max(1.0, fixed_s + 0.02 * count_ + rng.gauss(0, noise_s))
        runs.append(JobRun(time_s=time_s, reads=dict.fromkeys("abc", 1000.0), misses=misses))
    return Application(name="c1", runs=runs)


@pytest.mark.parametrize("slowest", [True, False])
def test_the_form_that_made_the_times_is_found(slowest: bool) -> None:
    """With its figures."""
    found = fit(jobs(slowest, 0.3))
    assert found is not None
    assert found.slowest is slowest
    assert found.fixed_s == pytest.approx(30, abs=1.5)
    assert found.miss_s == pytest.approx(0.02, rel=0.1)
    assert found.explained > 0.95
    assert found.reads == pytest.approx(dict.fromkeys("abc", 1000.0))


def test_what_explains_nothing_is_no_model() -> None:
    """Times of chance, times that fall with misses, jobs all alike, and too few jobs."""
    assert fit(jobs(True, 200)) is None
    rising = [JobRun(time_s=50 - n, misses={"a": n}) for n in range(8)]
    assert fit(Application(name="c", runs=rising)) is None
    assert fit(Application(name="c", runs=[JobRun(time_s=9, misses={"a": 5})] * 9)) is None
    assert fit(jobs(True, 0.1, count=3)) is None
    assert fit(Application(name="c", runs=[JobRun(time_s=9)] * 9)) is None


def test_no_job_takes_less_than_no_time() -> None:
    """A line that would begin below zero goes through it; reads that were not recorded were misses at most."""
    runs = [JobRun(time_s=n * n / 10, misses={"a": n}) for n in range(5, 15)]
    found = fit(Application(name="c", runs=runs))
    assert found is not None
    assert found.fixed_s == 0
    assert found.reads == {"a": 9.5}


def test_a_job_ends_with_its_slowest_vm_or_with_all() -> None:
    """A VM of which no ratio is known misses all."""
    reads = {"a": 100.0, "b": 50.0}
    assert Completion(10, 0.1, True, 1, reads).time_s({"a": 0.2}) == 15
    assert Completion(10, 0.1, False, 1, reads).time_s({"a": 0.2}) == 17
    assert Completion(10, 0.1, True, 1, {}).time_s({}) == 10
