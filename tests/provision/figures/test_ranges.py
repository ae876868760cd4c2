"""What the pages of robustness and sensitivity say, read from their values; each can be drawn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from froude.provision.analyses.inputs import find_input
from froude.provision.analyses.prices import Crossing, Drop, PriceRange, Sensitivity
from froude.provision.analyses.vary import Edge, Range, Robustness, Swing
from froude.provision.figures.ranges import (
    amount,
    edge_text,
    robustness_report,
    sensitivity_report,
    tornado_chart,
)
from froude.render import Tone
from tests.support.provision.clusters import photoshare
from tests.support.provision.figures.pages import HELD, NEXT, NONE, PLAN, drawn, tables


def test_a_range_says_what_takes_over(tmp_path: Path) -> None:
    """Values as files write them."""
    size = find_input(photoshare(), "dataset.photos.size")
    assert amount(size, 123456789012.0) == "123.5GB"
    ranges = (Range(size, Edge(70e9, 69e9, None, "no such value: x"), Edge(876e9, 877e9, NEXT, "cheaper")),)
    report = robustness_report(Robustness(PLAN, HELD, ranges), {})
    assert tables(report)[0].rows[0] == (
        "dataset.photos.size",
        "200GB",
        "70GB",
        "no such value: x",
        "876GB",
        "thumbs: SSD → 15KDisk",
    )
    assert report.figures[-1].value == pytest.approx(200 / 70)
    assert robustness_report(Robustness(NONE, None), {}).tone is Tone.BAD
    drawn(report, tmp_path)


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
    assert [list(line.xs) for line in chart.series] == [["unit.SSD.price"]] * 2
    assert [line.ys[0] for line in chart.series] == pytest.approx([-90, 90])
    crossing = Crossing(207.1, (5, 4), exact=True, next=NEXT)
    drops = (Drop("15KDisk", "tags", crossing, 0.286), Drop("SSD", "photos", None, None, "$570 dearer"))
    sensitivity = Sensitivity(PLAN, (PriceRange(price, crossing, None),), drops)
    report = sensitivity_report(sensitivity, swings, 0.2, {})
    assert report.figures[-1].value == 0.286
    every, moved, ranges = tables(report)
    assert len(every.rows) == 2
    assert moved.rows[1][-1] == "$570 dearer"
    assert ranges.rows[0][2:5] == (207.1, None, True)
    drawn(report, tmp_path)


@pytest.mark.parametrize(
    ("path", "value", "text"),
    [
        ("dataset.photos.size", 123456789012.0, "123.5GB"),
        ("server.Server1.cpus", 4.4, "4"),
        ("unit.SSD.price", 449.99999, "450"),
    ],
)
def test_amounts_are_written_as_in_files(path: str, value: float, text: str) -> None:
    """To four digits, counts whole."""
    assert amount(find_input(photoshare(), path), value) == text


def test_an_edge_says_what_ends_the_range() -> None:
    """What is cheaper there, or why there is nothing."""
    assert HELD is not None
    assert edge_text(HELD, Edge(1.0, 2.0, NEXT, "cheaper")) == "thumbs: SSD → 15KDisk"
    assert edge_text(HELD, Edge(1.0, 2.0, NEXT, "no such value: x")) == "no such value: x"
    assert edge_text(HELD, Edge(1.0, None, None, "not looked further")) == "not looked further"


@pytest.mark.parametrize(("proved", "tone"), [(True, Tone.GOOD), (False, Tone.WARNING)])
def test_an_open_gap_is_said(proved: bool, tone: Tone) -> None:
    """Of either edge."""
    size = find_input(photoshare(), "dataset.photos.size")
    ranges = (Range(size, Edge(70e9, 69e9, why="cheaper"), Edge(876e9, 877e9, why="cheaper", proved=proved)),)
    report = robustness_report(Robustness(PLAN, HELD, ranges), {})
    assert report.tone is tone
    assert bool(tables(report)[0].note) is not proved


def test_a_sensitivity_without_a_cluster() -> None:
    """Says so, and nothing else; the least drop is of those that can be."""
    report = sensitivity_report(Sensitivity(NONE, (), ()), (), 0.2, {})
    assert report.tone is Tone.BAD
    assert report.sections == ()
    drops = (
        Drop("SSD", "tags", None, None, "never"),
        Drop("SSD", "photos", None, 0.5),
        Drop("DRAM", "tags", None, 0.3),
    )
    page = sensitivity_report(Sensitivity(PLAN, (), drops), (), 0.2, {})
    assert page.figures[-1].value == 0.3
    assert [row[2] for row in tables(page)[1].rows] == [0.3, 0.5, None]
