"""The outer loop and its parts on PhotoShare."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from froude.base.clock import RealClock
from froude.provision.search.optimise import type_pricing
from froude.provision.search.optimise.benders import BendersSearch
from froude.provision.search.optimise.highs import solve
from froude.provision.search.optimise.master import Master
from froude.provision.search.optimise.presolve import presolve
from froude.provision.search.optimise.subproblem import ServerKind, subproblem
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types import CacheMedia, Placement
from testbed.virtual_clock import VirtualClock
from tests.support.provision.search.optimise.examples import built, fixed, photoshare
from tests.support.provision.search.optimise.type_pricing import many


def test_open_choices_bound_the_instances_from_both_sides() -> None:
    """P of fixed choices lies between those of the open subproblem."""
    open_, one = subproblem(built(photoshare(100))), fixed(100)
    for low, exact, high in zip(open_.parallelism, one.parallelism, open_.most_parallel, strict=True):
        assert low <= exact <= high


def test_choices_that_leave_one_instance_too_much_traffic_are_closed() -> None:
    """Only uniform placement closes any; what it closes, it closes for a reason."""
    instance = built(photoshare(100, placement=Placement.UNIFORM))
    every = tuple(tuple(range(len(d.choices))) for d in instance.datasets)
    assert presolve(instance) == every
    heavy = replace(instance, tasks=tuple(replace(t, nic_bytes=(1.2e9,)) for t in instance.tasks))
    kept = presolve(heavy)
    assert any(len(some) < len(all_) for some, all_ in zip(kept, every, strict=True))
    assert presolve(replace(heavy, placement=Placement.WEIGHTED)) == every


def test_the_master_relaxes_the_packing() -> None:
    """Contents summed per kind cost no more than on single servers, and as much at the paper's point."""
    sub = fixed(100)
    summed = solve(Master(sub).program).objective
    host, worker = ServerKind(0, host=True, tasks=False), ServerKind(0, host=False, tasks=True)
    single = solve(Master(sub, slots=[host, host, worker]).program).objective
    assert summed <= single + 1e-6
    assert single == pytest.approx(7329.10, abs=0.01)


def test_packed_choices_are_not_proposed_again() -> None:
    """The next best ones are, at no less."""
    sub = subproblem(built(photoshare(100)))
    free = Master(sub)
    first = solve(free.program)
    choices = free.choices_at(first.x)
    other = Master(sub, never=[choices])
    second = solve(other.program)
    assert other.choices_at(second.x) != choices
    assert second.objective >= first.objective * (1 - 1e-9)


def test_scarce_servers_are_packed_in_one() -> None:
    """A limit on a server type couples hosts and workers."""
    instance = built(photoshare(100))
    scarce = replace(instance, servers=tuple(replace(s, max_count=5) for s in instance.servers))
    search = BendersSearch(scarce, SolveLimits(time_limit_s=20), VirtualClock())
    search.run()
    assert sum(group.count for group in search.best.groups()) <= 5


def test_a_dozen_servers_are_proved_by_few_packings() -> None:
    """Where rounding is worth more than the gap, bounds of packed tiers are carried over to hundreds of choices."""
    instance = built(photoshare(681.3, cache_media=CacheMedia.ANY))
    search = BendersSearch(instance, SolveLimits(gap=0.01, time_limit_s=20), VirtualClock())
    search.run()
    assert search.closed
    assert 10 <= sum(group.count for group in search.best.groups()) <= 16
    assert math.prod(len(d.choices) for d in instance.datasets) > 20 * len(search.packed)


def test_time_over_before_anything_is_undecided_not_wrong() -> None:
    """A clock that runs away: no plan, no claim of infeasibility, and the bound of the linear program holds."""

    class Running(VirtualClock):
        def now(self) -> float:
            self.advance_to(super().now() + 100.0)
            return super().now()

    search = BendersSearch(built(photoshare(100)), SolveLimits(time_limit_s=1), Running())
    search.run()
    assert not search.best.groups()
    assert search.feasible
    assert 0 < search.lower <= 7329.11


def test_single_servers_prove_a_small_cluster_at_last() -> None:
    """All choices at once: the bound reaches the gap, and never passes the cost."""
    instance = built(photoshare(100))
    search = BendersSearch(instance, SolveLimits(1e-3, 60), VirtualClock())
    search.run()
    cost, search.lower = search.best.cost, 0.0
    search._prove_singly(instance.every)
    assert cost * (1 - 1e-3) <= search.lower <= cost * (1 + 1e-9)
    search.lower, search.outside = 0.0, cost / 2
    search._prove_singly(instance.every)
    assert search.lower == 0.0  # what other types cost is not known


def test_only_a_proof_is_infeasible() -> None:
    """A ray of the relaxation whose bound is above zero; nothing is where the time was over at once."""
    instance = built(photoshare(100))
    none = replace(
        instance, servers=tuple(replace(s, nic=s.nic * 1e-9, max_count=3) for s in instance.servers)
    )
    search = BendersSearch(none, SolveLimits(0.01, 60), VirtualClock())
    search.run()
    assert not search.feasible
    assert not math.isfinite(search.best.cost)


def test_of_many_types_a_cluster_is_found_before_any_proposal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The relaxation's choices are packed first: a master without an answer leaves a plan, and a bound."""
    monkeypatch.setattr(type_pricing, "MANY_TYPES", 4)
    monkeypatch.setattr(BendersSearch, "_propose", lambda *_, **__: (None, {}))
    search = BendersSearch(many(0, types=10), SolveLimits(0.01, 20.0, 0), RealClock())
    search.run()
    assert 0 < search.lower <= search.best.cost < math.inf
