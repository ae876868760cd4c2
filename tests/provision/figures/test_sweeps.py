"""What the page of a sweep says, read from its values."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from froude.provision.figures import (
    baseline_table,
    cost_curve,
    cost_stack,
    storage_strip,
    sweep_report,
)
from froude.provision.figures.parts import storage_colours
from froude.provision.search.compile import Point
from froude.provision.types.plan import Conflict, ProvisionPlan, Status
from froude.render import Tone, save
from tests.support.provision.clusters import paper_plan, photoshare, with_thumbs


def _points() -> list[Point]:
    proved = replace(paper_plan(), lower=7300.0)
    open_ = replace(with_thumbs("15KDisk", 4), status=Status.GAP, lower=6000.0, upper=8000.0)
    dear = replace(paper_plan(), upper=2 * proved.upper)
    none = ProvisionPlan(Status.INFEASIBLE, conflict=(Conflict("network"),))
    return [
        Point(0.5, open_, {"15KDisk": none}),
        Point(1.0, proved, {"15KDisk": dear}),
        Point(9.0, none, {}),
    ]


def test_the_curve_has_its_band_and_baselines() -> None:
    """Cost, bound and homogeneous clusters; a gap where there is none."""
    chart = cost_curve(_points(), {"SSD": 0, "15KDisk": 1})
    assert [line.colour for line in chart.series] == [0, 0, 1]
    series = {line.name: list(line.ys) for line in chart.series}
    assert series["cost"] == [8000.0, paper_plan().upper, None]
    assert series["cost (lower bound)"] == [6000.0, 7300.0, None]
    assert series["all on 15KDisk"] == [None, 2 * paper_plan().upper, None]


def test_no_colour_stands_for_two_kinds_of_storage() -> None:
    """Of a catalog with more kinds than colours: the first have one, the others are in the table."""
    names = [f"unit{number}" for number in range(9)]
    points = [Point(1.0, paper_plan(), dict.fromkeys(names, paper_plan()))]
    colours = storage_colours(photoshare(), [(name,) for name in names])
    chart = cost_curve(points, colours)
    assert len({line.colour for line in chart.series if not line.dashed}) == len(chart.series) - 1 == 7
    assert "3 more homogeneous clusters" in chart.caption


def test_the_strip_shows_one_storage_at_a_time() -> None:
    """At every point exactly one band of a dataset is full."""
    chart = storage_strip(photoshare(), _points()[:2], {"SSD": 0, "15KDisk": 1, "7.2KDisk + DRAM": 2})
    thumbs = {line.name: list(line.ys) for line in chart.series if line.panel == "thumbs"}
    assert thumbs == {"15KDisk": [1.0, 1.0, 0.0, 0.0], "SSD": [0.0, 0.0, 1.0, 1.0]}
    edge = math.sqrt(0.5)
    assert list(chart.series[0].xs) == pytest.approx([0.5, edge, edge, 1.0], rel=1e-5)


def test_the_stack_adds_up() -> None:
    """Kinds of parts sum to the cost."""
    chart = cost_stack(photoshare(), _points()[1:2])
    assert math.isclose(sum(line.ys[0] or 0 for line in chart.series), paper_plan().upper, rel_tol=1e-9)


def test_baselines_are_compared() -> None:
    """Twice the cost, at the one point where both exist."""
    assert list(baseline_table(_points()).rows) == [("all on 15KDisk", 2.0, 2.0, 1)]


def test_a_sweep_says_what_is_not_proved(tmp_path: Path) -> None:
    """One of three; the page can be drawn."""
    report = sweep_report(photoshare(), _points(), {"Seed": "0"})
    assert report.lede.startswith("1 of 3 points")
    assert report.tone is Tone.WARNING
    assert save(report, tmp_path / "sweep.html", interactive=True)
