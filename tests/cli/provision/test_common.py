"""What the provisioning commands share."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.cli import answers
from froude.cli.app import run
from froude.cli.ending import Code
from froude.cli.provision import common
from froude.cli.settings import Settings
from froude.documents.lineage import content_of
from froude.provision.analyses.documents import document
from froude.provision.answers import unproved
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types.plan import Conflict, ProvisionPlan, Status
from froude.render import Report, Section, Text
from froude.render.answer import Answer
from tests.support.provision.clusters import paper_plan, photoshare, small

NAME = "photoshare-calibrated"
SETTINGS = Settings(command="froude test", seed=7)
AS_JSON = replace(SETTINGS, json=True)
MULTIPLES = st.floats(1e-12, 1e12)


def test_the_problem_at_a_multiple_of_its_sla() -> None:
    """The rates are multiplied; 1 leaves it as it is, 0 is a cluster that only keeps its data."""
    assert common.problem([NAME]) == photoshare()
    rates = [target.rate for target in photoshare().sla.targets]
    for scale in (0.0, 0.5, 3.0):
        scaled = common.problem([NAME], scale)
        assert [target.rate for target in scaled.sla.targets] == [rate * scale for rate in rates]


def test_the_origin_names_what_was_read(tmp_path: Path) -> None:
    """By content, shipped inputs too; with command and seed."""
    from froude.provision.inputs.read import find_input

    file = tmp_path / "hardware.yaml"
    file.write_text("a: 1\n")
    origin = common.origin(SETTINGS, [NAME, file])
    assert origin.inputs == (content_of(find_input(NAME)), content_of(file))
    assert (origin.command, origin.seed) == ("froude test", 7)
    with pytest.raises(InputError, match="none"):
        common.origin(SETTINGS, [tmp_path / "none.yaml"])


def test_the_limits_take_the_seed() -> None:
    """And both flags."""
    assert common.limits(SETTINGS, 0.0, 5.0) == SolveLimits(0.0, 5.0, 7)


@pytest.mark.parametrize(
    "words",
    [
        "compile none --gap 1",
        "compile none --gap nan",
        "compile none --time-limit 0",
        "compile none --time-limit 1e8",
        "compile none --scale -1",
        "compile none --scale 2e12",
        "vary none --span 1",
        "vary none --by 200%",
        "sweep none --points 0",
        "sweep none --to 1e13",
        "sweep none --from 2 --to 1",
    ],
)
def test_a_number_out_of_range_is_wrong_usage(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Before a file is read, and whichever check finds it."""
    assert run(["provision", *words.split()]) == Code.USAGE
    assert words.split()[2] in capsys.readouterr().err


@given(MULTIPLES, MULTIPLES, st.integers(2, 40))
def test_factors_are_evenly_spread_in_ratio(one: float, other: float, points: int) -> None:
    """From the smallest to the largest, both included."""
    low, high = sorted((one, other))
    factors = common.factors(low, high, points)
    assert len(factors) == points
    assert factors[0] == low
    assert factors[-1] == pytest.approx(high)
    step = (high / low) ** (1 / (points - 1))
    assert [after / before for before, after in pairwise(factors)] == pytest.approx([step] * (points - 1))


def test_one_factor_is_the_smallest() -> None:
    """There is no other."""
    assert common.factors(0.5, 2.0, 1) == [0.5]


@pytest.mark.parametrize(
    ("text", "share"), [("1%", 0.01), (" 0.01 ", 0.01), ("100%", 1.0), ("0", 0.0), ("12.5 %", 0.125)]
)
def test_a_share_is_given_in_percent_or_not(text: str, share: float) -> None:
    """Both ends are allowed."""
    assert common.share("--by", text) == pytest.approx(share)


@pytest.mark.parametrize(
    ("text", "message"),
    [("x", "no share"), ("", "no share"), ("2", "range"), ("-1%", "range"), ("nan", "range")],
)
def test_what_is_no_share(text: str, message: str) -> None:
    """Names the flag."""
    with pytest.raises(InputError, match=f"--by: .*{message}"):
        common.share("--by", text)


def test_a_plan_for_people() -> None:
    """Cost and bounds, what lies where, and the bill, whose total is the cost."""
    text = common.summary(photoshare(), paper_plan())
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert lines[0] == "$7,329.09, proved; no cluster costs less than $7,329.09 (gap 0.00%)"
    assert lines[1:4] == ["photos: 15KDisk", "thumbs: SSD", "tags: 7.2KDisk + DRAM"]
    totals = [float(line.split()[-1].replace(",", "")) for line in lines[5:]]
    assert sum(totals) == pytest.approx(7329.09, abs=0.05)


def test_no_plan_for_people() -> None:
    """The constraints that cannot hold together, one a line."""
    conflict = (Conflict("slots of SAS", 5, 4), Conflict("network of Server1"))
    text = common.summary(small(), ProvisionPlan(Status.INFEASIBLE, conflict=conflict))
    assert text.splitlines() == [
        "infeasible: no cluster was found",
        "  slots of SAS: needs 5, at most 4 can be had",
        "  network of Server1",
    ]
    assert common.summary(small(), ProvisionPlan(Status.UNDECIDED)) == "undecided: no cluster was found"


def test_a_command_ends_with_3_unless_all_is_proved(capsys: pytest.CaptureFixture[str]) -> None:
    """It says how many are not, and why the first is not."""
    opened = replace(paper_plan(), status=Status.GAP)
    common.end(SETTINGS, [paper_plan(), paper_plan()])
    assert capsys.readouterr().err == ""
    with pytest.raises(typer.Exit) as end:
        common.end(SETTINGS, [paper_plan(), opened, ProvisionPlan(Status.INFEASIBLE)])
    assert end.value.exit_code == Code.MISSED
    assert capsys.readouterr().err == "2 of 3 not proved: gap not reached\n"


PAGE = Report(
    "Title",
    lede="One plan.",
    sections=(Section("One", (Text("Words."),)),),
    facts=answers.facts(SETTINGS, [NAME]),
)


def test_a_page_says_what_it_was_made_from() -> None:
    """Inputs, seed and release."""
    assert PAGE.facts["Inputs"] == NAME
    assert PAGE.facts["Seed"] == "7"


def test_a_page_and_its_figures(tmp_path: Path) -> None:
    """Beside each other, where a page is wanted."""
    origin = common.origin(SETTINGS, [NAME])
    assert answers.page_files(PAGE, None, origin) == {}
    files = answers.page_files(PAGE, tmp_path / "a.html", origin)
    assert sorted(path.name for path in files) == ["a.figures.json", "a.html"]


def finish(settings: Settings, output: Path | None, report: Path | None) -> None:
    """End an analysis that found one plan."""
    missed = unproved([paper_plan()])
    answer = Answer("best", {"found": document([paper_plan()])}, lambda _: PAGE, missed)
    common.finish(settings, answer, [NAME], output=output, report=report)


def test_what_was_found_is_written_and_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file is the very document of --json; without a place for it nothing is written."""
    out, page = tmp_path / "out.json", tmp_path / "page.html"
    finish(AS_JSON, out, page)
    printed = capsys.readouterr().out
    assert printed.strip() == out.read_text().strip()
    document = json.loads(printed)
    assert document["froude"] == "best/1"
    assert document["lineage"]["command"] == "froude test"
    assert [round(plan["cost"], 2) for plan in document["found"]] == [7329.09]
    assert "<title>Title" in page.read_text()
    before = sorted(tmp_path.iterdir())
    finish(SETTINGS, None, None)
    assert sorted(tmp_path.iterdir()) == before
    assert capsys.readouterr().out == "One plan.\n"


def test_what_is_not_met_is_3() -> None:
    """Or not proved."""
    for missed in ("", unproved([ProvisionPlan(Status.GAP)])):
        answer = Answer("best", {}, lambda _: PAGE, missed)
        with pytest.raises(typer.Exit) as end:
            common.finish(SETTINGS, answer, [NAME], output=None, report=None)
        assert end.value.exit_code == Code.MISSED


def test_a_dry_run_says_what_would_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And what was found; with no place to write to it is a run like any other."""
    dry = replace(AS_JSON, dry_run=True)
    finish(dry, tmp_path / "out.json", tmp_path / "page.html")
    document = json.loads(capsys.readouterr().out)
    assert document["would"] == f"write {tmp_path / 'out.json'}, {tmp_path / 'page.html'}"
    assert len(document["found"]) == 1
    assert list(tmp_path.iterdir()) == []
    finish(dry, None, None)
    assert "dry_run" not in json.loads(capsys.readouterr().out)
