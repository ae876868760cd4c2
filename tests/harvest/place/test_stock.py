"""The baselines: stock HDFS in both readings, copysets."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.harvest.place.layout import Layout
from froude.harvest.place.policies import Kind, Policy, preset
from testbed.placer import Placer, prepare_lists
from tests.support.harvest.place.layouts import layouts, nine

FOUR = nine(4)
"""Nine racks of four servers."""


def placer(layout: Layout, policy: Policy, replicas: int = 3, space: int = 50) -> Placer:
    """With a generator of its own."""
    return Placer(layout, policy, np.full(layout.servers, space, np.int32), replicas, random.Random(3))


def racks(servers: tuple[int, ...] | None) -> list[int]:
    """The racks of replicas."""
    assert servers is not None
    return [int(FOUR.rack[server]) for server in servers]


def test_hdfs_puts_two_replicas_on_one_remote_rack() -> None:
    """Local, remote, and another server of that remote rack."""
    made = placer(FOUR, preset("stock"))
    for writer in range(20):
        first, second, third = racks(made.place(writer))
        assert first == FOUR.rack[writer]
        assert first != second == third


def test_the_paper_puts_two_replicas_on_the_local_rack() -> None:
    """Local, another server of its rack, a remote one."""
    made = placer(FOUR, preset("stock-paper"))
    for writer in range(20):
        first, second, third = racks(made.place(writer))
        assert first == second != third


def test_a_fourth_replica_goes_where_fewer_than_two_are() -> None:
    """HDFS allows two of four in a rack."""
    made = placer(FOUR, preset("stock"), replicas=4)
    for writer in range(20):
        near = racks(made.place(writer))
        assert max(near.count(rack) for rack in near) == 2


@pytest.mark.parametrize(
    ("survivors", "same"), [([0], False), ([0, 1], False), ([0, 4], True), ([4, 0], True)]
)
def test_repairs_of_stock_look_at_the_survivors(survivors: list[int], same: bool) -> None:
    """One left: another rack; two in one rack: another; two in two racks: the second's."""
    made = placer(FOUR, preset("stock"))
    for _ in range(20):
        server = made.repair(survivors)
        assert server is not None
        assert (FOUR.rack[server] == FOUR.rack[survivors[-1]]) == same


@given(layouts(), st.sampled_from(["stock", "stock-paper", "copyset"]), st.integers(1, 4))
def test_baselines_fill_every_server(layout: Layout, name: str, replicas: int) -> None:
    """While as many servers as replicas have space, none is refused, and a block has distinct servers."""
    made = placer(layout, preset(name), replicas, space=2)
    while True:
        room = [server for server in range(layout.servers) if made.room(server)]
        placed = made.place(0)
        if placed is None:
            assert len(room) < replicas
            break
        assert len(set(placed)) == replicas


def test_one_rack_gives_way_and_is_counted() -> None:
    """There is no other rack: the second replica breaks the rule, the third stands where it should."""
    zero, each = np.zeros(4, np.int32), np.arange(4, dtype=np.int32)
    made = placer(Layout(each, each, zero, zero, zero), preset("stock"))
    assert made.place(0) is not None
    assert made.relaxed["rack"] == 2


def test_a_block_lies_within_one_copyset() -> None:
    """Its servers stand beside each other in one of the permutations."""
    policy = Policy("c", Kind.COPYSET, scatter=4)
    _, rules = prepare_lists(FOUR, policy, np.full(36, 50, np.int32), 3)
    sets = {frozenset(rules.permuted[at + i] for i in range(3)) for at in range(0, len(rules.permuted), 3)}
    made = placer(FOUR, policy)
    for writer in range(36):
        servers = made.place(writer)
        assert servers is not None
        assert frozenset(servers) in sets
        assert frozenset((made.repair(servers[:2]), *servers[:2])) in sets
