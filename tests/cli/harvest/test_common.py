"""What harvesting commands share."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.harvest.telemetry.files import write_datacenter
from tests.support.harvest.datacenters import drawn


def test_a_library_that_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Is named, with what installs it, before anything is read."""
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "sklearn" else found(name))
    assert run(["harvest", "characterise", str(tmp_path / "none")]) == 1
    said = capsys.readouterr().err
    assert "sklearn is not installed" in said
    assert "froude[harvest]" in said


def test_an_answer_is_written_with_its_lineage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As JSON with the hash of the datacenter, as a page, and as text; a dry run writes nothing."""
    write_datacenter(tmp_path / "dc", drawn())
    command = ["harvest", "characterise", str(tmp_path / "dc"), "-o", str(tmp_path / "c.json")]
    page = ["--report", str(tmp_path / "c.html")]
    assert run([*command, *page, "--dry-run"]) == 0
    assert not (tmp_path / "c.json").exists()
    assert run([*command, *page]) == 0
    assert "Would write" in capsys.readouterr().out
    document = json.loads((tmp_path / "c.json").read_text())
    assert document["froude"] == "datacenter-characteristics/1"
    assert len(document["lineage"]["inputs"]) == 1
    assert len(document["tenants"]) == 24
    assert "periodic" in (tmp_path / "c.html").read_text()
    assert (tmp_path / "c.figures.json").exists()
