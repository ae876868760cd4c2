"""Paired runs under several schedulers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from froude.base.seeds import Seeds
from froude.harvest.schedule.dags.graph import JobGraph, Stage
from froude.harvest.simulate.jobs import Submitted, drawn_jobs
from froude.harvest.simulate.month import Scheduler, month_of
from froude.harvest.simulate.scheduling import BatchPlay, compare, gains, predicted, spreads
from froude.harvest.simulate.settings import SchedulingSetting
from tests.support.harvest.datacenters import drawn, made
from tests.support.harvest.simulate.months import case, month

QUIET, BUSY = np.full((4, 48), 1.0), np.full((4, 48), 8.0)
JOB = JobGraph("j", (Stage("s", 6, 30.0),))
SETTING = SchedulingSetting(days=4, batch_share=0.1, mean_gap_s=1200)


def test_the_same_jobs_come_under_every_scheduler_and_by_any_number_of_workers() -> None:
    """Runs differ, schedulers of one run share its jobs; two processes give what one gives."""
    month, jobs = month_of(drawn(), SETTING, Seeds(1)), drawn_jobs(Seeds(2), 5)
    one = compare(month, jobs, SETTING, Seeds(4), runs=2)
    assert [(o.run, o.scheduler) for o in one] == [(run, s.value) for run in (0, 1) for s in Scheduler]
    assert len({o.submitted for o in one[:5]}) == 1
    assert one == compare(month, jobs, SETTING, Seeds(4), runs=2, workers=2)
    assert one[0] != compare(month, jobs, SETTING, Seeds(5), runs=1)[0]
    aware = [o for o in one if o.scheduler != "stock"]
    assert all(o.overloaded_share == 0 for o in aware)
    assert all(o.killed_share == 0 for o in one if o.scheduler == "stock")
    assert all(0 < o.done <= o.submitted and np.isfinite(o.job_s) for o in one)


def test_jobs_use_the_share_that_was_asked_for() -> None:
    """A tenth of all cores, as far as a few days of random arrivals can tell."""
    month = month_of(drawn(), SETTING, Seeds(1))
    found = compare(month, drawn_jobs(Seeds(2), 5), SETTING, Seeds(4), runs=4, schedulers=[Scheduler.STOCK])
    used = spreads(found, "utilisation")["stock"].mean - found[0].primary
    assert used == pytest.approx(0.1, abs=0.05)


def test_gains_are_of_the_same_run() -> None:
    """One less the ratio of the times, and nothing against itself."""
    month = month_of(drawn(), SETTING, Seeds(1))
    found = compare(
        month, drawn_jobs(Seeds(2), 5), SETTING, Seeds(4), runs=2, schedulers=[Scheduler.PT, Scheduler.STOCK]
    )
    times = {(o.scheduler, o.run): o.job_s for o in found}
    wanted = [1 - times["stock", run] / times["pt", run] for run in (0, 1)]
    ((name, gain),) = gains(found).items()
    assert (name, gain.mean) == ("stock", pytest.approx(sum(wanted) / 2))


def submitted(*kinds: JobGraph) -> Submitted:
    """All at the first round."""
    return Submitted(kinds, np.arange(len(kinds), dtype=np.int32), np.zeros(len(kinds), np.int32))


def test_containers_stay_in_the_class_that_was_chosen() -> None:
    """The one that has room for all: four quiet servers of seven cores, where the busy ones have none to give."""
    of = month(np.concatenate([QUIET, BUSY]))
    play = BatchPlay(case(of, JOB), Scheduler.H, submitted(JOB))
    play.submit(0, 0)
    play.until(1)
    quiet = of.classes.tenant_class[:4]
    first = min(quiet.tolist()) * 4
    assert play.used[first : first + 4].sum() == 6
    assert play.used.sum() == 6
    play.until(20)
    assert play.done.tolist() == [10]
    assert play.outcome(play.done >= 0).unlabelled == 0


def test_a_job_without_a_class_runs_anywhere() -> None:
    """More containers than all classes hold: it is counted, and goes without a label."""
    large = JobGraph("l", (Stage("s", 500, 3.0),))
    play = BatchPlay(case(month(QUIET), large), Scheduler.H, submitted(large))
    play.submit(0, 0)
    play.until(1)
    assert play.used.sum() == 4 * 7
    play.until(50)
    assert play.outcome(play.done >= 0).unlabelled == 1


def test_the_next_hour_is_that_of_the_days_before() -> None:
    """A peak at noon each day is seen an hour ahead, from the second day on; what is wanted now always counts."""
    wanted = np.ones((1, 72), np.uint8)
    wanted[0, [12, 36, 60]] = 9
    seen = predicted(wanted, made(wanted / 12.0))
    assert seen[0, [11, 12, 13]].tolist() == [1, 9, 1]
    assert seen[0, [34, 35, 36, 37]].tolist() == [1, 9, 9, 1]
    wanted[0, 60] = 1
    assert predicted(wanted, made(wanted / 12.0))[0, 60] == 9
    assert (predicted(wanted, made(wanted / 12.0)) >= wanted).all()


def test_tenants_without_a_class_still_have_servers() -> None:
    """They stand behind the others."""
    of = month(QUIET)
    unknown = of.classes.tenant_class.copy()
    unknown[0] = -1
    odd = replace(of, classes=replace(of.classes, tenant_class=unknown))
    play = BatchPlay(case(odd, JOB), Scheduler.PT, submitted(JOB)).play()
    assert play.done.tolist() == [10]
