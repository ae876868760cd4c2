"""Plans that pages are made of, and what stands on a page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from froude.provision.search.architecture import architecture_of
from froude.provision.types.plan import Conflict, ProvisionPlan, Status
from froude.render import Chart, Report, Table, save
from tests.support.provision.clusters import paper_plan, with_thumbs

PLAN, OTHER = paper_plan(), replace(with_thumbs("15KDisk", 4), lower=7000.0, upper=8000.0)
HELD, NEXT = architecture_of(PLAN), architecture_of(OTHER)
NONE = ProvisionPlan(Status.INFEASIBLE, conflict=(Conflict("slots of SAS", 9, 8),))


def blocks(report: Report) -> Iterator[object]:
    """Of all sections, in their order."""
    return (block for section in report.sections for block in section.blocks)


def tables(report: Report) -> list[Table]:
    """All of a page."""
    return [block for block in blocks(report) if isinstance(block, Table)]


def charts(report: Report) -> list[Chart]:
    """All of a page."""
    return [block for block in blocks(report) if isinstance(block, Chart)]


def drawn(report: Report, folder: Path) -> None:
    """The page can be drawn."""
    assert save(report, folder / "page.html", interactive=False)
