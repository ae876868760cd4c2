"""Patterns of servers by column generation: bounds by arithmetic, whole clusters of them, and what a pool keeps."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from froude.provision.search.optimise.column_generation import (
    Column,
    ColumnPool,
    RestrictedMaster,
    Total,
    TotalLimit,
)
from froude.provision.search.optimise.packer import tiers
from froude.provision.search.optimise.rounding import Content, cost_of, groups_of, round_servers
from froude.provision.search.optimise.subproblem import ServerKind
from froude.provision.types import Placement
from tests.support.provision.search.optimise.column_generation import LIMITS, PENALTY
from tests.support.provision.search.optimise.examples import PAPER, fixed
from tests.support.provision.search.optimise.fillings import random_scope
from tests.support.provision.search.optimise.hand import BOX, disks_only, ten_disks

HOST, WORKER = ServerKind(0, host=True, tasks=False), ServerKind(0, host=False, tasks=True)
FULL = Content(HOST, {0: 0.4}, {0: 4})


def test_a_fractional_packing_fills_its_servers() -> None:
    """Ten disks at four a server: 2.5 servers of 1460, and the bound is that but for rounding."""
    restricted = RestrictedMaster(ten_disks(), ColumnPool())
    bound = restricted.generate(PENALTY)
    assert bound.relaxed == pytest.approx(3650.0)
    assert 3650.0 * (1 - 1e-6) < bound.lower < 3650.0
    assert sum(bound.fractions) == pytest.approx(2.5)
    assert restricted.fractional(bound.fractions) == (Total("servers", 0), pytest.approx(2.5))


def test_fractions_are_rounded_down_and_up() -> None:
    """Two full servers are the whole part; three are enough."""
    restricted = RestrictedMaster(ten_disks(), ColumnPool())
    fractions = restricted.generate(PENALTY).fractions
    assert restricted.rounded_down(fractions) == [(FULL, 2)]
    assert restricted.rounded_up(fractions) == [(FULL, 3)]
    assert restricted.integer_solution(PENALTY, LIMITS) == [(FULL, 3)]
    assert restricted.fractional((3.0,)) is None


def test_what_leaves_something_out_is_no_cluster() -> None:
    """Two servers where three are needed."""
    restricted = RestrictedMaster(ten_disks(), ColumnPool())
    restricted.generate(PENALTY)
    assert restricted.rounded_up((2.0,)) is None
    scarce = RestrictedMaster(ten_disks(servers=(replace(BOX, max_count=2),)), ColumnPool())
    bound = scarce.generate(PENALTY)
    assert bound.lower > 4180.0
    assert scarce.rounded_up((3.0,) * len(scarce.columns)) is None
    assert scarce.integer_solution(PENALTY, LIMITS) is None


def test_a_type_that_is_scarce_is_not_rounded_up_past_its_number() -> None:
    """Three may be had, or two."""
    for most, enough in ((3, True), (2, False)):
        restricted = RestrictedMaster(ten_disks(servers=(replace(BOX, max_count=most),)), ColumnPool())
        restricted.generate(PENALTY)
        at = next(n for n, (_, x) in enumerate(restricted.columns) if x.max() == 4.0)
        counts = tuple(2.5 * (n == at) for n in range(len(restricted.columns)))
        assert (restricted.rounded_up(counts) == [(FULL, 3)]) == enough


def test_things_that_no_server_holds_cost_the_penalty() -> None:
    """The storage system needs more cores than there are: once for the load, once for the units."""
    restricted = RestrictedMaster(ten_disks(host_cores=9), ColumnPool())
    assert restricted.generate(PENALTY).lower == pytest.approx(2 * PENALTY)
    assert restricted.rounded_up(()) is None
    assert restricted.integer_solution(PENALTY, LIMITS) is None


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
    restricted = RestrictedMaster(ten_disks(), ColumnPool())
    restricted.branching_rows = (limit,)
    bound = restricted.generate(PENALTY)
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
    restricted = RestrictedMaster(tiers(disks_only())[1], ColumnPool())
    assert restricted.generate(PENALTY).relaxed == pytest.approx(1140.0)
    restricted.branching_rows = (TotalLimit(Total(what), at_least=True, amount=amount),)
    assert restricted.generate(PENALTY).relaxed == pytest.approx(cost)


def test_totals_are_parted_servers_first() -> None:
    """Servers of a type, then of a kind, then what they hold; the one furthest from whole of these."""
    sub = disks_only(isolation=False)
    restricted = RestrictedMaster(sub, ColumnPool())
    restricted.generate(PENALTY)
    kinds = [pricing.kind for pricing, _ in restricted.columns]
    assert len(set(kinds)) == 2
    first, second = kinds.index(sub.kinds[0]), kinds.index(sub.kinds[1])

    def parted(**counts: float) -> Total | None:
        amounts = {first: counts["host"], second: counts["worker"]}
        parts = restricted.fractional(tuple(amounts.get(at, 0.0) for at in range(len(restricted.columns))))
        return parts and parts[0]

    assert parted(host=1.0, worker=0.5) == Total("servers", 0)
    assert parted(host=1.5, worker=0.5) == Total("kind", sub.kinds[0])


def test_the_pool_keeps_the_newest() -> None:
    """As many as it may, each once."""
    pool = ColumnPool(most=2)
    columns = [Column(HOST, (("units", float(n)),)) for n in range(3)]
    other = Column(WORKER, (("units", 1.0),))
    for column in (*columns, columns[2]):
        pool.add(column)
    assert pool.of_kind(HOST) == columns[1:]
    pool.add(other)
    assert (pool.of_kind(HOST), pool.of_kind(WORKER)) == (columns[2:], [other])


def test_columns_of_the_pool_are_used_again_where_they_fit() -> None:
    """In a server with four slots, not in one with three."""
    pool = ColumnPool()
    RestrictedMaster(ten_disks(), pool).generate(PENALTY)
    again = RestrictedMaster(ten_disks(), pool)
    assert len(again.columns) == len(pool.of_kind(HOST)) == 1
    assert again.generate(PENALTY).relaxed == pytest.approx(3650.0)
    assert len(again.columns) == 1
    narrow = RestrictedMaster(ten_disks(servers=(replace(BOX, slots=(3, 8)),)), pool)
    assert narrow.columns == []
    assert narrow.generate(PENALTY).relaxed == pytest.approx(1360 * 10 / 3)


def test_columns_of_other_things_are_left_in_the_pool() -> None:
    """What names variables that a program does not have."""
    pool = ColumnPool()
    pool.add(Column(HOST, (("nothing that is here", 1.0),)))
    assert RestrictedMaster(ten_disks(), pool).columns == []


def test_time_over_leaves_a_bound_that_holds() -> None:
    """One round of pricing only: the bound is lower, the columns are kept."""
    sub = fixed(300)
    whole = RestrictedMaster(sub, ColumnPool()).generate(PENALTY)
    hasty = RestrictedMaster(sub, ColumnPool(), lambda: True)
    bound = hasty.generate(PENALTY)
    assert 0 <= bound.lower < whole.lower
    assert len(hasty.columns) == len(hasty.pricing_problems) == len(bound.fractions)


@pytest.mark.parametrize("labels", [PAPER, ("SSD", "SSD", "SSD"), ("7.2KDisk", "15KDisk", "15KDisk")])
def test_generated_bounds_hold(labels: tuple[str, ...]) -> None:
    """Bound <= fractional packing <= whole packing."""
    for tier in tiers(fixed(300, labels)):
        restricted = RestrictedMaster(tier, ColumnPool())
        bound = restricted.generate(PENALTY)
        whole = restricted.integer_solution(PENALTY, LIMITS)
        assert whole is not None
        cost = cost_of(tier, groups_of(tier, round_servers(tier, whole)))
        assert 0 < bound.lower <= bound.relaxed * (1 + 1e-9) <= cost * (1 + 1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_bounds_of_random_things_hold(seed: int) -> None:
    """With every feature: below the fractional packing, and near it; so is every cluster of whole columns above."""
    sub = random_scope(random.Random(seed), Placement.WEIGHTED)
    restricted = RestrictedMaster(sub, ColumnPool())
    bound = restricted.generate(PENALTY)
    assert math.isfinite(bound.relaxed)
    assert bound.relaxed * 0.999 <= bound.lower <= bound.relaxed * (1 + 1e-9) + 1e-6
    rounded = restricted.rounded_up(bound.fractions)
    if rounded is not None:
        assert cost_of(sub, groups_of(sub, round_servers(sub, rounded))) >= bound.lower * (1 - 1e-6)
