"""Whether the unseen jobs can be measured at all; none is run."""

from __future__ import annotations

import pytest

from benchmarks.unseen.catalogue import HDFS, JOBS, YARN
from froude.experiment.record.jobs import JobDefinition
from froude.experiment.record.variation import variation
from froude.experiment.scenario.run_lists import NODEMANAGERS


def test_there_are_ten_of_each_and_names_differ() -> None:
    """A name is the folder of its recordings."""
    assert (len(HDFS), len(YARN)) == (10, 10)
    assert len({job.name for job in JOBS}) == len(JOBS) == 20
    assert all((NODEMANAGERS in job.held_out) == (job in YARN) for job in JOBS)


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
def test_scales_can_be_told_apart(job: JobDefinition) -> None:
    """Four runs or more of the same variables, each of which varies alone, and larger ones."""
    assert len(job.train) >= 4
    varied = variation(job.train)
    assert (varied.constant, varied.together, varied.next_run) == ((), (), None)
    for name, largest in job.held_out.items():
        assert max(scale[name] for scale in job.train) < largest < job.play[name]
    assert all(set(scale) == set(job.held_out) for scale in (*job.train, job.play))
