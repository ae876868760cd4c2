"""`froude hadoop`: what it prints and how it ends, without starting a JVM."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from froude.base.errors import InputError
from froude.cli.app import app
from froude.hadoop.cluster import background, launcher
from froude.hadoop.cluster.state import Process, State
from froude.hadoop.release.yarn_jars import YarnJars

run = CliRunner()


def test_show_says_how_to_get_what_is_not_there(empty_home: Path, tmp_path: Path) -> None:
    """Nothing is fetched by looking."""
    done = run.invoke(app, ["--workspace", str(tmp_path), "hadoop", "show"])
    assert done.exit_code == 0
    assert "froude hadoop fetch 3.5.0" in done.stdout
    assert not (empty_home / ".cache").exists()


def test_show_as_json_is_one_document(empty_home: Path, tmp_path: Path) -> None:
    """For programs."""
    done = run.invoke(app, ["--json", "--workspace", str(tmp_path), "hadoop", "show"])
    assert json.loads(done.stdout) == {"hadoop": None, "cached": [], "running": None, "ended": {}}


@pytest.mark.parametrize("command", [["fetch"], ["up"], ["down"]])
def test_a_dry_run_does_nothing(empty_home: Path, tmp_path: Path, command: list[str]) -> None:
    """It says what would be done."""
    done = run.invoke(app, ["--dry-run", "--workspace", str(tmp_path), "hadoop", *command])
    assert done.exit_code == 0
    assert done.stdout
    assert list(tmp_path.iterdir()) in ([], [empty_home])
    assert list(empty_home.iterdir()) == []


def test_down_where_nothing_runs_is_no_error(tmp_path: Path) -> None:
    """The wish is fulfilled."""
    done = run.invoke(app, ["--workspace", str(tmp_path), "hadoop", "down"])
    assert done.exit_code == 0
    assert "Nothing ran" in done.stdout


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> State:
    """What runs in the workspace."""
    us = Process.of("supervisor", os.getpid())
    home, trace = str(tmp_path / "hadoop" / "run" / "home"), str(tmp_path / "traces" / "t")
    runs = State(
        supervisor=us,
        release="3.5.0",
        uri="hdfs://h:1",
        http="http://h:2",
        cluster_id="CID-1",
        block_pool_id="BP-1",
        daemons=[us],
        home=home,
        trace=trace,
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(background, "running", lambda _: runs)
    monkeypatch.setattr(background, "stop", lambda *_, **__: runs)
    return runs


def _recorded(folder: Path, *daemons: Process, supervisor: Process) -> None:
    """What the file of a cluster says."""
    (folder / "hadoop" / "run" / "namenode").mkdir(parents=True)
    runs = State(
        supervisor=supervisor,
        release="3.5.0",
        uri="hdfs://h:1",
        http="http://h:2",
        cluster_id="CID-1",
        block_pool_id="BP-1",
        daemons=list(daemons),
    )
    (folder / "hadoop" / "state.json").write_text(json.dumps(runs.plain()))


@pytest.mark.usefixtures("empty_home")
def test_a_daemon_that_has_ended_is_named(tmp_path: Path) -> None:
    """With the last error of its log; the exit code and the JSON document state it as well."""
    alive, dead = (
        Process.of("supervisor", os.getpid()),
        Process(name="namenode", pid=os.getpid(), started_s=1.0),
    )
    _recorded(tmp_path, dead, Process.of("datanode-0", os.getpid()), supervisor=alive)
    log = tmp_path / "hadoop" / "run" / "namenode" / "namenode.log"
    show = ["--workspace", str(tmp_path), "hadoop", "show"]
    done = run.invoke(app, show)
    assert (done.exit_code, done.output.count("ENDED; no error in its log")) == (1, 1)
    log.write_text(
        "2026-07-01 10:00:00,000 ERROR namenode.NameNode: Failed to start.\njava.io.IOException: no space\n"
    )
    done = run.invoke(app, show)
    assert "ENDED; java.io.IOException: no space" in done.output
    assert "no longer running: namenode. `froude hadoop down`" in done.output
    done = run.invoke(app, ["--json", *show])
    found = json.loads(done.stdout)
    assert (done.exit_code, found["ended"]) == (
        1,
        {"namenode": "java.io.IOException: no space"},
    )
    assert found["running"]["uri"] == "hdfs://h:1"


@pytest.mark.usefixtures("empty_home")
def test_a_cluster_that_was_killed_is_named(tmp_path: Path) -> None:
    """Its folder is still there, which `down` removes."""
    dead = Process(name="supervisor", pid=os.getpid(), started_s=1.0)
    _recorded(tmp_path, Process(name="namenode", pid=os.getpid(), started_s=1.0), supervisor=dead)
    workspace = ["--workspace", str(tmp_path), "hadoop"]
    done = run.invoke(app, ["--json", *workspace, "show"])
    found = json.loads(done.stdout)
    assert (done.exit_code, found["running"], list(found["ended"])) == (1, None, ["supervisor", "namenode"])
    assert run.invoke(app, [*workspace, "down"]).exit_code == 0
    assert not (tmp_path / "hadoop").exists()
    assert run.invoke(app, [*workspace, "show"]).exit_code == 0


@pytest.mark.parametrize(
    ("words", "given"),
    [
        (["-ls", "/"], ["dfs", "-ls", "/"]),
        (["--", "-put", "--help", "a b"], ["dfs", "-put", "--help", "a b"]),
        (["--", "fsck", "/"], ["fsck", "/"]),
        ([], ["dfs"]),
    ],
)
def test_the_shell_passes_on_words_and_exit_code(
    state: State, words: list[str], given: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What begins with a hyphen is the file system shell's."""
    asked: list[object] = []
    monkeypatch.setattr(launcher, "call", lambda home, words, _: asked.append((str(home), words)) or 7)
    assert run.invoke(app, ["hadoop", "shell", *words], obj="froude").exit_code == 7
    assert asked == [(state.home, given)]


@pytest.mark.parametrize("home", ["", "/", "hadoop", "hadoop/../elsewhere", "hadoop/link"])
def test_a_shell_of_another_place_is_not_run(
    state: State, home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of the state that somebody brought along names no program to run."""
    (tmp_path / "hadoop").mkdir()
    (tmp_path / "hadoop" / "link").symlink_to(tmp_path)
    monkeypatch.setattr(background, "running", lambda _: state.replaced(home=home))
    monkeypatch.setattr(launcher, "call", lambda *_: 0)
    done = run.invoke(app, ["hadoop", "shell", "--", "-ls"], obj="froude")
    assert "home is not this workspace's" in str(done.exception)


def test_a_shell_where_nothing_runs(tmp_path: Path) -> None:
    """Says how to begin."""
    done = run.invoke(app, ["--workspace", str(tmp_path), "hadoop", "shell", "--", "-ls", "/"])
    assert "nothing runs here. Start a cluster: `froude hadoop up`" in str(done.exception)


def test_the_end_of_a_recorded_cluster_names_its_trace(state: State, tmp_path: Path) -> None:
    """Or says that it was not made whole."""
    assert "was not made whole" in str(run.invoke(app, ["hadoop", "down"]).exception)
    Path(state.trace).mkdir(parents=True)
    assert f"Trace written to {state.trace}" in run.invoke(app, ["hadoop", "down"]).stdout


@pytest.mark.parametrize("heap", ["-1 GB", "nan", "5 s", "1e29 B"])
def test_a_heap_that_cannot_be(heap: str, tmp_path: Path) -> None:
    """Is refused before anything is started."""
    done = run.invoke(app, ["--workspace", str(tmp_path), "hadoop", "up", "--heap", heap])
    assert isinstance(done.exception, InputError)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("words", [["--scale", "files=1"], ["--name", "t"]])
def test_a_recording_is_described_only_where_there_is_one(words: list[str], tmp_path: Path) -> None:
    """Anything else would be lost without a word."""
    done = run.invoke(app, ["--workspace", str(tmp_path), "hadoop", "up", *words])
    assert done.exit_code == 2
    assert "--through-proxy" in done.output


def test_what_a_recording_supervisor_is_told(
    state: State, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the Trace goes, its Scale and its name."""
    asked: list[object] = []

    def start(workspace: Path, wanted: background.Wanted, **options: object) -> State:
        asked.append((wanted.fixed, wanted.recording, options))
        return state

    monkeypatch.setattr(background, "start", start)
    words = ["--through-proxy", "--scale", "size=1 MB", "--name", "t", "--ports", "fixed", "--datanodes", "2"]
    done = run.invoke(app, ["--workspace", str(tmp_path), "hadoop", "up", *words], obj="froude hadoop up")
    scale = {"datanodes": "2", "size": "1 MB"}
    wanted = {"workspace": str(tmp_path), "scale": scale, "name": "t", "command": "froude hadoop up"}
    assert asked == [(True, wanted, {"supervisor_module": "froude.experiment.record.recorded_cluster"})]
    home = state.home
    assert f"Clients   export HADOOP_CONF_DIR={home}/conf PATH={home}/bin:$PATH" in done.stdout
    assert f"Recording {state.trace}" in done.stdout


def test_properties_of_its_configuration(
    state: State, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every daemon gets them; those of YARN are refused where it does not run, and so is what is none."""
    asked: list[background.Wanted] = []
    monkeypatch.setattr(YarnJars, "find", lambda *_, **__: None)
    monkeypatch.setattr(background, "start", lambda _, wanted, **__: (asked.append(wanted), state)[1])
    up = ["--workspace", str(tmp_path), "hadoop", "up", "--conf", "yarn.node-labels.enabled=true"]
    assert run.invoke(app, [*up, "--resourcemanager", "--conf", "dfs.a=b=c"]).exit_code == 0
    assert asked[0].properties == {"yarn.node-labels.enabled": "true", "dfs.a": "b=c"}
    assert "is YARN's, which does not run" in str(run.invoke(app, up).exception)
    assert run.invoke(app, [*up, "--conf", "nothing"]).exit_code == 2
    assert run.invoke(app, [*up, "--conf", "a=\x01"]).exit_code == 2
    jobs = [*up, "--conf", "mapreduce.map.memory.mb=512"]
    assert "--conf: " in str(run.invoke(app, [*jobs, "--resourcemanager"]).exception)
    assert run.invoke(app, [*jobs, "--nodemanagers", "1"]).exit_code == 0
    assert len(asked) == 2
    asked.pop()
    assert len(asked) == 1


def test_a_recording_with_yarn_has_both_numbers_of_nodes(
    state: State, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In its Scale."""
    asked: list[Any] = []
    monkeypatch.setattr(YarnJars, "find", lambda *_, **__: None)
    monkeypatch.setattr(background, "start", lambda _, wanted, **__: (asked.append(wanted), state)[1])
    words = ["--through-proxy", "--datanodes", "2", "--nodemanagers", "1"]
    run.invoke(app, ["--workspace", str(tmp_path), "hadoop", "up", *words])
    assert asked[0].recording["scale"] == {"datanodes": "2", "nodemanagers": "1"}


def test_a_cluster_with_yarn_shows_its_pages(state: State, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what a Java program of one's own needs to know, and how to give it a job."""
    runs = state.replaced(resourcemanager="http://127.1.1.2:8088", jobhistory="http://127.1.1.3:19888")
    monkeypatch.setattr(background, "running", lambda _: runs)
    shown = run.invoke(app, ["hadoop", "show"]).stdout
    assert "Pages     http://127.1.1.2:8088 jobs and nodes, http://127.1.1.3:19888 jobs that ended" in shown
    assert f"JDK_JAVA_OPTIONS=-Djdk.net.hosts.file={state.home}/conf/hosts" in shown
    done = run.invoke(app, ["--dry-run", "hadoop", "run", "examples", "pi", "-Dx=1", "2", "100"])
    assert "run yarn examples pi -Dx=1 2 100 on http://127.1.1.2:8088" in done.stdout


@pytest.mark.usefixtures("state")
def test_a_job_wants_yarn() -> None:
    """A cluster of HDFS alone says how to get one."""
    done = run.invoke(app, ["hadoop", "run", "examples", "pi", "2", "100"])
    assert "runs without YARN" in str(done.exception)
    assert "--nodemanagers" in str(done.exception)


def test_a_job_that_is_none_is_refused(state: State, monkeypatch: pytest.MonkeyPatch) -> None:
    """With those that are ready."""
    monkeypatch.setattr(background, "running", lambda _: state.replaced(resourcemanager="http://h:1"))
    done = run.invoke(app, ["hadoop", "run", "nothing.jar"])
    assert "nothing.jar: is no job; allowed: examples, streaming, distcp, or a jar's file" in str(
        done.exception
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--foreground", "--through-proxy"], "leave --foreground out"),
        (["--nodemanagers", "-1"], "'--nodemanagers'"),
    ],
)
def test_what_does_not_go_together_is_refused(words: list[str], said: str, tmp_path: Path) -> None:
    """Before anything is started."""
    done = run.invoke(app, ["--workspace", str(tmp_path), "hadoop", "up", *words])
    assert done.exit_code == 2
    assert said in " ".join(done.output.replace("│", " ").split())
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--nodemanagers", "1000000"], "does not fit into this machine's memory"),
        (["--nodemanagers", "1", "--node-memory", "512 MiB"], "holds no application master and one task"),
        (["--nodemanagers", "1", "--node-memory", "7 apples"], "apples"),
    ],
)
def test_nodes_that_cannot_be_are_refused(words: list[str], said: str, tmp_path: Path) -> None:
    """With the arithmetic, before anything is started."""
    done = run.invoke(app, ["--workspace", str(tmp_path), "hadoop", "up", *words])
    assert isinstance(done.exception, InputError)
    assert said in str(done.exception)
    assert not list(tmp_path.iterdir())


def test_a_cluster_in_the_foreground_is_held_until_it_ends(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that ends by itself is an error; one that somebody ended is not."""

    @contextlib.contextmanager
    def held(_: Path, wanted: background.Wanted) -> Iterator[tuple[State, subprocess.Popen[bytes]]]:
        code = wanted.nodemanagers - 1
        yield state, subprocess.Popen([sys.executable, "-c", f"raise SystemExit({code})"])

    monkeypatch.setattr(background, "held", held)
    monkeypatch.setattr(YarnJars, "find", lambda *_, **__: None)
    words = ["hadoop", "up", "--foreground", "--nodemanagers"]
    assert "Ctrl-C ends it" in run.invoke(app, [*words, "1"]).stdout
    assert "ended by itself; found exit code 1" in str(run.invoke(app, [*words, "2"]).exception)


@pytest.mark.parametrize("command", ["fetch", "show", "up", "down", "shell", "run"])
def test_every_command_has_an_example(command: str) -> None:
    """In its help."""
    assert "Example: froude hadoop" in run.invoke(app, ["hadoop", command, "--help"]).stdout
