"""What a script reads of a run."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from froude.emulation.limits import parse_limit
from froude.emulation.run.bottleneck import CPU, Measured
from froude.emulation.run.files import SUMMARY, write_run
from froude.emulation.run.run import Run
from froude.emulation.run.summary import RunSummary, summarise, summary_text
from froude.hadoop.metrics.gc_log import GcLog, HeapChange, Pause
from tests.support.experiment.main_jobs import a_run, a_run_of_yarn


def test_it_is_flat_and_keeps_to_its_schema(run: Run, tmp_path: Path) -> None:
    """Plain values and lists of flat rows, the same in the file; nothing stands there that the schema has not."""
    run.limits = [parse_limit("p99 < 1 s").check(run)]
    run.tally.failures.add("delete", "java.io.IOException", "no /a", 0.5)
    write_run(tmp_path / "run", run)
    text = (tmp_path / "run" / SUMMARY).read_text()
    assert text == summary_text(summarise(run))
    fields = json.loads(text)
    assert RunSummary.model_validate(fields) == summarise(run)
    rows = [
        row for value in fields.values() if isinstance(value, list) for row in value if isinstance(row, dict)
    ]
    assert [row["method"] for row in fields["methods"]] == ["create", "delete"]
    assert fields["failures"][0]["message"] == "no PATH"
    assert not any(isinstance(value, list | dict) for row in rows for value in row.values())
    assert set(fields) == set(RunSummary.model_json_schema()["properties"])


def test_what_nobody_measured_is_null(run: Run) -> None:
    """And never 0; what was measured is a number."""
    unseen = summarise(run)
    assert (unseen.target_cpu_share, unseen.call_queue_max, unseen.counted_differently) == (None, None, None)
    assert unseen.bottleneck == "unknown"
    run.metrics = [Measured(float(s), {CPU: 0.5 * s}) for s in range(4)]
    assert summarise(run).target_cpu_share == 0.5


def test_stops_of_the_target(run: Run) -> None:
    """Of the steady phase, from the log of its garbage collector; without one nobody knows."""
    assert (summarise(run).gc_pauses, summarise(run).other_stop_max_ms) == (None, None)
    run.tally.steady_from_s = 1.0
    run.gc = GcLog(
        [
            Pause(0.9, "Full", 0.5),
            Pause(1.2, "Young", 0.01),
            Pause(1.5, "Young", 0.03),
            Pause(1.6, "x", 0.002, False),
        ],
        [HeapChange(0.9, 99, 90), HeapChange(1.2, 70, 20), HeapChange(1.5, 80, 30)],
    )
    summary = summarise(run)
    assert (summary.gc_pauses, summary.gc_pause_max_ms, summary.other_stops) == (2, 30.0, 1)
    assert summary.gc_pause_share == pytest.approx(0.04)
    assert (summary.gc_pause_p50_ms, summary.gc_pause_p99_ms, summary.other_stop_max_ms) == (10.0, 30.0, 2.0)
    assert summary.heap_after_gc_max_bytes == 30


def test_every_field_is_explained_where_its_name_is_not_enough() -> None:
    """The schema is documentation."""
    described = RunSummary.model_json_schema()["properties"]
    assert "description" in described["ramp_s"]


def test_each_is_worked_out_once_however_many_methods(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What limited a run that is written, and for one more method no more of what failed."""
    asked: Counter[str] = Counter()
    failed, bottleneck = Run.failed.fget, Run.bottleneck.fget
    assert failed is not None
    assert bottleneck is not None
    monkeypatch.setattr(Run, "failed", property(lambda self: (asked.update(["failed"]), failed(self))[1]))
    monkeypatch.setattr(
        Run, "bottleneck", property(lambda self: (asked.update(["limit"]), bottleneck(self))[1])
    )
    write_run(tmp_path / "run", run)
    assert asked["limit"] == 1
    before = asked["failed"]
    for number in range(20):
        run.tally.of(f"more{number}").sent = 1
    write_run(tmp_path / "more", run)
    assert asked["failed"] == 2 * before


def test_what_a_resourcemanager_granted() -> None:
    """Containers, how long they took, applications, heartbeats, and the scheduler's own figures; else all null."""
    run = a_run_of_yarn(namenode=False)
    assert summarise(run).containers_per_s is None
    submitted = a_run_of_yarn(namenode=False)
    submitted.tally.of("submitApplication", "resourcemanager").sent += 1
    assert summarise(submitted).containers_per_s == 0.0, "no master was granted its container"
    run.tally.of("allocate", "resourcemanager").sent += 1
    register = run.tally.of("registerApplicationMaster", "resourcemanager")
    register.sent = register.answered = 6
    nothing = summarise(run)
    assert (nothing.containers_per_s, nothing.allocation_p99_ms) == (0.0, None)
    run.tally.grants += [0.010, 0.020, 0.030, 0.500]
    run.tally.close_interval(5.0)
    allocate = "RMCapacitySchedulerMetrics.Allocate"
    run.metrics = [
        Measured(
            float(at),
            {
                f"{allocate}NumOps": 10.0 * at,
                f"{allocate}AvgTime": 250_000.0,
                "RMQueueMetrics.AppsRunning": 2.0 * at,
                "RMQueueMetrics.PendingContainers": 5.0 * at,
                "RMQueueMetrics.AllocatedMB": 100.0 * at,
                "RMQueueMetrics.AvailableMB": 1000.0 - 100.0 * at,
                "RMQueues.root.day.AllocatedMB": 75.0 * at,
                "RMQueues.root.day.low.AllocatedMB": 75.0 * at,
                "RMQueues.root.night.AllocatedMB": 25.0 * at,
            },
        )
        for at in range(5)
    ]
    granted = summarise(run)
    assert (granted.containers_per_s, granted.applications_per_s, granted.node_heartbeats_per_s) == (
        1.0,
        1.5,
        10.0,
    )
    assert (granted.allocation_p50_ms, granted.allocation_p99_ms) == (20.0, pytest.approx(500.0, rel=1e-3))
    assert (granted.scheduler_allocate_ms, granted.scheduler_node_update_ms) == (pytest.approx(0.25), None)
    assert (granted.applications_running, granted.containers_pending_max) == (4.0, 20.0)
    assert granted.memory_allocated_share == 0.4
    assert granted.queue_shares == {"root.day.low": 0.75, "root.night": 0.25}


def test_daemons_have_rows_of_their_own() -> None:
    """Most calls first, each with its verdict, latency and CPU; a method names who was called."""
    summary = summarise(a_run_of_yarn())
    assert [
        (
            row.daemon,
            row.verdict.value,
            row.answered,
            row.failed,
            round(row.p99_ms),
            row.cpu_share,
        )
        for row in summary.daemons
    ] == [
        ("resourcemanager", "green", 40, 0, 2, pytest.approx(0.6)),
        ("namenode", "amber", 4, 1, 50, pytest.approx(0.1)),
    ]
    assert {row.method: row.daemon for row in summary.methods} == {
        "create": "namenode",
        "nodeHeartbeat": "resourcemanager",
    }
    assert summarise(a_run()).daemons == []
