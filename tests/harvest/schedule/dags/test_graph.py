"""Graphs of jobs, counted by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.harvest.schedule.dags.graph import (
    Concurrency,
    JobGraph,
    Stage,
    checked,
    concurrency,
    critical_s,
)

DIAMOND = JobGraph(
    "q",
    (
        Stage("scan a", 10, 5.0),
        Stage("scan b", 20, 50.0),
        Stage("map", 30, 10.0, (0,)),
        Stage("join", 4, 10.0, (1, 2)),
    ),
)


def test_levels_and_what_runs_at_one_time() -> None:
    """Level 0 has 30 tasks, level 1 has 30; but the map runs beside the second scan: 50."""
    assert concurrency(DIAMOND) == 30
    assert concurrency(DIAMOND, Concurrency.RUNNABLE) == 50
    assert critical_s(DIAMOND) == 60
    assert DIAMOND.work_s == 50 + 1000 + 300 + 40


def test_what_ends_makes_room_for_what_begins_then() -> None:
    """Two stages in a row are never counted together."""
    chain = JobGraph("c", (Stage("a", 7, 3.0), Stage("b", 5, 3.0, (0,))))
    assert concurrency(chain, Concurrency.RUNNABLE) == concurrency(chain) == 7


@given(
    st.lists(
        st.tuples(st.integers(1, 50), st.floats(0.1, 9), st.sets(st.integers(0, 8))), min_size=1, max_size=9
    )
)
def test_never_less_than_the_largest_stage_nor_more_than_all(
    drawn: list[tuple[int, float, set[int]]],
) -> None:
    """Whatever the graph; parents stand before their children here."""
    stages = [
        Stage("", n, s, tuple(p for p in parents if p < at)) for at, (n, s, parents) in enumerate(drawn)
    ]
    job = JobGraph("j", tuple(stages))
    for how in Concurrency:
        assert max(s.tasks for s in stages) <= concurrency(job, how) <= sum(s.tasks for s in stages)
    assert critical_s(job) <= sum(s.task_s for s in stages) + 1e-9


def test_circles_and_missing_stages_are_refused() -> None:
    """With the job's name; jobs without a task are left out."""
    circle = JobGraph("c", (Stage("a", 1, 1.0, (1,)), Stage("b", 1, 1.0, (0,))))
    with pytest.raises(InputError, match="f:c: has stages that wait for each other"):
        checked([circle], "f")
    with pytest.raises(InputError, match="c: waits for a stage that is not there; found 5"):
        concurrency(JobGraph("c", (Stage("a", 1, 1.0, (5,)),)))
    assert checked([DIAMOND, JobGraph("none", ())], "f") == [DIAMOND]
    with pytest.raises(InputError, match="no job that ran a task"):
        checked([JobGraph("none", ())], "f")
