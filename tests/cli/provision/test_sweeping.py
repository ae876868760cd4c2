"""`froude provision sweep`: the curve, the roadmap, two designs, the times of day."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.cli.app import run
from froude.cli.provision import sweeping
from froude.provision.analyses import designs
from froude.provision.analyses.designs import Comparison, Pair
from froude.provision.inputs.plan_file import plan_document
from froude.provision.search import compile as compiling
from froude.provision.search import schedule as module
from froude.provision.search.compile import Point
from froude.provision.search.schedule import Scheduled, Slot
from froude.provision.types import Period, Problem, Schedule
from froude.provision.types.plan import Conflict, ProvisionPlan, Status
from tests.support.cli.provision.analyses import NAME, asked
from tests.support.provision.clusters import paper_plan, small

pytest.importorskip("highspy")


def test_a_day(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Periods by flags; table, JSON and page."""
    command = ["provision", "sweep", NAME, "--day", "-o", str(tmp_path / "day.json")]
    flags = ["--period", "day=14x1", "--period", "night=10x0.2", "--price-per-gb-moved", "0.001"]
    assert run([*command, *flags, "--report", str(tmp_path / "page.html")]) == 0
    assert "less than the peak's cluster all day" in capsys.readouterr().out
    document = json.loads((tmp_path / "day.json").read_text())
    assert [period["name"] for period in document["periods"]] == ["day", "night"]
    assert (tmp_path / "page.html").exists()
    for wrong, said in (
        ([], "no times of day"),
        (["--period", "day=14"], "day=14"),
        (["--period", "day=14x1"], "add up to 24"),
        ([*flags, "--price-per-gb-moved", "-1"], "price_per_GB_moved"),
    ):
        assert run([*command, *wrong]) == 1
        assert said in capsys.readouterr().err


DAY, NIGHT = Period("day", 14, 1), Period("night", 10, 0.2)
NONE = ProvisionPlan(Status.INFEASIBLE, conflict=(Conflict("slots of SAS", 5, 4), Conflict("network")))
SLOTS = (Slot(DAY, paper_plan(), 4.0, 2e9, 0.5), Slot(NIGHT, paper_plan(), 1.0, 0.0, 0.0))
FOLLOWED = Scheduled(SLOTS, 5.0, 11.0, {"server": 5.0, "moving data": 0.5}, proved=True)
LOST = Scheduled((SLOTS[0], Slot(NIGHT, NONE, math.inf, 0.0, 0.0)), 0.0, math.inf, {}, proved=False)


@pytest.mark.parametrize(
    ("day", "code", "note"),
    [
        (FOLLOWED, 0, "each period is proved; around the day 9.09% could be saved at most"),
        (replace(FOLLOWED, lower_per_day=5.5), 0, ""),
        (replace(FOLLOWED, proved=False), 3, "not proved: the gap of a period's cluster is open"),
        (LOST, 3, "a period has no cluster"),
    ],
    ids=["gap around the day", "closed", "open", "lost"],
)
def test_how_a_day_ends(
    day: Scheduled,
    code: int,
    note: str,
    *,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With 3 when a period has no cluster or is open; what moves leave open around the day is a remark."""
    monkeypatch.setattr(module, "schedule", lambda *_, **__: day)
    periods = ["--period", "day=14x1", "--period", "night=10x0.2"]
    command = ["provision", "sweep", NAME, "-o", str(tmp_path / "day.json"), *periods]
    assert run(command) == code
    error_text = capsys.readouterr().err
    assert note in error_text
    assert bool(error_text) is bool(note)
    assert (tmp_path / "day.json").exists()


def test_a_dry_run_of_a_day_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The day stands in what it says."""
    monkeypatch.setattr(module, "schedule", lambda *_, **__: FOLLOWED)
    command = [
        "provision",
        "sweep",
        NAME,
        "--period",
        "all=24x1",
        "--dry-run",
        "--json",
    ]
    assert run([*command, "-o", str(tmp_path / "day.json")]) == 0
    assert json.loads(capsys.readouterr().out)["dollars_per_day"] == 5.5
    assert list(tmp_path.iterdir()) == []


POINTS = (Point(0.5, paper_plan(), {"SSD": NONE}), Point(8.0, NONE, {}))


def test_a_curve(tmp_path: Path) -> None:
    """Plans at every point, beside clusters with one storage type."""
    out = tmp_path / "sweep.json"
    words = ["provision", "sweep", NAME, "--points", "2", "--to", "1", "-o", str(out)]
    assert run([*words, "--report", str(tmp_path / "page.html")]) == 0
    points = json.loads(out.read_text())["points"]
    assert [point["factor"] for point in points] == [0.1, 1.0]
    assert set(points[0]["baselines"]) == {"7.2KDisk", "15KDisk", "SSD"}


def test_points_as_a_document() -> None:
    """Every point's plan and its baselines, by unit type."""
    plan, none = plan_document(paper_plan()), plan_document(NONE)
    assert sweeping._points(POINTS) == [
        {"factor": 0.5, "plan": plan, "baselines": {"SSD": none}},
        {"factor": 8.0, "plan": none, "baselines": {}},
    ]


def test_a_point_without_a_cluster_says_why_and_is_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Written to sweep.json where no place is named."""
    monkeypatch.setattr(compiling, "sweep", lambda *_, **__: POINTS)
    monkeypatch.chdir(tmp_path)
    assert run(["provision", "sweep", NAME]) == 3
    *_, held, lost = (" ".join(line.split()) for line in capsys.readouterr().out.splitlines())
    assert held.startswith("0.5 proved 7,329.09 7,329.09")
    assert lost.endswith("slots of SAS: needs 5, at most 4 can be had; network")
    assert json.loads((tmp_path / "sweep.json").read_text())["froude"] == "sweep/1"


def test_only_one_view_at_a_time(capsys: pytest.CaptureFixture[str]) -> None:
    """What contradicts each other is named."""
    assert run(["provision", "sweep", NAME, "--roadmap", "--with", NAME]) == 1
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


def test_money_that_is_not_finite_is_none() -> None:
    """JSON has no other word for it."""
    document = sweeping.day_document(LOST)
    assert document["dollars_per_day"] is None
    assert document["peak_dollars_per_day"] is None
    assert document["saving"] is None
    assert [period["cluster_dollars_per_day"] for period in document["periods"]] == [4.0, None]
    assert sweeping.day_document(FOLLOWED)["saving"] == 0.5


def scheduled(problem: Problem, periods: list[str] | None, moved: float | None) -> Schedule | None:
    """The schedule that comes of files and flags."""
    return sweeping.with_periods(problem, periods, moved).sla.schedule


def test_flags_count_for_more_than_files() -> None:
    """Each alone: the times of day, and the price of moving."""
    problem = small()
    periods = ["day=14x1", "night=10x0.2"]
    assert scheduled(problem, periods, None) == Schedule((DAY, NIGHT), 0.0)
    given = replace(problem, sla=replace(problem.sla, schedule=Schedule((Period("all", 24, 1),), 0.5)))
    assert scheduled(given, None, None) == given.sla.schedule
    assert scheduled(given, None, 0.0) == Schedule((Period("all", 24, 1),), 0.0)
    assert scheduled(given, periods, None) == Schedule((DAY, NIGHT), 0.5)


@pytest.mark.parametrize(
    "text", ["day", "day=", "day=14", "day=x1", "day=0x1", "day=14x-1", "day=nanx1", "d=24xinf"]
)
def test_what_is_no_period(text: str) -> None:
    """Is refused as it was typed."""
    with pytest.raises(InputError, match="is no period") as error:
        sweeping._period(text)
    assert error.value.found == text
