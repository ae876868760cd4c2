"""The part of an instance that a program is about: open choices, kinds of servers, copies, tasks.

A *kind* is a server type in a role: a host holds remote units (and tasks too, without isolation), a worker
only tasks. Loads are measured in units of their own (`Item.scale`, `Scope.task_scale`: about one server's
worth), so that coefficients stay near 1 from one server to a hundred thousand.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from froude.provision.instance import Choice, Copy, Instance, LocalUnits, ServerType
from froude.provision.types import Placement

LEAST_NEED = 0.01
"""Need of a copy that is never full nor busy: a share still wants a unit beside it, and one unit holds it all."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A server type in a role."""

    server: int
    host: bool
    """It may hold remote units, and pays for the storage system."""
    tasks: bool
    """It may run tasks."""


@dataclass(frozen=True, slots=True)
class Item:
    """A copy of a remote dataset under one choice."""

    dataset: int
    choice: int
    copy: Copy
    need: float
    """Units that all of it wants: as the copy's, but never 0; with uniform placement its exact units."""
    scale: float
    """How many loads of its own unit all of it makes."""


@dataclass(frozen=True, slots=True)
class Beside:
    """A local dataset under one choice."""

    dataset: int
    choice: int
    units: LocalUnits


@dataclass(frozen=True, slots=True)
class Scope:
    """The part of an instance that a program is about: the choices still open, and what follows from them."""

    instance: Instance
    allowed: tuple[tuple[int, ...], ...]
    """Open choices per dataset."""
    kinds: tuple[Kind, ...]
    items: tuple[Item, ...]
    beside: tuple[tuple[Beside, ...], ...]
    """Per task: its local datasets' choices."""
    tasks: tuple[int, ...]
    """Tasks that have anything to do."""
    parallelism: tuple[float, ...]
    """Per task, a lower bound of P over the open choices; exact when one is open per dataset."""
    most_parallel: tuple[float, ...]
    """The same from above."""
    task_scale: tuple[float, ...]

    @property
    def fixed(self) -> bool:
        """Is one choice open per dataset?"""
        return all(len(open_) == 1 for open_ in self.allowed)

    @property
    def choices(self) -> tuple[int, ...]:
        """The choice per dataset of a fixed scope."""
        return tuple(open_[0] for open_ in self.allowed)

    @property
    def uniform(self) -> bool:
        """The paper's placement: whole units with equal traffic."""
        return self.instance.placement is Placement.UNIFORM

    def server(self, kind: Kind) -> ServerType:
        """The server type of a kind."""
        return self.instance.servers[kind.server]

    def instances(self, task: int) -> float:
        """Instances of all of a task: whole ones with uniform placement."""
        parallelism = self.parallelism[task]
        return float(max(1, whole_up(parallelism))) if self.uniform and self.fixed else parallelism

    def base_cost(self, kind: Kind) -> float:
        """Dollars of a server of this kind that is empty, with what the storage system takes."""
        host = self.instance.host_cores * self.server(kind).core_cost if kind.host else 0.0
        return self.server(kind).cost + host


FIT = 5e-7
"""A count may be passed by this share of itself before the next whole one is needed; half of the checker's."""


def whole_up(amount: float) -> int:
    """The least whole number that an amount fits into, forgiving `FIT`."""
    return max(0, math.ceil(amount * (1.0 - FIT)))


def scope(instance: Instance, allowed: Sequence[Sequence[int]] | None = None) -> Scope:
    """Prepare an instance, or a part of its choices.

    Args:
        instance: the numeric problem.
        allowed: open choices per dataset; None opens all.
    """
    every = tuple(tuple(range(len(dataset.choices))) for dataset in instance.datasets)
    open_ = every if allowed is None else tuple(tuple(choices) for choices in allowed)
    parallelism = _parallelism(instance, open_, min)
    tasks = tuple(t for t, task in enumerate(instance.tasks) if task.rate > 0 or parallelism[t] > 0)
    items = tuple(
        _item(instance, dataset, choice, copy)
        for dataset, choice, kept in _open(instance, open_)
        for copy in kept.copies
    )
    beside = tuple(
        tuple(
            Beside(dataset, choice, kept.local)
            for dataset, choice, kept in _open(instance, open_)
            if kept.local is not None and instance.datasets[dataset].local_to == task
        )
        for task in range(len(instance.tasks))
    )
    scales = tuple(_task_scale(instance, task, parallelism[task]) for task in range(len(instance.tasks)))
    most = _parallelism(instance, open_, max)
    return Scope(instance, open_, _kinds(instance), items, beside, tasks, parallelism, most, scales)


def flow_of_one(of: Scope, task: int) -> float:
    """Bytes per second of one instance with uniform placement, when the task has as many as it ever has."""
    most = max(1, whole_up(of.most_parallel[task]))
    return max(of.instance.tasks[task].nic_bytes, default=0.0) / most


def possible(
    instance: Instance, allowed: Sequence[Sequence[int]] | None = None
) -> tuple[tuple[int, ...], ...]:
    """The choices under which some server can carry single instances, where these are indivisible.

    With uniform placement a quick choice means few instances, each with so much traffic that no network may
    carry it; the master, which sums contents, would propose such choices one after the other.
    """
    every = tuple(tuple(range(len(dataset.choices))) for dataset in instance.datasets)
    open_ = every if allowed is None else tuple(tuple(choices) for choices in allowed)
    if instance.placement is not Placement.UNIFORM or not instance.servers:
        return open_
    widest = max(server.nic for server in instance.servers)

    def fits(dataset: int, choice: int) -> bool:
        narrowed = [(choice,) if d == dataset else choices for d, choices in enumerate(open_)]
        most = _parallelism(instance, narrowed, max)
        return all(
            max(task.nic_bytes, default=0.0) / max(1, whole_up(p)) <= widest * (1 + FIT)
            for task, p in zip(instance.tasks, most, strict=True)
        )

    return tuple(tuple(c for c in choices if fits(d, c)) for d, choices in enumerate(open_))


def _open(instance: Instance, allowed: Sequence[Sequence[int]]) -> Iterable[tuple[int, int, Choice]]:
    for dataset, choices in enumerate(allowed):
        for choice in choices:
            yield dataset, choice, instance.datasets[dataset].choices[choice]


def _kinds(instance: Instance) -> tuple[Kind, ...]:
    """Hosts and workers of each type; without isolation a worker is only needed where a host costs more."""
    remote = any(choice.copies for dataset in instance.datasets for choice in dataset.choices)
    free = instance.host_cores == 0 and instance.host_memory == 0
    kinds: list[Kind] = []
    for server in range(len(instance.servers)):
        if remote:
            kinds.append(Kind(server, host=True, tasks=not instance.isolation))
        if instance.isolation or not remote or not free:
            kinds.append(Kind(server, host=False, tasks=True))
    return tuple(kinds)


def _item(instance: Instance, dataset: int, choice: int, copy: Copy) -> Item:
    exact = instance.placement is Placement.UNIFORM
    need = float(copy.min_units) if exact else max(copy.need, LEAST_NEED)
    bus = instance.units[copy.unit].bus
    nic = max((server.nic for server in instance.servers), default=1.0)
    width = max((server.bus_bandwidth[bus] for server in instance.servers), default=0.0)
    servers = max(copy.nic_bytes, default=0.0) / nic
    buses = max(copy.bus_bytes, default=0.0) / width if width else 0.0
    return Item(dataset, choice, copy, need, max(need, servers, buses))


def _task_scale(instance: Instance, task: int, parallelism: float) -> float:
    nic = max((server.nic for server in instance.servers), default=1.0)
    need = instance.tasks[task]
    return max(parallelism, *need.cores, max(need.nic_bytes, default=0.0) / nic, LEAST_NEED)


def _parallelism(
    instance: Instance, allowed: Sequence[Sequence[int]], pick: Callable[[Iterable[float]], float]
) -> tuple[float, ...]:
    """P of each task if every operation had its quickest (slowest) open choice: exact when there is one."""
    if all(len(choices) == 1 for choices in allowed):
        return instance.parallelism([choices[0] for choices in allowed])
    times = [0.0] * len(instance.tasks)
    for _ in range(10_000):
        after = [
            max(
                (
                    path.constant_s
                    + sum(pick(per[c] for c in allowed[d]) for d, per in path.io_s)
                    + sum(often * times[task] for task, often in path.calls)
                    for path in task.paths
                ),
                default=0.0,
            )
            for task in instance.tasks
        ]
        if all(abs(a - b) <= 1e-12 * max(1.0, a) for a, b in zip(after, times, strict=True)):
            break
        times = after
    return tuple(
        max(task.rate * time, *(pick(per[c] for c in allowed[d]) for d, per in task.floors), 0.0)
        for task, time in zip(instance.tasks, times, strict=True)
    )
