"""Forced choices on problems."""

from __future__ import annotations

import math

import pytest

from froude.provision.analyses.choose import why_not
from froude.provision.search.compile import compile_plan
from froude.provision.search.solve_limits import SolveLimits
from tests.support.provision.clusters import photoshare

pytest.importorskip("highspy")
LIMITS = SolveLimits(1e-4, 10.0, 0)


def test_why_not_an_ssd_with_a_cache() -> None:
    """It costs more by the difference of the bills, within bounds; the optimum's own choice costs nothing more."""
    problem = photoshare()
    best = compile_plan(problem, LIMITS)
    reason = why_not(problem, best, "photos", LIMITS, ("SSD", "DRAM"))
    assert reason.extra == pytest.approx(sum(line.dollars for line in reason.difference), abs=0.01)
    assert reason.extra is not None
    assert reason.least is not None
    assert reason.most is not None
    assert 0 < reason.least <= reason.extra <= reason.most
    assert reason.difference[0].item == "Server1"
    own = why_not(problem, best, "photos", LIMITS, best.choices["photos"])
    assert own.extra == pytest.approx(0, abs=0.01)
    assert own.difference == ()


def test_why_not_names_the_conflict() -> None:
    """A choice that no server can hold has no cost."""
    problem = photoshare()
    best = compile_plan(problem, LIMITS)
    reason = why_not(problem, best, "photos", LIMITS, ("DRAM",))
    assert reason.extra is None
    assert reason.plan.conflict
    assert not math.isfinite(reason.plan.upper)
