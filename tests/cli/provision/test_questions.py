"""`froude provision vary | why-not`."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.provision.analyses import choose, prices
from froude.provision.analyses import uncertainty as uncertain
from froude.provision.analyses.choose import WhyNot
from froude.provision.analyses.inputs import find_input
from froude.provision.analyses.prices import Crossing, Drop, Sensitivity
from froude.provision.analyses.uncertainty import (
    Candidate,
    Sample,
    Uncertainty,
    Uniform,
)
from froude.provision.search.architecture import Architecture, architecture_of
from froude.provision.types.plan import Conflict, ProvisionPlan, Status
from tests.support.cli.provision.analyses import NAME, asked
from tests.support.provision.clusters import paper_plan, photoshare

pytest.importorskip("highspy")
NONE = ProvisionPlan(Status.INFEASIBLE, conflict=(Conflict("slots of SAS", 5, 4), Conflict("network")))
HELD = architecture_of(paper_plan()) or Architecture(())
DROPS = (
    Drop("15KDisk", "tags", Crossing(207.1, (1, 2), exact=True, next=HELD), 0.286),
    Drop("SSD", "photos", None, None, "$3,251.25 dearer even if it cost nothing"),
)


def rows(text: str) -> list[str]:
    """Its lines, each with single spaces."""
    return [" ".join(line.split()) for line in text.splitlines()]


def test_robustness(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One input, with what takes over at both edges."""
    command = ("vary", NAME, "--input", "unit.SSD.price", "--tolerance", "0.01")
    document = asked(tmp_path, *command)
    assert document["ranges"][0]["input"] == {"path": "unit.SSD.price", "value": 450}
    assert "thumbs: SSD → 7.2KDisk + DRAM" in capsys.readouterr().out


def test_sensitivity(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Drops, which are stood in for, and the tornado of the inputs asked for."""
    monkeypatch.setattr(prices, "price_sensitivity", lambda *_, **__: Sensitivity(paper_plan(), (), DROPS))
    document = asked(tmp_path, "vary", NAME, "--input", "cpu.core.price", "--by", "10%")
    assert [swing["input"]["path"] for swing in document["tornado"]] == ["cpu.core.price"]
    text = rows(capsys.readouterr().out)
    assert "15KDisk tags 28.6 % 207.10" in text
    assert any(re.match(r"cpu.core.price \S+ -68.00 \S+ 68.00 stays", line) for line in text)


def test_an_open_gap_is_3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found is written all the same."""
    opened = replace(paper_plan(), status=Status.GAP, lower=7000.0)
    monkeypatch.setattr(prices, "price_sensitivity", lambda *_, **__: Sensitivity(opened, (), DROPS))
    asked(tmp_path, "vary", NAME, "--by", "20%", "--input", "unit.SSD.price", code=3)


def test_uncertainty(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ranges of three forms."""
    ranges = (
        "dataset.photos.size=150GB..250GB",
        "unit.SSD.price=300..450..600",
        "target.upload.rate=100*1.2",
    )
    flags = [flag for text in ranges for flag in ("--input", text)]
    document = asked(tmp_path, "vary", NAME, *flags, "--samples", "6", "--meet", "50%")
    assert len(document["samples"]) == 6
    assert "of 6 samples" in capsys.readouterr().out


@pytest.mark.parametrize(("wanted", "code"), [("50%", 0), ("51%", 3), ("1", 3)])
def test_a_share_of_the_samples_that_no_plan_sustains_is_3(
    wanted: str,
    code: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What would be bought is told all the same."""
    monkeypatch.setattr(uncertain, "uncertainty", lambda *_, wanted, **__: distributed(wanted))
    asked(tmp_path, "vary", NAME, "--input", "unit.SSD.price=1..2", "--meet", wanted, code=code)
    out = capsys.readouterr().out
    assert "$7,329.09 meets the SLA in 50.0% of 2 samples" in out
    assert ("No candidate meets" in out) is (code == 3)


def distributed(wanted: float) -> Uncertainty:
    """Two samples, one of them with a cluster, which meets half of them."""
    price = find_input(photoshare(), "unit.SSD.price")
    samples = (Sample((1.0,), paper_plan()), Sample((2.0,), NONE))
    candidate = Candidate(paper_plan(), HELD, paper_plan().upper, 0.5, 12.5, 25.0)
    other = Candidate(paper_plan(), HELD, paper_plan().upper, 0.0, None, None)
    return Uncertainty(((price, Uniform(1, 2)),), samples, (candidate, other), candidate, wanted)


def test_a_range_without_any_cluster_recommends_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It ends with 3."""
    nothing = replace(distributed(0.5), samples=(Sample((1.0,), NONE),), candidates=(), recommended=None)
    monkeypatch.setattr(uncertain, "uncertainty", lambda *_, **__: nothing)
    command = ["provision", "vary", NAME, "--input", "unit.SSD.price=1..2"]
    assert run([*command, "-o", str(tmp_path / "out.json")]) == 3
    assert "No sample has a cluster." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["vary", NAME, "--input", "unit.SSD.pric"], "unit.SSD.price"),
        (["vary", NAME, "--by", "x"], "is no share"),
        (["vary", NAME, "--input", "unit.SSD.price", "--input", "cpu.core.price=1..2"], "has no range"),
        (["vary", NAME, "--by", "10%", "--input", "cpu.core.price=1..2"], "cannot be given together"),
        (["vary", NAME, "--input", "dataset.photos.size=3GB..2GB"], "is no range"),
        (["vary", NAME, "--input", "dataset.photos.size=3..4"], "has no unit"),
        (["vary", NAME, "--input", "dataset.photos.size=1GB..2GB"], "draws a value that may not be"),
        (["vary", NAME, "--input", "dataset.photos.size=1GB*0.5"], "out of range"),
        (["why-not", NAME, "--dataset", "fotos"], "did you mean photos"),
        (["why-not", NAME, "--dataset", "photos", "--choice", "Tape"], "is no choice"),
    ],
)
def test_wrong_flags_are_refused(
    command: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each in one line that names the flag and what is allowed."""
    assert run(["provision", *command]) in {1, 2}
    error_text = capsys.readouterr().err
    assert message in error_text
    assert len(error_text.splitlines()) == 1


def test_why_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One choice in words; every choice ranked without one."""
    document = asked(tmp_path, "why-not", NAME, "--dataset", "photos", "--choice", "SSD + DRAM")
    assert document["choices"][0]["extra"] == pytest.approx(12975.42, abs=0.01)
    assert "photos on SSD + DRAM costs $12,975.42 more" in capsys.readouterr().out
    assert run(["provision", "why-not", NAME, "--dataset", "thumbs", "--json"]) == 0
    ranked = json.loads(capsys.readouterr().out)["found"]["choices"]
    assert ranked[0]["choice"] == ["SSD"]
    assert len(ranked) == 6


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    """It says what it would write."""
    out = tmp_path / "out.json"
    assert (
        run(
            [
                "provision",
                "why-not",
                NAME,
                "--dataset",
                "thumbs",
                "--choice",
                "SSD",
                "-o",
                str(out),
                "--dry-run",
            ]
        )
        == 0
    )
    assert not out.exists()


def test_what_cannot_be_built_stands_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By what it costs more; it is an answer, not a miss."""
    extras = {"15KDisk": None, "7.2KDisk": 9.0}

    def ask(*parts: object) -> WhyNot:
        names: tuple[str, ...] = parts[-1]  # type: ignore[assignment]
        extra = extras.get(" + ".join(names), 20.0)
        plan = NONE if extra is None else paper_plan()
        return WhyNot("thumbs", names, plan, extra, extra, extra, (), ())

    monkeypatch.setattr(choose, "why_not", ask)
    document = asked(tmp_path, "why-not", NAME, "--dataset", "thumbs")
    extra = [choice["extra"] for choice in document["choices"]]
    assert extra[0] == 9.0
    assert extra[-1] is None
    assert rows(capsys.readouterr().out)[-1].startswith("15KDisk - - -")
