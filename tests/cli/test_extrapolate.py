"""`froude extrapolate`."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.documents.store import read_artifact
from froude.workload.plan_file import read_plan
from froude.workload.types import Finding
from froude.workload.yaml_file import open_workload, write_workload
from tests.support.cli.command_lines import recorded

Out = pytest.CaptureFixture[str]
AT = ("--at", "datanodes=5", "--at", "clients=7", "--at", "files=9")


@pytest.fixture
def go(tmp_path: Path) -> Callable[..., int]:
    """Runs the command on a workload that was recorded at two scales; the plan goes to `plan`."""
    write_workload(tmp_path / "w.yaml", recorded())

    def command(*words: str) -> int:
        return run(["extrapolate", str(tmp_path / "w.yaml"), "-o", str(tmp_path / "plan"), *words])

    return command


def test_a_plan_at_a_scale(go: Callable[..., int], tmp_path: Path, capsys: Out) -> None:
    """Its nodes are told; it is what was asked for, made from that workload."""
    assert go(*AT) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[:2] == ["5 datanode", "7 client"]
    assert lines[-2:] == [f"Plan written to {tmp_path / 'plan'}", f"Play it: froude play {tmp_path / 'plan'}"]
    plan = read_plan(tmp_path / "plan")
    assert plan.counts == {"datanode": 5, "client": 7}
    assert str(plan.scale) == "datanodes=5, clients=7, files=9"
    artifact = read_artifact(tmp_path / "plan")
    assert artifact is not None
    assert artifact.lineage.inputs == (open_workload(tmp_path / "w.yaml").content,)


def test_a_plan_as_json(go: Callable[..., int], tmp_path: Path, capsys: Out) -> None:
    """One document; on a dry run it is all there is."""
    assert go(*AT, "--dry-run", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["nodes"] == {"datanode": 5, "client": 7}
    assert document["playable"] is True
    assert not (tmp_path / "plan").exists()
    assert go(*AT, "--dry-run") == 0
    assert capsys.readouterr().out.splitlines()[-1] == "Nothing written"


def fits_nothing(folder: Path, *, fatal: bool = True) -> None:
    """Give the workload a finding."""
    write_workload(
        folder / "w.yaml", replace(recorded(), findings=(Finding("it fits nothing", fatal=fatal),))
    )


def test_a_plan_that_cannot_be_played_is_3(go: Callable[..., int], tmp_path: Path, capsys: Out) -> None:
    """Where none stands it is written to be looked at; its refusals are told."""
    fits_nothing(tmp_path)
    assert go(*AT) == 3
    out = capsys.readouterr().out
    assert "refused: it fits nothing" in out
    assert str(tmp_path / "plan") in out
    assert not read_plan(tmp_path / "plan").playable


def test_a_plan_that_cannot_be_played_replaces_none(
    go: Callable[..., int], tmp_path: Path, capsys: Out
) -> None:
    """The one that stands there stays, and the command says so; one that can be played replaces it."""
    assert go(*AT) == 0
    good = read_plan(tmp_path / "plan")
    fits_nothing(tmp_path)
    capsys.readouterr()
    assert go("--at", "datanodes=6", *AT[2:]) == 3
    out = capsys.readouterr().out
    assert "Nothing written; it cannot be played" in out
    assert f"The plan that stands in {tmp_path / 'plan'} stays as it is" in out
    assert read_plan(tmp_path / "plan").counts == good.counts
    write_workload(tmp_path / "w.yaml", recorded())
    assert go("--at", "datanodes=6", *AT[2:]) == 0
    assert read_plan(tmp_path / "plan").counts["datanode"] == 6


def test_what_is_to_be_kept_in_mind_is_a_note(go: Callable[..., int], tmp_path: Path, capsys: Out) -> None:
    """It does not keep a plan from being played."""
    fits_nothing(tmp_path, fatal=False)
    assert go(*AT) == 0
    assert "note: it fits nothing" in capsys.readouterr().out


def test_a_variable_that_the_scale_does_not_say_is_refused(go: Callable[..., int], capsys: Out) -> None:
    """By its name."""
    assert go(*AT[:4]) == 3
    assert "refused: the scale does not say 'files'" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("datanodes", "is not a scale variable; found datanodes"),
        ("datanodes=x", "datanodes: "),
        ("=3", "found =3"),
    ],
)
def test_a_scale_that_is_none(
    text: str, message: str, go: Callable[..., int], tmp_path: Path, capsys: Out
) -> None:
    """Is one clear error, and nothing is written."""
    assert go("--at", text) == 1
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    assert not (tmp_path / "plan").exists()
