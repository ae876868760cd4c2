"""Durations of recorded calls, by method."""

from __future__ import annotations

from dataclasses import replace

from froude.experiment.figures.recorded import methods_table
from froude.trace.types import Status
from testbed.recorded import recorded
from tests.support.trace.making import echo, small_trace


def test_durations_of_all_recordings_by_method() -> None:
    """As many calls as were recorded; percentiles rise."""
    traces = [recorded("k2c"), recorded("k3")]
    rows = methods_table(traces).rows
    assert sum(int(row[1] or 0) for row in rows) == sum(len(trace.calls) for trace in traces)
    assert [row[1] for row in rows] == sorted((row[1] for row in rows), key=lambda n: -int(n or 0))
    for row in rows:
        p50, p99, largest = (float(value or 0) for value in row[3:])
        assert p50 <= p99 <= largest


def test_a_duration_that_nobody_saw_is_a_dash() -> None:
    """Not zero."""
    calls = [replace(echo(0.0, "/a"), duration_s=None)]
    assert list(methods_table([replace(small_trace(), calls=calls)]).rows[0][3:]) == [None, None, None]


def test_what_failed_is_counted() -> None:
    """A call without an answer, too."""
    calls = [echo(float(n), "/a", status=status) for n, status in enumerate(Status)]
    assert methods_table([replace(small_trace(), calls=calls)]).rows[0][2] == len(Status) - 1
