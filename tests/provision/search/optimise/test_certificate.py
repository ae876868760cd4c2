"""Second opinions."""

from __future__ import annotations

import pytest

from froude.provision.search.optimise import certificate, solve
from froude.provision.search.optimise.highs import SolverError
from froude.provision.types.plan import Status
from tests.provision.search.optimise.examples import built, photoshare, small
from tests.provision.search.optimise.reference import joint_weighted


def test_the_papers_cluster_is_certified() -> None:
    """The joint program leaves no gap at all, and other solvers agree."""
    plan = solve(built(photoshare(100)), certify=True)
    assert plan.status is Status.PROVED
    assert plan.gap < 1e-5
    assert any("single servers" in note for note in plan.notes)
    assert any("scipy" in note for note in plan.notes)


@pytest.mark.parametrize("seed", [0, 5, 9])
def test_certified_bounds_hold(seed: int) -> None:
    """They do not pass the optimum of single servers."""
    instance = built(small(seed))
    plan = solve(instance, certify=True)
    assert plan.lower <= joint_weighted(instance, most=plan.servers) * (1 + 1e-6)


def test_a_large_cluster_says_that_it_has_no_joint_certificate() -> None:
    """What is skipped is said."""
    plan = solve(built(photoshare(10_000)), gap=0.02, certify=True, time_limit_s=20)
    assert any("no joint certificate" in note for note in plan.notes)


def test_a_contradiction_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another solver below our bound: somebody is wrong, and it is said."""
    monkeypatch.setattr(certificate, "_scipy", lambda program, seconds: 1.0)
    with pytest.raises(SolverError, match="below the proved bound"):
        solve(built(photoshare(100)), certify=True)
