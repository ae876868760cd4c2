"""What the bound of one packed tier says about choices that were not packed: rows for the master, and its table.

Packing proves that the hosts (or the workers) of a choice per dataset cost at least so much. The proof holds for
more than these choices:

* Hosts: take any cluster of other choices and put, server by server, the unit of a copy of the packed choice where
  a unit of the other one stood. That is a cluster of the packed choice when the unit goes into the same slot, asks
  no more of network, bus and cores, and carries as much (one unit of any kind carries all of a copy that needs no
  more than one). It costs less by the difference in price of at least as many units as the other choice must have,
  so the other choice's hosts cost at least the bound plus that.
* Workers: under choices with slower operations each task needs at least as many instances, so that the workers of
  those choices would do for the packed one, at the same cost.

Both compose over datasets, which makes each bound a linear row in the choices.

Source: ours; the rows are the lifted form of the cuts of logic-based Benders decomposition (Hooker and Ottosson,
2003).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from froude.provision.model.instance import Choice, Copy, DatasetNeed, Instance
from froude.provision.search.optimise.subproblem import ServerKind, Subproblem, subproblem
from froude.provision.types import Placement

_MOST_COPIES = 3
"""With more copies only those in the same order are compared: orders grow as their factorial."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Servers of some kinds cost at least so much under many choices."""

    kinds: tuple[ServerKind, ...]
    lower: float
    """Dollars under the packed choices."""
    more: tuple[Mapping[int, float], ...]
    """Per dataset: the choices that it holds for, with what is added to it."""

    def at(self, choices: Sequence[int]) -> float:
        """What it says of a choice per dataset; 0 where it says nothing."""
        bound = self.lower
        for choice, more in zip(choices, self.more, strict=True):
            if choice not in more:
                return 0.0
            bound += more[choice]
        return bound

    @property
    def most(self) -> float:
        """The most that it says of any choices."""
        return self.lower + sum(max(more.values()) for more in self.more)


def lifted(sub: Subproblem, lower: float, among: Sequence[Sequence[int]] | None = None) -> Cut:
    """A tier's bound, for all choices that it holds for.

    Args:
        sub: a tier of a fixed subproblem.
        lower: no servers of the tier cost less.
        among: choices per dataset that are asked about; None asks about all.
    """
    open_ = among or sub.instance.every
    more = (_more(sub, number, packed, open_[number]) for number, packed in enumerate(sub.choices))
    return Cut(sub.kinds, lower, tuple(more))


def quickest(sub: Subproblem) -> tuple[Subproblem, tuple[Mapping[int, float], ...]] | None:
    """A tier with as few instances as under the quickest of the choices whose copies may be exchanged for its own.

    What that tier costs at least holds for all of these choices, also for those that are quicker than the packed ones:
    where servers hold copies and run tasks, hardly any bound could be carried over otherwise.

    Args:
        sub: a tier of a fixed subproblem.

    Returns:
        The tier, and per dataset the choices (as `Cut.more`); None where it is no easier than the tier itself, or
        placement is uniform.
    """
    if sub.uniform or not (sub.tasks and sub.items):
        return None
    copies = replace(sub, tasks=())
    more = tuple(
        _more(copies, number, packed, range(len(dataset.choices))) if _movable(dataset) else {packed: 0.0}
        for number, (packed, dataset) in enumerate(zip(sub.choices, sub.instance.datasets, strict=True))
    )
    least = subproblem(sub.instance, [tuple(choices) for choices in more]).parallelism
    return None if least == sub.parallelism else (replace(sub, parallelism=least), more)


def _more(sub: Subproblem, number: int, packed: int, among: Iterable[int]) -> dict[int, float]:
    """Choices of one dataset, all others left as packed, under which the tier costs no less."""
    instance, dearer_by = sub.instance, {packed: 0.0}
    dataset = instance.datasets[number]
    if sub.tasks and not _movable(dataset):
        return dearer_by
    seconds = seconds_of(instance, number) if sub.tasks else []
    included = included_units(instance)
    for choice in among:
        if choice == packed or not _no_quicker(sub, seconds, packed, choice):
            continue
        dearer = 0.0
        if _holds_copies(sub):
            exchanged = _dearer(instance, dataset.choices[packed], dataset.choices[choice], included)
            if exchanged is None:
                continue
            dearer = exchanged
        dearer_by[choice] = dearer
    return dearer_by


def _holds_copies(sub: Subproblem) -> bool:
    return any(kind.host for kind in sub.kinds)


def _no_quicker(sub: Subproblem, seconds: Sequence[Sequence[float]], packed: int, other: int) -> bool:
    """Does each task need at least as many instances, which stand wherever they stood?"""
    if sub.uniform:
        return all(per[other] == per[packed] for per in seconds)
    return all(per[other] >= per[packed] for per in seconds)


def seconds_of(instance: Instance, dataset: int) -> list[Sequence[float]]:
    """What each operation on a dataset takes per choice, and the instances that each asks for."""
    every = (
        per
        for task in instance.tasks
        for d, per in (*(io for path in task.paths for io in path.io_s), *task.floors)
        if d == dataset
    )
    return list(dict.fromkeys(every))


def _movable(dataset: DatasetNeed) -> bool:
    return dataset.local_to is None and dataset.cpu_of is None


def _dearer(instance: Instance, packed: Choice, other: Choice, included: frozenset[int]) -> float | None:
    """By how much less the packed choice's copies cost when they take the places of another's; None: they do not."""
    if instance.placement is Placement.UNIFORM:
        return 0.0 if packed.copies == other.copies else None
    orders: Iterable[tuple[Copy, ...]] = [other.copies[: len(packed.copies)]]
    if len(other.copies) <= _MOST_COPIES:
        orders = itertools.permutations(other.copies, len(packed.copies))
    best: float | None = None
    for order in orders:
        if len(order) == len(packed.copies) and all(
            replaces(instance, own, by, included) for own, by in zip(packed.copies, order, strict=True)
        ):
            spared = 0.0 if included else _spared(instance, packed.copies, order, other.copies)
            best = spared if best is None else max(best, spared)
    return best


def included_units(instance: Instance) -> frozenset[int]:
    """Units of which the price of some server includes any."""
    counts = [server.included_units for server in instance.servers]
    return frozenset(unit for each in set(counts) for unit, count in enumerate(each) if count)


def replaces(instance: Instance, own: Copy, other: Copy, included: frozenset[int]) -> bool:
    """May a unit of one copy stand wherever a unit of the other stands, for no more?

    A unit that is included somewhere is worth less than its price there, so that only what is free is no dearer.

    Args:
        instance: the numeric problem; its placement is not uniform.
        included: units that some servers' prices include (`included_units`).
    """
    units = instance.units
    if units[own.unit].bus != units[other.unit].bus:
        return False
    worth = 0.0 if other.unit in included else units[other.unit].cost
    if own.unit != other.unit and units[own.unit].cost > worth:
        return False
    return (
        own.need <= max(1.0, other.need)
        and own.min_units <= other.min_units
        and own.most_share >= other.most_share
        and _no_more(own.nic_bytes, other.nic_bytes)
        and _no_more(own.bus_bytes, other.bus_bytes)
        and _no_more(own.accesses, other.accesses)
        and _no_more(own.cores, other.cores)
    )


def _no_more(own: Sequence[float], other: Sequence[float]) -> bool:
    """Each at most the other's; an empty one asks for nothing."""
    return not own or all(a <= b for a, b in zip(own, other or [0.0] * len(own), strict=True))


def _spared(
    instance: Instance, packed: Sequence[Copy], order: Sequence[Copy], every: Sequence[Copy]
) -> float:
    """Dollars of the units that the other choice must have, less those of as many units of the packed one."""
    costs = [instance.units[copy.unit].cost for copy in packed]
    dear = sum(copy.min_units * instance.units[copy.unit].cost for copy in every)
    return dear - sum(copy.min_units * cost for copy, cost in zip(order, costs, strict=True))
