"""The paper's deployment: three clusters on four hypervisors, as traffic that was made up.

Source: Figure 5 of AC-SSD; which VM is on which hypervisor is not printed: five each, in order, agrees with all it says.
"""

from __future__ import annotations

import random

from froude.cache.monitor.topology import Flow

CLUSTERS = {
    "vm1": (1, 3, 6, 11, 16),
    "vm7": (2, 4, 7, 9, 12, 14, 15, 17, 19, 20),
    "vm10": (5, 8, 10, 13, 18),
}
"""Numbers of VMs by the name of their master."""


def names(master: str) -> list[str]:
    """The VMs of a cluster."""
    return [f"vm{number}" for number in CLUSTERS[master]]


def hypervisor(vm: str) -> str:
    """Where a VM runs."""
    return f"h{(int(vm.removeprefix('vm')) - 1) // 5 + 1}"


def flows(seed: int = 1) -> list[Flow]:
    """Heartbeats and metadata to each master, and blocks and shuffles among workers."""
    numbers = random.Random(seed)
    found = []
    for master in CLUSTERS:
        workers = [vm for vm in names(master) if vm != master]
        for vm in workers:
            found.append(Flow(vm, master, numbers.uniform(50, 5000), calls=True))
            found.append(Flow(master, vm, numbers.uniform(50, 5000)))
            blocks = [
                Flow(vm, other, numbers.uniform(1e4, 1e7), calls=True) for other in numbers.sample(workers, 2)
            ]
            found.extend(blocks)
    return found
