"""Paired runs under several schedulers."""

from __future__ import annotations

import numpy as np
import pytest

from froude.base.seeds import Seeds
from froude.harvest.simulate.jobs import drawn_jobs
from froude.harvest.simulate.month import Scheduler, SchedulingSetting, month_of
from froude.harvest.simulate.scheduling import compare, gains, spreads
from tests.support.harvest.datacenters import drawn

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
