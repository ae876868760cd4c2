"""`froude provision schedule`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from froude.cli.app import run

pytest.importorskip("highspy")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Periods by flags; table, JSON and page."""
    command = ["provision", "schedule", "photoshare-calibrated", "-o", str(tmp_path / "day.json")]
    flags = ["--period", "day=14x1", "--period", "night=10x0.2", "--price-per-gb-moved", "0.001"]
    assert run([*command, *flags, "--report", str(tmp_path / "page.html")]) == 0
    assert "less than the peak's cluster all day" in capsys.readouterr().out
    document = json.loads((tmp_path / "day.json").read_text())
    assert [one["name"] for one in document["periods"]] == ["day", "night"]
    assert (tmp_path / "page.html").exists()
    for wrong, said in (
        ([], "no times of day"),
        (["--period", "day=14"], "no period"),
        (["--period", "day=14x1"], "add up to 24"),
        ([*flags, "--price-per-gb-moved", "-1"], "price_per_GB_moved"),
    ):
        assert run([*command, *wrong]) == 1
        assert said in capsys.readouterr().err
