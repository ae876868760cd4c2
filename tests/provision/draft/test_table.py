"""Which dataset, task and execution each access belongs to."""

from __future__ import annotations

import numpy as np
import pytest

from froude.provision.draft.log import UNITS
from froude.provision.draft.table import Grouping, extremes, tabulate
from froude.provision.draft.types import Unit
from tests.support.provision.draft.table import JOB, log_of, read


def test_splits_of_a_file_are_shared() -> None:
    """Three readers of one job's file of three blocks read a block each; one reader alone reads all of it."""
    job, other = JOB.format(1), JOB.format(2)
    rows = [read("/a/f", context=job, bytes=300.0, blocks=3, sender=str(n)) for n in range(3)]
    rows.append(read("/a/f", context=other, bytes=300.0, blocks=3, sender="x"))
    assert tabulate(log_of(rows), Grouping()).bytes.tolist() == [100.0, 100.0, 100.0, 300.0]


def test_a_client_counts_to_its_job() -> None:
    """Before and after it names it."""
    rows = [
        read("/in/f", context="CLI", sender="c"),
        read("/s/job_1699999999999_0001/x", context="CLI", sender="c"),
    ]
    table = tabulate(log_of(rows), Grouping())
    assert len(set(table.run.tolist())) == 1
    assert {UNITS[u] for u in table.unit} == {Unit.JOB}
    assert table.tasks == ("job_ann",)


@pytest.mark.parametrize(("seconds", "units"), [(1.0, {Unit.SESSION}), (10_000.0, {Unit.CALL})])
def test_a_service_s_calls_stand_alone(seconds: float, units: set[Unit]) -> None:
    """A process that reads for hours is no single execution."""
    rows = [read("/a/f", seconds * n, sender="s") for n in range(3)]
    table = tabulate(log_of(rows), Grouping())
    assert {UNITS[u] for u in table.unit} == units
    assert len(set(table.run.tolist())) == (1 if units == {Unit.SESSION} else 3)


def test_named_datasets_and_the_rest() -> None:
    """Names are the user's; one that nobody touched stays; what lies outside is `other`."""
    grouping = Grouping((("/logs", "events"), ("/empty", "")))
    rows = [read("/logs/a/f"), read("/x/f")]
    table = tabulate(log_of(rows, grouping), grouping)
    assert table.datasets == ("events", "empty", "other")
    assert [table.datasets[n] for n in table.dataset] == ["events", "other"]


def test_rare_tasks_are_one() -> None:
    """The most frequent have names of their own."""
    rows = [read("/a/f", user=f"u{n}") for n in range(6) for _ in range(10 - n)]
    table = tabulate(log_of(rows), Grouping(most_tasks=3))
    assert table.tasks == ("u0", "u1", "other")
    assert np.bincount(table.task).tolist() == [10, 9, 26]


def test_extremes_leave_out_unseen_times() -> None:
    """An execution without any time has none."""
    nan = np.nan
    run, time = np.array([1, 0, 1, 0, 2]), np.array([5.0, nan, 3.0, 2.0, nan])
    first, last, counts = extremes(run, time)
    np.testing.assert_array_equal(first, [2.0, 3.0, nan])
    np.testing.assert_array_equal(last, [2.0, 5.0, nan])
    assert counts.tolist() == [2, 2, 1]
