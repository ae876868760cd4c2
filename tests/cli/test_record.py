"""`froude record`: what it asks for, says and proposes; clusters are stood in for."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from froude.base.errors import InputError
from froude.cli.app import run
from froude.documents.artifact import Origin
from froude.documents.store import Workspace
from froude.experiment import own_job
from froude.experiment.own_job import OwnJob, output_of
from froude.hadoop.cluster import cds_build, program
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.release.yarn_jars import YarnJars
from froude.trace.files import read_trace, write_trace
from froude.trace.importers.audit import Audited, ClosureResult
from froude.trace.types import Trace, TraceMeta
from froude.workload.scale import Scale
from testbed import wire
from tests.support.trace.making import echo

Out = pytest.CaptureFixture[str]
CLIENTS = "org.apache.hadoop.hdfs.protocol.ClientProtocol"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a job and nothing else; recordings are made without a cluster, those of 13 files fail."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FROUDE_WORKSPACE", raising=False)
    (tmp_path / "job.sh").write_text("#!/bin/sh\n")
    (tmp_path / "job.sh").chmod(0o755)
    monkeypatch.setattr(Hadoop, "find", lambda release, *, progress: SimpleNamespace(version=release))
    monkeypatch.setattr(cds_build, "prepare", lambda *_: None)
    monkeypatch.setattr(own_job, "record_job", _record_job)
    return tmp_path


def _record_job(job: OwnJob, scale: Scale, workspace: Workspace, hadoop: object, **options: Any) -> Any:
    path = workspace.new("trace", options["name"])
    output_of(path).write_text("one\n\x1b[2Jtwo\n")
    files = scale["files"].value
    if files == 13:
        raise InputError("failed with exit code 1", file="./job.sh", remedy="Its output is elsewhere")
    if files == 14:
        raise KeyboardInterrupt
    options["task"].say("clients at work" if options["aged"] else "clients at work in a fresh namespace")
    calls = [echo(1.0, "x", protocol=CLIENTS if files else "x.DatanodeProtocol", client=b"a")]
    meta = TraceMeta(dict(scale), 1.0, "CID", "3.5.0", notes=options["notes"])
    write_trace(path, Trace(meta, wire.SCHEMA, calls), Origin("x", tags=(job.name,)))
    beside = (Audited("me", "open", "/x", None),) if files == 7 else ()
    return SimpleNamespace(path=path, trace=read_trace(path), closure=ClosureResult(1, 1, 1, (), beside))


def record(*words: str) -> list[str]:
    """The command line up to the job."""
    return ["record", *words, "--", "./job.sh", "{files}", "--json"]


@pytest.mark.usefixtures("here")
def test_runs_are_shown_and_the_next_is_proposed(capsys: Out) -> None:
    """A line a run on stdout; what is typed after `--` is the job's own."""
    assert run(record("--datanodes", "2,3,4", "--scale", "files=10,15,20")) == 0
    out, err = capsys.readouterr()
    assert err.startswith("note: datanodes and files rose together")
    assert out.splitlines() == [
        "trace-1  datanodes=2, files=10: 1 call of 1 client, 0 DataNodes; it printed traces/trace-1.out",
        "trace-2  datanodes=3, files=15: 1 call of 1 client, 0 DataNodes; it printed traces/trace-2.out",
        "trace-3  datanodes=4, files=20: 1 call of 1 client, 0 DataNodes; it printed traces/trace-3.out",
        "datanodes and files rose together: what follows one cannot be told from what follows the other",
        "One more small run separates them:",
        "  froude record --datanodes 3 --scale files=10 -- ./job.sh {files} --json",
        "Mine them: froude mine trace-1 trace-2 trace-3",
    ]
    assert run(record("--datanodes", "3", "--scale", "files=10")) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "Mine them: froude mine trace-1 trace-2 trace-3 trace-4"
    ]


@pytest.mark.usefixtures("here")
def test_a_check_is_not_mined(capsys: Out) -> None:
    """Nor do its sizes count as recorded ones: the workload is held against it."""
    assert run(record("--datanodes", "2,3", "--scale", "files=10,12")) == 0
    capsys.readouterr()
    assert run(record("--datanodes", "3", "--scale", "files=10", "--name", "check")) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2:] == [
        "Mine them: froude mine trace-1 trace-2",
        "Then check: froude trace diff workload.yaml check",
    ]
    assert lines[1].startswith("datanodes and files rose together")


@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
@pytest.mark.usefixtures("here")
def test_a_variable_that_is_not_given_is_refused(dry: list[str], capsys: Out) -> None:
    """Before anything is recorded, and in a dry run, too."""
    assert run([*dry, *record("--datanodes", "2")]) == 1
    assert "found {files}; allowed: {datanodes}. Give --scale files=" in capsys.readouterr().err


@pytest.mark.usefixtures("here")
def test_a_fresh_namespace_is_asked_for(capsys: Out) -> None:
    """And asked for again in what is proposed."""
    assert run(record("--datanodes", "2,3", "--scale", "files=1,2", "--fresh")) == 0
    out = capsys.readouterr().out
    assert "--scale files=1 --fresh -- ./job.sh" in out


@pytest.mark.usefixtures("here")
def test_as_one_document(capsys: Out) -> None:
    """With the same proposals, and nothing else on either stream."""
    assert run(["--json", *record("--datanodes", "2,3", "--scale", "files=10,12", "--name", "a")]) == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert [each["name"] for each in document["recorded"]] == ["a-1", "a-2"]
    assert document["recorded"][0]["seen"] == {"client": 1, "DataNode": 0}
    assert document["recorded"][0]["closed"] is True
    assert document["advice"][-1].endswith(
        "froude record --datanodes 3 --scale files=10 -- ./job.sh {files} --json"
    )
    assert err == ""


def test_a_dry_run_says_the_same_beforehand(here: Path, capsys: Out) -> None:
    """And makes nothing."""
    assert (
        run(["--dry-run", *record("--datanodes", "2,3", "--scale", "files=10,12", "--replication", "3")]) == 0
    )
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [
        "Would record 2 runs:",
        "  datanodes=2, files=10: ./job.sh 10 --json",
        "  datanodes=3, files=12: ./job.sh 12 --json",
    ]
    assert "--replication 3 -- ./job.sh" in lines[-1]
    assert [path.name for path in here.iterdir()] == ["job.sh"]


def test_a_job_that_fails_shows_what_it_printed_and_how_to_go_on(here: Path, capsys: Out) -> None:
    """Runs that are whole are kept; what was printed does not steer the terminal."""
    assert run(record("--datanodes", "2,3,4", "--scale", "files=1,13,2")) == 1
    err = capsys.readouterr().err.splitlines()
    assert err[-4:] == [
        "one",
        "\\x1b[2Jtwo",
        "kept: trace-1; the rest: froude record --datanodes 3,4 --scale files=13,2 -- ./job.sh {files} --json",
        "froude: ./job.sh: failed with exit code 1. All that it printed is in traces/failed.out",
    ]
    names = sorted(path.name for path in (here / "traces").iterdir())
    assert names == ["failed.out", "trace-1", "trace-1.out"]
    assert run(["--json", *record("--datanodes", "2", "--scale", "files=13")]) == 1
    assert json.loads(capsys.readouterr().out)["error"]["found"] == "one\n\x1b[2Jtwo"


@pytest.mark.usefixtures("here")
def test_an_interrupt_says_what_is_kept(capsys: Out) -> None:
    """And how to go on."""
    assert run(record("--datanodes", "2,3", "--scale", "files=1,14")) == 130
    assert capsys.readouterr().err.splitlines()[-2:] == [
        "kept: trace-1; the rest: froude record --datanodes 3 --scale files=14 -- ./job.sh {files} --json",
        "froude: interrupted",
    ]


@pytest.mark.usefixtures("here")
def test_what_makes_a_recording_doubtful_is_said(capsys: Out) -> None:
    """A job that found no cluster, and one that went past the proxy."""
    assert run(record("--datanodes", "1", "--scale", "files=0")) == 0
    assert "note: the command called no NameNode" in capsys.readouterr().err
    assert run(record("--datanodes", "1", "--scale", "files=7")) == 0
    assert (
        "note: 1 operation of the NameNode's audit log came by no recorded call, such as open /x: by HTTP"
        in capsys.readouterr().err
    )
    assert run(["--dry-run", *record("--scale", "size=7", "--scale", "files=1")]) == 0
    assert "note: the command has no {size}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--datanodes", "2,3,4", "--scale", "files=1,2"], "datanodes has 3 values, files has 2"),
        (["--scale", "fi-les=1"], "is no name for a variable"),
    ],
)
def test_lists_that_do_not_fit_are_wrong_usage(words: list[str], said: str, here: Path, capsys: Out) -> None:
    """Exit code 2, before anything is made."""
    assert run(record(*words)) == 2
    assert said in capsys.readouterr().err
    assert [path.name for path in here.iterdir()] == ["job.sh"]


@pytest.mark.parametrize("timeout", ["1 MB", "0 s", "1e9 s"])
def test_a_time_limit_has_a_unit(timeout: str, here: Path, capsys: Out) -> None:
    """And no system call waits for decades."""
    assert run(record("--timeout", timeout)) == 2
    assert "--timeout: " in capsys.readouterr().err
    assert [path.name for path in here.iterdir()] == ["job.sh"]


def test_a_job_that_is_not_there(here: Path, capsys: Out) -> None:
    """Is an error before anything is started."""
    assert run(["record", "--", "./jobs.sh"]) == 1
    assert "froude: ./jobs.sh: " in capsys.readouterr().err
    assert [path.name for path in here.iterdir()] == ["job.sh"]


@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
@pytest.mark.parametrize("words", [("hdfs", "dfs", "-ls", "/"), ("hadoop", "version"), ("yarn", "examples")])
@pytest.mark.usefixtures("here")
def test_programs_that_the_cluster_brings(
    dry: list[str], words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Are on no PATH before it runs; those of YARN are there with NodeManagers."""
    monkeypatch.setattr(YarnJars, "find", lambda *_, **__: None)
    monkeypatch.setattr(program.shutil, "which", lambda *_, **__: None)  # type: ignore[attr-defined]
    nodes = ["--nodemanagers", "2"] if words[0] == "yarn" else []
    assert run([*dry, "record", "--scale", "files=1", *nodes, "--", *words]) == 0


@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
@pytest.mark.usefixtures("here")
def test_a_program_of_yarns_needs_nodemanagers(
    dry: list[str], capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which the one error says."""
    monkeypatch.setattr(program.shutil, "which", lambda *_, **__: None)  # type: ignore[attr-defined]
    assert run([*dry, "record", "--", "yarn", "examples", "pi", "2", "10"]) == 1
    assert "yarn: is there only where YARN runs. Say how many NodeManagers" in capsys.readouterr().err


@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_an_output_that_cannot_be_kept_is_refused(dry: list[str], here: Path, capsys: Out) -> None:
    """In one line, in a dry run, too, before a Hadoop is looked for."""
    (here / "traces" / "failed.out").mkdir(parents=True)
    assert run([*dry, *record("--datanodes", "2", "--scale", "files=1")]) == 1
    assert "failed.out: is not replaced; found a folder" in capsys.readouterr().err
    assert (here / "traces" / "failed.out").is_dir()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--name", "../x"], 1, "found ../x"),
        (["--name", "x" * 300], 1, "found xxx"),
        (["--name", "failed"], 1, "failed"),
        (["--release", "../../etc"], 2, "found ../../etc"),
        (["--release", "3.5.0/../.."], 2, "3.5.0/../.."),
        (["--datanodes", "1e9"], 2, "--datanodes: "),
    ],
)
def test_a_dry_run_refuses_what_a_run_does(
    words: list[str], code: int, said: str, here: Path, capsys: Out
) -> None:
    """With the same words, before anything is made."""
    for dry in ([], ["--dry-run"]):
        assert run([*dry, *record("--scale", "files=1", *words)]) == code
        assert said in capsys.readouterr().err
    assert [path.name for path in here.iterdir()] == ["job.sh"]


@pytest.mark.usefixtures("here")
def test_a_recording_with_yarn(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds of all runs, properties, lowered intervals and faults; the proposed command has them, too."""
    asked: list[Any] = []

    def record_job(job: OwnJob, scale: Scale, *rest: Any, **options: Any) -> Any:
        asked.append((str(scale), options["properties"], [str(fault) for fault in options["faults"]]))
        asked.append(options["notes"])
        return _record_job(job, scale, *rest, **options)

    monkeypatch.setattr(own_job, "record_job", record_job)
    monkeypatch.setattr(YarnJars, "find", lambda *_, **__: None)
    words = ["--datanodes", "2", "--nodemanagers", "3", "--scale", "files=1", "--repeats", "2"]
    words += ["--conf", "yarn.x=1", "--interval", "renewLease=5s", "--fault", "kill datanode 1 after 20 s"]
    assert run(record(*words)) == 0
    properties = {"yarn.x": "1", "ipc.client.rpc-timeout.ms": "10000"}
    assert (
        asked[::2]
        == [("datanodes=2, nodemanagers=3, files=1", properties, ["kill datanode 1 after 20 s"])] * 2
    )
    assert asked[1]["interval.renewLease"] == "configured 30 s, recorded 5 s"
    assert "trace-2  datanodes=2, files=1, nodemanagers=3: 1 call" in capsys.readouterr().out


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--conf", "yarn.x=1"], "is YARN's, which runs only where nodemanagers are given"),
        (["--conf", "yarn.x"], "is no NAME=VALUE"),
        (["--fault", "kill datanode 3 after 1 s"], "is no datanode of datanodes=3"),
        (["--fault", "nothing"], "is no fault"),
        (["--interval", "mkdirs=5s"], "has no interval that can be set"),
        (["--nodemanagers", "0,1", "--datanodes", "1,2"], "is no number of NodeManagers"),
    ],
)
def test_what_cannot_be_recorded_is_refused(words: list[str], said: str, capsys: Out) -> None:
    """Before anything is started."""
    assert run(record("--scale", "files=1", *words)) in (1, 2)
    assert said in " ".join(capsys.readouterr().err.replace("│", " ").split())
