"""Nodes of replicas and of block groups: distinct, and spread over racks as HDFS spreads them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.hadoop.fsimage.placement import Topology, place_groups, place_replicas

SIZES = st.integers(1, 12).flatmap(lambda nodes: st.tuples(st.just(nodes), st.integers(1, nodes)))


@given(SIZES, st.lists(st.integers(0, 6), max_size=40), st.integers(0, 5))
def test_replicas(size: tuple[int, int], counts: list[int], seed: int) -> None:
    """As many as there can be, on different nodes; two racks of the first three, where there are two."""
    topology = Topology(*size)
    placed = place_replicas(topology, np.asarray(counts, np.int64), np.random.default_rng(seed))
    for row, count in zip(placed, counts, strict=True):
        nodes = row[row >= 0]
        assert len(nodes) == len(set(nodes.tolist())) == min(count, topology.nodes)
        assert (nodes < topology.nodes).all()
        racks = topology.rack(nodes).tolist()
        if len(racks) > 1 and topology.racks > 1:
            assert racks[0] != racks[1]
        second = int((topology.rack(np.arange(topology.nodes)) == racks[1]).sum()) if len(racks) > 2 else 0
        if second > 1:
            assert racks[2] == racks[1]


@given(SIZES, st.integers(0, 20), st.integers(1, 9), st.integers(0, 5))
def test_groups(size: tuple[int, int], groups: int, width: int, seed: int) -> None:
    """On different nodes; on as many racks as there can be."""
    topology = Topology(*size)
    placed = place_groups(topology, groups, width, np.random.default_rng(seed))
    for row in placed:
        nodes = row[row >= 0]
        assert len(nodes) == len(set(nodes.tolist())) == min(width, topology.nodes)
        assert len(set(topology.rack(nodes).tolist())) == min(width, topology.racks)


def test_all_nodes_take_their_share() -> None:
    """Within a few percent over many blocks."""
    topology = Topology(20, 4)
    placed = place_replicas(topology, np.full(40_000, 3), np.random.default_rng(1))
    shares = np.bincount(placed.ravel(), minlength=20) / placed.size
    assert np.abs(shares * 20 - 1).max() < 0.05


def test_no_rack_takes_more_than_its_share() -> None:
    """Of ten replicas in five racks: as HDFS reckons, at most (10 - 1) // 5 + 2 in one."""
    topology = Topology(100, 5)
    placed = place_replicas(topology, np.full(500, 10), np.random.default_rng(1))
    racks = topology.rack(placed)
    assert max((racks == rack).sum(axis=1).max() for rack in range(5)) <= 3


def test_racks_are_of_about_one_size() -> None:
    """And there are no more of them than nodes."""
    assert Topology(10, 3).starts.tolist() == [0, 3, 6, 10]
    with pytest.raises(ValueError, match="3 racks for 2 nodes"):
        Topology(2, 3)
