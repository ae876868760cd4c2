"""The DataNodes of a NameNode, and which servers of a datacenter they are on; plain values."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np

from froude.harvest.telemetry.datacenter import Datacenter, Floats, Ints

NORMAL = "NORMAL"
"""The state of a DataNode in service."""


@dataclass(frozen=True, slots=True)
class DataNode:
    """One of them, as its NameNode sees it."""

    ip: str
    port: int
    host: str
    uuid: str
    rack: str
    """Its place in the NameNode's topology, such as `/rack-1`."""
    capacity: int = 0
    """Bytes for HDFS."""
    used: int = 0
    """Bytes in use by HDFS."""
    remaining: int = 0
    """Bytes that HDFS may still take."""
    state: str = NORMAL
    """`NORMAL`, `DECOMMISSIONED`, `IN_MAINTENANCE`, …"""

    @property
    def address(self) -> str:
        """`IP:PORT`, by which a NameNode tells DataNodes apart."""
        return f"{self.ip}:{self.port}"

    @property
    def names(self) -> tuple[str, str, str, str]:
        """What a server may be called that it is on, the most exact first."""
        return (self.address, f"{self.host}:{self.port}", self.host, self.ip)


def servers_of(datacenter: Datacenter, nodes: Sequence[DataNode]) -> Ints:
    """Shape (nodes,): the number of each DataNode's server; -1 where it is not known.

    Args:
        datacenter: its servers are called by address or host, with the port or without.
    """
    number = {server: n for n, server in enumerate(datacenter.servers)}
    found = (next((number[name] for name in node.names if name in number), -1) for node in nodes)
    return np.fromiter(found, np.int32, len(nodes))


def space_of(datacenter: Datacenter, nodes: Sequence[DataNode], server: Ints) -> Floats:
    """Shape (servers,): bytes that HDFS may still take on each.

    Args:
        server: shape (nodes,): as `servers_of` gives it.
    """
    known = server >= 0
    room = np.array([node.remaining for node in nodes], np.float64)
    return np.bincount(server[known], room[known], len(datacenter.servers)).astype(np.float64)


def named(nodes: Sequence[DataNode], wanted: AbstractSet[str]) -> frozenset[str]:
    """Addresses of the DataNodes that go by any of some names.

    Args:
        wanted: addresses or hosts, with the port or without.
    """
    return frozenset(node.address for node in nodes if not wanted.isdisjoint(node.names))
