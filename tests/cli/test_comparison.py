"""A comparison as a table for people."""

from __future__ import annotations

from froude.cli.comparison import comparison_table
from froude.experiment.compare.compare import compare
from tests.support.experiment import comparisons


def test_runs_that_were_left_out_are_said() -> None:
    """With the reason; and measures that nobody could compare."""
    given = comparisons.arms(4)
    given["candidate"][0].interrupted = True
    text = comparison_table(compare(**given))
    assert "Left out: candidate 1: it was interrupted" in text
    assert "without a value, or with too few calls: GC, GC pauses, longest GC pause" in text
