"""`froude doctor`: what it prints and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from froude.cli.app import app

run = CliRunner()


def test_it_ends_well_where_the_demo_can_run(empty_home: Path) -> None:
    """On a machine with nothing but Froude and its wheels."""
    done = run.invoke(app, ["doctor"])
    assert done.exit_code == 0
    assert "froude demo" in done.stdout


def test_it_ends_with_one_where_it_cannot(empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here because JAVA_HOME names no Java; the remedy is there, as text and as JSON."""
    monkeypatch.setenv("JAVA_HOME", str(empty_home))
    assert run.invoke(app, ["doctor"]).exit_code == 1
    result = run.invoke(app, ["--json", "doctor"])
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert document["ready"] is False
    assert [check["remedy"] for check in document["checks"] if check["verdict"] == "missing"] != [None]
