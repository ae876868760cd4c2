"""`froude trace` and `froude capture`."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.documents.artifact import Origin, State
from froude.documents.store import Workspace
from froude.hadoop.rpc.target import Target
from froude.trace.files import META, write_trace
from froude.trace.types import Trace
from froude.workload.yaml_file import write_workload
from testbed import wire
from tests.support.cli.command_lines import ORIGIN, recorded
from tests.support.trace import making
from tests.support.trace.making import echo, small_trace
from tests.support.trace.partial import begun

Out = pytest.CaptureFixture[str]


@pytest.fixture
def trace(tmp_path: Path) -> str:
    """A good Trace."""
    write_trace(tmp_path / "t", small_trace())
    return str(tmp_path / "t")


def test_methods_of_several_daemons_are_apart(tmp_path: Path, capsys: Out) -> None:
    """Also those of one name; the servers of a ResourceManager are one daemon."""
    services = ("namenode", "resourcemanager", "resourcemanager-scheduler")
    calls = [echo(1.0, "x", target=Target(service)) for service in services]
    write_trace(tmp_path / "t", Trace(making.META, wire.SCHEMA, calls))
    assert run(["trace", "show", str(tmp_path / "t")]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [lines[lines.index([f"{daemon}:"]) + 2][:2] for daemon in ("NameNode", "ResourceManager")] == [
        ["echo", "1"],
        ["echo", "2"],
    ]


def test_show(trace: str, capsys: Out) -> None:
    """Methods, senders, scale, losses, and calls decoded."""
    assert run(["trace", "show", trace, "--calls", "1"]) == 0
    out = capsys.readouterr().out
    for part in ("4 calls", "datanodes=3", "input=10 GB", "CID-1", "lost: nothing", "echo", 'text: "/f0"'):
        assert part in out


def test_show_as_json(trace: str, capsys: Out) -> None:
    """One document."""
    assert run(["trace", "show", trace, "--json", "--calls", "2", "--method", "echo"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["calls"], document["examples"][1]["request"]) == (4, {"text": "/f1"})


def test_show_says_what_it_cannot_read(tmp_path: Path, capsys: Out) -> None:
    """A payload that was kept though no schema knows its method costs its own line, not the command."""
    write_trace(
        tmp_path / "t", Trace(making.META, wire.SCHEMA, [echo(0.0, "/a"), echo(1.0, "/b", method="vendors")])
    )
    assert run(["trace", "show", str(tmp_path / "t"), "--calls", "2"]) == 0
    shown = capsys.readouterr().out
    assert "/a" in shown
    assert "cannot be read: toy.ToyProtocol: the schema has no such method" in shown
    assert run(["trace", "show", str(tmp_path / "t"), "--calls", "2", "--json"]) == 0
    assert "no such method" in json.loads(capsys.readouterr().out)["examples"][1]["request"]["unreadable"]


def test_show_by_name_in_the_workspace(tmp_path: Path, capsys: Out) -> None:
    """A name is enough where it lies in the workspace."""
    workspace = Workspace(tmp_path / "w")
    write_trace(workspace.new("trace", "mine"), small_trace())
    assert run(["--workspace", str(workspace.folder), "trace", "show", "mine"]) == 0
    assert "4 calls" in capsys.readouterr().out


def test_a_recording_that_did_not_end_well_is_said(tmp_path: Path, capsys: Out) -> None:
    """By whatever looks at the Trace when it is named: `show`, `mine`, a report."""
    for state in (State.FAILED, State.INTERRUPTED):
        write_trace(tmp_path / state.value, small_trace(), Origin(state=state))
    failed, interrupted = str(tmp_path / "failed"), str(tmp_path / "interrupted")
    assert run(["trace", "show", failed]) == 0
    assert "NOT WHOLE: its recording failed: it holds what was seen until then" in capsys.readouterr().out
    assert run(["trace", "show", interrupted, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["state"] == "interrupted"
    run(["mine", failed, interrupted, "--dry-run"])
    err = capsys.readouterr().err
    assert "failed is not whole: its recording failed" in err
    assert "interrupted is not whole: its recording was interrupted" in err
    page = tmp_path / "r.html"
    assert run(["report", interrupted, "-o", str(page), "--static"]) == 0
    assert "Not whole: interrupted" in page.read_text()


def test_validate(trace: str, tmp_path: Path, capsys: Out) -> None:
    """0 for a good one, 3 for one that was changed or is unfinished, 1 for what is none; and recovery."""
    assert run(["trace", "validate", trace]) == 0
    file = Path(trace) / META
    file.write_text(file.read_text().replace("datanodes: 3", "datanodes: 4"))
    assert run(["trace", "validate", trace, "--json"]) == 3
    begun(tmp_path / "u")
    assert run(["trace", "validate", str(tmp_path / "u.partial")]) == 3
    assert run(["trace", "validate", "--recover", str(tmp_path / "u.partial")]) == 0
    assert run(["trace", "validate", str(tmp_path / "none")]) == 1
    assert "none: " in capsys.readouterr().err


def test_diff(trace: str, tmp_path: Path, capsys: Out) -> None:
    """The same, and not."""
    write_trace(tmp_path / "u", small_trace(5))
    assert run(["trace", "diff", trace, trace]) == 0
    assert "the same behaviour" in capsys.readouterr().out
    assert run(["trace", "diff", trace, str(tmp_path / "u"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["same"] is False


@pytest.mark.parametrize("flags", [["--pair", "x"], ["--at-least", "0.5"]])
def test_a_diff_of_traces_takes_no_flags_of_workloads(trace: str, flags: list[str], capsys: Out) -> None:
    """They are refused, not left aside."""
    assert run(["trace", "diff", trace, trace, *flags]) == 1
    assert f"{flags[0]} goes with a workload" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "x", "--listen", "127.0.0.1:0"], "--target: "),
        (["--target", "127.0.0.1:1", "--listen", "nowhere"], "--listen: "),
        (
            ["--target", "127.0.0.1:1", "--listen", "127.0.0.1:0", "--scale", "five"],
            "found five",
        ),
        (["--target", "127.0.0.1:1", "--listen", "127.0.0.1:0"], "127.0.0.1:1: "),
    ],
)
def test_captures_that_cannot_begin(
    tmp_path: Path, arguments: list[str], message: str, capsys: Out, hadoop: object
) -> None:
    """One clear error, nothing written."""
    assert run(["capture", "proxy", *arguments, "-o", str(tmp_path / "t")]) in {1, 2}
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_capture_of_a_target_that_says_nothing(tmp_path: Path, capsys: Out, hadoop: object) -> None:
    """It ends by itself after its time, with an empty Trace and the advice to name the source."""
    with socket.create_server(("127.0.0.1", 0)) as target:
        host, port = target.getsockname()
        arguments = ["--target", f"{host}:{port}", "--listen", "127.0.0.1:0", "--duration", "200 ms"]
        arguments += ["-o", str(tmp_path / "t"), "--source-id", "X"]
        assert run(["capture", "proxy", *arguments]) == 0
    assert "0 calls on 0 connections" in capsys.readouterr().out


def test_both_sides_of_a_diff_go_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Workloads as well as Traces, from any folder of the workspace."""
    workspace = Workspace(tmp_path / "w")
    for _ in range(2):
        write_trace(workspace.new("trace"), small_trace(), ORIGIN)
    write_workload(workspace.new("workload", suffix=".yaml"), recorded(), ORIGIN)
    monkeypatch.chdir(workspace.folder / "traces")
    monkeypatch.delenv("FROUDE_WORKSPACE", raising=False)
    assert run(["trace", "diff", "trace-1", "trace-2"]) == 0
    assert run(["trace", "diff", "workload-1", "trace-1"]) == 1
    assert "workload-1.yaml" in capsys.readouterr().err
