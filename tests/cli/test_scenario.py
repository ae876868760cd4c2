"""`froude scenario`: the files that people begin with."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.experiment.runners import RUNNERS
from froude.experiment.scenario.scenario import KINDS, read_scenario
from froude.experiment.scenario.shipped import shipped
from froude.experiment.scenario.text import template

Out = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("kind", RUNNERS)
def test_a_new_scenario_is_printed_or_written(kind: str, capsys: Out) -> None:
    """As it stands, so that a redirection gives the same file."""
    assert run(["scenario", "new", kind]) == 0
    assert capsys.readouterr().out == template(kind)
    assert run(["scenario", "new", kind, "-o", "s.yaml"]) == 0
    assert "froude run s.yaml" in capsys.readouterr().out
    assert Path("s.yaml").read_text() == template(kind)
    assert read_scenario(Path("s.yaml")).scenario.kind == kind
    assert run(["--json", "scenario", "new", kind]) == 0
    assert json.loads(capsys.readouterr().out) == {"kind": kind, "scenario": template(kind)}


@pytest.mark.parametrize("kind", ["demo", *(kind for kind in KINDS if kind not in RUNNERS)])
def test_only_kinds_that_run_are_offered(kind: str, capsys: Out) -> None:
    """With those that do."""
    assert run(["scenario", "new", kind]) == 1
    assert (
        f"found {kind}; allowed: {', '.join(RUNNERS)}, containers, containers-per-node, datanodes"
        in capsys.readouterr().err
    )


def test_a_dry_run_writes_nothing(capsys: Out) -> None:
    """But says so."""
    assert run(["--dry-run", "scenario", "new", "play", "-o", "s.yaml"]) == 0
    assert "Would write s.yaml" in capsys.readouterr().out
    assert not Path("s.yaml").exists()


def test_a_comparison_is_written_with_what_it_varies(capsys: Out) -> None:
    """Which stays where it is there already, since it is the user's to fill in."""
    assert run(["scenario", "new", "fair-lock", "-o", "fair.yaml"]) == 0
    assert "It needs replay.yaml\n" in capsys.readouterr().out
    Path("replay.yaml").write_text("mine")
    assert run(["scenario", "new", "queue-wait", "-o", "queue.yaml"]) == 0
    assert "It needs replay.yaml, which was there" in capsys.readouterr().out
    assert Path("replay.yaml").read_text() == "mine"
    assert run(["scenario", "new", "fair-lock"]) == 0
    assert capsys.readouterr().out == Path("fair.yaml").read_text()


def test_a_recording_is_written_with_its_program(capsys: Out) -> None:
    """Nothing of it is to be filled in; whoever may read the program may run it, as the umask allows."""
    before = os.umask(0o027)
    try:
        assert run(["scenario", "new", "mapreduce", "-o", "m.yaml"]) == 0
    finally:
        os.umask(before)
    said = "Written: m.yaml, mapreduce_jobs.py; `froude run m.yaml` runs it as it is"
    assert capsys.readouterr().out.strip() == said
    assert stat.S_IMODE(Path("mapreduce_jobs.py").stat().st_mode) == 0o750


def test_a_search_is_written_with_its_workload(capsys: Out) -> None:
    """Nothing of it is to be filled in."""
    assert run(["scenario", "new", "containers", "-o", "c.yaml"]) == 0
    out = capsys.readouterr().out.strip()
    assert out == "Written: c.yaml, containers-workload.yaml; `froude run c.yaml` runs it as it is"


@pytest.mark.parametrize(
    ("kind", "place"), [("containers", "sub/containers-workload.yaml"), ("fair-lock", "replay.yaml")]
)
def test_a_scenario_has_another_name_than_the_files_that_it_needs(kind: str, place: str, capsys: Out) -> None:
    """One of them would take the place of the other: nothing is written."""
    Path("sub").mkdir()
    assert run(["scenario", "new", kind, "-o", place]) == 1
    message = (
        f"{place}: is the name of a file that the scenario needs; allowed: another name, such as {kind}.yaml"
    )
    assert message in capsys.readouterr().err
    assert not Path(place).exists()


def test_all_are_listed(capsys: Out) -> None:
    """Kinds, and comparisons with what they ask."""
    assert run(["scenario", "list"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in (*KINDS, *shipped()))
    assert run(["--json", "scenario", "list"]) == 0
    assert json.loads(capsys.readouterr().out)["shipped"] == shipped()
