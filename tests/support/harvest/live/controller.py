"""A controller of harvesting without a cluster, and its clock."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from froude.base.seeds import Seeds
from froude.harvest.live.changes import Carrier
from froude.harvest.live.controller import Controller, Wanted
from froude.harvest.live.history import History
from froude.harvest.live.types import ClusterState, Node, Resource
from froude.harvest.schedule.selection import Container
from tests.support.harvest.datacenters import made

DAY = 86400.0
NOW = 1_795_000_000.0 // DAY * DAY
HOURS = np.arange(4 * 24)
CURVE = 0.4 + 0.3 * np.cos(2 * np.pi * HOURS / 24)
OWN = Resource(memory_mb=32768, vcores=12)
CORE = Container(1.0, 0.0)


def cluster(*hosts: str, id_: str = "7", cpu: float = 0.25) -> ClusterState:
    """Running nodes, each with so much in use by its tenant."""
    nodes = [
        Node(f"{host}:1", host, "RUNNING", OWN, cpu_share=cpu, memory_used_mb=100, machine_mb=65536)
        for host in hosts
    ]
    return ClusterState(id_, tuple(nodes), {}, {})


def daemon(**other: object) -> Controller:
    """Of a night, a day and a flat tenant, a server each; it may do everything."""
    past = replace(made(np.array([CURVE, np.roll(CURVE, 12), np.full(96, 0.2)])), start_s=NOW - 4 * DAY)
    wanted = Wanted("h:1", resources=True, carrier=Carrier.BOTH, **other)  # type: ignore[arg-type]
    return Controller(wanted, History(past, NOW), Seeds(1))
