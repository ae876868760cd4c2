"""A ramp is told apart from the load that follows it."""

from __future__ import annotations

from froude.emulation.run import Load
from froude.experiment.figures.phases import phase_marks, phase_table, phases
from tests.experiment.main_jobs import a_run

RAMP = [Load(0.5, 0.1, 1, 2, 0), Load(1.0, 0.1, 1, 5, 0), Load(2.0, 0.1, 1, 5, 0)]


def test_the_ramp_ends_when_the_last_node_has_begun() -> None:
    """The run has five nodes, of which two had begun after half a second."""
    run = a_run(load=RAMP)
    assert phases(run) == (("ramp", 0.0, 1.0), ("all nodes begun", 1.0, 2.0))
    assert [(mark.at, mark.label) for mark in phase_marks(run)] == [(1.0, "all nodes begun")]


def test_calls_of_every_phase() -> None:
    """By the interval in which they were answered."""
    assert phase_table(a_run(load=RAMP)).rows == [
        ("ramp", 0.0, 1.0, 3, 3.0, 1),
        ("all nodes begun", 1.0, 1.0, 0, 0.0, 0),
    ]


def test_a_run_that_nobody_watched_is_one_phase() -> None:
    """As is one whose nodes did not all begin."""
    assert phases(a_run()) == (("whole run", 0.0, 2.0),)
    assert phases(a_run(load=RAMP[:1])) == (("whole run", 0.0, 2.0),)
    assert phase_marks(a_run()) == ()
    assert phase_table(a_run()).rows == [("whole run", 0.0, 2.0, 3, 1.5, 1)]
