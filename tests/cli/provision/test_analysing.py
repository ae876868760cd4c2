"""`froude provision why-not | best | slack | compare`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.cli.provision import analysing
from froude.provision.analyses import choose as alternatives
from froude.provision.analyses import designs
from froude.provision.analyses.choose import WhyNot
from froude.provision.analyses.designs import Comparison, Pair
from froude.provision.inputs.plan_file import plan_json
from froude.provision.types.plan import Conflict, ProvisionPlan, Status
from tests.cli.provision.analyses import NAME, asked
from tests.provision.clusters import paper_plan, with_thumbs

pytest.importorskip("highspy")
NONE = ProvisionPlan(Status.INFEASIBLE, conflict=(Conflict("slots of SAS", 5, 4), Conflict("network")))
DEARER = replace(with_thumbs("15KDisk", 1), lower=8000.0, upper=8000.0)


def rows(text: str) -> list[str]:
    """Its lines, each with single spaces."""
    return [" ".join(line.split()) for line in text.splitlines()]


def test_why_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One choice in words; every choice ranked without one."""
    document = asked(tmp_path, "why-not", NAME, "--dataset", "photos", "--choice", "SSD + DRAM")
    assert document["choices"][0]["extra"] == pytest.approx(12975.42, abs=0.01)
    assert "photos on SSD + DRAM costs $12,975.42 more" in capsys.readouterr().out
    assert run(["provision", "why-not", NAME, "--dataset", "thumbs", "--json"]) == 0
    ranked = json.loads(capsys.readouterr().out)["found"]["choices"]
    assert ranked[0]["choice"] == ["SSD"]
    assert len(ranked) == 6


def test_best(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As many as asked for, the cheapest first."""
    document = asked(tmp_path, "best", NAME, "-k", "3")
    assert [round(plan["cost"], 2) for plan in document] == [7329.09, 7412.0, 7572.26]
    assert "243.17" in capsys.readouterr().out


def test_slack(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a plan from a file, and of the cheapest."""
    plan = tmp_path / "plan.json"
    plan.write_text(plan_json(paper_plan()))
    document = asked(tmp_path, "slack", NAME, "--cluster", str(plan))
    assert len(document["groups"]) == 3
    assert "105.3% of the SLA; bottleneck: instances of photoview" in capsys.readouterr().out
    assert run(["provision", "slack", NAME, "--scale", "0.01"]) == 0


def test_compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A design with itself: nobody wins."""
    document = asked(tmp_path, "compare", NAME, "--with", NAME, "--from", "0.1", "--to", "1", "--points", "2")
    assert [stretch["winner"] for stretch in document["stretches"]] == ["open"]
    assert "neither for certain" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "message"),
    [
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
    error_text = capsys.readouterr().err
    assert message in error_text
    assert len(error_text.splitlines()) == 1


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    """It says what it would write."""
    out = tmp_path / "out.json"
    assert run(["provision", "best", NAME, "-k", "1", "-o", str(out), "--dry-run"]) == 0
    assert not out.exists()


def test_every_choice_beside_what_it_costs() -> None:
    """One that cannot be built names the conflict instead of money."""
    built = WhyNot("thumbs", ("15KDisk",), DEARER, 670.91, 670.91, None, (), ("tags: a → b", "web: c → d"))
    lost = WhyNot("thumbs", ("SSD", "DRAM"), NONE, None, None, None, (), ())
    assert rows(analysing._why([built, lost]))[1:] == [
        "15KDisk 670.91 670.91 0.00 tags: a → b; web: c → d",
        "SSD + DRAM - - - slots of SAS: needs 5, at most 4 can be had; network",
    ]


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

    monkeypatch.setattr(alternatives, "why_not", ask)
    document = asked(tmp_path, "why-not", NAME, "--dataset", "thumbs")
    extra = [choice["extra"] for choice in document["choices"]]
    assert extra[0] == 9.0
    assert extra[-1] is None
    assert rows(capsys.readouterr().out)[-1].startswith("15KDisk - - -")


def test_no_architecture_at_all_is_3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page says so, too."""
    monkeypatch.setattr(alternatives, "k_best", lambda *_: [])
    out, page = tmp_path / "out.json", tmp_path / "page.html"
    assert run(["provision", "best", NAME, "-o", str(out), "--report", str(page)]) == 3
    assert json.loads(out.read_text())["found"] == []
    assert "No cluster meets the SLA" in page.read_text()


def test_the_best_as_text() -> None:
    """Each beside the first."""
    assert analysing._ranked([]) == "no cluster was found"
    _, first, second = rows(analysing._ranked([paper_plan(), DEARER]))
    assert first.endswith("tags: 7.2KDisk + DRAM 7,329.09 0.00 0.00% 3")
    assert second.endswith("8,000.00 670.91 0.00% 3")


def test_nothing_is_left_of_no_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """3, and nothing is written."""
    from froude.provision.search import compile as compiling

    monkeypatch.setattr(compiling, "compile_plan", lambda *_: NONE)
    assert run(["provision", "slack", NAME, "-o", str(tmp_path / "out.json")]) == 3
    assert "1 of 1 not proved: infeasible" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_comparison_as_text() -> None:
    """Costs of both, what is saved, and who wins; a design that cannot be built says so, and loses."""
    comparison = Comparison((Pair(0.5, paper_plan(), DEARER), Pair(2.0, NONE, DEARER)))
    assert rows(analysing._compared(("a.yaml", "b.yaml"), comparison))[1:] == [
        "0.5 7,329.09 8,000.00 8.4% a.yaml",
        "2 infeasible 8,000.00 - b.yaml",
    ]


def test_a_comparison_with_an_open_point_is_3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other design's counts as well."""
    monkeypatch.setattr(designs, "compare", lambda *_, **__: Comparison((Pair(1.0, paper_plan(), NONE),)))
    document = asked(tmp_path, "compare", NAME, "--with", "terasort", code=3)
    assert (document["first"], document["second"]) == (NAME, "terasort")
