"""What a draft says of operations, sizes and rates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from froude.harvest.telemetry.series import Telemetry
from froude.provision.draft.build import Machines, build
from froude.provision.draft.table import Grouping
from froude.provision.draft.types import Unit
from froude.provision.types import Op
from tests.support.provision.draft.build import jobs, write
from tests.support.provision.draft.table import log_of, read


def test_operations_of_a_job() -> None:
    """Means over the executions that do them, and the share that does."""
    draft = build(jobs(), Grouping())
    (task,) = draft.tasks
    assert (task.name, task.unit, task.executions) == ("mr_ann", Unit.JOB, 3)
    reads, writes = task.operations
    assert (reads.op, reads.dataset, reads.num_records, reads.probability) == (Op.READ, "in", 3.0, 1.0)
    assert reads.record_size.value == 20.0
    assert (writes.op, writes.dataset, writes.num_records) == (Op.WRITE, "out", 1.0)
    assert writes.probability == pytest.approx(2 / 3, abs=1e-4)
    assert "10B to 30B, median 20B" in reads.record_size.note
    assert "by 3 processes" in task.note


def test_the_peak_is_the_busiest_window() -> None:
    """Two of the three jobs began within a minute; with a short window one did."""
    log = jobs()
    assert build(log, Grouping()).tasks[0].rate.value == pytest.approx(2 / 60, rel=1e-3)
    assert build(log, Grouping(), window_s=10).tasks[0].rate.value == pytest.approx(1 / 10)
    assert "mean 0.000831/s over 3.61e+03 s" in build(log, Grouping()).tasks[0].rate.note


def test_without_times_there_is_no_rate() -> None:
    """Nor anything made up for it."""
    log = log_of([replace(read("/a/f"), time_s=None)])
    assert build(log, Grouping()).tasks[0].rate.value is None


def test_sizes_are_lower_bounds_from_what_was_seen() -> None:
    """The files that were left; or the most that one execution wrote; or what the NameNode summed up."""
    log = jobs()
    for n in range(3):
        log.space.saw(f"/in/f{n}", 10.0 * (n + 1))
    log.space.saw("/elsewhere/f", 1e9)
    sizes = {d.name: d.size for d in build(log, Grouping()).datasets}
    assert sizes["in"].value == 60.0
    assert sizes["out"].value == 500.0
    assert "one execution wrote" in sizes["out"].note
    log.totals["/in"] = 7000.0
    assert {d.name: d.size.value for d in build(log, Grouping()).datasets}["in"] == 7000.0


def test_replication_is_the_writers() -> None:
    """Where nobody wrote, the readers'; where nobody tells, blank."""
    rows = [
        replace(write("/w/f", 0, 1), copies=2),
        replace(read("/w/f"), copies=3),
        replace(read("/r/f"), copies=3),
    ]
    replications = {d.name: d.replication for d in build(log_of([*rows, read("/u/f")]), Grouping()).datasets}
    assert {name: copies.value for name, copies in replications.items()} == {"w": 2.0, "r": 3.0, "u": None}
    assert replications["w"].note == "asked for by 1 of 1 write"


def test_lengths_that_nobody_told_stay_blank() -> None:
    """Sizes and records alike."""
    draft = build(log_of([read("/a/f")]), Grouping())
    assert draft.datasets[0].size.value is None
    assert draft.tasks[0].operations[0].record_size.value is None


def busy(start_s: float) -> Machines:
    """Two machines of four cores, half busy."""
    times = start_s + np.arange(0.0, 7200.0, 60.0)
    return Machines(Telemetry({name: (times, np.full(len(times), 0.5)) for name in "ab"}), 4)


def test_telemetry_bounds_the_compute_time() -> None:
    """All core-seconds of the window over the executions of the task that dominates."""
    draft = build(jobs(), Grouping(), machines=busy(-60.0))
    assert draft.tasks[0].compute.value == pytest.approx(4 * 3609 / 3, rel=1e-3)
    assert "at most" in draft.tasks[0].compute.note
    assert "50% busy" in draft.notes[1]


def test_telemetry_of_another_time_tells_nothing() -> None:
    """Its mean is said, the blank stays."""
    draft = build(jobs(), Grouping(), machines=busy(1e6))
    assert draft.tasks[0].compute.value is None
    assert "outside the time of the traces" in draft.notes[1]


def test_of_two_tasks_none_dominates() -> None:
    """The total is said beside the blanks."""
    log = log_of([read(f"/a/{n}", float(n), user=f"u{n % 2}") for n in range(10)])
    draft = build(log, Grouping(), machines=busy(-60.0))
    assert [task.compute.value for task in draft.tasks] == [None, None]
    assert "core-seconds" in draft.tasks[0].compute.note


def test_nothing_read_or_written() -> None:
    """Is a draft of nothing."""
    log = log_of([])
    log.others = 7
    draft = build(log, Grouping())
    assert (draft.datasets, draft.tasks) == ((), ())
    assert "7 other calls" in draft.notes[0]
