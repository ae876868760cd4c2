"""Uncertain inputs: sampling, candidates, regret."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.provision.analyses.inputs import find_input
from froude.provision.analyses.uncertainty import Lognormal, Triangular, Uniform, uncertainty
from froude.provision.search.solve_limits import SolveLimits
from tests.support.provision.clusters import photoshare


@given(st.floats(0.001, 0.999), st.floats(0.001, 0.999))
def test_quantiles_ascend_within_their_range(one: float, other: float) -> None:
    """For every distribution; the median of a lognormal is its own."""
    for known in (Uniform(2, 8), Triangular(2, 3, 8), Triangular(2, 2, 8), Triangular(2, 8, 8)):
        low, high = sorted((known.at(one), known.at(other)))
        assert 2 <= low <= high <= 8
        assert (known.at(one) <= known.at(other) + 1e-12) == (one <= other + 1e-12) or low == high
    assert Lognormal(5, 2).at(0.5) == pytest.approx(5)
    assert Lognormal(5, 2).at(0.8413) == pytest.approx(10, rel=1e-3)


def test_a_larger_load_is_what_is_bought_for() -> None:
    """Rates unknown by half: the plan for the mean misses half of the samples, the recommended one few."""
    pytest.importorskip("highspy")
    problem = photoshare()
    known = [(find_input(problem, "target.photoview.rate"), Uniform(200, 400))]
    limits = SolveLimits(0.01, 10.0, 3)
    analysis = uncertainty(problem, known, limits, samples=16, wanted=0.9)
    assert analysis == uncertainty(problem, known, limits, samples=16, wanted=0.9) or _alike(
        analysis.costs, uncertainty(problem, known, limits, samples=16, wanted=0.9).costs
    )
    values = sorted(sample.values[0] for sample in analysis.samples)
    assert all(200 + 12.5 * n <= value <= 212.5 + 12.5 * n for n, value in enumerate(values))
    best = analysis.recommended
    assert best is not None
    assert best.met >= 0.9
    assert best.mean_regret is not None
    assert best.mean_regret >= 0
    cheapest = min(analysis.candidates, key=lambda one: one.cost)
    assert cheapest.met < best.met
    assert analysis.quantile(0.05) == analysis.costs[0]
    assert sum(analysis.frequencies.values()) == 16


def _alike(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one == pytest.approx(other)


def test_prices_make_regret_without_misses() -> None:
    """An uncertain price: every plan meets every sample, and the least regretted is not always the cheapest today."""
    pytest.importorskip("highspy")
    problem = photoshare()
    known = [(find_input(problem, "unit.SSD.price"), Uniform(450, 1800))]
    analysis = uncertainty(problem, known, SolveLimits(0.001, 10.0, 0), samples=12)
    assert {candidate.met for candidate in analysis.candidates} == {1.0}
    assert len(analysis.frequencies) == 2
    best = analysis.recommended
    assert best is not None
    assert best.mean_regret == min(
        candidate.mean_regret for candidate in analysis.candidates if candidate.mean_regret is not None
    )
    assert best.architecture.of("thumbs") == "7.2KDisk + DRAM"
    hardware = {
        frozenset(
            (g.cores, g.dimms, frozenset((h.unit, h.dataset, h.units) for h in g.held)) for g in c.plan.groups
        )
        for c in analysis.candidates
    }
    assert len(hardware) == len(analysis.candidates)


def test_a_share_that_nothing_meets() -> None:
    """Where a sample has no cluster at all, nothing meets it."""
    pytest.importorskip("highspy")
    problem = photoshare()
    servers = tuple(replace(server, max_count=3) for server in problem.catalog.servers)
    few = replace(problem, catalog=replace(problem.catalog, servers=servers))
    known = [(find_input(few, "target.upload.rate"), Uniform(50, 400))]
    analysis = uncertainty(few, known, SolveLimits(0.01, 10.0, 0), samples=6, wanted=0.99)
    assert analysis.recommended is not None
    assert analysis.recommended.met < 0.99
    assert len(analysis.costs) < 6
