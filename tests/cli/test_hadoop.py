"""`froude hadoop`: what it prints and how it ends, without starting a JVM."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from froude.cli.app import app

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
    assert json.loads(done.stdout) == {"hadoop": None, "cached": [], "running": None}


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


@pytest.mark.parametrize("command", ["fetch", "show", "up", "down"])
def test_every_command_has_an_example(command: str) -> None:
    """In its help."""
    assert "Example: froude hadoop" in run.invoke(app, ["hadoop", command, "--help"]).stdout
