"""Durations and failures of recorded calls, by method."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.experiment.figures.recorded import errors_table, methods_table
from froude.trace.types import Status
from tests.recorded import recorded
from tests.trace.making import echo, small_trace


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


def test_what_failed_and_when() -> None:
    """By class, the most frequent first, with a message; a call without an answer is named so."""
    failed = {
        "status": Status.ERROR,
        "error": "java.io.FileNotFoundException",
        "error_message": "/a is not there",
    }
    calls = [
        echo(0.5, "/a"),
        replace(echo(1.0, "/a"), **failed),  # type: ignore[arg-type]
        replace(echo(3.0, "/b"), **{**failed, "error_message": None}),  # type: ignore[arg-type]
        replace(echo(2.0, "/a"), status=Status.UNANSWERED),
    ]
    table = errors_table([replace(small_trace(), calls=calls)])
    method = calls[0].method
    assert table.rows == [
        (method, "FileNotFoundException", 2, 1.0, 3.0, "/a is not there"),
        (method, "unanswered", 1, 2.0, 2.0, None),
    ]
    assert methods_table([replace(small_trace(), calls=calls)]).rows[0][2] == 3


@pytest.mark.parametrize("kinds", [30, 33])
def test_rare_kinds_are_counted(kinds: int) -> None:
    """No more than thirty rows."""
    calls = [replace(echo(float(i), "/a"), status=Status.ERROR, error=f"E{i}") for i in range(kinds)]
    table = errors_table([replace(small_trace(), calls=calls)])
    assert len(table.rows) == 30
    assert table.note == ("" if kinds == 30 else "3 rarer kinds are not shown.")
