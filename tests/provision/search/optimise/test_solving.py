"""The optimiser against answers that share nothing with it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from froude.provision.check.checker import check
from froude.provision.search.optimise import ColumnPool, benders, conflicts, solve
from froude.provision.search.optimise.highs import SolveOutcome
from froude.provision.search.optimise.highs import Status as HighsStatus
from froude.provision.types import Placement, Problem
from froude.provision.types.plan import Status
from tests.support.provision.search.optimise.examples import built, photoshare, small
from tests.support.provision.search.optimise.reference import enumerated_uniform, joint_weighted


def _sound(problem: Problem, **more: float):
    plan = solve(built(problem), **more)
    verdict = check(problem, plan)
    assert verdict.sound, verdict.violations
    assert verdict.cost == pytest.approx(plan.upper, rel=1e-9)
    assert plan.lower <= plan.upper
    return plan


@pytest.mark.parametrize("seed", range(24))
def test_equals_the_optimum_of_single_servers(seed: int) -> None:
    """On random instances the cost is that of enumerated choices packed server by server by another solver."""
    problem = small(seed)
    plan = _sound(problem, gap=1e-4)
    optimum = joint_weighted(built(problem), most=plan.servers)
    assert plan.lower <= optimum * (1 + 1e-6)
    assert plan.upper == pytest.approx(optimum, rel=2e-4)
    assert plan.status is Status.PROVED


@pytest.mark.parametrize("seed", range(12))
def test_equals_enumeration_of_whole_units(seed: int) -> None:
    """With uniform placement every placement can be counted through, without any solver."""
    problem = small(seed, placement=Placement.UNIFORM)
    plan = _sound(problem, gap=1e-4)
    optimum = enumerated_uniform(built(problem), most=min(plan.servers, 3))
    assert plan.lower <= optimum + 1e-6
    if plan.servers <= 3:
        assert plan.upper >= optimum - 0.01
        if plan.status is Status.PROVED:
            assert plan.upper == pytest.approx(optimum, rel=2e-4)


def test_finds_the_papers_cluster() -> None:
    """PhotoShare at 100 uploads: a web server and two storage servers, $7,329.10, proved."""
    plan = _sound(photoshare(100))
    assert plan.status is Status.PROVED
    assert plan.upper == pytest.approx(7329.10, abs=0.01)
    assert plan.servers == 3
    assert plan.choices == {
        "photos": ("15KDisk",),
        "thumbs": ("SSD",),
        "tags": ("7.2KDisk", "DRAM"),
    }


def test_two_boxes_do_without_isolation() -> None:
    """Where tasks may share servers with storage two servers suffice."""
    plan = _sound(photoshare(100, isolation=False))
    assert (plan.servers, plan.status) == (2, Status.PROVED)


@pytest.mark.parametrize("rate", [0.0, 1.0, 700.0, 30_000.0, 1_000_000.0])
def test_bounds_hold_from_nothing_to_thousands_of_servers(rate: float) -> None:
    """Every plan passes the check, and its gap is that of its bounds."""
    plan = _sound(photoshare(rate), gap=0.03)
    assert 0 <= plan.gap <= 0.03


def test_uniform_placement_costs_no_less() -> None:
    """Whole units with equal traffic are a special case of shares."""
    weighted = _sound(photoshare(200))
    uniform = _sound(photoshare(200, placement=Placement.UNIFORM))
    assert uniform.upper >= weighted.lower


@pytest.mark.parametrize("rate", [100.0, 600.0, 50_000.0])
def test_the_same_twice(rate: float) -> None:
    """The same arguments give the same plan."""
    instance = built(photoshare(rate, servers=3))
    one, other = (solve(instance, gap=0.02) for _ in range(2))
    assert replace(one, seconds=0) == replace(other, seconds=0)


def test_a_pool_changes_no_bound() -> None:
    """Patterns kept from another SLA help and never mislead."""
    pool = ColumnPool()
    for rate in (500.0, 600.0):
        problem = photoshare(rate)
        plan = solve(built(problem), gap=0.03, pool=pool)
        assert check(problem, plan).sound
        alone = solve(built(problem), gap=0.03)
        assert plan.lower <= alone.upper
        assert alone.lower <= plan.upper


def test_too_few_servers_are_named() -> None:
    """A number of servers that cannot be bought is the conflict, with how many are needed."""
    instance = built(photoshare(300))
    scarce = replace(instance, servers=tuple(replace(s, max_count=3) for s in instance.servers))
    plan = solve(scarce)
    assert plan.status is Status.INFEASIBLE
    assert [c.constraint for c in plan.conflict] == ["number of Server1"]
    assert plan.conflict[0].needed is not None
    assert plan.conflict[0].needed > 3
    assert math.isinf(plan.upper)


def test_scarce_types_are_not_overdrawn() -> None:
    """What is placed by the fractional packing counts against the number that can be had."""
    for most in (9, 10, 11):
        problem = photoshare(700, servers=2)
        catalog = problem.catalog
        few = tuple(replace(s, max_count=most if s.name == "Server1" else 2) for s in catalog.servers)
        scarce = replace(problem, catalog=replace(catalog, servers=few))
        plan = solve(built(scarce), gap=0.03, time_limit_s=10)
        assert check(scarce, plan).sound


def test_forced_choices_cost_no_less() -> None:
    """Closing choices can only make a cluster dearer: what a why-not question asks."""
    problem = photoshare(100)
    instance = built(problem)
    free = solve(instance)
    labels = [choice.label for choice in instance.datasets[0].choices]
    forced = solve(
        instance, allowed=[(labels.index("SSD"),), *(range(len(d.choices)) for d in instance.datasets[1:])]
    )
    assert forced.choices["photos"] == ("SSD",)
    assert forced.upper >= free.lower
    assert check(problem, forced).sound


def test_refuses_impossible_efforts() -> None:
    """A gap of one or a limit of no time is a caller's mistake."""
    instance = built(photoshare(100))
    with pytest.raises(ValueError, match="gap"):
        solve(instance, gap=1.0)
    with pytest.raises(ValueError, match="time_limit_s"):
        solve(instance, time_limit_s=0)


NOTHING = SolveOutcome(HighsStatus.LIMIT, np.empty(0), math.inf, -math.inf, np.empty(0))
"""What a solve gives that reached a limit without a point."""


def test_what_the_solver_could_not_do_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says neither that there is a cluster nor that there is none."""
    for module in (benders, conflicts):
        monkeypatch.setattr(module, "solve", lambda *_, **__: NOTHING)
    plan = solve(built(photoshare(100)))
    assert (plan.status, plan.conflict) == (Status.UNDECIDED, ())


def test_what_is_infeasible_is_so_without_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no time was left to look for what is in the way."""
    instance = built(photoshare(100))
    none = replace(instance, servers=tuple(replace(server, max_count=1) for server in instance.servers))
    assert solve(none).conflict
    monkeypatch.setattr(conflicts, "solve", lambda *_, **__: NOTHING)
    plan = solve(none)
    assert (plan.status, plan.conflict) == (Status.INFEASIBLE, ())
