"""`froude ls`: what a workspace and a folder hold, newest first."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.documents.artifact import Origin
from froude.documents.store import Workspace
from froude.experiment.knee.file import write_knee
from froude.harvest.telemetry.files import write_datacenter
from froude.trace.files import write_trace
from tests.support.experiment.knees import two_plays
from tests.support.harvest.datacenters import drawn
from tests.support.old_forms import OLD
from tests.support.trace.making import small_trace

Out = pytest.CaptureFixture[str]


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """With a Trace, a newer knee, and files of others."""
    monkeypatch.chdir(tmp_path)
    made = Workspace(tmp_path)
    write_trace(made.new("trace"), small_trace(), Origin())
    meta = Path("traces/trace-1/meta.yaml")
    meta.write_text(re.sub(r"(made_at: ).*", r"\1'1970-01-01T00:00:00+00:00'", meta.read_text()))
    write_knee(made.new("knee", suffix=".json"), two_plays(), None)
    Path("notes.txt").write_text("mine\n")
    return made


@pytest.mark.usefixtures("workspace")
def test_newest_first_a_line_each(capsys: Out) -> None:
    """With the figures of each, and whole as JSON; files of others are not listed."""
    assert run(["ls"]) == 0
    head, knee, trace = capsys.readouterr().out.splitlines()
    assert head.split() == ["made", "(UTC)", "kind", "path", "figures"]
    assert "knees/knee-1.json" in knee
    assert "1970-01-01 00:00  trace  traces/trace-1" in trace
    assert "calls" in trace
    assert run(["ls", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["kind"] for row in rows] == ["knee", "trace"]
    assert rows[0]["answer"] == two_plays().answer


def test_what_an_older_version_made(tmp_path: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    """A whole workspace is listed, and a plan is made of its workload under its name."""
    monkeypatch.chdir(shutil.copytree(OLD / "workspace", tmp_path / "w"))
    assert run(["ls", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert sorted(row["kind"] for row in rows) == ["plan", "trace", "workload"]
    assert not [row for row in rows if "cannot be read" in row]
    assert run(["extrapolate", "job", "--at", "datanodes=3", "--at", "clients=2", "--at", "files=4"]) in {
        0,
        3,
    }


def test_documents_without_a_reader_have_figures_too(
    tmp_path: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Datacenters, plans of hardware and their inputs: numbers, words, and how long lists are."""
    monkeypatch.chdir(tmp_path)
    write_datacenter(tmp_path / "dc", drawn(2, 4, 8), Origin())
    shutil.copy(OLD / "provision" / "plan.json", tmp_path)
    shutil.copy(OLD / "provision" / "inputs.yaml", tmp_path)
    assert run(["ls", "--json"]) == 0
    rows = {row["kind"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["cluster"]["upper"] == "7,329.09"
    assert rows["provision"]["application"] == "3 dataset, 3 task"
    assert rows["datacenter"]["tenants"] == "4"


@pytest.mark.usefixtures("workspace")
def test_what_is_damaged_has_a_line(capsys: Out) -> None:
    """The others are listed as well."""
    with Path("traces/trace-1/meta.yaml").open("a") as meta:
        meta.write("more: 1\n")
    assert run(["ls"]) == 0
    out = capsys.readouterr().out
    assert "cannot be read" in out
    assert "knee-1" in out


def test_without_anything(tmp_path: Path, capsys: Out) -> None:
    """An empty folder, one without a run, and none."""
    assert run(["ls", str(tmp_path)]) == 0
    assert "holds nothing of Froude" in capsys.readouterr().out
    assert run(["ls", str(tmp_path), "--runs"]) == 0
    assert "holds no run" in capsys.readouterr().out
    assert run(["ls", str(tmp_path / "none")]) == 1
    assert "is not a folder" in capsys.readouterr().err
