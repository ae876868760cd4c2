"""`froude harvest submit`, with a daemon and a ResourceManager that are made up."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from froude.cli.app import run
from froude.harvest.live.choosing import LastRun
from froude.harvest.live.service_file import Known, known_json, read_known
from froude.harvest.live.serving import Places, access
from froude.harvest.telemetry.files import write_datacenter
from tests.support.harvest.datacenters import made
from tests.support.harvest.live.api import TWO, Memory, api_of
from tests.support.harvest.live.managers import NEW, serving

Out = pytest.CaptureFixture[str]
_LINE = "import sys; sys.stdout.write(' '.join(sys.argv[1:]) + chr(10)); sys.exit(sys.argv[-1] == 'wrong')"
SAY = [sys.executable, "-c", _LINE]
SUBMIT = ["harvest", "submit", "--job", "q", "--containers", "27"]


@pytest.fixture
def daemon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """One that answers two classes, in the usual folder."""
    monkeypatch.chdir(tmp_path)
    memory, places = Memory(), Places(tmp_path / "harvest-service")
    places.folder.mkdir()
    with api_of(memory) as url, access(places, url, "secret"):
        yield memory


def test_a_command_runs_with_its_label_and_is_remembered(daemon: Memory, capfd: Out) -> None:
    """By the daemon, with its duration."""
    assert run([*SUBMIT, "--last", "10s", "--", *SAY, "{label}", "{containers}"]) == 0
    said = capfd.readouterr()
    assert "periodic-01 27\n" in said.out
    assert "q: long, several classes: periodic-01 (18 containers), constant-01 (9 containers)" in said.err
    assert daemon.asked[0].last_run_s == 10
    ((job, ran),) = daemon.ran
    assert (job, ran.containers) == ("q", 27)


def test_a_job_over_several_classes_is_split_where_that_is_asked(daemon: Memory, capfd: Out) -> None:
    """The command once a class, each with its share."""
    assert run(["--json", *SUBMIT, "--split", "--", *SAY, "{label}", "{containers}"]) == 0
    said = capfd.readouterr()
    assert json.loads(said.out)["label"] == "periodic-01"
    assert {"periodic-01 18", "constant-01 9"} <= set(said.err.splitlines())


def test_a_split_that_nothing_tells_apart_runs_once(daemon: Memory, capfd: Out) -> None:
    """Where nodes carry no labels, and says so; where one class has all of the job there was nothing to split."""
    daemon.labels = False
    for told in (True, False):
        assert run([*SUBMIT, "--split", "--", *SAY, "{label}", "{containers}"]) == 0
        said = capfd.readouterr()
        assert said.out.startswith(" 27\nq took")
        assert ("nothing tells its classes apart, as nodes carry no labels: it runs once" in said.err) == told
        daemon.parts = (replace(TWO[0], containers=27), replace(TWO[1], containers=0))


def test_a_job_that_fails_is_not_remembered(daemon: Memory, capfd: Out) -> None:
    """Its time would tell nothing; nor is a dry run."""
    assert run([*SUBMIT, "--", *SAY, "{label}", "wrong"]) == 1
    assert "exit code 1" in capfd.readouterr().err
    assert run(["--dry-run", *SUBMIT, "--", *SAY, "{label}"]) == 0
    assert "Nothing was started" in capfd.readouterr().out
    assert not daemon.ran


def test_an_application_is_posted(daemon: Memory, capfd: Out) -> None:
    """To the ResourceManager that is named."""
    Path("app.json").write_text('{"application-name": "x", "am-container-spec": {}}')
    ended = {"state": "FINISHED", "finalStatus": "SUCCEEDED", "elapsedTime": 61500}
    answers = {"apps/new-application": {"application-id": "a_1"}, "apps": "", "apps/a_1": {"app": ended}}
    with serving(answers) as (port, sent):
        at = ["--resourcemanager", f"127.0.0.1:{port}"]
        assert run(["--json", *SUBMIT, "--rest", "app.json", *at]) == 0
    assert json.loads(capfd.readouterr().out)["seconds"] == 61.5
    assert sent[1][2]["app-node-label-expression"] == "periodic-01"
    assert daemon.ran == [("q", LastRun(61.5, 27))]


def test_without_a_daemon_the_class_is_chosen_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Out
) -> None:
    """And last runs are remembered in a file."""
    monkeypatch.chdir(tmp_path)
    write_datacenter(tmp_path / "lab", replace(made(np.full((1, 48), 0.2)), servers=["n"]))
    with serving(NEW) as (port, sent):
        here = ["--datacenter", "lab", "--resourcemanager", f"127.0.0.1:{port}", "--memory", "0"]
        command = ["harvest", "submit", "--job", "q", "--containers", "1", *here, "--", *SAY, "{label}"]
        assert run(command) == 0
        assert not sent
    said = capfd.readouterr()
    assert "q: medium, one class: constant-01 (1 container)" in said.err
    assert list(read_known(tmp_path / "harvest-jobs.json").last) == ["q"]


def test_a_job_that_ends_meanwhile_is_remembered_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read at the start is not what stands there at the end."""
    monkeypatch.chdir(tmp_path)
    write_datacenter(tmp_path / "lab", replace(made(np.full((1, 48), 0.2)), servers=["n"]))
    (tmp_path / "other.json").write_text(known_json(Known(last={"r": LastRun(5.0, 2)})))
    copy = [sys.executable, "-c", "import shutil; shutil.copy('other.json', 'harvest-jobs.json')", "{label}"]
    with serving(NEW) as (port, _):
        here = ["--datacenter", "lab", "--resourcemanager", f"127.0.0.1:{port}"]
        assert run(["harvest", "submit", "--job", "q", "--containers", "1", *here, "--", *copy]) == 0
    assert list(read_known(tmp_path / "harvest-jobs.json").last) == ["r", "q"]


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--containers", "1"], "is needed, and only one; allowed: -- COMMAND, or --rest JSON"),
        (["--", "x"], "is needed, and only one; allowed: --containers, or --graph"),
        (["--containers", "1", "--datacenter", "d", "--", "x"], "--resourcemanager: is needed"),
        (["--containers", "1", "--rest", "n.json", "--resourcemanager", "h:1"], "n.json: is no application"),
        (
            ["--containers", "1", "--rest", "n.json", "--resourcemanager", "h:1", "--split"],
            "--split: is of a command: an application is posted once",
        ),
        (["--containers", "1", "--service", "none", "--", "x"], "none: is not there"),
        (["--containers", "1", "--", "x", "y"], "found x"),
    ],
)
@pytest.mark.usefixtures("daemon")
def test_what_cannot_be_submitted(flags: list[str], said: str, capfd: Out) -> None:
    """One line that says what is allowed."""
    Path("n.json").write_text("{}")
    assert run(["harvest", "submit", "--job", "q", *flags]) in {1, 2}
    assert said in capfd.readouterr().err
