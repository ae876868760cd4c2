"""Edges of an architecture along an input."""

from __future__ import annotations

from functools import partial

import pytest

from froude.provision.analyses.edges import Walk, stays_best
from froude.provision.analyses.inputs import find_input
from froude.provision.search.architecture import architecture_of
from froude.provision.search.solve_limits import SolveLimits
from tests.provision.clusters import paper_plan, photoshare, with_thumbs

pytest.importorskip("highspy")
LIMITS = SolveLimits(1e-4, 10.0, 0)


def test_the_inputs_own_limits_are_edges() -> None:
    """A dataset smaller than its cache is no value; a limit that is reached says so."""
    problem = photoshare()
    input_ = find_input(problem, "dataset.photos.size")
    held = architecture_of(paper_plan())
    assert held is not None
    walk = Walk(partial(input_.set, problem), held, input_.value, LIMITS, 0.01)
    low = walk.edge(input_.value / 10)
    assert low.why.startswith("no such value")
    assert low.stays == pytest.approx(70e9, rel=0.02)
    near = walk.edge(input_.value * 1.05)
    assert (near.stays, near.gone, near.why) == (input_.value * 1.05, None, "not looked further")


def test_ties_go_to_the_one_held() -> None:
    """The optimum stays; a dearer architecture does not."""
    best, other = architecture_of(paper_plan()), architecture_of(with_thumbs("15KDisk", 4))
    assert best is not None
    assert other is not None
    assert stays_best(photoshare(), best, LIMITS).stays
    gone = stays_best(photoshare(), other, LIMITS)
    assert not gone.stays
    assert gone.why == "cheaper"
