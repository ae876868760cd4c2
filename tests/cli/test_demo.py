"""`froude demo`: what it says, and how it ends; the chain itself is stood in for."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks.results_main_job import demo_rows
from froude.cli.app import run
from froude.documents.lineage import content_of
from froude.emulation.notes import LEFT_OUT
from froude.emulation.run.run import Run
from froude.experiment import main_job
from froude.experiment.record.jobs import DEMO
from froude.hadoop.cluster import cds_build
from froude.hadoop.release.distribution import Hadoop
from tests.support.experiment.figures.prediction import PREDICTION
from tests.support.experiment.main_jobs import a_run, done

Out = pytest.CaptureFixture[str]
Asked = list[dict[str, Any]]


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Asked]:
    """Makes the chain end with a run; gives what was asked of it."""
    monkeypatch.chdir(tmp_path)
    hadoop = SimpleNamespace()
    asked: Asked = []
    monkeypatch.setattr(
        Hadoop, "find", lambda release, *, progress: asked.append({"release": release}) or hadoop
    )  # type: ignore[func-returns-value]
    monkeypatch.setattr(cds_build, "prepare", lambda *parts: asked.append({"prepared": parts[0] is hadoop}))

    def ends(run_: Run, **changes: Any) -> Asked:
        def chain(job: object, workspace: Any, _: object, **options: Any) -> main_job.MainJob:
            asked.append({"job": job, "folder": workspace.folder, **options})
            return done(tmp_path, run=run_, **changes)

        monkeypatch.setattr(main_job, "run_main_job", chain)
        return asked

    return ends


def test_the_figures_and_the_report(stand_in: Callable[..., Asked], tmp_path: Path, capsys: Out) -> None:
    """Shares, counts and latencies for people; the report is of the workload that was mined."""
    asked = stand_in(a_run())
    assert run(["demo", "-o", "out", "--release", "3.4.2", "--seed", "5"]) == 0
    assert asked[0] == {"release": "3.4.2"}
    assert asked[1] == {"prepared": True}
    assert (asked[2]["job"], asked[2]["folder"], asked[2]["seed"]) == (DEMO, tmp_path / "out", 5)
    assert asked[2]["command"] == "froude demo -o out --release 3.4.2 --seed 5"
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[:10] == [
        "nodes whose call sequence was predicted exactly 100.00%",
        "logical arguments predicted 99.00%",
        "all arguments predicted 99.00%",
        "emulated nodes 5",
        "calls answered 3",
        (
            "verdict amber: 1 call failed that did not fail when recorded; nothing was seen of the target itself: "
            "name its web address"
        ),
        "calls failed 1",
        "calls left out 0",
        "p50 ms 2.0",
        "p99 ms 3.0",
    ]
    page = Path(lines[-1].removeprefix("report "))
    lineage = json.loads(page.with_suffix(".json").read_text())["lineage"]
    assert lineage["inputs"] == [content_of(tmp_path / "workload.yaml")]
    assert lineage["seed"] == 5


def test_the_same_as_json(stand_in: Callable[..., Asked], capsys: Out) -> None:
    """One document, and nothing beside it; the published results are read from it."""
    stand_in(a_run(), prediction=PREDICTION)
    assert run(["demo", "-o", "out", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["nodes whose call sequence was predicted exactly"] == pytest.approx(0.8)
    assert figures["calls answered"] == 3
    assert figures["seconds"] >= 0
    assert Path(figures["report"]).is_file()
    assert {row.measure: row.value for row in demo_rows(figures, 100.0)} == {
        "froude demo, from start to report": 100.0,
        "calls failed in its play": 1,
        "emulated nodes in its play": 5,
        "calls answered in its play": 3,
    }


def test_a_run_that_failed_is_1(stand_in: Callable[..., Asked], capsys: Out) -> None:
    """It says why; the report is there all the same."""
    stand_in(a_run(failure="connection reset"))
    assert run(["demo", "-o", "out"]) == 1
    out, err = capsys.readouterr()
    assert err.splitlines()[-1] == "froude: connection reset"
    assert Path(out.split()[-1]).is_file()


def test_a_play_of_less_than_was_planned_is_3(stand_in: Callable[..., Asked], capsys: Out) -> None:
    """It says of how many calls."""
    run_ = a_run()
    run_.tally.notes.update({f"{LEFT_OUT}client.e3 complete": 1200, f"{LEFT_OUT}client.e4 rename2": 34})
    stand_in(run_)
    assert run(["demo", "-o", "out"]) == 3
    out, err = capsys.readouterr()
    assert err == (
        "froude: red: 1,234 calls never sent, because an argument had no value; "
        "1 call failed that did not fail when recorded; nothing was seen of the target itself: name its web address\n"
    )
    assert "calls left out" in out
    assert " 1,234" in out


def test_everything_is_kept_in_a_folder_of_its_own_or_in_the_workspace(
    stand_in: Callable[..., Asked], tmp_path: Path
) -> None:
    """A current folder that is no workspace is not made one."""
    asked = stand_in(a_run())
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "froude.toml").write_text("")
    for words, folder in (
        ([], "froude-demo"),
        (["--workspace", "w"], "w"),
        (["--workspace", "w", "-o", "out"], "out"),
    ):
        assert run(["demo", *words]) == 0
        assert asked[-1]["folder"] == tmp_path / folder


def test_a_dry_run_starts_nothing(stand_in: Callable[..., Asked], tmp_path: Path, capsys: Out) -> None:
    """It names every scale, and the folder."""
    asked = stand_in(a_run())
    assert run(["demo", "--dry-run", "-o", "out"]) == 0
    said = capsys.readouterr().out
    for scale in (*DEMO.train, DEMO.held_out, DEMO.play):
        assert str(scale) in said
    assert said.endswith("keep everything in out\n")
    assert asked == []
    assert list(tmp_path.iterdir()) == []
