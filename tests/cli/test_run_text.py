"""A run in the terminal."""

from __future__ import annotations

from froude.cli.run_text import failures_text, run_text
from froude.emulation.limits import parse_limit
from froude.emulation.notes import AS_RECORDED, LEFT_OUT
from froude.emulation.run.run import Difference
from froude.trace.failures import Failures
from tests.support.experiment.main_jobs import a_run, a_run_of_yarn


def test_the_verdict_comes_first() -> None:
    """With every reason, and what was never sent; then who was the limit, the phases, and methods."""
    run = a_run(limits=[], differences=[Difference("create", 4, 3)], remarks=["played with closed pacing"])
    run.tally.notes[f"{LEFT_OUT}client.e3 complete"] += 1200
    run.limits = [parse_limit(text).check(run) for text in ("p99 < 1 s", "errors < 1")]
    lines = run_text(run).splitlines()
    assert lines[0] == "RED: 1,200 calls never sent, because an argument had no value"
    assert lines[1].strip() == "limit not kept: errors < 1: 1"
    assert "     1,200  client.e3 complete" in lines
    assert "  p99 < 1 s: 3 ms" in lines
    assert "Limited by unknown: the target was not seen" in " ".join(lines)
    assert "Steady: 2.0 s, 3 calls, 2 calls/s" in lines
    assert "create: sent 4, the target counted 3" in lines
    row = next(line for line in lines if line.startswith("create  ")).split()
    assert row == ["create", "3", "2.00", "3.00", "3.00", "1"]


def test_a_ramp_is_told_apart() -> None:
    """Its length and its calls."""
    run = a_run()
    run.tally.end_ramp(1.5)
    assert "Ramp: 1.5 s, 4 calls, not among the figures below" in run_text(run)
    assert "Steady: 0.5 s, 0 calls" in run_text(run)
    run.mode = "population"
    assert "Warm-up: 1.5 s, 4 calls, not among the figures below\nMeasured: 0.5 s, 0 calls" in run_text(run)


def test_errors_that_were_recorded_are_no_news() -> None:
    """How many of them there are is said below the errors."""
    run = a_run()
    assert "as recorded" not in run_text(run)
    run.tally.notes[f"{AS_RECORDED}create"] += 1
    assert "Of these errors 1 is as recorded, or made again: not counted as failed." in run_text(run)


def test_failed_calls_by_class_method_and_message() -> None:
    """Number, first and last time, the first message, and what it was about where it does not say so."""
    failures = Failures()
    first = failures.add("create", "java.io.FileNotFoundException", "no such folder", 0.25)
    assert first is not None
    first.path = "/a/b"
    failures.add("create", "java.io.FileNotFoundException", "no such folder", 3.0)
    for number in range(20):
        failures.add(f"m{number}", "x.Y", "/p is busy", 1.0)
    lines = failures_text(list(failures), "see `run.json`").splitlines()
    assert lines[1].split() == [
        "2",
        "0.2",
        "s",
        "3.0",
        "s",
        "create",
        "FileNotFoundException:",
        "no",
        "such",
        "folder",
    ]
    assert lines[2].strip() == "such as /a/b"
    assert lines[-1].split() == ["9", "others:", "see", "`run.json`"]
    assert failures_text([], "") == ""


def test_several_daemons_are_told_apart() -> None:
    """A line for each with verdict, latency and CPU, and the table in their order, each with its sum."""
    lines = run_text(a_run_of_yarn()).splitlines()
    assert "NameNode: 1 call failed that did not fail when recorded" in lines[0]
    assert "ResourceManager: green, p99 2 ms at 10 calls/s, 60% of a core" in lines
    assert "NameNode: amber, p99 50 ms at 1 calls/s, 10% of a core" in lines
    head = next(number for number, line in enumerate(lines) if line.startswith("method"))
    table = [line.split() for line in lines[head + 1 : head + 5]]
    assert [row[0] for row in table] == ["ResourceManager", "nodeHeartbeat", "NameNode", "create"]
    assert [(row[1], row[-1]) for row in table] == [("40", "0"), ("40", "0"), ("4", "1"), ("4", "1")]


def test_a_resourcemanager_alone() -> None:
    """Nothing is said of a NameNode."""
    text = run_text(a_run_of_yarn(namenode=False))
    assert "the ResourceManager used 60% of a core" in text
    assert "NameNode" not in text


def test_containers_have_their_own_line() -> None:
    """How many a second, and how long after they were asked for; none where none was granted."""
    run = a_run_of_yarn(namenode=False)
    assert "Containers" not in run_text(run)
    run.tally.of("allocate", "resourcemanager").sent += 1
    run.tally.grants += [0.01, 0.02, 0.02, 0.5]
    run.tally.close_interval(5.0)
    numbers = {"RMQueueMetrics.PendingContainers": 7.0, "RMQueues.root.day.AllocatedMB": 5.0}
    run.metrics = [each._replace(values={**each.values, **numbers}) for each in run.metrics]
    assert (
        "\nContainers: 1.0 granted a second, after 20 ms (p50) and 500 ms (p99)\nWaiting containers: at most 7\n"
        "Queues: root.day 100%\n"
    ) in run_text(run)
