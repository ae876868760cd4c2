"""One dataset, one task and one server type with round numbers: what clusters cost is arithmetic by hand.

With isolation the cheapest cluster is a host and a worker. Host: 1000 for the box, 50 for the storage system's core,
10 for its memory, and 300 for three disks or 250 for an SSD. Worker: 1000, two cores 100, two instances' memory 40.
That is 2500 on disks, 2450 on an SSD. Without isolation one box has room for all: 1500 and 1450.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from froude.provision.model.instance import (
    Choice,
    Copy,
    DatasetNeed,
    Instance,
    NetworkRow,
    Path,
    ServerType,
    TaskNeed,
    UnitType,
)
from froude.provision.search.optimise.subproblem import Subproblem, subproblem
from froude.provision.types import Placement

GB = 1e9
DISK = UnitType("disk", 100.0, 0, 1000 * GB)
SSD = UnitType("ssd", 250.0, 0, 100 * GB)
DRAM = UnitType("dram", 10.0, 1, 1 * GB)
BOX = ServerType("box", 1000.0, 4, 100.0, (4, 8), (1000.0, 1e4), core_cost=50.0)
ON_DISKS = Copy(0, 2.5, 3, (50.0,), (60.0,))
"""Takes 2.5 disks, 50 bytes a second of their bus and 60 of the network."""
ON_SSD = Copy(1, 0.5, 1, (50.0,), (60.0,))
DATA = DatasetNeed(
    "data", (Choice("disk", (ON_DISKS,), names=("disk",)), Choice("ssd", (ON_SSD,), names=("ssd",)))
)
SERVE = TaskNeed("serve", 0, 10.0, (1.5,), 2 * GB, (30.0,), (Path(0.1, ((0, (0.05, 0.01)),)),))
"""10 a second of 0.15 s on disks, of 0.11 s on an SSD: 1.5 or 1.1 instances, which keep 1.5 cores busy."""


def hand(**changes: Any) -> Instance:
    """The instance above, isolated, with some of its fields replaced."""
    fields: dict[str, Any] = {
        "phases": ("serve",),
        "network_rows": (NetworkRow(0, "both"),),
        "buses": ("SAS", "DIMM"),
        "units": (DISK, SSD, DRAM),
        "servers": (BOX,),
        "datasets": (DATA,),
        "tasks": (SERVE,),
        "cpus": ("core",),
        "memory_unit": 2,
        "host_cores": 1,
        "host_memory": 1 * GB,
        "isolation": True,
        "placement": Placement.WEIGHTED,
    }
    return Instance(**{**fields, **changes})


def disks_only(**changes: Any) -> Subproblem:
    """The subproblem in which the data is on disks."""
    return subproblem(hand(**changes), [(0,)])


def ten_disks(**changes: Any) -> Subproblem:
    """The hosts alone, with data on ten disks: 1060 for each of them and 100 for each disk, four to a server.

    2.5 full servers cost 3650; a whole number of servers is three, with ten disks in all: 4180.
    """
    copy = Copy(0, 10.0, 10, (200.0,), (100.0,))
    data = DatasetNeed("data", (Choice("disk", (copy,), names=("disk",)),))
    sub = subproblem(hand(**{"datasets": (data,), **changes}))
    return replace(sub, kinds=tuple(kind for kind in sub.kinds if kind.host), tasks=(), choices_paid=False)


@dataclass(frozen=True)
class Filling:
    """What one server holds, by numbers of the instance."""

    copies: Mapping[tuple[int, int], tuple[int, float]]
    """Units and share, by dataset and place of the copy in its choice."""
    tasks: Mapping[int, tuple[int, float]]
    """Instances and share, by task."""


def dollars(instance: Instance, choices: Sequence[int], server: int, host: bool, filling: Filling) -> float:
    """What a server filled so costs with everything in it; infinite where that breaks a rule of a single server.

    Written from the rules at the head of `froude.provision.model.instance` alone.
    """
    box, memory = instance.servers[server], instance.units[instance.memory_unit]
    wanted = instance.parallelism(choices)
    used = [0] * len(instance.units)
    transferable_cut = [[0.0] * len(instance.phases) for _ in instance.buses]
    network = [0.0] * len(instance.network_rows)
    cores = [0.0] * len(instance.phases)
    held_bytes = [0.0] * len(instance.phases)
    apart, broken = 0.0, False
    for (dataset, place), (units, share) in filling.copies.items():
        copy = instance.datasets[dataset].choices[choices[dataset]].copies[place]
        used[copy.unit] += units
        broken |= over(max(copy.need, 0.01) * share, units) or over(share, copy.most_share)
        broken |= (units > 0 or share > 0) and not host
        for phase in range(len(instance.phases)):
            transferable_cut[instance.units[copy.unit].bus][phase] += copy.bus_bytes[phase] * share
            cores[phase] += copy.cores[phase] * share if copy.cores else 0.0
        for row in range(len(instance.network_rows)):
            network[row] += copy.nic_bytes[row] * share
    for task, (instances, share) in filling.tasks.items():
        need = instance.tasks[task]
        broken |= over(wanted[task] * share, instances) or over(share, need.most_share)
        broken |= (instances > 0 or share > 0) and host and instance.isolation
        cores[need.phase] += need.cores[box.cpu] * share
        held_bytes[need.phase] += need.memory * instances
        for row in range(len(instance.network_rows)):
            network[row] += need.nic_bytes[row] * share
        for dataset, choice in zip(instance.datasets, choices, strict=True):
            broken |= dataset.cpu_of == task and choice != box.cpu and (instances > 0 or share > 0)
            local = dataset.choices[choice].local
            if dataset.local_to == task and local is not None:
                used[local.unit] += local.per_instance * instances
                apart += local.cost * instances
                for phase in range(len(instance.phases)):
                    transferable_cut[instance.units[local.unit].bus][phase] += local.bus_bytes[phase] * share
    bought = up(max(cores)) + (instance.host_cores if host else 0)
    dimms = up((max(held_bytes) + (instance.host_memory if host else 0.0)) / memory.capacity)
    used[instance.memory_unit] += dimms
    broken |= bought > box.cores or any(over(flow, box.nic) for flow in network)
    for bus, slots in enumerate(box.slots):
        broken |= sum(n for n, unit in zip(used, instance.units, strict=True) if unit.bus == bus) > slots
        broken |= slots > 0 and any(over(flow, box.bus_bandwidth[bus]) for flow in transferable_cut[bus])
    if broken:
        return math.inf
    free = box.included_units or (0,) * len(used)
    inside = sum(unit.cost * max(0, n - f) for unit, n, f in zip(instance.units, used, free, strict=True))
    return box.cost + box.core_cost * max(0, bought - box.included_cores) + inside + apart


def over(needed: float, allowed: float) -> bool:
    """More than there is, but for rounding."""
    return needed > allowed * (1 + 1e-6) + 1e-9


def up(amount: float) -> int:
    """The next whole number, but for rounding."""
    return math.ceil(amount - 1e-6)


def every_choice(instance: Instance) -> list[tuple[int, ...]]:
    """Every choice per dataset."""
    return list(itertools.product(*(range(len(dataset.choices)) for dataset in instance.datasets)))
