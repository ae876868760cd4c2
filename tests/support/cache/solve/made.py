"""States and curves for the tests of solving."""

from __future__ import annotations

import random
from typing import Any

from froude.cache.curves import MissRatioCurve
from froude.cache.solve.state import Application, Hypervisor, State, Vm

GB = 10**9


def vm(name: str, **fields: Any) -> Vm:
    """A VM on h1 that reads 100 chunks a second, unless told otherwise."""
    return Vm(**{"name": name, "hypervisor": "h1", "reads_per_s": 100.0, **fields})


def curve(rng: random.Random, largest: int = 40, points: int = 6) -> MissRatioCurve:
    """A curve of a few random steps, cliffs among them."""
    sizes = sorted(rng.sample(range(1, largest), points - 1))
    ratios = sorted((rng.random() ** 2 for _ in range(points - 1)), reverse=True)
    return MissRatioCurve((0, *sizes), (1.0, *ratios), 100.0)


TABLE_1 = ((5, 0.1), (1, 0.4), (4, 0.1), (3, 0.3), (7, 0.1))
"""Working set in GB and importance of the paper's five nodes."""


def table_1() -> State:
    """The paper's first table: five nodes, 5 GB of SSD, straight curves, a hit ten times as quick as a miss."""
    vms = [
        Vm(
            name=f"Node-{number}",
            hypervisor="h",
            application="hadoop",
            importance=importance,
            reads_per_s=1.0,
            working_set_bytes=size * GB,
            curve=MissRatioCurve.linear(size * GB, points=size * 200),
        )
        for number, (size, importance) in enumerate(TABLE_1, 1)
    ]
    ssd = Hypervisor(name="h", space_bytes=5 * GB)
    return State(hypervisors=[ssd], vms=vms, miss_s=1.0, hit_s=0.1, granule_bytes=5_000_000)


def state(
    vms: list[Vm], space: int = 100, *, applications: tuple[Application, ...] = (), **fields: Any
) -> State:
    """On one hypervisor or on those that the VMs name, with the same space each; a granule of a byte."""
    names = dict.fromkeys(each.hypervisor for each in vms)
    ssds = [Hypervisor(name=name, space_bytes=space) for name in names]
    return State(hypervisors=ssds, vms=vms, applications=applications, **{"granule_bytes": 1, **fields})
