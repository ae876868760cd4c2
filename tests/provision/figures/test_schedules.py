"""The page of a schedule."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.provision.figures.schedules import hourly, schedule_report
from froude.provision.search.schedule import Scheduled, Slot
from froude.provision.types import Period
from froude.provision.types.plan import Conflict, ProvisionPlan, Status
from tests.support.provision.clusters import paper_plan, photoshare

DAY = (Period("day", 14, 1.0), Period("evening", 4, 0.5), Period("night", 6, 0.1))


def _day() -> Scheduled:
    """The paper's cluster all day, at prices made up."""
    slots = tuple(Slot(period, paper_plan(), period.hours * 0.5, 1e9, 0.25) for period in DAY)
    return Scheduled(slots, 11.0, 13.0, {"server": 12.0, "moving data": 0.75}, proved=True)


def test_the_chart_follows_the_hours() -> None:
    """Two points a period, at its hours; under the curve lies what the clusters cost."""
    day = _day()
    chart = hourly(photoshare(), day)
    assert list(chart.series[0].xs) == [0, 14, 14, 18, 18, 24]
    area = sum(h * (y or 0.0) for h, y in zip((14, 4, 6), chart.series[0].ys[::2], strict=True))
    assert area == pytest.approx(12.0)


def test_the_page_leads_with_the_day() -> None:
    """Cost, bound, peak and saving."""
    report = schedule_report(photoshare(), _day(), {})
    assert [figure.value for figure in report.figures] == pytest.approx([12.75, 11.0, 13.0, 1 - 12.75 / 13])
    assert len(report.sections) == 2


def test_a_period_without_a_cluster() -> None:
    """Its conflict is the page."""
    lost = ProvisionPlan(Status.INFEASIBLE, conflict=(Conflict("slots of SAS"),))
    day = _day()
    slots = (*day.slots[:2], replace(day.slots[2], plan=lost))
    report = schedule_report(photoshare(), replace(day, slots=slots, proved=False), {})
    assert report.title == "No schedule"
    assert "slots of SAS" in str(report.sections)
