"""`froude sweep`: the arms as a table, the comparison behind it, and exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.experiment.runners import SweepRunner
from froude.experiment.scenario.scenario import Finding
from froude.experiment.sweep.file import read_swept
from froude.experiment.sweep.result import Swept
from froude.hadoop.release.distribution import Hadoop
from froude.workload.extrapolate import extrapolate
from froude.workload.plan_file import write_plan
from tests.support.cli.command_lines import ORIGIN, SCALES, recorded
from tests.support.experiment.sweeps import swept

Out = pytest.CaptureFixture[str]
FASTER = Finding(claim="faster", limits=("last/first: p50 < 0.8",))
SWEEP = "froude: scenario/1\nkind: sweep\nbase: base.yaml\nvary: {target.heap: [1 GB, 4 GB]}\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a sweep and its base; there is no Hadoop."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FROUDE_WORKSPACE", raising=False)
    monkeypatch.delenv("FROUDE_SEED", raising=False)
    monkeypatch.setattr(Hadoop, "find", lambda *_, **__: None)
    write_plan(Path("plan"), extrapolate(recorded(), SCALES[0]), ORIGIN)
    Path("base.yaml").write_text("froude: scenario/1\nkind: play\nload: {plan: plan}\n")
    Path("sweep.yaml").write_text(SWEEP)


@pytest.mark.parametrize(
    ("made", "code", "said"),
    [
        (partial(swept, 1.0, 1.3), 3, "heap=2GB beside heap=1GB: The candidate is slower"),
        (lambda: replace(swept(1.0, 0.7), kept=2), 0, "2 runs had been made before, and kept."),
        (partial(swept, 1.0, 1.0, interrupted=True), 130, "heap=2GB     4       0         0"),
        (partial(swept, 1.0, 1.0, failure="gone"), 0, "Left out, 8 runs: it failed: gone."),
        (
            partial(swept, 1.0, 1.0, finding=FASTER),
            3,
            "Not reproduced at files=9: faster (last/first: p50 < 0.8: ",
        ),
        (partial(swept, 1.0, 0.5, finding=FASTER), 0, "Reproduced at files=9: faster"),
    ],
    ids=["worse", "better", "interrupted", "failed", "not shown", "shown"],
)
def test_what_came_of_it_is_shown_and_kept(
    made: Callable[[], Swept], code: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    """By both commands alike; the file says the same."""
    found = made()
    Path("sweep").mkdir()
    monkeypatch.setattr(SweepRunner, "run", lambda *_: found)
    assert run(["run", "sweep.yaml"]) == code
    same = capsys.readouterr()
    assert run(["sweep", "sweep.yaml"]) == code
    out, err = capsys.readouterr()
    assert (out, err) == same
    assert out.startswith(found.answer[:40])
    assert said in out.replace("\n", " ") or said in out
    assert ("interrupted after 8 of 6 runs" in err) is found.interrupted
    assert read_swept(Path("sweep/sweep.json")) == found
    assert run(["report", "sweep/sweep.json", "--static"]) == 0


def test_a_sweep_that_comes_with_froude_is_taken_by_its_name(capsys: Out) -> None:
    """As `froude run` takes it; another name is that of a file."""
    assert run(["sweep", "heartbeat-burst", "--dry-run"]) == 0
    assert "Would make" in capsys.readouterr().out
    assert run(["sweep", "heartbeat-bursts", "--dry-run"]) == 1


def test_as_json(monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    """One document, that of the file; without a run there is no folder for one."""
    monkeypatch.setattr(SweepRunner, "run", lambda *_: swept(1.0, 1.0))
    assert run(["sweep", "sweep.yaml", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["froude"] == "swept/1"
    assert not Path("sweep").exists()


def test_a_dry_run_says_what_would_be_run(capsys: Out) -> None:
    """Arm by arm; nothing is made."""
    assert run(["sweep", "sweep.yaml", "-o", "out", "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert "Would make 6 runs into out\n  heap=1GB: 3 runs\n  heap=4GB: 3 runs" in out
    assert not Path("out").exists()


def test_a_dry_run_names_the_java_of_all_arms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    """And what of it would be fetched; nothing is."""
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    for name, value in {"PATH": "", "FROUDE_CACHE": str(tmp_path / "cache")}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    sweep = (
        Path("sweep.yaml").read_text().replace("target.heap: [1 GB, 4 GB]", "target.release: [3.4.1, 3.5.0]")
    )
    Path("two.yaml").write_text(sweep)
    assert run(["sweep", "two.yaml", "-o", "out", "--dry-run"]) == 0
    assert "One Java for all arms: 21.0.8, fetched first (34 MB)" in capsys.readouterr().err
    assert not (tmp_path / "cache").exists()


def test_a_dry_run_says_that_arms_cannot_be_compared(capsys: Out) -> None:
    """Before hours are spent on it."""
    few = Path("sweep.yaml").read_text().replace("repeats: 3", "") + "repeats: 2\n"
    Path("few.yaml").write_text(few)
    assert run(["sweep", "few.yaml", "-o", "out", "--dry-run"]) == 0
    assert "too few to compare arms; `repeats: 3` are the least" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("sweep base.yaml", "is no sweep; found play"),
        ("sweep sweep.yaml -o plan", "is no folder of a sweep; found plan"),
        ("sweep sweep.yaml -o plan/sweep", "lies in another artifact"),
        ("sweep sweep.yaml -o base.yaml", "base.yaml: "),
        ("sweep odd.yaml", "vary.target.heat: "),
        ("sweep self.yaml", "sweep.yaml:kind: "),
        (
            "sweep limited.yaml",
            "limited.base.yaml:4: limits: is a method that the plan never calls; found nosuch",
        ),
        (
            "run limited.yaml",
            "limited.base.yaml:4: limits: is a method that the plan never calls; found nosuch",
        ),
        ("sweep primary.yaml", "compare.primary: is no measure that decides; found p98(create)"),
    ],
)
def test_what_is_refused(line: str, said: str, capsys: Out) -> None:
    """Before anything is started."""
    Path("odd.yaml").write_text(SWEEP.replace("heap", "heat"))
    Path("primary.yaml").write_text(SWEEP + "compare: {primary: p98(create)}\n")
    Path("limited.base.yaml").write_text(Path("base.yaml").read_text() + "limits: ['p99(nosuch) < 1 s']\n")
    Path("limited.yaml").write_text(SWEEP.replace("base.yaml", "limited.base.yaml"))
    Path("self.yaml").write_text(SWEEP.replace("base.yaml", "sweep.yaml"))
    assert run(line.split()) == 1
    assert said in capsys.readouterr().err
