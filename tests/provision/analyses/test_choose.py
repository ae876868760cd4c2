"""K best architectures and forced choices on problems."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import pytest

from froude.provision.analyses.choose import k_best, why_not, within
from froude.provision.search.architecture import architectures, choices_of
from froude.provision.search.compile import compile_plan
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types import Cpu
from tests.support.provision.clusters import photoshare
from tests.support.provision.search.optimise.examples import small

pytest.importorskip("highspy")
LIMITS = SolveLimits(1e-4, 10.0, 0)


def test_k_best_are_those_of_enumeration() -> None:
    """Compiling every architecture alone gives the same costs in the same order."""
    problem = small(2)
    first = compile_plan(problem, LIMITS)
    every = choices_of(problem, first)
    costs = []
    for names in itertools.product(*every.values()):
        plan = compile_plan(problem, LIMITS, only={d: [n] for d, n in zip(every, names, strict=True)})
        if plan.groups:
            costs.append(plan.upper)
    best_plans = k_best(problem, 4, LIMITS)
    assert [plan.upper for plan in best_plans] == pytest.approx(sorted(costs)[:4], rel=1e-3)
    assert len(architectures(best_plans)) == len(best_plans)


def test_core_types_stay_open() -> None:
    """With a cheaper core no architecture comes twice, and each has the cheaper cores."""
    problem = photoshare()
    catalog = problem.catalog
    cheap = replace(catalog.servers[0], name="Server2", cpu="cheap", price=1399.0)
    cpus = (*catalog.cpus, Cpu(84.0, 20.0, "cheap"))
    two = replace(problem, catalog=replace(catalog, cpus=cpus, servers=(*catalog.servers, cheap)))
    best_plans = k_best(two, 3, LIMITS)
    assert len(architectures(best_plans)) == 3
    assert all(set(plan.cpus.values()) == {"cheap"} for plan in best_plans)


def test_within_stops_at_the_share() -> None:
    """Of the example's five best three lie within 4 %; at most so many come back."""
    problem = photoshare()
    first = compile_plan(problem, LIMITS)
    assert len(within(problem, LIMITS, first=first, share=0.04, most=9)) == 3
    assert len(within(problem, LIMITS, first=first, share=0.04, most=2)) == 2


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


def test_k_is_at_least_one() -> None:
    """None at all is no question."""
    with pytest.raises(ValueError, match="at least 1"):
        k_best(photoshare(), 0, LIMITS)
