"""`froude provision`: questions about plans."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from froude.cli.app import run
from froude.provision.plan_file import plan_json
from tests.provision.clusters import paper_plan

pytest.importorskip("highspy")
NAME = "photoshare-calibrated"


def _asked(tmp_path: Path, *command: str, code: int = 0) -> Any:
    """Run it with both outputs; what it found."""
    out, page = tmp_path / "out.json", tmp_path / "page.html"
    assert run(["provision", *command, "-o", str(out), "--report", str(page)]) == code
    assert page.stat().st_size > 10_000
    return json.loads(out.read_text())["found"]


def test_roadmap(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Regimes and stages, told and written."""
    found = _asked(
        tmp_path, "roadmap", NAME, "--from", "0.03", "--to", "0.1", "--points", "3", "--tolerance", "0.1"
    )
    assert len(found["regimes"]) == 2
    assert len(found["stages"]) == 1
    assert "2 regimes; roadmap within 1.00%: 1 stage\n" in capsys.readouterr().out


def test_robustness(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One input, with what takes over at both edges."""
    command = ("robustness", NAME, "--input", "unit.SSD.price", "--tolerance", "0.01")
    found = _asked(tmp_path, *command)
    assert found["ranges"][0]["input"] == {"path": "unit.SSD.price", "value": 450}
    assert "thumbs: SSD → 7.2KDisk + DRAM" in capsys.readouterr().out


def test_sensitivity(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Drops and the tornado of the inputs asked for."""
    found = _asked(tmp_path, "sensitivity", NAME, "--input", "cpu.core.price", "--by", "10%")
    assert [swing["input"]["path"] for swing in found["tornado"]] == ["cpu.core.price"]
    text = capsys.readouterr().out
    assert "28.6%" in text
    assert "+68.00" in text


def test_uncertainty(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ranges of three forms; a share that cannot be met ends with 3."""
    ranges = (
        "dataset.photos.size=150GB..250GB",
        "unit.SSD.price=300..450..600",
        "target.upload.rate=100*1.2",
    )
    flags = [flag for one in ranges for flag in ("--input", one)]
    found = _asked(tmp_path, "uncertainty", NAME, *flags, "--samples", "6", "--meet", "50%")
    assert len(found["samples"]) == 6
    assert "of 6 samples" in capsys.readouterr().out


def test_why_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One choice in words; every choice ranked without one."""
    found = _asked(tmp_path, "why-not", NAME, "--dataset", "photos", "--choice", "SSD + DRAM")
    assert found["choices"][0]["extra"] == pytest.approx(12975.42, abs=0.01)
    assert "photos on SSD + DRAM costs $12,975.42 more" in capsys.readouterr().out
    assert run(["provision", "why-not", NAME, "--dataset", "thumbs", "--json"]) == 0
    ranked = json.loads(capsys.readouterr().out)["found"]["choices"]
    assert ranked[0]["choice"] == ["SSD"]
    assert len(ranked) == 6


def test_best(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The five best; what cannot be built ends with 3."""
    found = _asked(tmp_path, "best", NAME, "-k", "3")
    assert [round(plan["cost"], 2) for plan in found] == [7329.09, 7412.0, 7572.26]
    assert "243.17" in capsys.readouterr().out


def test_slack(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a plan from a file, and of the cheapest."""
    plan = tmp_path / "plan.json"
    plan.write_text(plan_json(paper_plan()))
    found = _asked(tmp_path, "slack", NAME, "--cluster", str(plan))
    assert len(found["groups"]) == 3
    assert "105.3% of the SLA; bottleneck: instances of photoview" in capsys.readouterr().out
    assert run(["provision", "slack", NAME, "--scale", "0.01"]) == 0


def test_compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A design with itself: nobody wins."""
    found = _asked(tmp_path, "compare", NAME, "--with", NAME, "--from", "0.1", "--to", "1", "--points", "2")
    assert [stretch["winner"] for stretch in found["stretches"]] == ["open"]
    assert "neither for certain" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["robustness", NAME, "--input", "unit.SSD.pric"], "unit.SSD.price"),
        (["robustness", NAME, "--span", "0.5"], "--span"),
        (["roadmap", NAME, "--within", "x"], "is no share"),
        (["roadmap", NAME, "--from", "2", "--to", "1"], "is no range"),
        (["uncertainty", NAME, "--input", "dataset.photos.size"], "has no range"),
        (["uncertainty", NAME, "--input", "dataset.photos.size=3GB..2GB"], "is no range"),
        (["uncertainty", NAME, "--input", "dataset.photos.size=3..4"], "has no unit"),
        (["uncertainty", NAME, "--input", "dataset.photos.size=1GB..2GB"], "draws a value that may not be"),
        (["uncertainty", NAME, "--input", "dataset.photos.size=1GB*0.5"], "out of range"),
        (["why-not", NAME, "--dataset", "fotos"], "did you mean photos"),
        (["why-not", NAME, "--dataset", "photos", "--choice", "Tape"], "is no choice"),
        (["best", NAME, "-k", "0"], "out of range"),
    ],
)
def test_wrong_flags_are_refused(
    command: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each in one line that names the flag and what is allowed."""
    assert run(["provision", *command]) == 1
    told = capsys.readouterr().err
    assert message in told
    assert len(told.splitlines()) == 1


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    """It says what it would write."""
    out = tmp_path / "out.json"
    assert run(["provision", "best", NAME, "-k", "1", "-o", str(out), "--dry-run"]) == 0
    assert not out.exists()
