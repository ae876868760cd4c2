"""`froude provision sweep`: the curve, the roadmap, two designs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.provision import answers
from froude.provision.analyses import designs
from froude.provision.analyses.designs import Comparison, Pair
from froude.provision.search.compile import Point
from froude.provision.types.plan import Conflict, ProvisionPlan, Status
from tests.support.cli.provision.analyses import NAME, asked
from tests.support.provision.clusters import paper_plan

pytest.importorskip("highspy")


NONE = ProvisionPlan(Status.INFEASIBLE, conflict=(Conflict("slots of SAS", 5, 4), Conflict("network")))
POINTS = (Point(0.5, paper_plan(), {"SSD": NONE}), Point(8.0, NONE, {}))


def test_a_curve(tmp_path: Path) -> None:
    """Plans at every point, beside clusters with one storage type."""
    out = tmp_path / "sweep.json"
    words = ["provision", "sweep", NAME, "--points", "2", "--to", "1", "-o", str(out)]
    assert run([*words, "--report", str(tmp_path / "page.html")]) == 0
    points = json.loads(out.read_text())["points"]
    assert [point["factor"] for point in points] == [0.1, 1.0]
    assert set(points[0]["baselines"]) == {"7.2KDisk", "15KDisk", "SSD"}


def test_a_point_without_a_cluster_says_why_and_is_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Written to sweep.json where no place is named."""
    monkeypatch.setattr(answers, "sweep_plans", lambda *_, **__: POINTS)
    monkeypatch.chdir(tmp_path)
    assert run(["provision", "sweep", NAME]) == 3
    *_, held, lost = (" ".join(line.split()) for line in capsys.readouterr().out.splitlines())
    assert held.startswith("0.5 proved 7,329.09 7,329.09")
    assert lost.endswith("slots of SAS: needs 5, at most 4 can be had; network")
    assert json.loads((tmp_path / "sweep.json").read_text())["froude"] == "sweep/1"


def test_an_interrupt_keeps_the_points_so_far(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Said in the file, on the page, and at the end; before the first point nothing is written."""
    out = tmp_path / "sweep.json"

    def interrupted(*_: object, done: Callable[[Point], None], **__: object) -> None:
        for point in points:
            done(point)
        raise KeyboardInterrupt

    monkeypatch.setattr(answers, "sweep_plans", interrupted)
    points: tuple[Point, ...] = ()
    words = ["provision", "sweep", NAME, "--points", "3", "-o", str(out)]
    assert (run(words), out.exists()) == (130, False)
    points = POINTS[:1]
    capsys.readouterr()
    assert run([*words, "--report", str(tmp_path / "page.html")]) == 130
    error = capsys.readouterr().err.splitlines()[-1]
    assert error == f"froude: interrupted after 1 of 3 loads: what was done is in {out}"
    document = json.loads(out.read_text())
    assert (len(document["points"]), document["interrupted"]) == (1, "after 1 of 3 loads")
    assert "after 1 of 3 loads" in (tmp_path / "page.html").read_text()


def test_only_one_view_at_a_time(capsys: pytest.CaptureFixture[str]) -> None:
    """What contradicts each other is named."""
    assert run(["provision", "sweep", NAME, "--roadmap", "--with", NAME]) == 2
    assert "--roadmap, --with: cannot be given together" in capsys.readouterr().err


def test_roadmap(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Regimes and stages, told and written."""
    document = asked(
        tmp_path,
        "sweep",
        NAME,
        "--roadmap",
        "--from",
        "0.03",
        "--to",
        "0.1",
        "--points",
        "3",
        "--tolerance",
        "0.1",
    )
    assert len(document["regimes"]) == 2
    assert len(document["stages"]) == 1
    assert "1 architectures (0 changes) stay within 1.00%" in capsys.readouterr().out


def test_compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A design with itself: nobody wins."""
    document = asked(tmp_path, "sweep", NAME, "--with", NAME, "--from", "0.1", "--to", "1", "--points", "2")
    assert [stretch["winner"] for stretch in document["stretches"]] == ["open"]
    assert "neither for certain" in capsys.readouterr().out


def test_a_comparison_with_an_open_point_is_3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other design's counts as well."""
    monkeypatch.setattr(designs, "compare", lambda *_, **__: Comparison((Pair(1.0, paper_plan(), NONE),)))
    document = asked(tmp_path, "sweep", NAME, "--with", "terasort", code=3)
    assert (document["first"], document["second"]) == (NAME, "terasort")
