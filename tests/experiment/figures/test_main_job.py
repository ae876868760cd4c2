"""The report of the main job says in numbers what came of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from froude.emulation.run.bottleneck import CPU, Measured
from froude.experiment.figures.main_job import main_job_report
from froude.experiment.figures.prediction import prediction_section
from froude.experiment.figures.workload import workload_section
from froude.render import Callout, Table, Tone
from tests.support.experiment.figures.prediction import PREDICTION
from tests.support.experiment.figures.workload import SCALE, WORKLOAD
from tests.support.experiment.knees import two_plays
from tests.support.experiment.main_jobs import EXACT, a_run, done


def test_the_lede_answers_in_numbers(tmp_path: Path) -> None:
    """How much was predicted of what, and what was played."""
    job = done(tmp_path)
    lede = main_job_report(job).lede
    assert "From 2 small runs Froude predicted one at **datanodes=6, clients=5, files=8**" in lede
    assert "every call sequence and 99.00 % of the arguments of its calls were predicted, heartbeats" in lede
    assert f"played **{SCALE}** against a NameNode: 3 calls in 2 s, 99 % of them answered within 3 ms" in lede


def test_only_what_came_out_exactly_is_good(tmp_path: Path) -> None:
    """A sequence that did not, and a run that is not green, is a warning; a run that failed is bad."""
    metrics = [Measured(float(s), {CPU: 0.1 * s}) for s in range(4)]
    good = a_run(metrics=metrics)
    good.tally.of("create").errors.clear()
    clean = replace(WORKLOAD, questions=(), findings=())
    assert main_job_report(done(tmp_path, run=good, workload=clean)).tone is Tone.GOOD
    assert main_job_report(done(tmp_path, run=a_run(metrics=metrics), workload=clean)).tone is Tone.WARNING
    open_still = main_job_report(done(tmp_path, run=good))
    assert (open_still.tone, "1 question not answered" in open_still.lede) == (Tone.WARNING, True)
    missed = main_job_report(done(tmp_path, run=good, prediction=PREDICTION, workload=clean))
    assert missed.tone is Tone.WARNING
    assert "80.00 % of the call sequences" in missed.lede
    failed = main_job_report(done(tmp_path, run=a_run(failure="connection reset")))
    assert failed.tone is Tone.BAD


def test_a_knee_answers_first_with_its_limits_and_its_jvm(tmp_path: Path) -> None:
    """In the first screen: the answer in the title, what had to be kept, and that the JVM was a slow one."""
    flags = {"JVM flags": "-Xmx953m -XX:+UseSerialGC -XX:TieredStopAtLevel=1"}
    knee = replace(two_plays(), environment=flags)
    report = main_job_report(done(tmp_path, knee=knee))
    assert report.title == "How far does this NameNode scale? Up to 2 calls/s (clients=2)"
    assert report.lede.startswith("**The NameNode keeps its limits up to 2 calls/s (clients=2)")
    assert "The limits: `p99 < 1 s`.\n- Limits kept in 1 of 1 play at clients=2" in report.lede
    assert "flags for a quick start (-XX:TieredStopAtLevel=1 -XX:+UseSerialGC)" in report.lede
    alone = main_job_report(done(tmp_path, run=a_run(environment=flags)))
    assert "flags for a quick start" in alone.lede


def test_figures(tmp_path: Path) -> None:
    """Shares with their aims, calls, the latency that the pacing measures, and the limit."""
    figures = {each.label: each for each in main_job_report(done(tmp_path)).figures}
    assert {label: figure.value for label, figure in figures.items()} == {
        "call sequences predicted": 1.0,
        "arguments of the job's calls predicted": 0.99,
        "calls answered": 3,
        "p99 latency": 0.003,
        "the play was limited by": "unknown",
    }
    assert [figure.aim for figure in figures.values()] == [1.0, 0.99, None, None, None]
    assert figures["calls answered"].note == "2 calls/s of 5 emulated nodes"
    scheduled = main_job_report(done(tmp_path, run=a_run(pacing="scheduled"))).figures[3]
    assert scheduled.value == pytest.approx(0.5, rel=1e-3)
    assert scheduled.note != figures["p99 latency"].note


def test_sections_in_the_order_of_the_chain(tmp_path: Path) -> None:
    """Recorded, mined, predicted, played; the held-out run is a recorded one as well, with its audit log."""
    report = main_job_report(done(tmp_path, run=a_run(failure="connection reset")))
    recorded, pattern, prediction, played, *_ = report.sections
    assert recorded.title == "What was recorded"
    table = next(block for block in recorded.blocks if isinstance(block, Table))
    assert [row[-1] for row in table.rows] == ["9 of 9"] * 3
    assert pattern == workload_section(WORKLOAD, SCALE)
    assert prediction == prediction_section(EXACT, "datanodes=6, clients=5, files=8")
    assert any(isinstance(block, Callout) and "connection reset" in block.markdown for block in played.blocks)


def test_facts(tmp_path: Path) -> None:
    """What a reader needs to do it again."""
    report = main_job_report(done(tmp_path))
    assert report.facts == {
        "Job": "upload-and-read",
        "Workload": "workload.yaml",
        "Cluster played against": "CID-1",
        "Seed": "7",
        "Recorded clusters": "CID",
    }
    assert "Hadoop 3.4.2" in report.subtitle
