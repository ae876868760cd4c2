"""The first lines of a page are the answer of what it shows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from froude.emulation.notes import LEFT_OUT
from froude.emulation.run.bottleneck import CPU, Measured
from froude.emulation.run.run import TARGET, Run
from froude.experiment.figures.head import head_of, run_head
from froude.experiment.figures.run import run_sections
from froude.render import Tone
from froude.trace.types import Loss
from froude.workload.extrapolate import extrapolate
from froude.workload.plan import Refusal
from tests.support.experiment.figures.prediction import PREDICTION
from tests.support.experiment.figures.workload import SCALE, WORKLOAD
from tests.support.experiment.main_jobs import EXACT, a_run, a_run_of_yarn
from tests.support.trace.making import META, small_trace


def a_clean_run(**changes: Any) -> Run:
    """Without the error of the other."""
    run = a_run(**changes)
    run.tally.of("create").errors.clear()
    return run


def test_a_run_in_one_sentence() -> None:
    """What limited it, how many calls, and their latency; the Scale stands above."""
    head = run_head(a_run(scale={"datanodes": "3", "clients": "2"}))
    assert head.lede.startswith(
        "**The play is amber: 1 call failed that did not fail when recorded; nothing was seen"
    )
    assert (
        "3 calls were answered in 2 s, 99 % of them within 3 ms (service time); limited by: unknown"
        in head.lede
    )
    assert head.tone is Tone.WARNING
    assert head.subtitle.startswith("datanodes=3, clients=2 · 5 emulated nodes")
    values = {figure.label: figure.value for figure in head.figures}
    assert values == {
        "p99 latency": 0.003,
        "throughput": 2,
        "emulated nodes": 5,
        "failed calls": 1,
        "limited by": "unknown",
    }


def test_calls_that_were_never_sent_are_in_the_first_line() -> None:
    """As is a run that ended early: whatever follows is of less than was asked for."""
    run = a_clean_run(failure="`reset`")
    run.tally.notes[f"{LEFT_OUT}client.e3 complete"] = 41
    head = run_head(run)
    assert head.tone is Tone.BAD
    assert head.lede.startswith(
        "**The play is red: the run ended before its time: reset; 41 calls never sent"
    )


def test_runs_are_before_all_others() -> None:
    """And several are summed up, with the worst tone and the figures of each."""
    clean = replace(WORKLOAD, questions=(), findings=())
    parts = [("w", clean), ("r", a_run()), ("t", small_trace())]
    assert head_of(parts) == run_head(a_run())  # type: ignore[arg-type]
    both = head_of([("run-1", a_clean_run()), ("run-2", a_clean_run(failure="reset"))])
    assert both.lede.startswith("**2 runs**")
    assert both.tone is Tone.BAD
    assert "**`run-2` is red: the run ended before its time: reset.**" in both.lede
    slow = a_clean_run(environment={"JVM flags": "-XX:TieredStopAtLevel=1"})
    assert head_of([("run-1", slow), ("run-2", slow)]).lede.count("flags for a quick start") == 1
    assert [figure.label for figure in both.figures] == ["p99 latency, run-1", "p99 latency, run-2"]


def test_a_run_is_no_better_than_its_workload() -> None:
    """What mining noticed, and what nobody answered, stands in the first lines of the run's page."""
    metrics = [Measured(float(s), {CPU: 0.1 * s}) for s in range(4)]
    run = ("r", a_clean_run(metrics=metrics))
    assert head_of([run]).tone is Tone.GOOD
    assert head_of([run, ("w", replace(WORKLOAD, questions=(), findings=()))]).tone is Tone.GOOD
    noted = replace(WORKLOAD, findings=(replace(WORKLOAD.findings[0], fatal=False),))
    head = head_of([("w", noted), run])
    assert head.tone is Tone.WARNING
    reason = "**Of the workload:** 1 question not answered; mining noticed: `files took one value`."
    assert head.lede == f"{reason} {head_of([run]).lede}"
    amber = head_of([("w", noted), ("r", a_run())])
    assert amber.lede == f"{head_of([('r', a_run())]).lede} {reason}"
    assert head_of([run, ("w", WORKLOAD)]).tone is Tone.BAD


def test_a_run_on_a_slow_jvm_says_so() -> None:
    """It names the flags, and what was played against by its name."""
    environment = {"Hadoop": "3.5.0", "heap": "954 MiB", "JVM flags": "-XX:TieredStopAtLevel=1"}
    head = run_head(a_run(environment=environment))
    assert "flags for a quick start (-XX:TieredStopAtLevel=1)" in head.lede
    assert "limited by: unknown (the NameNode's CPU was not seen)" in head.lede
    assert "Hadoop 3.5.0 · heap 954 MiB" in head.subtitle


@pytest.mark.parametrize(
    ("part", "title"),
    [
        (a_run(scale={"clients": "2"}), "Play of clients=2 against a server: p99 3 ms at 2 calls/s"),
        (WORKLOAD, "Workload of 2 node types: 1 open question"),
        (small_trace(), "One recording: 4 calls of 1 method"),
        (EXACT, "Prediction against a real run: 100 % of the call sequences"),
        (extrapolate(WORKLOAD, SCALE), "Plan at clients=2, files=4, datanodes=3: 5 nodes, can be played"),
    ],
    ids=["run", "workload", "trace", "prediction", "plan"],
)
def test_a_title_says_what_it_is_of_and_the_result(part: Any, title: str) -> None:
    """No name of a file does."""
    assert head_of([("x.json", part)]).title == title


def test_a_prediction_is_held_against_its_aims() -> None:
    """99 % of the arguments and every sequence."""
    assert head_of([("p", EXACT)]).tone is Tone.GOOD
    missed = head_of([("p", PREDICTION)])
    assert missed.tone is Tone.WARNING
    assert missed.lede.startswith("**80.00 % of the nodes**")


def test_a_plan_can_be_played_or_not() -> None:
    """The first refusal is the reason."""
    plan = replace(extrapolate(WORKLOAD, SCALE), refusals=())
    assert head_of([("plan", plan)]).lede == "**It can be played.**"
    assert head_of([("plan", plan)]).tone is Tone.GOOD
    assert head_of([("plan", replace(plan, refusals=(Refusal("small", fatal=False),)))]).tone is Tone.WARNING
    refused = head_of([("plan", replace(plan, refusals=(Refusal("it fits nothing"),)))])
    assert (refused.tone, "it fits nothing" in refused.lede) == (Tone.BAD, True)
    assert {figure.label: figure.value for figure in refused.figures}["emulated nodes"] == 5


def test_a_workload_says_what_is_open() -> None:
    """A fatal finding comes first."""
    head = head_of([("w", WORKLOAD)])
    assert head.tone is Tone.BAD
    assert head.lede.startswith("**It cannot be extrapolated:** `files took one value`.")
    noted = replace(WORKLOAD, findings=(replace(WORKLOAD.findings[0], fatal=False),))
    assert "To be kept in mind" in head_of([("w", noted)]).lede
    assert head_of([("w", replace(WORKLOAD, questions=(), findings=()))]).tone is Tone.GOOD


@pytest.mark.parametrize(("lost", "tone"), [(0, Tone.GOOD), (3, Tone.WARNING)])
def test_recordings_say_whether_they_are_whole(lost: int, tone: Tone) -> None:
    """And what was lost."""
    trace = replace(small_trace(), meta=replace(META, loss=Loss(undecodable_frames=lost)))
    head = head_of([("a", trace), ("b", small_trace())])
    assert head.tone is tone
    assert "2 recordings" in head.lede
    assert ("Nothing was lost" in head.lede) is (lost == 0)


def test_a_run_of_two_daemons_names_both() -> None:
    """Title, first line and figures have the latency of each; the one with more calls comes first."""
    run = a_run_of_yarn(environment={"Hadoop": "3.5.0", TARGET: "ResourceManager and NameNode"})
    head = run_head(run)
    assert head.title == (
        "Play of nodes=5 against a ResourceManager and NameNode: ResourceManager p99 2 ms at 10 calls/s; "
        "NameNode p99 50 ms at 1 calls/s"
    )
    assert "**ResourceManager: green,** p99 2 ms at 10 calls/s. **NameNode: amber,** p99 50 ms" in head.lede
    values = {figure.label: figure.value for figure in head.figures}
    assert values["p99 latency, ResourceManager"] == pytest.approx(0.002)
    assert values["p99 latency, NameNode"] == pytest.approx(0.05, rel=0.01)


def test_a_run_against_a_resourcemanager_alone() -> None:
    """Nothing on its page is about a NameNode, what it was played on included."""
    run = a_run_of_yarn(namenode=False, environment={TARGET: "ResourceManager", "cores of the target": "2"})
    assert run_head(run).title == "Play of nodes=5 against a ResourceManager: p99 2 ms at 10 calls/s"
    assert "NameNode" not in repr(run_head(run))
    assert "NameNode" not in repr(run_sections(run))
