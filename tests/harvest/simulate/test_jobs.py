"""Jobs as arrays."""

from __future__ import annotations

import numpy as np

from froude.base.seeds import Seeds
from froude.harvest.schedule.dags.graph import JobGraph, Stage
from froude.harvest.simulate.jobs import Submitted, arrays_of, drawn_jobs

CHAIN = JobGraph("chain", (Stage("a", 2, 5.0), Stage("none", 0, 0.0, (0,)), Stage("b", 3, 7.0, (1,))))
ONE = JobGraph("one", (Stage("x", 1, 1.0),))


def test_jobs_stand_one_behind_the_other() -> None:
    """Stages without a task are left out, and those behind them wait for those before them."""
    submitted = Submitted((CHAIN, ONE), np.array([1, 0, 0], np.int32), np.array([0, 1, 2], np.int32))
    work = arrays_of(submitted, 3.0, 2)
    assert work.stage.tolist() == [0, 1, 3, 5]
    assert work.job.tolist() == [0, 1, 1, 2, 2]
    assert work.pending.tolist() == work.left.tolist() == [1, 2, 3, 2, 3]
    assert work.length.tolist() == [1, 2, 3, 2, 3]
    assert work.waits_for.tolist() == [0, 0, 1, 0, 1]
    assert work.ready.tolist() == [1, 2, 2]
    assert work.child.tolist() == [0, 0, 1, 1, 2, 2]
    assert work.children.tolist() == [2, 4]
    assert work.classes.shape == (3, 2)


def test_tasks_and_durations_grow_alike() -> None:
    """By the factor, rounded; at least one task and one round."""
    grown = arrays_of(Submitted((CHAIN,), np.zeros(1, np.int32), np.zeros(1, np.int32), 2.0), 3.0, 1)
    assert (grown.pending.tolist(), grown.length.tolist()) == ([4, 6], [4, 5])
    small = arrays_of(Submitted((CHAIN,), np.zeros(1, np.int32), np.zeros(1, np.int32), 0.01), 3.0, 1)
    assert (small.pending.tolist(), small.length.tolist()) == ([1, 1], [1, 1])


def test_made_up_jobs_are_graphs() -> None:
    """Fifty-two by default, the same by the same seed, each stage with tasks."""
    jobs = drawn_jobs(Seeds(1))
    assert len(jobs) == 52
    assert jobs == drawn_jobs(Seeds(1)) != drawn_jobs(Seeds(2))
    for job in jobs:
        assert len(job.order()) == len(job.stages) >= 3
        assert min(stage.tasks for stage in job.stages) >= 1
