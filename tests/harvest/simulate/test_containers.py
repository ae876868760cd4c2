"""The loop, counted by hand: rounds of three seconds, slots of an hour (1,200 rounds), servers of twelve cores."""

from __future__ import annotations

import numpy as np
import pytest

from froude.harvest.schedule.dags.graph import JobGraph, Stage
from froude.harvest.simulate.jobs import Submitted
from froude.harvest.simulate.month import Month, Outcome, Scheduler
from froude.harvest.simulate.scheduling import BatchPlay
from tests.support.harvest.simulate.months import case, month

IDLE = np.zeros((1, 48))


def played(of: Month, scheduler: Scheduler, *jobs: tuple[int, JobGraph]) -> tuple[list[int], Outcome]:
    """When each job was done, in rounds since its arrival at a given round, and what the run came to."""
    kinds = tuple(job for _, job in jobs)
    arrivals = np.array([at for at, _ in jobs], np.int32)
    submitted = Submitted(kinds, np.arange(len(jobs), dtype=np.int32), arrivals)
    play = BatchPlay(case(of, *kinds), scheduler, submitted).play()
    return (play.done - arrivals).tolist(), play.outcome(play.done >= 0)


def job(*stages: tuple[int, float]) -> JobGraph:
    """Stages in a row: tasks, and seconds of each."""
    chain = [Stage("s", n, s, (at - 1,) if at else ()) for at, (n, s) in enumerate(stages)]
    return JobGraph("j", tuple(chain))


@pytest.mark.parametrize("scheduler", [s for s in Scheduler if s is not Scheduler.STOCK])
def test_tasks_take_turns_where_there_are_more_than_cores(scheduler: Scheduler) -> None:
    """Eight cores are left of twelve: twenty tasks of 30 s take three turns of ten rounds; a stage waits for all."""
    done, outcome = played(month(IDLE), scheduler, (0, job((20, 30.0))), (2000, job((8, 30.0), (1, 3.0))))
    assert done == [30, 11]
    assert outcome.killed_share == 0
    assert outcome.utilisation == pytest.approx(0)  # nothing runs at the end of an hour


def test_stock_gives_all_cores() -> None:
    """Twenty tasks take two turns of twelve cores."""
    done, _ = played(month(IDLE), Scheduler.STOCK, (0, job((20, 30.0))))
    assert done == [20]


def test_the_youngest_are_killed_when_the_tenant_comes_back() -> None:
    """Six containers of two hours, two begun half an hour later; then the tenant wants three cores: five may stay.

    The two youngest of the six were started last; one of them goes, and runs again when there is room.
    """
    wants = np.zeros((1, 48))
    wants[0, 1] = 3
    first, second = job((4, 7200.0)), job((2, 7200.0))
    done, outcome = played(month(wants), Scheduler.PT, (0, first), (600, second))
    # One of the second job's two waits from round 1,200 to 2,400, when the tenant is gone.
    assert done == [2400, 2400 - 600 + 2400]
    assert outcome.killed_share == pytest.approx(1 / 7)
    # At the hours' beginnings five, one and one run.
    assert outcome.wasted_share == pytest.approx(600 / (7 * 1200))


def test_stock_kills_nothing_and_overloads() -> None:
    """Twelve containers beside a tenant that wants three cores in one hour of forty-eight."""
    wants = np.zeros((1, 48))
    wants[0, 1] = 3
    done, outcome = played(month(wants), Scheduler.STOCK, (0, job((12, 7200.0))))
    assert done == [2400]
    assert outcome.overloaded_share == pytest.approx(1 / 48)


def test_a_job_that_never_ends_is_not_counted() -> None:
    """One whose servers are never free."""
    full = np.full((1, 48), 9.0)
    done, outcome = played(month(full), Scheduler.PROPORTIONAL, (0, job((1, 3.0))))
    assert done == [-1]
    assert (outcome.submitted, outcome.done) == (1, 0)


def test_containers_longer_than_the_calendar() -> None:
    """Of more rounds than there are buckets."""
    done, _ = played(month(IDLE), Scheduler.PT, (5, job((3, 3.0 * 20_001))))
    assert done == [20_001]


def test_free_cores_weigh() -> None:
    """Of two servers, one with eight free cores and one with one: proportionally nearly all go to the first."""
    wants = np.zeros((2, 48))
    wants[1] = 7
    jobs = [(1200 * n, job((1, 30.0))) for n in range(40)]
    of = month(wants)
    kinds = tuple(graph for _, graph in jobs)
    arrivals = np.array([at for at, _ in jobs], np.int32)
    shares = {}
    for scheduler in (Scheduler.PT, Scheduler.PROPORTIONAL):
        submitted = Submitted(kinds, np.arange(40, dtype=np.int32), arrivals)
        play = BatchPlay(case(of, *kinds), scheduler, submitted)
        counted = 0
        for number, arrival in enumerate(arrivals.tolist()):
            play.submit(number, arrival)
            play.until(arrival + 1)
            counted += int(play.used[0])
        shares[scheduler] = counted / 40
    assert shares[Scheduler.PROPORTIONAL] > 0.75
    assert 0.25 < shares[Scheduler.PT] < 0.75
