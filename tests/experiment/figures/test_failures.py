"""Failed calls, of a play or of recordings."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.experiment.figures.failures import failures_table
from froude.trace.failures import Failures
from froude.trace.summary import failures_of
from froude.trace.types import Status
from tests.support.trace.making import echo, small_trace


def test_what_failed_and_when() -> None:
    """By class and message, the most frequent first, over all recordings; a call without an answer is named so."""
    failed = {"status": Status.ERROR, "error": "java.io.FileNotFoundException"}
    one = [
        echo(0.5, "/a"),
        echo(1.0, "/a", **failed, error_message="/a is not there"),
        echo(4.0, "/a", **failed, error_message="lost"),
        echo(2.0, "/a", status=Status.UNANSWERED),
    ]
    other = [echo(3.0, "/b", **failed, error_message="/b is not there")]
    table = failures_table(failures_of(replace(small_trace(), calls=calls) for calls in (one, other)))
    method = one[0].method
    assert table.rows == [
        (method, "FileNotFoundException", 2, 1.0, 3.0, "/a is not there", "/a"),
        (method, "FileNotFoundException", 1, 4.0, 4.0, "lost", "/a"),
        (method, "unanswered", 1, 2.0, 2.0, None, "/a"),
    ]
    assert table.note == ""


@pytest.mark.parametrize("kinds", [40, 43])
def test_rare_kinds_are_counted(kinds: int) -> None:
    """No more than forty rows."""
    failures = Failures()
    for number in range(kinds):
        failures.add("create", f"E{number:02}", "no", float(number))
    table = failures_table(list(failures), "Of a play.")
    assert len(table.rows) == 40
    assert table.note == ("Of a play." if kinds == 40 else "Of a play. And 3 more kinds.")
