"""The part of an instance that a program is about: open choices, kinds of servers, copies, tasks.

A *kind* is a server type in a role: a host holds remote units (and tasks too, without isolation), a worker
only tasks. Loads are measured in units of their own (`Item.scale`, `Subproblem.task_scale`: about one server's
worth), so that coefficients stay near 1 from one server to a hundred thousand.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from froude.provision.model.instance import Choice, Copy, Instance, LocalUnits, ServerType
from froude.provision.search.optimise.dominance import undominated
from froude.provision.types import Placement

Widths = tuple[float, tuple[float, ...], tuple[float, ...]]
"""Bytes per second of a network, and bytes and accesses per second of each bus."""


COUNT_BOX = 1e7
"""Largest count of a variable, where a load needs fewer; it grows with the load (`Subproblem.many`)."""
_SPARE = 64.0
"""Times the servers' worths of a load that it may take of narrow servers."""


@dataclass(frozen=True, slots=True)
class ServerKind:
    """A server type in a role."""

    server: int
    host: bool
    """It may hold remote units, and pays for the storage system."""
    tasks: bool


@dataclass(frozen=True, slots=True)
class Item:
    """A copy of a remote dataset, whichever of the open choices has it: pairs share what they are paired of."""

    dataset: int
    choices: tuple[int, ...]
    """Open choices with this copy."""
    copy: Copy
    need: float
    """Units that all of it wants: as the copy's, but a whole one at least for the largest share on a server, however
    little that is; with uniform placement its exact units."""
    scale: float
    """How many loads of its own unit all of it makes."""
    most: float = 1.0
    """Largest share of it on one server; with uniform placement as many whole units as that allows."""


@dataclass(frozen=True, slots=True)
class Beside:
    """A local dataset under one choice."""

    dataset: int
    choice: int
    units: LocalUnits


@dataclass(frozen=True, slots=True)
class Subproblem:
    """The part of an instance that a program is about: the choices still open, and what follows from them."""

    instance: Instance
    allowed: tuple[tuple[int, ...], ...]
    """Open choices per dataset."""
    kinds: tuple[ServerKind, ...]
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
    cpus: tuple[tuple[int, ...], ...]
    """Per task, the core types it may still run on."""
    choices_paid: bool = True
    """The constant dollars of the choices count in programs about it; not in those about a part of the servers."""

    @property
    def fixed(self) -> bool:
        """Is one choice open per dataset?"""
        return all(len(open_) == 1 for open_ in self.allowed)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Every (dataset, open choice)."""
        return [(d, c) for d, open_ in enumerate(self.allowed) for c in open_]

    @property
    def choices(self) -> tuple[int, ...]:
        """The choice per dataset of a fixed subproblem."""
        return tuple(open_[0] for open_ in self.allowed)

    @property
    def uniform(self) -> bool:
        """The paper's placement: whole units with equal traffic."""
        return self.instance.placement is Placement.UNIFORM

    @property
    def many(self) -> float:
        """More servers of a kind than any cluster worth considering has: a finite box for bounds from duals."""
        return max(COUNT_BOX, 2.0 ** math.ceil(math.log2(max(1.0, _SPARE * self.load))))

    @property
    def load(self) -> float:
        """All that there is, in loads of about a server's worth each."""
        return sum(item.scale for item in self.items) + sum(self.task_scale[task] for task in self.tasks)

    @property
    def unit(self) -> float:
        """What the solver counts large numbers in, a power of two: 1 as long as `COUNT_BOX` is enough."""
        return float(2.0 ** math.floor(math.log2(self.many / COUNT_BOX)))

    @property
    def constant(self) -> float:
        """Dollars that the choices of a fixed subproblem cost besides units and servers."""
        return sum(d.choices[c].cost for d, c in zip(self.instance.datasets, self.choices, strict=True))

    def server(self, kind: ServerKind) -> ServerType:
        """The server type of a kind."""
        return self.instance.servers[kind.server]

    def runs(self, task: int, kind: ServerKind) -> bool:
        """May servers of a kind run a task?"""
        return kind.tasks and self.server(kind).cpu in self.cpus[task]

    def instances(self, task: int) -> float:
        """Instances of all of a task: whole ones with uniform placement, and enough to be spread."""
        parallelism = self.parallelism[task]
        if not (self.uniform and self.fixed):
            return parallelism
        return float(max(1, whole_up(parallelism), self.least_servers(task)))

    def least_servers(self, task: int) -> int:
        """Servers that a task needs so that none has more than its largest share."""
        return whole_up(1.0 / self.instance.tasks[task].most_share)

    def most_work(self, task: int) -> float:
        """Largest share of a task on one server; with uniform placement as many whole instances as that allows."""
        most = self.instance.tasks[task].most_share
        return _whole_share(most, self.instances(task)) if self.uniform and self.fixed else most

    def spare_cores(self, kind: ServerKind) -> int:
        """Cores that the price of a server includes, beyond those of the storage system."""
        host = self.instance.host_cores if kind.host else 0
        return max(0, self.server(kind).included_cores - host)

    def base_cost(self, kind: ServerKind) -> float:
        """Dollars of a server of this kind that is empty, with the cores of the storage system."""
        server = self.server(kind)
        host = max(0, self.instance.host_cores - server.included_cores) if kind.host else 0
        return server.cost + host * server.core_cost


FIT = 5e-7
"""A count may be passed by this share of itself before the next whole one is needed; half of the checker's."""


def whole_up(amount: float) -> int:
    """The least whole number that an amount fits into, forgiving `FIT`."""
    return max(0, math.ceil(amount * (1.0 - FIT)))


def subproblem(
    instance: Instance, allowed: Sequence[Sequence[int]] | None = None, servers: Sequence[int] | None = None
) -> Subproblem:
    """Prepare an instance, or a part of its choices and server types.

    Args:
        allowed: open choices per dataset; None opens all.
        servers: types that may stand there; None is all that are needed.
    """
    open_ = instance.every if allowed is None else tuple(tuple(choices) for choices in allowed)
    parallelism, widest = instance.parallelism_among(open_), _widest(instance.servers)
    tasks = tuple(t for t, task in enumerate(instance.tasks) if task.rate > 0 or parallelism[t] > 0)
    items = tuple(_item(instance, *part, widest) for part in _copies(instance, open_))
    beside = tuple(
        tuple(
            Beside(dataset, choice, kept.local)
            for dataset, choice, kept in _open(instance, open_)
            if kept.local is not None and instance.datasets[dataset].local_to == task
        )
        for task in range(len(instance.tasks))
    )
    scales = tuple(
        _task_scale(instance, task, parallelism[task], widest[0]) for task in range(len(instance.tasks))
    )
    most = instance.parallelism_among(open_, max)
    cpus = _core_types(instance, open_)
    return Subproblem(
        instance, open_, _kinds(instance, servers), items, beside, tasks, parallelism, most, scales, cpus
    )


def flow_of_one(sub: Subproblem, task: int) -> float:
    """Bytes per second of one instance with uniform placement, when the task has as many as it ever has.

    Args:
        sub: the open choices, which bound how many instances there are.
    """
    most = max(1, whole_up(sub.most_parallel[task]), sub.least_servers(task))
    return max(sub.instance.tasks[task].nic_bytes, default=0.0) / most


def _open(instance: Instance, allowed: Sequence[Sequence[int]]) -> Iterable[tuple[int, int, Choice]]:
    for dataset, choices in enumerate(allowed):
        for choice in choices:
            yield dataset, choice, instance.datasets[dataset].choices[choice]


def _kinds(instance: Instance, servers: Sequence[int] | None) -> tuple[ServerKind, ...]:
    """Hosts and workers of each type that is needed; without isolation workers only where a host costs more."""
    remote = any(choice.copies for dataset in instance.datasets for choice in dataset.choices)
    free = instance.host_cores == 0 and instance.host_memory == 0
    kinds: list[ServerKind] = []
    considered = servers or _had(instance)
    # So are hosts without the cores of the storage system: a row for less than no cores leads HiGHS astray.
    roomy = {at for at in considered if instance.servers[at].cores >= instance.host_cores}
    for server in considered:
        if remote and (server in roomy or not roomy):
            kinds.append(ServerKind(server, host=True, tasks=not instance.isolation))
        if instance.isolation or not remote or not free:
            kinds.append(ServerKind(server, host=False, tasks=True))
    return tuple(kinds)


def _had(instance: Instance) -> Sequence[int]:
    """Types that are needed; one of which there is none is left out, unless all are: then the conflict names it."""
    had = [at for at in undominated(instance) if instance.servers[at].max_count != 0]
    return had or range(len(instance.servers))


def _copies(
    instance: Instance, allowed: Sequence[Sequence[int]]
) -> Iterable[tuple[int, tuple[int, ...], Copy]]:
    """Per dataset each copy once, with the choices that have it."""
    for number, (dataset, choices) in enumerate(zip(instance.datasets, allowed, strict=True)):
        having: dict[Copy, list[int]] = {}
        for choice in choices:
            for copy in dataset.choices[choice].copies:
                having.setdefault(copy, []).append(choice)
        for copy, chosen in having.items():
            yield number, tuple(chosen), copy


def _item(instance: Instance, dataset: int, choices: tuple[int, ...], copy: Copy, widest: Widths) -> Item:
    exact = instance.placement is Placement.UNIFORM
    need = float(copy.min_units) if exact else max(copy.need, 1 / copy.most_share)
    nic, widths, most = widest
    width = widths[instance.units[copy.unit].bus] if widths else 0.0
    servers = max(copy.nic_bytes, default=0.0) / nic
    accesses = max(copy.accesses, default=0.0) / most[instance.units[copy.unit].bus] if most else 0.0
    buses = max(copy.bus_bytes, default=0.0) / width if width else 0.0
    cores = max(copy.cores, default=0.0)
    # as many loads as the servers it must be spread over: the tolerance of a row is then one of a server's share
    scale = max(need, servers, buses, accesses, cores, 1 / copy.most_share)
    share = _whole_share(copy.most_share, need) if exact else copy.most_share
    return Item(dataset, choices, copy, need, scale, share)


def _widest(servers: Sequence[ServerType]) -> Widths:
    """The widest network and bus of any server, and the most accesses of one."""
    widths = zip(*(server.bus_bandwidth for server in servers), strict=True)
    accesses = zip(*(server.bus_accesses for server in servers), strict=True)
    widest_nic = max((server.nic for server in servers), default=1.0)
    return widest_nic, tuple(map(max, widths)), tuple(map(max, accesses))


def _whole_share(most: float, pieces: float) -> float:
    """The largest share that a whole number of equal pieces makes, up to a largest share."""
    return 1.0 if most >= 1 else math.floor(most * pieces * (1 + FIT)) / pieces


def _core_types(instance: Instance, allowed: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """Per task, the core types open to it."""
    every = tuple(range(len(instance.cpus)))
    chosen = {d.cpu_of: tuple(open_) for d, open_ in zip(instance.datasets, allowed, strict=True)}
    return tuple(chosen.get(task, every) for task in range(len(instance.tasks)))


def _task_scale(instance: Instance, task: int, parallelism: float, nic: float) -> float:
    need = instance.tasks[task]
    return max(parallelism, *need.cores, max(need.nic_bytes, default=0.0) / nic, 1 / need.most_share)
