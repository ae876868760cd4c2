"""`froude harvest characterise` and `froude harvest classify`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.harvest.telemetry.files import write_datacenter
from tests.support.harvest.datacenters import drawn


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """A datacenter of eight days."""
    write_datacenter(tmp_path / "dc", drawn())
    return str(tmp_path / "dc")


def test_shares_in_text(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The verdict and the tables."""
    assert run(["harvest", "characterise", folder]) == 0
    said = capsys.readouterr().out
    assert "of the servers belong to periodic tenants" in said
    assert "Shares of each pattern (Figures 2 and 3)" in said


@pytest.mark.parametrize(
    ("flags", "classes"), [([], 23), (["--classes", "2,1,1"], 4), (["--classes", "auto"], None)]
)
def test_classes_as_json(
    flags: list[str], classes: int | None, folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every tenant in one class, a backtest of the longest period that fits twice, and the day after."""
    assert run(["harvest", "classify", folder, *flags, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len({tenant for each in found["classes"] for tenant in each["tenants"]}) == 24
    assert classes is None or len(found["classes"]) <= classes
    assert found["backtest"][0]["days"] == 2
    assert 0 <= found["stability"]["pattern_kept"] <= 1


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--features", "mean"], "--features: are no features; found mean; allowed: folded, spectrum"),
        (["--classes", "3,2"], "--classes: are no numbers of classes; found 3,2"),
        (["--classes", "3,0,1"], "--classes: are no numbers"),
        (["--period", "5"], "--period: is too long; found 5; allowed: at most 4 days here"),
    ],
)
def test_what_cannot_be_classified(
    flags: list[str], said: str, folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line that says what is allowed."""
    assert run(["harvest", "classify", folder, *flags]) == 1
    assert said in capsys.readouterr().err
