"""`froude cache serve` and `agent`; as processes in `tests/integration/test_cache_loop.py`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from froude.cache.control import process
from froude.cli.app import run

Out = pytest.CaptureFixture[str]
_AGENT = """\
froude: cache-agent/1
kind: vm
name: vm1
listen: 127.0.0.1:8079
token: token
"""
_CONTROLLER = """\
froude: cache-controller/1
token: token
state: state
hypervisors: {h1: {agent: 'http://127.0.0.1:8078'}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With both files."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agent.yaml").write_text(_AGENT)
    (tmp_path / "controller.yaml").write_text(_CONTROLLER)
    return tmp_path


def test_an_agent_tells_where_it_is(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    """As JSON for programs, as a note for people."""
    monkeypatch.setattr(process, "run_agent", lambda config, *, ready, failed: ready(f"http://{config.name}"))
    assert run(["cache", "agent", "agent.yaml", "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out) == {"address": "http://vm1"}
    assert "serving at http://vm1" in said.err


def test_a_dry_agent(folder: Path, capsys: Out) -> None:
    """It says what it would do, and does nothing."""
    assert run(["cache", "agent", "agent.yaml", "--dry-run"]) == 0
    assert "Would serve the agent vm1 at 127.0.0.1:8079" in capsys.readouterr().out


def test_a_controller(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told its file; chance follows the seed."""
    told = []
    monkeypatch.setattr(
        process, "run_controller", lambda config, **more: told.append((config.apply, more["seed"]))
    )
    assert run(["cache", "serve", "controller.yaml", "--seed", "7"]) == 0
    assert told == [(True, 7)]


def test_a_dry_controller(folder: Path, capsys: Out) -> None:
    """It says what it would do, and does nothing."""
    assert run(["cache", "serve", "controller.yaml", "--dry-run"]) == 0
    assert "Would split the SSDs of h1 by" in capsys.readouterr().out
    assert not (folder / "state").exists()


@pytest.mark.parametrize("command", ["agent", "serve"])
def test_a_wrong_file(folder: Path, command: str, capsys: Out) -> None:
    """One error, with its place."""
    (folder / "wrong.yaml").write_text("froude: trace/1\n")
    assert run(["cache", command, "wrong.yaml"]) == 1
    assert capsys.readouterr().err.startswith("froude: wrong.yaml:1:")


def test_what_must_be_installed(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    """The extra is named."""
    from froude.cli.cache import serving

    monkeypatch.setattr(serving, "_NEEDED", ("no_such_library",))
    assert run(["cache", "serve", "controller.yaml"]) == 1
    assert "no_such_library" in capsys.readouterr().err
