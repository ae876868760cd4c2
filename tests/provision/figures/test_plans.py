"""What the pages of one plan say, read from their values."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.provision.analyses.slack import Resource, Slack, slack
from froude.provision.check.evaluate import Evaluation, Limit
from froude.provision.figures import evaluation_report, plan_report
from froude.provision.figures.plans import resource_text
from froude.provision.types.plan import Conflict, ProvisionPlan, Status
from froude.render import Tone, save
from tests.support.provision.clusters import paper_plan, photoshare
from tests.support.provision.figures.pages import PLAN, charts, drawn, tables


def test_a_plan_page(tmp_path: Path) -> None:
    """The cost and its proof first; the servers and what to buy below."""
    report = plan_report(photoshare(), paper_plan(), {})
    assert "$7,329.09" in report.lede
    assert report.tone is Tone.GOOD
    assert tables(report)[0].rows[1][-1] == "4 x 15KDisk (photos)"
    bill = next(table for table in tables(report) if "Item" in [column.title for column in table.columns])
    assert "Kind" in [column.title for column in bill.columns]
    parts = charts(report)[0].series[0].xs
    assert len(set(parts)) == len(parts)
    assert {"DRAM (storage)", "DRAM (memory)", "SSD"} <= set(parts)
    assert save(report, tmp_path / "plan.html", interactive=True)


def test_an_infeasible_page_names_the_conflict() -> None:
    """And nothing else."""
    plan = ProvisionPlan(Status.INFEASIBLE, conflict=(Conflict("memory of task x", 13, 12, "GB"),))
    report = plan_report(photoshare(), plan, {})
    assert report.tone is Tone.BAD
    assert "needs 13 GB" in str(report.sections[0].blocks[0])


def test_an_evaluation_lists_limits() -> None:
    """Tightest first, with the fraction in words; without shares nothing is said of groups."""
    reached = Evaluation(0.5, (Limit("cores", 0.75), Limit("bus", 0.25)))
    report = evaluation_report(Slack((), reached), 100.0, {})
    assert report.lede == "50.0% of the SLA, for $100.00; bottleneck: cores"
    assert report.tone is Tone.BAD
    assert [table.rows for table in tables(report)] == [[("cores", 0.75), ("bus", 0.25)]]


def test_what_is_left_is_shown_by_group(tmp_path: Path) -> None:
    """One panel and one table a group, with units."""
    pytest.importorskip("scipy")
    report = evaluation_report(slack(photoshare(), PLAN), PLAN.upper, {})
    chart = charts(report)[0]
    assert len({line.panel for line in chart.series}) == 3
    cells = {row[0]: row[1:4] for row in tables(report)[1].rows}
    assert cells["network"] == ("98MBps", "125MBps", "27MBps")
    assert "105.3%" in report.lede
    drawn(report, tmp_path)


@pytest.mark.parametrize(
    ("unit", "value", "text"),
    [
        ("B/s", 98.04e6, "98MBps"),
        ("B", 1.2345e9, "1.23GB"),
        ("cores", 3.14159, "3.14 cores"),
        ("cores", 1e-12, "0 cores"),
    ],
)
def test_an_amount_of_a_resource(unit: str, value: float, text: str) -> None:
    """Three digits and its unit; what rounding leaves over is nothing."""
    assert resource_text(Resource("x", value, 4.0, unit), value) == text
