"""A ramp is told apart from the load that follows it."""

from __future__ import annotations

from froude.emulation.run.run import Run
from froude.experiment.figures.phases import phase_marks, phase_table, phases
from tests.support.experiment.main_jobs import a_run


def _ramped(at_s: float | None) -> Run:
    run = a_run()
    if at_s is None:
        run.tally.begin_ramp()
    else:
        run.tally.end_ramp(at_s)
    return run


def test_the_ramp_ends_when_every_emulated_daemon_has_started() -> None:
    """From then on it is the load."""
    run = _ramped(0.5)
    assert phases(run) == (("ramp", 0.0, 0.5), ("steady", 0.5, 2.0))
    assert [(mark.at, mark.label) for mark in phase_marks(run)] == [(0.5, "steady")]


def test_calls_of_every_phase() -> None:
    """By the phase in which they were sent."""
    assert phase_table(_ramped(0.5)).rows == [("ramp", 0.0, 0.5, 3, 6.0, 1), ("steady", 0.5, 1.5, 0, 0.0, 0)]


def test_a_run_without_a_ramp_is_one_phase() -> None:
    """As is one whose ramp never ended, which says so."""
    assert phases(a_run()) == (("whole run", 0.0, 2.0),)
    assert phases(_ramped(None)) == (("ramp, not ended", 0.0, 2.0),)
    assert phase_marks(a_run()) == ()
    assert phase_table(a_run()).rows == [("whole run", 0.0, 2.0, 3, 1.5, 1)]


def test_a_sustained_load_has_a_warm_up() -> None:
    """What was sent before it was measured."""
    run = _ramped(0.5)
    run.mode = "population"
    assert [row[0] for row in phase_table(run).rows] == ["warm-up", "measured"]
    assert phase_table(run).rows[0][3] == 3
