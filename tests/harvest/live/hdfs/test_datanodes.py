"""DataNodes, and the servers that they are on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from froude.harvest.live.hdfs.datanodes import DataNode, named, servers_of, space_of
from tests.support.harvest.datacenters import made

NODES = (
    DataNode("10.0.0.1", 9866, "a", "u1", "/r", remaining=5),
    DataNode("10.0.0.1", 9867, "a", "u2", "/r", remaining=7),
    DataNode("10.0.0.2", 9866, "b", "u3", "/r", remaining=11),
    DataNode("10.0.0.3", 9866, "c", "u4", "/r", remaining=13),
)
LAB = replace(made(np.full((3, 48), 0.2)), servers=["10.0.0.1:9867", "a", "10.0.0.2"])


def test_the_most_exact_name_counts() -> None:
    """By address and port, host and port, host, or address; one of no server has none."""
    assert servers_of(LAB, NODES).tolist() == [1, 0, 2, -1]
    assert servers_of(LAB, ()).tolist() == []


def test_space_by_server() -> None:
    """What is left on all of its DataNodes; those of no server do not count."""
    assert space_of(LAB, NODES, servers_of(LAB, NODES)).tolist() == [7, 5, 11]


def test_by_any_of_their_names() -> None:
    """All DataNodes of a host, or one of them."""
    assert named(NODES, {"a"}) == {"10.0.0.1:9866", "10.0.0.1:9867"}
    assert named(NODES, {"10.0.0.1:9867", "b:9866", "z"}) == {"10.0.0.1:9867", "10.0.0.2:9866"}
