"""The outer loop and its parts on PhotoShare."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from froude.base.clock import VirtualClock
from froude.provision.effort import Effort
from froude.provision.optimise.branching import raise_bound
from froude.provision.optimise.highs import solve
from froude.provision.optimise.master import Master
from froude.provision.optimise.narrowing import possible
from froude.provision.optimise.packer import Packer, Settings, tiers
from froude.provision.optimise.packing import Packing, Pool
from froude.provision.optimise.scope import ServerKind, scope, whole_up
from froude.provision.optimise.search import Search
from froude.provision.optimise.settle import Content, cost_of, groups_of, settle
from froude.provision.types import CacheMedia, Placement
from tests.provision.optimise.examples import built, photoshare

PAPER = ("15KDisk", "SSD", "7.2KDisk + DRAM")


def fixed(rate: float, labels: tuple[str, ...] = PAPER, **more):
    """The scope of the paper's choices."""
    instance = built(photoshare(rate, **more))
    have = [[choice.label for choice in d.choices] for d in instance.datasets]
    return scope(instance, [(h.index(label),) for h, label in zip(have, labels, strict=True)])


def test_whole_up_forgives_rounding() -> None:
    """3.0000001 units are 3, 3.001 are 4, anything is at least 1."""
    assert [whole_up(a) for a in (0.0, 1e-9, 1.0, 3.0000001, 3.001)] == [0, 1, 1, 3, 4]


def test_instances_follow_the_choices() -> None:
    """The published calibration: 2.64, 3.80 and 0.82 instances run at once."""
    of = fixed(100)
    assert of.parallelism == pytest.approx((2.64, 3.80, 0.82), abs=0.05)
    assert of.fixed


def test_open_choices_bound_the_instances_from_both_sides() -> None:
    """P of fixed choices lies between those of the open scope."""
    open_, one = scope(built(photoshare(100))), fixed(100)
    for low, exact, high in zip(open_.parallelism, one.parallelism, open_.most_parallel, strict=True):
        assert low <= exact <= high


def test_choices_that_leave_one_instance_too_much_traffic_are_closed() -> None:
    """Only uniform placement closes any; what it closes, it closes for a reason."""
    instance = built(photoshare(100, placement=Placement.UNIFORM))
    every = tuple(tuple(range(len(d.choices))) for d in instance.datasets)
    assert possible(instance) == every
    heavy = replace(instance, tasks=tuple(replace(t, nic_bytes=(1.2e9,)) for t in instance.tasks))
    kept = possible(heavy)
    assert any(len(some) < len(all_) for some, all_ in zip(kept, every, strict=True))
    assert possible(replace(heavy, placement=Placement.WEIGHTED)) == every


def test_the_master_relaxes_the_packing() -> None:
    """Contents summed per kind cost no more than on single servers, and as much at the paper's point."""
    of = fixed(100)
    summed = solve(Master(of).program).objective
    host, worker = ServerKind(0, host=True, tasks=False), ServerKind(0, host=False, tasks=True)
    single = solve(Master(of, slots=[host, host, worker]).program).objective
    assert summed <= single + 1e-6
    assert single == pytest.approx(7329.10, abs=0.01)


def test_packed_choices_are_not_proposed_again() -> None:
    """The next best ones are, at no less."""
    of = scope(built(photoshare(100)))
    free = Master(of)
    first = solve(free.program)
    choices = free.choices_at(first.x)
    other = Master(of, never=[choices])
    second = solve(other.program)
    assert other.choices_at(second.x) != choices
    assert second.objective >= first.objective * (1 - 1e-9)


@pytest.mark.parametrize("labels", [PAPER, ("SSD", "SSD", "SSD"), ("7.2KDisk", "15KDisk", "15KDisk")])
def test_generated_bounds_hold(labels: tuple[str, ...]) -> None:
    """Bound <= fractional packing <= whole packing; branching raises the bound, never past a cluster."""
    of = fixed(300, labels)
    for tier in tiers(of):
        packing = Packing(tier, Pool())
        bound = packing.generate(1e6)
        whole = packing.restricted(1e6, Settings(0.01, 0, math.inf, lambda: 5.0, Pool()).limits())
        assert whole is not None
        cost = cost_of(tier, groups_of(tier, settle(tier, whole)))
        assert 0 < bound.lower <= bound.relaxed * (1 + 1e-9) <= cost * (1 + 1e-6)
        raised = raise_bound(
            packing, bound, target=lambda c=cost: c, penalty=1e6, nodes=8, found=int, expired=lambda: False
        )
        assert bound.lower - 1e-6 <= raised <= cost * (1 + 1e-6)


def test_a_tier_is_packed_between_its_bounds() -> None:
    """Deep work closes a few servers."""
    for tier in tiers(fixed(100)):
        packer = Packer(tier, Settings(0.001, 0, 1e5, lambda: 20.0, Pool()))
        packer.fluid(math.inf)
        packer.bound(deep=True)
        packer.pack(deep=True)
        assert packer.servers is not None
        assert packer.lower <= packer.cost * (1 + 1e-9)
        assert packer.lower >= packer.cost * 0.99


def test_scarce_servers_are_packed_in_one() -> None:
    """A limit on a server type couples hosts and workers."""
    of = fixed(100)
    scarce = replace(of.instance, servers=tuple(replace(s, max_count=5) for s in of.instance.servers))
    assert len(tiers(of)) == 2
    assert len(tiers(scope(scarce, of.allowed))) == 1
    search = Search(scarce, Effort(time_limit_s=20), VirtualClock())
    search.run()
    assert sum(group.count for group in search.best.groups()) <= 5


def test_a_dozen_servers_are_proved_by_few_packings() -> None:
    """Where rounding is worth more than the gap, bounds of packed tiers are carried over to hundreds of choices."""
    instance = built(photoshare(681.3, cache_media=CacheMedia.ANY))
    search = Search(instance, Effort(gap=0.01, time_limit_s=20), VirtualClock())
    search.run()
    assert search.closed
    assert 10 <= sum(group.count for group in search.best.groups()) <= 16
    assert math.prod(len(d.choices) for d in instance.datasets) > 20 * len(search.left_open)


def test_settling_takes_away_what_is_too_much() -> None:
    """Shares are brought to one, and counts follow."""
    of = fixed(100)
    host, worker = ServerKind(0, host=True, tasks=False), ServerKind(0, host=False, tasks=True)
    whole = dict.fromkeys(range(len(of.items)), 0.52)
    hosts = Content(host, whole, dict.fromkeys(whole, 9), {}, {})
    tasks = Content(worker, {}, {}, dict.fromkeys(of.tasks, 1.01), dict.fromkeys(of.tasks, 9))
    made = settle(of, [(hosts, 2), (tasks, 1)])
    assert all(share == pytest.approx(0.5) for share in made[0][0].shares.values())
    assert made[0][0].units == {0: 2, 1: 1, 2: 1, 3: 1}
    assert made[1][0].instances == {0: 3, 1: 4, 2: 1}


def test_settling_uniform_placement_leaves_exact_units() -> None:
    """Superfluous whole units go, and shares follow from those left."""
    of = fixed(100, placement=Placement.UNIFORM)
    wanted = of.items[0].copy.min_units
    kind = ServerKind(0, host=True, tasks=False)
    content = Content(kind, {}, {0: wanted}, {}, {})
    made = settle(of, [(content, 3)])
    assert sum(c.units.get(0, 0) * n for c, n in made) == wanted
    assert sum(c.shares.get(0, 0.0) * n for c, n in made) == pytest.approx(1)


def test_time_over_before_anything_is_undecided_not_wrong() -> None:
    """A clock that runs away: no plan, no claim of infeasibility, and the bound of the linear program holds."""

    class Running(VirtualClock):
        def now(self) -> float:
            self.advance_to(super().now() + 100.0)
            return super().now()

    search = Search(built(photoshare(100)), Effort(time_limit_s=1), Running())
    search.run()
    assert not search.best.groups()
    assert search.feasible
    assert 0 < search.lower <= 7329.11
