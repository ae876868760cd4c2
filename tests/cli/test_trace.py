"""`froude trace` and `froude capture`."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.trace.files import META, write_trace
from froude.workspace.store import Workspace
from tests.trace.making import small_trace
from tests.trace.test_partial import begun

Out = pytest.CaptureFixture[str]


@pytest.fixture
def trace(tmp_path: Path) -> str:
    """A good Trace."""
    write_trace(tmp_path / "t", small_trace())
    return str(tmp_path / "t")


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


def test_show_by_name_in_the_workspace(tmp_path: Path, capsys: Out) -> None:
    """A name is enough where it lies in the workspace."""
    workspace = Workspace(tmp_path / "w")
    write_trace(workspace.new("trace", "mine"), small_trace())
    assert run(["--workspace", str(workspace.folder), "trace", "show", "mine"]) == 0
    assert "4 calls" in capsys.readouterr().out


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
    assert "does not exist" in capsys.readouterr().err


def test_diff(trace: str, tmp_path: Path, capsys: Out) -> None:
    """The same, and not."""
    write_trace(tmp_path / "u", small_trace(5))
    assert run(["trace", "diff", trace, trace]) == 0
    assert "the same behaviour" in capsys.readouterr().out
    assert run(["trace", "diff", trace, str(tmp_path / "u"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["same"] is False


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "x", "--listen", "127.0.0.1:0"], "--target: not an address"),
        (["--target", "127.0.0.1:1", "--listen", "nowhere"], "--listen: not an address"),
        (["--target", "127.0.0.1:1", "--listen", "127.0.0.1:0", "--scale", "five"], "name=value"),
        (["--target", "127.0.0.1:1", "--listen", "127.0.0.1:0"], "does not accept connections"),
    ],
)
def test_captures_that_cannot_begin(
    tmp_path: Path, arguments: list[str], message: str, capsys: Out, hadoop: object
) -> None:
    """One clear error, nothing written."""
    assert run(["capture", "proxy", *arguments, "-o", str(tmp_path / "t")]) == 1
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
