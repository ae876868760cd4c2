"""What the pages of the analyses say, read from their values; each can be drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from froude.provision.analyses.alternatives import WhyNot, bill_difference
from froude.provision.analyses.architecture import architecture_of
from froude.provision.analyses.designs import Comparison, Pair
from froude.provision.analyses.edges import Edge
from froude.provision.analyses.inputs import find_input
from froude.provision.analyses.prices import Crossing, Drop, PriceRange, Sensitivity
from froude.provision.analyses.regimes import Best, Regime, Roadmap, Stage
from froude.provision.analyses.robustness import Range, Robustness
from froude.provision.analyses.slack import slack
from froude.provision.analyses.tornado import Swing
from froude.provision.analyses.uncertainty import Candidate, Sample, Uncertainty, Uniform
from froude.provision.figures.others import (
    best_report,
    comparison_report,
    slack_report,
    why_not_report,
    why_text,
)
from froude.provision.figures.ranges import amount, robustness_report, sensitivity_report, tornado_chart
from froude.provision.figures.roadmaps import roadmap_report
from froude.provision.figures.uncertain import recommendation, uncertainty_report
from froude.provision.plan import Conflict, ProvisionPlan, Status
from froude.render import Chart, Report, Table, Tone, save
from tests.provision.clusters import paper_plan, photoshare, with_thumbs

PLAN, OTHER = paper_plan(), replace(with_thumbs("15KDisk", 4), lower=7000.0, upper=8000.0)
HELD, NEXT = architecture_of(PLAN), architecture_of(OTHER)
NONE = ProvisionPlan(Status.INFEASIBLE, conflict=(Conflict("slots of SAS", 9, 8),))


def _blocks(report: Report) -> Iterator[object]:
    return (block for section in report.sections for block in section.blocks)


def _tables(report: Report) -> list[Table]:
    return [block for block in _blocks(report) if isinstance(block, Table)]


def _charts(report: Report) -> list[Chart]:
    return [block for block in _blocks(report) if isinstance(block, Chart)]


def _drawn(report: Report, tmp_path: Path) -> None:
    assert save(report, tmp_path / "page.html", interactive=False)


def test_a_roadmap_shows_both_strips_and_what_changes(tmp_path: Path) -> None:
    """The optimum changes once; the roadmap stays with the first architecture throughout."""
    assert HELD is not None
    points = (Best(0.5, PLAN), Best(1.0, OTHER), Best(2.0, NONE))
    regimes = tuple(Regime(one.architecture, one, one, proved=True) for one in points)
    stage = Stage(HELD, 0.5, 1.0, 1.0, 0.004, (PLAN.upper, 8032.0))
    found = Roadmap(points, regimes, (stage,), 0.01, 0.01, 2)
    report = roadmap_report(photoshare(), found, {})
    assert report.lede.startswith("**1 architectures** (0 changes)")
    stages, optima = _tables(report)
    assert stages.rows[0][-1] == 0.004
    assert [row[0] for row in optima.rows][1:] == ["thumbs: SSD → 15KDisk", "no cluster"]
    curves = {one.name: list(one.ys) for one in _charts(report)[2].series}
    assert curves["roadmap"] == [PLAN.upper, 8032.0, None]
    assert curves["optimum"] == [PLAN.upper, 8000.0, None]
    _drawn(report, tmp_path)


def test_a_range_says_what_takes_over(tmp_path: Path) -> None:
    """Values as files write them."""
    size = find_input(photoshare(), "dataset.photos.size")
    assert amount(size, 123456789012.0) == "123.5GB"
    ranges = (Range(size, Edge(70e9, 69e9, None, "no such value: x"), Edge(876e9, 877e9, NEXT, "cheaper")),)
    report = robustness_report(Robustness(PLAN, HELD, ranges), {})
    assert _tables(report)[0].rows[0] == (
        "dataset.photos.size",
        "200GB",
        "70GB",
        "no such value: x",
        "876GB",
        "thumbs: SSD → 15KDisk",
    )
    assert report.figures[-1].value == pytest.approx(200 / 70)
    assert robustness_report(Robustness(NONE, None), {}).tone is Tone.BAD
    _drawn(report, tmp_path)


def test_a_tornado_has_both_ends(tmp_path: Path) -> None:
    """The change of the cost at each; inputs that change nothing are left out of the picture, not of the table."""
    price, size = (find_input(photoshare(), path) for path in ("unit.SSD.price", "dataset.photos.size"))
    swings = (
        Swing(
            price,
            360,
            540,
            replace(PLAN, upper=PLAN.upper - 90),
            replace(PLAN, upper=PLAN.upper + 90),
            moves=False,
        ),
        Swing(size, 160e9, 240e9, PLAN, None, moves=False),
    )
    chart = tornado_chart(PLAN.upper, swings, 0.2)
    assert [list(one.xs) for one in chart.series] == [["unit.SSD.price"]] * 2
    assert [one.ys[0] for one in chart.series] == pytest.approx([-90, 90])
    crossing = Crossing(207.1, (5, 4), exact=True, next=NEXT)
    drops = (Drop("15KDisk", "tags", crossing, 0.286), Drop("SSD", "photos", None, None, "$570 dearer"))
    found = Sensitivity(PLAN, (PriceRange(price, crossing, None),), drops)
    report = sensitivity_report(found, swings, 0.2, {})
    assert report.figures[-1].value == 0.286
    every, moved, ranges = _tables(report)
    assert len(every.rows) == 2
    assert moved.rows[1][-1] == "$570 dearer"
    assert ranges.rows[0][2:5] == (207.1, None, True)
    _drawn(report, tmp_path)


def test_why_not_names_cost_and_conflict(tmp_path: Path) -> None:
    """What grows for one that can be built, what is in conflict for one that cannot."""
    difference = bill_difference(photoshare(), PLAN, OTHER)
    one = WhyNot("thumbs", ("15KDisk",), OTHER, 670.9, 0.0, 700.0, difference, ())
    none = WhyNot("thumbs", ("DRAM",), NONE, None, None, None, (), ())
    assert "costs $670.90 more" in why_text(PLAN, one)
    assert "15KDisk 4 → 8" in why_text(PLAN, one)
    assert "slots of SAS" in why_text(PLAN, none)
    both, single = why_not_report(PLAN, [one, none], {}), why_not_report(PLAN, [one], {})
    assert len(_tables(both)) == 1
    assert _tables(single)[1].rows[0][2:4] == (4, 8)
    _drawn(single, tmp_path)


def test_the_best_are_ranked(tmp_path: Path) -> None:
    """With what they cost more, and how they differ."""
    report = best_report([PLAN, OTHER], {})
    assert _tables(report)[0].rows[1][2] == pytest.approx(8000 - PLAN.upper)
    assert _tables(report)[0].rows[1][-1] == "thumbs: SSD → 15KDisk"
    assert best_report([], {}).tone is Tone.BAD
    _drawn(report, tmp_path)


def test_slack_is_shown_by_group(tmp_path: Path) -> None:
    """One panel and one table a group, with units."""
    pytest.importorskip("scipy")
    report = slack_report(PLAN, slack(photoshare(), PLAN), {})
    chart = _charts(report)[0]
    assert len({one.panel for one in chart.series}) == 3
    cells = {row[0]: row[1:4] for row in _tables(report)[0].rows}
    assert cells["network"] == ("98MBps", "125MBps", "27MBps")
    assert "5.3%" in report.lede
    _drawn(report, tmp_path)


def test_a_comparison_says_more_or_less(tmp_path: Path) -> None:
    """Never a negative saving in words."""
    cheap, dear = replace(PLAN, lower=90.0, upper=95.0), replace(PLAN, lower=96.0, upper=100.0)
    found = comparison_report(("a", "b"), Comparison((Pair(1.0, cheap, dear), Pair(2.0, cheap, NONE))), {})
    assert "**5.0% less**" in found.lede
    assert "**5.3% more**" in comparison_report(("a", "b"), Comparison((Pair(1.0, dear, cheap),)), {}).lede
    assert _tables(found)[0].rows == [(1.0, 2.0, "a")]
    _drawn(found, tmp_path)


def test_uncertainty_recommends(tmp_path: Path) -> None:
    """The plan, how often it meets the SLA, its regret; the costs as a distribution."""
    assert HELD is not None
    size = find_input(photoshare(), "dataset.photos.size")
    candidate = Candidate(PLAN, HELD, PLAN.upper, 0.9, 12.0, 40.0)
    samples = (Sample((1e9,), PLAN), Sample((2e9,), OTHER), Sample((3e9,), NONE))
    found = Uncertainty(((size, Uniform(1e9, 3e9)),), samples, (candidate,), candidate, 0.95)
    assert recommendation(found).startswith("No candidate meets 95% of the samples.")
    report = uncertainty_report(found, {})
    assert report.tone is Tone.WARNING
    counts, shares = _charts(report)
    assert sum(y or 0 for y in counts.series[0].ys[:-1]) == 2
    assert list(shares.series[0].ys) == [0.5, 1.0]
    assert _tables(report)[0].rows[0] == ("dataset.photos.size", "200GB", "uniform from 1GB to 3GB")
    nothing = replace(found, candidates=(), recommended=None, samples=samples[2:])
    assert recommendation(nothing) == "No sample has a cluster."
    _drawn(report, tmp_path)
    _drawn(uncertainty_report(nothing, {}), tmp_path)
