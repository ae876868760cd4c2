"""`froude provision schedule`."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.cli.app import run
from froude.cli.provision import scheduling
from froude.provision.search import schedule as module
from froude.provision.search.schedule import Scheduled, Slot
from froude.provision.types import Period, Problem, Schedule
from froude.provision.types.plan import Conflict, ProvisionPlan, Status
from tests.provision.clusters import paper_plan, small

pytest.importorskip("highspy")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Periods by flags; table, JSON and page."""
    command = ["provision", "schedule", "photoshare-calibrated", "-o", str(tmp_path / "day.json")]
    flags = ["--period", "day=14x1", "--period", "night=10x0.2", "--price-per-gb-moved", "0.001"]
    assert run([*command, *flags, "--report", str(tmp_path / "page.html")]) == 0
    assert "less than the peak's cluster all day" in capsys.readouterr().out
    document = json.loads((tmp_path / "day.json").read_text())
    assert [period["name"] for period in document["periods"]] == ["day", "night"]
    assert (tmp_path / "page.html").exists()
    for wrong, said in (
        ([], "no times of day"),
        (["--period", "day=14"], "no period"),
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
    command = ["provision", "schedule", "photoshare-calibrated", "-o", str(tmp_path / "day.json"), *periods]
    assert run(command) == code
    error_text = capsys.readouterr().err
    assert note in error_text
    assert bool(error_text) is bool(note)
    assert (tmp_path / "day.json").exists()


def test_a_dry_run_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The day stands in what it says."""
    monkeypatch.setattr(module, "schedule", lambda *_, **__: FOLLOWED)
    command = [
        "provision",
        "schedule",
        "photoshare-calibrated",
        "--period",
        "all=24x1",
        "--dry-run",
        "--json",
    ]
    assert run([*command, "-o", str(tmp_path / "day.json")]) == 0
    assert json.loads(capsys.readouterr().out)["dollars_per_day"] == 5.5
    assert list(tmp_path.iterdir()) == []


def test_a_day_for_people() -> None:
    """Its cost and bound, what following it saves, and a row a period."""
    head, _, day, night = (" ".join(line.split()) for line in scheduling._summary(FOLLOWED).splitlines())
    assert head == (
        "$5.50 a day; no schedule costs less than $5.00 (gap 9.09%); "
        "50.0% less than the peak's cluster all day ($11.00)"
    )
    stored = "photos: 15KDisk, thumbs: SSD, tags: 7.2KDisk + DRAM"
    assert day == f"day 14 1 3 4.00 2.0 0.50 {stored}"
    assert night == f"night 10 0.2 3 1.00 0.0 0.00 {stored}"


def test_a_day_that_cannot_be_for_people() -> None:
    """Only the periods without a cluster, and why."""
    assert (
        scheduling._summary(LOST) == "night: infeasible; slots of SAS: needs 5, at most 4 can be had; network"
    )


def test_money_that_is_not_finite_is_none() -> None:
    """JSON has no other word for it."""
    document = scheduling._document(LOST)
    assert document["dollars_per_day"] is None
    assert document["peak_dollars_per_day"] is None
    assert document["saving"] is None
    assert [period["cluster_dollars_per_day"] for period in document["periods"]] == [4.0, None]
    assert scheduling._document(FOLLOWED)["saving"] == 0.5


def scheduled(problem: Problem, periods: list[str] | None, moved: float | None) -> Schedule | None:
    """The schedule that comes of files and flags."""
    return scheduling._with_periods(problem, periods, moved).sla.schedule


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
        scheduling._period(text)
    assert error.value.found == text
