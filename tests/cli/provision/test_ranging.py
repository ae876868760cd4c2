"""`froude provision roadmap | robustness | sensitivity | uncertainty`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.cli.app import run
from froude.cli.provision import ranging
from froude.provision.analyses import prices
from froude.provision.analyses import uncertainty as uncertain
from froude.provision.analyses.inputs import find_input, main_inputs
from froude.provision.analyses.prices import Crossing, Drop, Sensitivity
from froude.provision.analyses.regimes import Best, Regime, Roadmap, Stage
from froude.provision.analyses.uncertainty import (
    Candidate,
    Distribution,
    Lognormal,
    Sample,
    Triangular,
    Uncertainty,
    Uniform,
)
from froude.provision.analyses.vary import Robustness, Swing
from froude.provision.search.architecture import Architecture, architecture_of
from froude.provision.types.plan import ProvisionPlan, Status
from tests.cli.provision.analyses import NAME, asked
from tests.provision.clusters import paper_plan, photoshare, with_thumbs

pytest.importorskip("highspy")
NONE = ProvisionPlan(Status.INFEASIBLE)
HELD = architecture_of(paper_plan()) or Architecture(())
DROPS = (
    Drop("15KDisk", "tags", Crossing(207.1, (1, 2), exact=True, next=HELD), 0.286),
    Drop("SSD", "photos", None, None, "$3,251.25 dearer even if it cost nothing"),
)


def rows(text: str) -> list[str]:
    """Its lines, each with single spaces."""
    return [" ".join(line.split()) for line in text.splitlines()]


def test_roadmap(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Regimes and stages, told and written."""
    document = asked(
        tmp_path, "roadmap", NAME, "--from", "0.03", "--to", "0.1", "--points", "3", "--tolerance", "0.1"
    )
    assert len(document["regimes"]) == 2
    assert len(document["stages"]) == 1
    assert "2 regimes; roadmap within 1.00%: 1 stage\n" in capsys.readouterr().out


def test_robustness(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One input, with what takes over at both edges."""
    command = ("robustness", NAME, "--input", "unit.SSD.price", "--tolerance", "0.01")
    document = asked(tmp_path, *command)
    assert document["ranges"][0]["input"] == {"path": "unit.SSD.price", "value": 450}
    assert "thumbs: SSD → 7.2KDisk + DRAM" in capsys.readouterr().out


def test_sensitivity(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Drops, which are stood in for, and the tornado of the inputs asked for."""
    monkeypatch.setattr(prices, "price_sensitivity", lambda *_, **__: Sensitivity(paper_plan(), (), DROPS))
    document = asked(tmp_path, "sensitivity", NAME, "--input", "cpu.core.price", "--by", "10%")
    assert [swing["input"]["path"] for swing in document["tornado"]] == ["cpu.core.price"]
    text = rows(capsys.readouterr().out)
    assert "tags 15KDisk 207.10 28.6%" in text
    assert "cpu.core.price -68.00 +68.00 stays" in text


def test_uncertainty(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ranges of three forms."""
    ranges = (
        "dataset.photos.size=150GB..250GB",
        "unit.SSD.price=300..450..600",
        "target.upload.rate=100*1.2",
    )
    flags = [flag for text in ranges for flag in ("--input", text)]
    document = asked(tmp_path, "uncertainty", NAME, *flags, "--samples", "6", "--meet", "50%")
    assert len(document["samples"]) == 6
    assert "of 6 samples" in capsys.readouterr().out


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
    ],
)
def test_wrong_flags_are_refused(
    command: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each in one line that names the flag and what is allowed."""
    assert run(["provision", *command]) == 1
    error_text = capsys.readouterr().err
    assert message in error_text
    assert len(error_text.splitlines()) == 1


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
    asked(tmp_path, "uncertainty", NAME, "--input", "unit.SSD.price=1..2", "--meet", wanted, code=code)
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
    command = ["provision", "uncertainty", NAME, "--input", "unit.SSD.price=1..2"]
    assert run([*command, "-o", str(tmp_path / "out.json")]) == 3
    assert "No sample has a cluster." in capsys.readouterr().out


def test_regrets_that_are_unknown_are_dashes() -> None:
    """A plan that sustains no sample has none."""
    *_, row, other = rows(ranging._uncertainty(distributed(0.5)))
    assert row.endswith("7,329.09 50.0% 12.50 25.00")
    assert other.endswith("7,329.09 0.0% - -")


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("dataset.photos.size=150GB..250GB", Uniform(150e9, 250e9)),
        ("dataset.photos.size=150GB..150GB..300GB", Triangular(150e9, 150e9, 300e9)),
        ("dataset.photos.size=200GB*1.5", Lognormal(200e9, 1.5)),
    ],
)
def test_what_is_known_of_an_input(text: str, known: Distribution) -> None:
    """Two ends, two ends and what is likeliest, or a median and a factor; in base units."""
    input_, distribution = ranging._known(photoshare(), text)
    assert input_.path == "dataset.photos.size"
    assert distribution == known


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("1GB", "is no range"),
        ("1GB..2GB..3GB..4GB", "is no range"),
        ("1GB..3GB..2GB", "is no range"),
        ("1GB*x", "is no factor"),
        ("1GB*1", "out of range"),
        ("1GB*nan", "out of range"),
        ("1GB*inf", "out of range"),
        ("..2GB", "dataset.photos.size"),
    ],
)
def test_what_is_no_range(given: str, message: str) -> None:
    """Named with what was typed."""
    with pytest.raises(InputError, match=message):
        ranging._known(photoshare(), f"dataset.photos.size={given}")


def test_inputs_are_those_asked_for_or_the_main_ones() -> None:
    """In the order in which they were asked for."""
    problem = photoshare()
    paths = ["unit.SSD.price", "cpu.core.price"]
    assert [input_.path for input_ in ranging._inputs(problem, paths)] == paths
    assert ranging._inputs(problem, None) == main_inputs(problem)


def test_stages_and_regimes_as_text() -> None:
    """One of each is told in the singular; where there is no cluster, there is no cost."""
    low, high = Best(0.5, paper_plan()), Best(2.0, NONE)
    last = Best(0.75, replace(paper_plan(), upper=9000.0))
    regimes = (Regime(HELD, low, last, proved=True), Regime(None, high, high, proved=False))
    stage = Stage(HELD, 0.5, 1.0, 1.25, 0.004, (7329.09,))
    text = rows(ranging._stages(Roadmap((low, high), regimes, (stage,), 0.01, 0.1, 1)))
    assert text[0] == "2 regimes; roadmap within 1.00%: 1 stage"
    assert text[2] == f"{HELD} 0.5 1 1.25 0.40%"
    assert text[-2:] == [f"{HELD} 0.5 0.75 7,329.09 yes", "no cluster 2 2 - no"]


@pytest.mark.parametrize(
    "text",
    [ranging._ranges(Robustness(NONE, None)), ranging._sensitivity(Sensitivity(NONE, (), ()), [])],
    ids=["robustness", "sensitivity"],
)
def test_without_a_cluster_there_is_one_line(text: str) -> None:
    """It says why."""
    assert text == "infeasible: no cluster was found"


def test_drops_and_swings_as_text() -> None:
    """What a price never does is said; an end that may not be, or has no cluster, is a dash."""
    price = find_input(photoshare(), "unit.SSD.price")
    dearer = replace(with_thumbs("15KDisk", 1), upper=7400.0)
    swings = [
        Swing(price, 1, 2, paper_plan(), dearer, moves=True),
        Swing(price, 1, 2, None, NONE, moves=False),
    ]
    text = rows(ranging._sensitivity(Sensitivity(paper_plan(), (), DROPS), swings))
    assert text[0] == "$7,329.09"
    assert "photos SSD - never: $3,251.25 dearer even if it cost nothing" in text
    assert text[-2:] == ["unit.SSD.price +0.00 +70.91 changes", "unit.SSD.price - - stays"]


def test_an_open_gap_is_3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found is written all the same."""
    opened = replace(paper_plan(), status=Status.GAP, lower=7000.0)
    monkeypatch.setattr(prices, "price_sensitivity", lambda *_, **__: Sensitivity(opened, (), DROPS))
    asked(tmp_path, "sensitivity", NAME, "--input", "unit.SSD.price", code=3)
