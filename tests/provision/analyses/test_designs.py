"""Two designs beside each other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.provision.analyses.designs import Comparison, Pair, Stretch, Winner, compare
from froude.provision.analyses.inputs import find_input
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types.plan import ProvisionPlan, Status
from tests.support.provision.clusters import paper_plan, photoshare


def _at(lower: float, upper: float) -> ProvisionPlan:
    return replace(paper_plan(), lower=lower, upper=upper)


NONE = ProvisionPlan(Status.INFEASIBLE)


def test_a_win_is_certain() -> None:
    """Only where the bounds do not overlap; what can be built beats what cannot."""
    assert Pair(1, _at(90, 95), _at(96, 100)).winner is Winner.FIRST
    assert Pair(1, _at(90, 97), _at(96, 100)).winner is Winner.OPEN
    assert Pair(1, NONE, _at(96, 100)).winner is Winner.SECOND
    assert Pair(1, NONE, NONE).winner is Winner.OPEN


def test_savings_have_bounds() -> None:
    """The share lies between what the bounds allow."""
    pair = Pair(1, _at(90, 95), _at(96, 100))
    assert pair.saved == pytest.approx(0.05)
    assert list(pair.saved_bounds or ()) == pytest.approx([1 - 95 / 96, 0.1])
    assert Pair(1, NONE, _at(1, 2)).saved is None


def test_stretches_join_neighbours() -> None:
    """One per winner in a row."""
    first, second = (_at(90, 95), _at(96, 100)), (_at(96, 100), _at(90, 95))
    comparison = Comparison((Pair(1, *first), Pair(2, *first), Pair(3, *second)))
    assert comparison.stretches == (Stretch(Winner.FIRST, 1, 2), Stretch(Winner.SECOND, 3, 3))


def test_a_leaner_design_wins_where_it_matters() -> None:
    """One access a photo instead of two: nothing saved at a small load, some at the paper's."""
    pytest.importorskip("highspy")
    problem = photoshare()
    lean = find_input(problem, "io.photoview.photos.amplification").set(problem, 1.0)
    comparison = compare(lean, problem, [0.01, 1.0], SolveLimits(1e-4, 10.0, 0))
    assert comparison.pairs[0].winner is Winner.OPEN
    assert comparison.pairs[1].winner is Winner.FIRST
    assert comparison.saved is not None
    assert comparison.saved[0] == pytest.approx(0, abs=1e-6)
