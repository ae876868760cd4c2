"""`froude run`: a scenario of each kind goes the way of the command that does the same from flags."""

from __future__ import annotations

import json
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from froude.cli.app import run
from froude.documents.store import Workspace
from froude.emulation.run.bottleneck import CPU, Measured
from froude.experiment import runners
from froude.experiment.knee import knee as search
from froude.experiment.knee.answer import Knee
from froude.experiment.knee.file import read_knee
from froude.experiment.replay.heap import HeapRunner, answer_of
from froude.hadoop.release.distribution import Hadoop
from froude.workload.plan_file import read_plan, write_plan
from froude.workload.types import Recorded
from froude.workload.yaml_file import write_workload
from testbed.plans import plan
from tests.support.cli.command_lines import ORIGIN, recorded
from tests.support.experiment.heaps import points
from tests.support.experiment.knees import two_plays
from tests.support.experiment.main_jobs import a_run

Out = pytest.CaptureFixture[str]
HEAD = "froude: scenario/1\n"
RUNNING = "target:\n  running:\n    any: {address: 'h:1', id: CID-1}\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a plan and a workload; there is no Hadoop."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FROUDE_WORKSPACE", raising=False)
    monkeypatch.delenv("FROUDE_SEED", raising=False)
    planned = plan(datanodes=3, clients=2)
    workload = replace(planned.workload, recorded=Recorded((planned.scale,), ("CID-source",)))
    write_plan(Path("plan"), replace(planned, workload=workload))
    write_workload(Path("workload.yaml"), recorded())
    Path("job.sh").write_text("#!/bin/sh\n")
    Path("job.sh").chmod(0o755)
    Path("hdfs-audit.log").touch()
    monkeypatch.setattr(Hadoop, "find", lambda *_, **__: None)


def scenario(text: str, file: str = "s.yaml") -> str:
    """A scenario's file."""
    Path(file).write_text(HEAD + text)
    return file


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("play", "Would play on a NameNode of 1 GB started for it into run\n       3  datanode"),
        ("knee", "Would raise clients from datanodes=4, clients=3, files=5"),
        ("dyno", "Would play hdfs-audit.log again on a NameNode started from an empty namespace into run"),
        ("heap", "Would measure NameNodes with "),
        ("record", "Would record 3 runs:\n  datanodes=3, files=5: ./job.sh 5"),
    ],
)
def test_a_dry_run_says_what_would_be_done(kind: str, said: str, capsys: Out) -> None:
    """Of every kind as it is written anew; nothing is started, nothing written."""
    assert run(["scenario", "new", kind, "-o", "s.yaml"]) == 0
    capsys.readouterr()
    before = sorted(Path().rglob("*"))
    assert run(["run", "s.yaml", "--dry-run"]) == 0
    assert said in capsys.readouterr().out
    assert sorted(Path().rglob("*")) == before


def test_a_run_is_made_and_shown(monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    """As by `froude play`; the seed that is given counts."""
    seen: list[Any] = []

    def play(_plan: Any, target: Any, options: Any, **more: Any) -> Any:
        seen.append((target, options.seed, more["folder"]))
        metrics = [Measured(float(s), {CPU: 0.1 * s}) for s in range(4)]
        return a_run(metrics=metrics)

    monkeypatch.setattr(runners, "play", play)
    file = scenario(f"kind: play\n{RUNNING}load: {{plan: plan}}\nseed: 7\n")
    assert run(["--json", "run", file]) in {0, 3}
    assert json.loads(capsys.readouterr().out)["calls_answered"]
    run(["--seed", "8", "run", file, "-o", "other"])
    assert [(seed, folder) for _, seed, folder in seen] == [(7, Path("run")), (8, Path("other"))]
    assert seen[0][0][""].id == "CID-1"


def test_a_knee_is_written_and_shown(monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    """As by `froude knee`."""
    found: Knee = two_plays()
    monkeypatch.setattr(search, "knee", lambda *_, **__: found)
    file = scenario("kind: knee\nload: {workload: workload.yaml}\nseed: 7\n")
    assert run(["run", file, "-o", "k.json"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == found.answer
    knee = read_knee(Path("k.json"))
    assert knee == found
    assert knee.origin.seed == 7


def test_a_plan_may_be_named_as_in_its_workspace(capsys: Out) -> None:
    """Where no file of that name lies beside the scenario."""
    write_plan(Workspace("ws").new("plan", "big"), read_plan(Path("plan")), ORIGIN)
    file = scenario("kind: play\nload: {plan: big}\n")
    assert run(["--workspace", "ws", "--dry-run", "run", file]) == 0
    assert run(["--dry-run", "run", file]) == 1
    assert "big/plan.yaml" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        ("kind: play\nload: {plan: plan}\nspeed: 2\n", [], "s.yaml:4: speed: "),
        ("kind: play\nload: {plan: nosuch}\n", [], "nosuch/plan.yaml: "),
        ("kind: play\nload: {workload: workload.yaml}\n", [], "does not say 'clients'"),
        (
            "kind: play\nload: {plan: plan}\nlimits: ['p99(nosuch) < 1 s']\n",
            [],
            "s.yaml:4: limits: is a method",
        ),
        (
            "kind: knee\nload: {workload: workload.yaml, at: {x: 3}}\n",
            [],
            "s.yaml:3: load.at: is no variable of the recorded runs; found x",
        ),
        (
            "kind: knee\nload: {workload: workload.yaml}\ntime_limit: 5 s\n",
            [],
            "s.yaml:4: time_limit: is shorter than the shortest play; found 5 s; allowed: 28 s and more. A shorter `m",
        ),
        (
            "kind: knee\nload:\n  workload: workload.yaml\n  duration: 5 s\n",
            [],
            "s.yaml:5: load.duration: is shorter than what is measured of each play; found 5 s",
        ),
        (
            "kind: knee\nload: {workload: workload.yaml}\nknee: {raise: [x]}\n",
            [],
            "s.yaml:4: knee.raise: cannot be raised; found x",
        ),
        ("kind: record\nrecord: {command: [nosuch]}\n", [], "is no program"),
        ("kind: record\nrecord: {command: [./job.sh]}\n", ["-o", "x"], "has no place for Traces"),
        ("kind: dyno\nload: {audit_log: [nosuch.log]}\n", [], "nosuch.log: "),
        (
            "kind: dyno\nload: {log: t}\n",
            [],
            "s.yaml:3: load.log: ",
        ),
        (
            "kind: sweep\nbase: s.yaml\nvary: {seed: [1, 2]}\n",
            [],
            "found sweep; allowed: play, dyno",
        ),
    ],
)
def test_what_cannot_be_run(text: str, words: list[str], said: str, capsys: Out) -> None:
    """One clear error, also of a dry run; nothing is written."""
    file = scenario(text)
    before = sorted(Path().rglob("*"))
    for more in ([], ["--dry-run"]):
        assert run(["run", file, *words, *more]) in {1, 2}
        err = capsys.readouterr().err
        assert said in err
        assert err.count("\n") == 1
    assert sorted(Path().rglob("*")) == before


def test_a_search_tells_prometheus_nothing(capsys: Out) -> None:
    """Only what keeps runs does."""
    assert run(["scenario", "new", "knee", "-o", "s.yaml"]) == 0
    assert run(["run", "s.yaml", "--metrics-port", "0"]) == 2
    assert "--metrics-port: is not for this kind; found knee" in capsys.readouterr().err


def test_a_port_that_is_taken_is_said_before_anything_is_started(capsys: Out) -> None:
    """Nothing is made."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        words = ["run", scenario("kind: play\nload: {plan: plan}\n"), "--metrics-port", str(port)]
        assert run(words) == 1
    error = capsys.readouterr().err
    assert error.startswith("froude: --metrics-port: cannot listen (Address already in use")
    assert f"found 127.0.0.1:{port}" in error
    assert not Path("run").exists()


def test_a_law_is_measured_and_kept(monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    """Of a scenario by its name: figures, and a page beside them."""
    monkeypatch.setattr(HeapRunner, "run", lambda *_: answer_of(points(12_000_000), "3.5.0"))
    assert run(["run", "giants"]) == 0
    assert "A file or folder takes 120 bytes of heap" in capsys.readouterr().out
    assert json.loads(Path("heap.json").read_text())["release"] == "3.5.0"
    assert Path("heap.html").is_file()
