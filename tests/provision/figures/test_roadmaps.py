"""What the page of regimes and roadmap says, read from its values; it can be drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.provision.analyses.regimes import Best, Regime, Roadmap, Stage
from froude.provision.figures.roadmaps import roadmap_report
from froude.render import Tone
from tests.support.provision.clusters import photoshare
from tests.support.provision.figures.pages import HELD, NEXT, NONE, OTHER, PLAN, charts, drawn, tables


def test_a_roadmap_shows_both_strips_and_what_changes(tmp_path: Path) -> None:
    """The optimum changes once; the roadmap stays with the first architecture throughout."""
    assert HELD is not None
    points = (Best(0.5, PLAN), Best(1.0, OTHER), Best(2.0, NONE))
    regimes = tuple(Regime(point.architecture, point, point, proved=True) for point in points)
    stage = Stage(HELD, 0.5, 1.0, 1.0, 0.004, (PLAN.upper, 8032.0))
    analysis = Roadmap(points, regimes, (stage,), 0.01, 0.01, 2)
    report = roadmap_report(photoshare(), analysis, {})
    assert report.lede.startswith("**1 architectures** (0 changes)")
    stages, optima = tables(report)
    assert stages.rows[0][-1] == 0.004
    assert [row[0] for row in optima.rows][1:] == ["thumbs: SSD → 15KDisk", "no cluster"]
    curves = {line.name: list(line.ys) for line in charts(report)[2].series}
    assert curves["roadmap"] == [PLAN.upper, 8032.0, None]
    assert curves["optimum"] == [PLAN.upper, 8000.0, None]
    drawn(report, tmp_path)


def _roadmap(*, proved: bool = True, stages: tuple[Stage, ...] = ()) -> Roadmap:
    points = (Best(1.0, PLAN), Best(4.0, OTHER))
    regimes = tuple(Regime(point.architecture, point, point, proved=proved) for point in points)
    return Roadmap(points, regimes, stages, 0.01, 0.02, 2)


def test_stages_meet_where_one_ends() -> None:
    """Each lasts as long as it may; the next begins there, and its table row says what changes."""
    assert HELD is not None
    assert NEXT is not None
    first = Stage(HELD, 1.0, 1.0, 3.0, 0.0, (PLAN.upper,))
    second = Stage(NEXT, 4.0, 4.0, 4.0, 0.01, (8000.0,))
    report = roadmap_report(photoshare(), _roadmap(stages=(first, second)), {})
    assert report.tone is Tone.GOOD
    assert "(1 changes) stay within 1.00%" in report.lede
    assert "changes 1 times" in report.lede
    ssd = next(line for line in charts(report)[0].series if (line.panel, line.name) == ("thumbs", "SSD"))
    assert list(ssd.xs) == pytest.approx([1.0, 3.0, 3.0, 4.0], rel=1e-5)
    assert list(ssd.ys) == [1.0, 1.0, 0.0, 0.0]
    rows = tables(report)[0].rows
    assert [row[0] for row in rows] == [str(HELD), "thumbs: SSD → 15KDisk"]
    assert {figure.label: figure.value for figure in report.figures}["largest extra cost"] == 0.01


def test_what_is_not_proved_or_not_there_is_a_warning() -> None:
    """A gap that stayed open is said; without a stage there is no roadmap."""
    assert HELD is not None
    stage = Stage(HELD, 1.0, 1.0, 1.0, 0.0, (PLAN.upper,))
    unsure = roadmap_report(photoshare(), _roadmap(proved=False, stages=(stage,)), {})
    assert unsure.tone is Tone.WARNING
    assert "2 of the regimes rest on a solve" in str(unsure.sections[-1].blocks[0])
    sure = roadmap_report(photoshare(), _roadmap(), {})
    assert sure.tone is Tone.WARNING
    assert "rest on a solve" not in str(sure.sections[-1].blocks[0])
    assert tables(sure)[0].rows == []
