"""Pages of scheduling."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.base.seeds import Seeds
from froude.harvest.classify.classes import Classification, classify
from froude.harvest.figures.scheduling import MEANT, Choice, schedule_report, scheduling_report
from froude.harvest.schedule.selection import ClassRoom, Fit, JobType, Policy, Selection
from froude.harvest.simulate.month import Month, Outcome, Scheduler
from froude.render import Chart, ChartKind, Table
from tests.support.harvest.datacenters import drawn

SEEN = Outcome("pt", 0, 10, 10, 100.0, 0.02, 0.01, 0.5, 0.3, 0.0, 0)


@pytest.fixture(scope="module")
def classified() -> Classification:
    """Tenants of a made-up datacenter."""
    return classify(drawn(), Seeds(1))


def test_each_job_with_its_labels(classified: Classification) -> None:
    """Or none, which the first sentence says."""
    rooms = [
        ClassRoom(c.name, c.pattern, c.servers, c.average, c.peak, c.average) for c in classified.classes
    ]
    choices = [
        Choice("a", JobType.LONG, 5, Selection(Fit.SEVERAL, (0, 1))),
        Choice("b", JobType.SHORT, 9999, Selection(Fit.NONE)),
    ]
    page = schedule_report(classified, rooms, choices, Policy(), {})
    table = page.sections[0].blocks[0]
    assert isinstance(table, Table)
    assert table.rows[0][4] == f"{classified.classes[0].name}, {classified.classes[1].name}"
    assert table.rows[1][4] is None
    assert page.lede.startswith("1 of 2 jobs")
    assert len(page.sections[1].blocks[0].rows) == len(classified.classes)  # type: ignore[union-attr]


def test_the_verdict_and_what_must_not_be_overlooked(classified: Classification) -> None:
    """Gains in pairs of runs; classes of the same days, and jobs that did not end."""
    outcomes = [
        replace(SEEN, scheduler=name, run=run, job_s=base * scale, done=9)
        for run, base in enumerate((100.0, 200.0))
        for name, scale in (("pt", 1.0), ("h", 0.8), ("stock", 0.5))
    ]
    page = scheduling_report(Month(drawn(), classified, foresight=True), outcomes, {})
    assert (
        "Of the schedulers that mind primary tenants, jobs are shortest under h: 2\u202fmin on average"
        in page.lede
    )
    assert "Stock's take 1.25\u202fmin, with 0.0% of the servers' time overloaded" in page.lede
    assert "20.0% shorter than YARN-PT's (20.0% to 20.0%, 2 runs on this datacenter)" in page.lede
    once = scheduling_report(Month(drawn(), classified, foresight=True), outcomes[:3], {})
    assert "(1 run on this datacenter: no interval)" in once.lede
    *_, table, chart = once.sections[0].blocks
    assert isinstance(table, Table)
    assert {row[0]: row[2:5] for row in table.rows}["h"] == (pytest.approx(0.2), None, None)
    assert isinstance(chart, Chart)
    assert (chart.title, chart.kind) == ("Mean time of a job, of 1 run on this datacenter", ChartKind.BARS)
    idle = [replace(each, unlabelled=3) for each in outcomes]
    titles = [
        getattr(block, "title", "")
        for block in scheduling_report(Month(drawn(), classified, foresight=True), idle, {})
        .sections[0]
        .blocks
    ]
    assert "YARN-H could often not choose" in titles
    titles = [getattr(block, "title", "") for block in page.sections[0].blocks]
    assert titles[:2] == ["Classes are of the same days", "Not all jobs ended"]
    assert set(MEANT) == set(Scheduler)
