"""A sweep's page: the verdict, a chart for each measure, every run."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from froude.experiment.figures.page import page
from froude.experiment.figures.sweep import sweep_title, sweep_tone
from froude.experiment.scenario.scenario import Finding
from froude.experiment.sweep.result import Swept
from froude.render import Chart, ChartKind, Table, Tone
from tests.support.experiment.sweeps import swept

FINDING = Finding(claim="slower", limits=("last/first: p50 > 1.2",))


def _charts(found: Swept, kind: ChartKind) -> dict[str, Chart]:
    sections = page([found]).report.sections
    blocks = [block for section in sections[:2] for block in section.blocks]
    return {each.title: each for each in blocks if isinstance(each, Chart) and each.kind is kind}


def test_every_measure_has_a_chart_with_an_interval_for_each_arm() -> None:
    """In the colour of what its comparison found."""
    found = swept(1.0, 1.5, 0.6)
    charts = _charts(found, ChartKind.INTERVALS)
    assert list(charts) == [measure.name for measure in found.measures]
    mean = {x: (series.name, low, y, high) for series in charts["mean"].series
            for x, low, y, high in zip(series.xs, series.low, series.ys, series.high, strict=True)}  # fmt: skip
    assert {arm: each[0] for arm, each in mean.items()} == {
        "heap=1GB": "what the others are compared with",
        "heap=2GB": "worse",
        "heap=4GB": "better",
    }
    values = found.arms[1].counting("mean")
    _, low, middle, high = mean["heap=2GB"]
    assert low < min(values) < middle < max(values) < high


def test_arms_of_other_loads_stand_against_the_rate() -> None:
    """A point for each run."""
    points = _charts(swept(1.0, 1.0, loads=(1.0, 2.0)), ChartKind.POINTS)
    assert [len(series.xs) for series in points["p99"].series] == [4, 4]
    assert "throughput" not in points
    assert not _charts(swept(1.0, 1.0), ChartKind.POINTS)


@pytest.mark.parametrize(
    ("made", "title", "tone"),
    [
        (partial(swept, 1.0, 1.5), "Sweep of heap: heap=2GB: worse", Tone.BAD),
        (partial(swept, 1.0, 0.6), "Sweep of heap: heap=2GB: better", Tone.GOOD),
        (partial(swept, 1.0, 1.5, 0.6), "Sweep of heap: 1 worse, 1 better", Tone.BAD),
        (partial(swept, 1.0, 1.0, runs=1), "Sweep of heap: heap=2GB: not enough runs to say", Tone.WARNING),
        (partial(swept, 1.0, 1.0, interrupted=True), "Sweep of heap: interrupted", Tone.WARNING),
        (partial(swept, 1.0), "Sweep of One arm: 1 arm", Tone.NEUTRAL),
        (partial(swept, 1.0, 2.0, finding=FINDING), "Reproduced: slower", Tone.GOOD),
        (partial(swept, 1.0, 1.0, finding=FINDING), "Not reproduced: slower", Tone.WARNING),
        (partial(swept, 1.0, 1.0, loads=(1.0, 2.0)), "Sweep of heap: 2 arms", Tone.NEUTRAL),
    ],
    ids=["worse", "better", "both", "few", "interrupted", "one", "loads", "shown", "not shown"],
)
def test_the_head_is_the_answer(made: Callable[[], Swept], title: str, tone: Tone) -> None:
    """Red where an arm is worse; too few runs are no good news."""
    found = made()
    assert (sweep_title(found), sweep_tone(found)) == (title, tone)
    report = page([found]).report
    assert report.title == title
    assert report.figures[-1].value == found.made


def test_every_run_is_there() -> None:
    """With why it does not count."""
    found = swept(1.0, 1.0, runs=3, failure="gone")
    sections = page([found]).report.sections
    table = next(block for block in sections[1].blocks if isinstance(block, Table))
    assert [row[0] for row in table.rows] == [run.name for arm in found.arms for run in arm.runs]
    assert {row[-1] for row in table.rows} == {"it failed: gone"}
    assert not _charts(found, ChartKind.INTERVALS)
