"""What every part of an instance is computed from: rates, phases, network rows, buses, owners and accesses.

Computed once per problem, so that no later step looks a thing up twice in a catalog of a thousand types.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from froude.provision.model.instance import NetworkRow
from froude.provision.model.racks import away, uplink_weight
from froude.provision.model.rates import task_rates
from froude.provision.model.service import Access, accesses
from froude.provision.types import Dataset, Duplex, Io, Problem, StorageUnit

Phased = tuple[tuple[Access, ...], ...]
"""Accesses to one dataset, per phase."""


_NOTHING = 1e-12
"""Share of an uplink that all networks of its rack fill, and that counts as none."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The problem with what follows from it directly."""

    problem: Problem
    rates: dict[str, float]
    """Executions per second of every task."""
    phases: tuple[str, ...]
    rows: tuple[NetworkRow, ...]
    buses: tuple[str, ...]
    owners: dict[str, str | None]
    """Per dataset, the task that it stands beside; None for a remote one."""
    accesses: dict[str, Phased]
    """By dataset."""
    slots: dict[str, int]
    """Most slots of a bus in one server."""
    hosts: dict[str, float]
    """How many servers with a slot of a bus can be had, possibly infinite."""
    waits: bool
    """Whether accesses wait for their unit: some target bounds a latency."""
    away: float = 0.0
    """Share of what goes to all servers alike that leaves a rack."""

    @classmethod
    def of(cls, problem: Problem, racks: int | None = None) -> Frame:
        """The frame of a problem.

        Args:
            racks: how many the cluster has, if the catalog has racks; None for any number.

        Raises:
            RunawayError: a loop of calls has a gain of 1 or more.
        """
        application, catalog = problem.application, problem.catalog
        rates, phases = task_rates(application, problem.sla), application.phases
        directions = ("both",) if problem.options.duplex is Duplex.HALF else ("in", "out")
        outside = away(catalog, racks)
        # an uplink that nothing fills has no row
        kinds = (False, True) if outside and uplink_weight(catalog) > _NOTHING else (False,)
        rows = (NetworkRow(p, d, k) for k in kinds for p in range(len(phases)) for d in directions)
        buses = dict.fromkeys(
            [unit.bus for unit in catalog.units if not unit.service]
            + [bus.name for server in catalog.servers for bus in server.buses]
        )
        slots, hosts = _slots(problem)
        accessed = {d.name: accesses(application, d, rates) for d in application.datasets}
        phased = {
            name: tuple(tuple(a for a in every if a.task.phase == phase) for phase in phases)
            for name, every in accessed.items()
        }
        owners = {d.name: owner(problem, d) for d in application.datasets}
        waits = any(target.latency is not None for target in problem.sla.targets)
        return cls(
            problem, rates, phases, tuple(rows), tuple(buses), owners, phased, slots, hosts, waits, outside
        )

    def usable(self, unit: StorageUnit) -> bool:
        """Whether it can be had: a service always, any other where a server has a slot for it."""
        return unit.service or self.slots.get(unit.bus, 0) > 0

    def capacity(self, unit: StorageUnit) -> float:
        """Bytes of a unit that may be filled."""
        return unit.capacity * self.problem.options.peak_fill


def owner(problem: Problem, dataset: Dataset) -> str | None:
    """The task that a local dataset stands beside; None for a remote one, and where it is not clear."""
    if dataset.remote:
        return None
    if dataset.local_to is not None:
        return dataset.local_to
    users = {
        task.name
        for task in problem.application.tasks
        for op in task.operations
        if isinstance(op, Io) and op.dataset == dataset.name
    }
    return users.pop() if len(users) == 1 else None


def _slots(problem: Problem) -> tuple[dict[str, int], dict[str, float]]:
    """Per bus, (most slots in one server, servers that can be had with any)."""
    slots: dict[str, int] = {}
    hosts: dict[str, float] = {}
    for server in problem.catalog.servers:
        count = math.inf if server.max_count is None else server.max_count
        for bus in server.buses:
            slots[bus.name] = max(slots.get(bus.name, 0), bus.slots)
            if bus.slots:
                hosts[bus.name] = hosts.get(bus.name, 0) + count
    return slots, hosts
