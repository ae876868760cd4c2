"""Wipes and repairs, counted by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from froude.harvest.place.bulk import Placed, place_blocks
from froude.harvest.place.layout import Layout
from froude.harvest.place.policies import Policy, preset
from froude.harvest.place.rules import prepare
from froude.harvest.place.targets import put
from froude.harvest.simulate import repair
from froude.harvest.simulate.durability import Counts, repair_year
from froude.harvest.simulate.settings import DAY_S, DurabilitySetting, Throttle
from froude.harvest.telemetry.datacenter import Reimages

TICK_S = 120.0
FIVE = np.arange(5, dtype=np.int32)
LAYOUT = Layout(FIVE, FIVE, FIVE, FIVE // 2, FIVE % 3)
"""Five tenants of a server each."""


def played(  # noqa: PLR0917 - what there is, what happens
    blocks: Sequence[tuple[int, ...]],
    wipes: Sequence[tuple[int, int]],
    ticks: int,
    throttle: Throttle = Throttle.SOURCE,
    policy: Policy | None = None,
    space: int = 100,
    layout: Layout = LAYOUT,
) -> tuple[Counts, Placed]:
    """What happens to blocks on given servers when some are wiped at given ticks."""
    replicas = len(blocks[0])
    targets, rules = prepare(layout, policy or preset("random"), np.full(5, space, np.int32), replicas)
    for block in blocks:
        for server in block:
            put(targets, server)
    placed = Placed(np.array(blocks, np.int32), targets, rules, 0)
    servers, times = np.array([each[0] for each in wipes]), np.array([each[1] * TICK_S for each in wipes])
    setting = DurabilitySetting(
        blocks=len(blocks), replicas=replicas, days=ticks * TICK_S / DAY_S, throttle=throttle
    )
    happened = Reimages(servers.astype(np.int32), times.astype(float))
    return repair_year(placed, happened, setting, np.random.default_rng(1)), placed


def test_a_block_is_lost_when_its_last_replica_goes_before_any_is_repaired() -> None:
    """Five ticks until a wipe is noticed: up to then and in that tick, the second wipe comes first."""
    for gap, lost in ((0, 1), (5, 1), (6, 0)):
        totals, placed = played([(0, 1), (2, 3)], [(0, 10), (1, 10 + gap)], 100)
        assert totals[repair.LOST] == lost
        assert (placed.replicas[0].tolist() == [-1, -1]) == bool(lost)
        assert placed.replicas[1].tolist() == [2, 3]


def test_a_lost_block_is_counted_once() -> None:
    """Its servers are wiped again, and hold nothing of it."""
    totals, _ = played([(0, 1)], [(0, 1), (1, 1), (0, 50), (1, 60)], 100)
    assert totals[repair.LOST] == 1
    assert totals[repair.WIPED] == 2
    assert totals[repair.REPAIRED] == 0


def test_each_source_repairs_one_block_a_tick() -> None:
    """Eight blocks, whose other replicas are on one server: four are back three ticks after the first."""
    totals, _ = played([(0, 1)] * 8, [(0, 0)], 5 + 4)
    assert totals[repair.REPAIRED] == totals[repair.WAITING] == totals[repair.BUSY] == 4
    spread_out = [(0, 1), (0, 2), (0, 3), (0, 4)] * 2
    totals, _ = played(spread_out, [(0, 0)], 5 + 2)
    assert totals[repair.REPAIRED] == 8


def test_a_wiped_server_can_limit_its_own_repair_instead() -> None:
    """However many sources there are, one block a tick comes back."""
    spread_out = [(0, 1), (0, 2), (0, 3), (0, 4)] * 2
    totals, _ = played(spread_out, [(0, 0)], 5 + 2, Throttle.LOST)
    assert totals[repair.REPAIRED] == 2
    assert totals[repair.WAITING] == 6


def test_blocks_with_one_replica_left_go_first() -> None:
    """The source's only slot of that tick is theirs, though they wait for less long."""
    blocks = [(0, 2, 1)] * 6 + [(3, 4, 2)] * 2
    totals, placed = played(blocks, [(0, 0), (3, 4), (4, 4)], 4 + 5 + 2, Throttle.LOST)
    # ticks 5 to 8: four of the six; 9 and 10: servers 0, 3 and 4 each have a queue of their own
    assert totals[repair.REPAIRED] == 4 + 2 + 2 + 2
    totals, placed = played(blocks, [(0, 0), (3, 4), (4, 4), (1, 8)], 8 + 5 + 1)
    assert (placed.replicas[6:] >= 0).sum(axis=1).tolist() == [3, 3]
    assert totals[repair.LOST] == 0


def test_another_source_takes_over_from_one_that_was_wiped() -> None:
    """Server 1 loses its queue with its disks; server 2 has the blocks, too."""
    totals, placed = played([(0, 1, 2)] * 6, [(0, 0), (1, 6), (3, 7)], 200)
    assert totals[repair.LOST] == totals[repair.WAITING] == 0
    assert (placed.replicas >= 0).all()
    assert all(len(set(block)) == 3 for block in placed.replicas.tolist())


def test_a_source_that_was_wiped_copies_nothing_more() -> None:
    """Two sources in the first tick; from then on server 2 does alone what both would have done."""
    totals, _ = played([(0, 1, 2)] * 200, [(0, 0), (1, 6)], 5 + 6, space=1000)
    assert totals[repair.REPAIRED] == 2 + 5


def test_a_wipe_gives_the_space_back() -> None:
    """Servers that were full take repairs again; the counts of space agree with the replicas."""
    blocks = [(0, 1), (2, 3), (0, 4), (1, 2)]
    totals, placed = played(blocks, [(0, 0), (3, 20), (1, 40)], 100, space=2)
    held = np.bincount(placed.replicas.ravel(), minlength=5)
    assert (np.asarray(placed.targets.free) == 2 - held).all()
    assert totals[repair.WIPED] == totals[repair.REPAIRED]


def test_a_repair_that_no_server_may_have_waits() -> None:
    """All servers are of the survivor's environment: every tick it is tried, and refused, until the end."""
    zero = np.zeros(5, np.int32)
    one = Layout(FIVE, zero, FIVE, zero, zero)
    totals, _ = played([(0, 2)], [(2, 0)], 50, policy=preset("environment"), layout=one)
    assert totals[repair.WAITING] == 1
    assert totals[repair.POSTPONED] == 50 - 5
    assert totals[repair.BUSY] == 50 - 5


@pytest.mark.parametrize(
    ("replicas", "servers", "blocks", "chance"), [(2, 300, 3000, 5e-4), (3, 600, 1000, 4e-3)]
)
def test_independent_failures_and_unsaturated_repair_have_a_closed_form(
    replicas: int, servers: int, blocks: int, chance: float
) -> None:
    """Each server is wiped in a tick with a chance p, alone: a block is lost at p^R * ((w + 1)^R - w^R) a tick.

    Its R servers must all be wiped within w = 5 ticks, the time until a repair; so many are the ways in which R ticks
    lie that close, counted by the first. Sources have far less than a block a tick to repair: none waits longer.
    """
    ticks = 20_000
    draw = np.random.default_rng(5)
    each, zero = np.arange(servers, dtype=np.int32), np.zeros(servers, np.int32)
    tick, server = np.nonzero(draw.random((ticks, servers)) < chance)
    wipes = Reimages(server.astype(np.int32), tick * TICK_S)
    setting = DurabilitySetting(blocks=blocks, replicas=replicas, fill=0.1, days=ticks * TICK_S / DAY_S)
    space = np.full(servers, setting.capacity(servers), np.int32)
    layout = Layout(each, each, each, zero, zero)
    placed = place_blocks(layout, preset("random"), space, blocks, replicas, draw)
    totals = repair_year(placed, wipes, setting, draw)
    rate = chance**replicas * (6**replicas - 5**replicas)
    expected = blocks * -np.expm1(-rate * ticks)
    assert totals[repair.LOST] == pytest.approx(expected, abs=5 * expected**0.5 + 0.05 * expected)


def test_a_last_replica_overtakes_those_that_wait_on_its_server() -> None:
    """Forty blocks wait for two sources; the one with a last replica on one of them needs its next two ticks alone."""
    blocks = [(0, 1, 2)] * 40 + [(3, 4, 2)]
    totals, placed = played(blocks, [(0, 0), (3, 0), (4, 0)], 5 + 2)
    assert (placed.replicas[40] >= 0).all()
    assert totals[repair.REPAIRED] == 2 + 2
