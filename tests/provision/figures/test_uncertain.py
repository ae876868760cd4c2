"""What the page of uncertain inputs says, read from its values; it can be drawn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from froude.provision.analyses.inputs import find_input
from froude.provision.analyses.uncertainty import (
    Candidate,
    Distribution,
    Lognormal,
    Sample,
    Triangular,
    Uncertainty,
    Uniform,
)
from froude.provision.figures.uncertain import known_text, recommendation, uncertainty_report
from froude.render import Tone
from tests.support.provision.clusters import photoshare
from tests.support.provision.figures.pages import HELD, NEXT, NONE, OTHER, PLAN, charts, drawn, tables


def test_uncertainty_recommends(tmp_path: Path) -> None:
    """The plan, how often it meets the SLA, its regret; the costs as a distribution."""
    assert HELD is not None
    size = find_input(photoshare(), "dataset.photos.size")
    candidate = Candidate(PLAN, HELD, PLAN.upper, 0.9, 12.0, 40.0)
    samples = (Sample((1e9,), PLAN), Sample((2e9,), OTHER), Sample((3e9,), NONE))
    analysis = Uncertainty(((size, Uniform(1e9, 3e9)),), samples, (candidate,), candidate, 0.95)
    assert recommendation(analysis).startswith("No candidate meets 95% of the samples.")
    report = uncertainty_report(analysis, {})
    assert report.tone is Tone.WARNING
    counts, shares = charts(report)
    assert sum(y or 0 for y in counts.series[0].ys[:-1]) == 2
    assert list(shares.series[0].ys) == [0.5, 1.0]
    assert tables(report)[0].rows[0] == ("dataset.photos.size", "200GB", "uniform from 1GB to 3GB")
    nothing = replace(analysis, candidates=(), recommended=None, samples=samples[2:])
    assert recommendation(nothing) == "No sample has a cluster."
    drawn(report, tmp_path)
    drawn(uncertainty_report(nothing, {}), tmp_path)


def _found(met: float, cost: float = PLAN.upper) -> Uncertainty:
    assert HELD is not None
    best = Candidate(PLAN, HELD, cost, met, 12.0, 40.0)
    size = find_input(photoshare(), "dataset.photos.size")
    samples = (Sample((1e9,), PLAN), Sample((2e9,), OTHER))
    return Uncertainty(((size, Uniform(1e9, 3e9)),), samples, (best,), best, 0.95)


@pytest.mark.parametrize(("met", "tone"), [(0.95, Tone.GOOD), (0.94, Tone.WARNING)])
def test_enough_samples_are_met_or_not(met: float, tone: Tone) -> None:
    """As many as are wanted are enough; the names are written as asked."""
    analysis = _found(met)
    assert uncertainty_report(analysis, {}).tone is tone
    text = recommendation(analysis, lambda name: f"<{name}>")
    assert text.startswith("No candidate meets 95%") == (tone is Tone.WARNING)
    assert f"meets the SLA in {met:.1%} of 2 samples, for a mean regret of $12.00" in text
    assert text.endswith(f"<{HELD}>.")


@pytest.mark.parametrize(("cost", "marks"), [(7999.0, 1), (8001.0, 0), (7000.0, 0)])
def test_the_recommended_plan_is_marked_among_the_costs(cost: float, marks: int) -> None:
    """Where it lies between the cheapest sample and the dearest."""
    for chart in charts(uncertainty_report(_found(1.0, cost), {})):
        assert [mark.label for mark in chart.marks] == ["recommended plan"] * marks


@pytest.mark.parametrize(
    ("known", "text"),
    [
        (Uniform(1e9, 3e9), "uniform from 1GB to 3GB"),
        (Triangular(1e9, 2e9, 4e9), "triangular from 1GB over 2GB to 4GB"),
        (Lognormal(2e9, 1.5), "lognormal around 2GB, two of three within a factor of 1.5"),
    ],
)
def test_a_distribution_in_words(known: Distribution, text: str) -> None:
    """With amounts as files write them."""
    assert known_text(find_input(photoshare(), "dataset.photos.size"), known) == text


def test_architectures_by_how_often_they_are_the_best() -> None:
    """As a share of all samples."""
    rows = tables(uncertainty_report(_found(1.0), {}))[-1].rows
    assert rows == [(str(HELD), 0.5, 1), (str(NEXT), 0.5, 1)]
