"""What the pages of one plan say, read from their values."""

from __future__ import annotations

from pathlib import Path

from froude.provision.check.evaluate import Evaluation, Limit
from froude.provision.figures import (
    evaluation_section,
    plan_report,
)
from froude.provision.types.plan import Conflict, ProvisionPlan, Status
from froude.render import Table, Tone, save
from tests.provision.clusters import paper_plan, photoshare


def test_a_plan_page(tmp_path: Path) -> None:
    """The cost and its proof first; the servers and what to buy below."""
    report = plan_report(photoshare(), paper_plan(), {})
    assert "$7,329.09" in report.lede
    assert report.tone is Tone.GOOD
    tables = [block for section in report.sections for block in section.blocks if isinstance(block, Table)]
    assert tables[0].rows[1][-1] == "4 x 15KDisk (photos)"
    bill = next(table for table in tables if "Item" in [column.title for column in table.columns])
    assert "Kind" in [column.title for column in bill.columns]
    assert save(report, tmp_path / "plan.html", interactive=True)


def test_an_infeasible_page_names_the_conflict() -> None:
    """And nothing else."""
    plan = ProvisionPlan(Status.INFEASIBLE, conflict=(Conflict("memory of task x", 13, 12, "GB"),))
    report = plan_report(photoshare(), plan, {})
    assert report.tone is Tone.BAD
    assert "needs 13 GB" in str(report.sections[0].blocks[0])


def test_an_evaluation_lists_limits() -> None:
    """Tightest first, with the fraction in words."""
    section = evaluation_section(Evaluation(0.5, (Limit("cores", 0.75), Limit("bus", 0.25))))
    assert "50.0%" in str(section.blocks[0])
