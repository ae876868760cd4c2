"""Patterns of servers by column generation: bounds by arithmetic, whole clusters of them, and what a pool keeps."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from froude.provision.search.optimise.highs import Limits
from froude.provision.search.optimise.packer import tiers
from froude.provision.search.optimise.packing import Packing, Pattern, Pool, Total, TotalLimit
from froude.provision.search.optimise.scope import ServerKind
from froude.provision.search.optimise.settle import Content, cost_of, groups_of, settle
from froude.provision.types import Placement
from tests.provision.search.optimise.examples import PAPER, fixed
from tests.provision.search.optimise.fillings import random_scope
from tests.provision.search.optimise.hand import BOX, disks_only, ten_disks

PENALTY = 1e6
LIMITS = Limits(5.0, 1e-3, 3000)
HOST, WORKER = ServerKind(0, host=True, tasks=False), ServerKind(0, host=False, tasks=True)
FULL = Content(HOST, {0: 0.4}, {0: 4})


def test_a_fractional_packing_fills_its_servers() -> None:
    """Ten disks at four a server: 2.5 servers of 1460, and the bound is that but for rounding."""
    packing = Packing(ten_disks(), Pool())
    bound = packing.generate(PENALTY)
    assert bound.relaxed == pytest.approx(3650.0)
    assert 3650.0 * (1 - 1e-6) < bound.lower < 3650.0
    assert sum(bound.fractions) == pytest.approx(2.5)
    assert packing.fractional(bound.fractions) == (Total("servers", 0), pytest.approx(2.5))


def test_fractions_are_rounded_down_and_up() -> None:
    """Two full servers are the whole part; three are enough."""
    packing = Packing(ten_disks(), Pool())
    fractions = packing.generate(PENALTY).fractions
    assert packing.floored(fractions) == [(FULL, 2)]
    assert packing.ceiled(fractions) == [(FULL, 3)]
    assert packing.restricted(PENALTY, LIMITS) == [(FULL, 3)]
    assert packing.fractional((3.0,)) is None


def test_what_leaves_something_out_is_no_cluster() -> None:
    """Two servers where three are needed."""
    packing = Packing(ten_disks(), Pool())
    packing.generate(PENALTY)
    assert packing.ceiled((2.0,)) is None
    scarce = Packing(ten_disks(servers=(replace(BOX, max_count=2),)), Pool())
    bound = scarce.generate(PENALTY)
    assert bound.lower > 4180.0
    assert scarce.ceiled((3.0,) * len(scarce.patterns)) is None
    assert scarce.restricted(PENALTY, LIMITS) is None


def test_a_type_that_is_scarce_is_not_rounded_up_past_its_number() -> None:
    """Three may be had, or two."""
    for most, enough in ((3, True), (2, False)):
        packing = Packing(ten_disks(servers=(replace(BOX, max_count=most),)), Pool())
        packing.generate(PENALTY)
        at = next(n for n, (_, x) in enumerate(packing.patterns) if x.max() == 4.0)
        counts = tuple(2.5 * (n == at) for n in range(len(packing.patterns)))
        assert (packing.ceiled(counts) == [(FULL, 3)]) == enough


def test_things_that_no_server_holds_cost_the_penalty() -> None:
    """The storage system needs more cores than there are: once for the load, once for the units."""
    packing = Packing(ten_disks(host_cores=9), Pool())
    assert packing.generate(PENALTY).lower == pytest.approx(2 * PENALTY)
    assert packing.ceiled(()) is None
    assert packing.restricted(PENALTY, LIMITS) is None


@pytest.mark.parametrize(
    ("limit", "cost"),
    [
        (TotalLimit(Total("servers", 0), at_least=True, amount=3.0), 3 * 1060 + 1000),
        (TotalLimit(Total("kind", HOST), at_least=True, amount=4.0), 4 * 1060 + 1000),
        (TotalLimit(Total("kind", WORKER), at_least=False, amount=0.0), 3650),
        (TotalLimit(Total("units", 0), at_least=True, amount=12.0), 3 * 1460),
        (TotalLimit(Total("units", 0), at_least=False, amount=12.0), 3650),
        (TotalLimit(Total("servers", 0), at_least=False, amount=2.0), 2 * 1460 + 2 * 0.2 * PENALTY),
    ],
)
def test_a_branch_is_paid_for(limit: TotalLimit, cost: float) -> None:
    """More servers, or more units, than the disks need; with too few a fifth is left out of load and units."""
    packing = Packing(ten_disks(), Pool())
    packing.branch = (limit,)
    bound = packing.generate(PENALTY)
    assert bound.relaxed == pytest.approx(cost)
    assert cost * (1 - 1e-5) < bound.lower <= cost


@pytest.mark.parametrize(
    ("what", "amount", "cost"),
    [
        ("instances", 2.0, 1140),
        ("cores", 4.0, 1140 + 2 * 50),
        ("dimms", 6.0, 1140 + 2 * 10),
    ],
)
def test_a_branch_on_what_a_worker_holds(what: str, amount: float, cost: float) -> None:
    """It has two cores and two instances in four units of memory; more of them cost their price."""
    packing = Packing(tiers(disks_only())[1], Pool())
    assert packing.generate(PENALTY).relaxed == pytest.approx(1140.0)
    packing.branch = (TotalLimit(Total(what), at_least=True, amount=amount),)
    assert packing.generate(PENALTY).relaxed == pytest.approx(cost)


def test_totals_are_parted_servers_first() -> None:
    """Servers of a type, then of a kind, then what they hold; the one furthest from whole of these."""
    of = disks_only(isolation=False)
    packing = Packing(of, Pool())
    packing.generate(PENALTY)
    kinds = [pricer.kind for pricer, _ in packing.patterns]
    assert len(set(kinds)) == 2
    first, second = kinds.index(of.kinds[0]), kinds.index(of.kinds[1])

    def parted(**counts: float) -> Total | None:
        amounts = {first: counts["host"], second: counts["worker"]}
        parts = packing.fractional(tuple(amounts.get(at, 0.0) for at in range(len(packing.patterns))))
        return parts and parts[0]

    assert parted(host=1.0, worker=0.5) == Total("servers", 0)
    assert parted(host=1.5, worker=0.5) == Total("kind", of.kinds[0])


def test_the_pool_keeps_the_newest() -> None:
    """As many as it may, each once."""
    pool = Pool(most=2)
    patterns = [Pattern(HOST, (("units", float(n)),)) for n in range(3)]
    other = Pattern(WORKER, (("units", 1.0),))
    for pattern in (*patterns, patterns[2]):
        pool.add(pattern)
    assert pool.of(HOST) == patterns[1:]
    pool.add(other)
    assert (pool.of(HOST), pool.of(WORKER)) == (patterns[2:], [other])


def test_patterns_of_the_pool_are_used_again_where_they_fit() -> None:
    """In a server with four slots, not in one with three."""
    pool = Pool()
    Packing(ten_disks(), pool).generate(PENALTY)
    again = Packing(ten_disks(), pool)
    assert len(again.patterns) == len(pool.of(HOST)) == 1
    assert again.generate(PENALTY).relaxed == pytest.approx(3650.0)
    assert len(again.patterns) == 1
    narrow = Packing(ten_disks(servers=(replace(BOX, slots=(3, 8)),)), pool)
    assert narrow.patterns == []
    assert narrow.generate(PENALTY).relaxed == pytest.approx(1360 * 10 / 3)


def test_patterns_of_other_things_are_left_in_the_pool() -> None:
    """What names columns that a program does not have."""
    pool = Pool()
    pool.add(Pattern(HOST, (("nothing that is here", 1.0),)))
    assert Packing(ten_disks(), pool).patterns == []


def test_time_over_leaves_a_bound_that_holds() -> None:
    """One round of pricing only: the bound is lower, the patterns are kept."""
    of = fixed(300)
    whole = Packing(of, Pool()).generate(PENALTY)
    hasty = Packing(of, Pool(), lambda: True)
    bound = hasty.generate(PENALTY)
    assert 0 <= bound.lower < whole.lower
    assert len(hasty.patterns) == len(hasty.pricers) == len(bound.fractions)


@pytest.mark.parametrize("labels", [PAPER, ("SSD", "SSD", "SSD"), ("7.2KDisk", "15KDisk", "15KDisk")])
def test_generated_bounds_hold(labels: tuple[str, ...]) -> None:
    """Bound <= fractional packing <= whole packing."""
    for tier in tiers(fixed(300, labels)):
        packing = Packing(tier, Pool())
        bound = packing.generate(PENALTY)
        whole = packing.restricted(PENALTY, LIMITS)
        assert whole is not None
        cost = cost_of(tier, groups_of(tier, settle(tier, whole)))
        assert 0 < bound.lower <= bound.relaxed * (1 + 1e-9) <= cost * (1 + 1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_bounds_of_random_things_hold(seed: int) -> None:
    """With every feature: below the fractional packing, and near it; so is every cluster of whole patterns above."""
    of = random_scope(random.Random(seed), Placement.WEIGHTED)
    packing = Packing(of, Pool())
    bound = packing.generate(PENALTY)
    assert math.isfinite(bound.relaxed)
    assert bound.relaxed * 0.999 <= bound.lower <= bound.relaxed * (1 + 1e-9) + 1e-6
    rounded = packing.ceiled(bound.fractions)
    if rounded is not None:
        assert cost_of(of, groups_of(of, settle(of, rounded))) >= bound.lower * (1 - 1e-6)
