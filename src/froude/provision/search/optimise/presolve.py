"""Choices that are closed before the search: those that no feasible plan makes, and those that another one replaces.

Choice B of a dataset dominates choice A when every copy of B may take the place of a copy of A, unit by unit
(`cuts.replaces`), B costs no more besides, and no operation of any task takes longer. It is exact: in any cluster of A
the units are exchanged on each server and the tasks stay as they are; their run times are no longer, so that the cluster
is one of B and costs no more. This holds at the prices at hand and among the choices that are open: where B is closed, A
stays. A price list has a disk of its own per family of servers and volumes in many sizes; pairs of them are a thousand
choices a dataset, of which three quarters and more are dominated.

Source: ours, as `dominance` for types of servers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from froude.provision.model.instance import Choice, Copy, DatasetNeed, Instance, Open, Path, TaskNeed
from froude.provision.search.optimise.cuts import included_units, replaces, seconds_of
from froude.provision.search.optimise.dominance import Marks, unbeaten
from froude.provision.search.optimise.subproblem import FIT, whole_up
from froude.provision.types import Placement

_MOST = 4000
"""Choices of a dataset up to which they are compared, each with each."""
_PLACES = 2
"""Copies that a choice has at most: a persistent one and a cache."""


def presolve(instance: Instance, allowed: Sequence[Sequence[int]] | None = None) -> Open:
    """The choices that may be part of a feasible plan, as far as each alone can tell.

    A choice is closed when it breaks a latency even with everything else at its quickest, or is a core type that
    no server has. With uniform placement a quick choice means few instances, each with so much traffic that no
    network may carry it; the master, which sums contents, would propose such choices one after the other.

    Args:
        allowed: open choices per dataset; None opens all.
    """
    open_ = instance.every if allowed is None else tuple(tuple(choices) for choices in allowed)
    if not all(open_):
        return open_
    open_ = _in_time(instance, _had(instance, open_))
    if instance.placement is not Placement.UNIFORM or not instance.servers or not all(open_):
        return open_
    return _divisible(instance, open_)


def standing(instance: Instance, allowed: Open, servers: Sequence[int]) -> Open:
    """The choices whose copies all have a slot in one of some server types.

    Args:
        allowed: open choices per dataset.
    """
    buses = {b for server in servers for b, slots in enumerate(instance.servers[server].slots) if slots}
    units = [unit.bus in buses for unit in instance.units]
    return tuple(
        tuple(c for c in choices if all(units[copy.unit] for copy in dataset.choices[c].copies))
        for dataset, choices in zip(instance.datasets, allowed, strict=True)
    )


def breaks_latency(instance: Instance, choices: Sequence[int]) -> bool:
    """Does a choice per dataset break a latency?

    Args:
        choices: number of the choice of each dataset, shape (datasets,).
    """
    if all(task.latency is None for task in instance.tasks):
        return False
    times = instance.run_times(choices)
    return any(
        task.latency is not None and time > task.latency * (1 + FIT)
        for task, time in zip(instance.tasks, times, strict=True)
    )


def _had(instance: Instance, open_: Open) -> Open:
    """Without the core types that no server has."""
    had = {server.cpu for server in instance.servers}
    return tuple(
        choices if dataset.cpu_of is None else tuple(c for c in choices if c in had)
        for dataset, choices in zip(instance.datasets, open_, strict=True)
    )


def _in_time(instance: Instance, open_: Open) -> Open:
    """Without the choices that make some path longer than its task's latency, all others at their quickest."""
    if all(task.latency is None for task in instance.tasks) or not all(open_):
        return open_
    times = instance.run_times_among(open_)
    late: set[tuple[int, int]] = set()
    for task in instance.tasks:
        for path in task.paths if task.latency is not None else ():
            late |= _late_on(path, (task.latency or 0.0) * (1 + FIT), open_, times)
    return tuple(tuple(c for c in choices if (d, c) not in late) for d, choices in enumerate(open_))


def _late_on(path: Path, latency: float, open_: Open, times: Sequence[float]) -> set[tuple[int, int]]:
    """(dataset, choice) that one path has no time for."""
    quickest = {d: min(per[c] for c in open_[d]) for d, per in path.io_s}
    least = path.constant_s + sum(quickest.values())
    least += sum(often * times[task] for task, often in path.calls)
    return {
        (d, c)
        for d, per in path.io_s
        for c in open_[d]
        if per[c] > quickest[d] and least - quickest[d] + per[c] > latency
    }


def _divisible(instance: Instance, open_: Open) -> Open:
    """Without the choices under which a single instance has more traffic than any network carries."""
    widest = max(server.nic for server in instance.servers)

    def fits(dataset: int, choice: int) -> bool:
        narrowed = [(choice,) if d == dataset else choices for d, choices in enumerate(open_)]
        times = instance.run_times_among(narrowed, max)
        return all(
            max(task.nic_bytes, default=0.0)
            / max(_least_instances(task, time), *(_floor(f, narrowed[d]) for d, f in task.floors), 1)
            <= widest * (1 + FIT)
            for task, time in zip(instance.tasks, times, strict=True)
        )

    return tuple(tuple(c for c in choices if fits(d, c)) for d, choices in enumerate(open_))


def _least_instances(task: TaskNeed, seconds: float) -> int:
    return max(whole_up(task.rate * seconds), whole_up(1.0 / task.most_share))


def _floor(floors: Sequence[float], choices: Sequence[int]) -> int:
    return whole_up(max(floors[c] for c in choices))


def undominated_choices(instance: Instance, allowed: Open) -> Open:
    """The open choices that are needed, ascending; of two that dominate each other the first stays.

    With uniform placement all are: fewer units there are not merely spare ones. So are those beside a task, and those of
    a core type. O(n^2 d) for n choices and d operations, in numpy.
    """
    if instance.placement is Placement.UNIFORM:
        return allowed
    free = included_units(instance)
    return tuple(
        _needed(instance, number, dataset, choices, free)
        for number, (dataset, choices) in enumerate(zip(instance.datasets, allowed, strict=True))
    )


def _needed(
    instance: Instance, number: int, dataset: DatasetNeed, open_: tuple[int, ...], free: frozenset[int]
) -> tuple[int, ...]:
    choices = [dataset.choices[c] for c in open_]
    comparable = dataset.local_to is None and dataset.cpu_of is None and 1 < len(choices) <= _MOST
    if not comparable or any(len(choice.copies) > _PLACES for choice in choices):
        return open_
    marks = _stand_in(instance, choices, free)
    seconds = [np.array(per)[list(open_)] for per in seconds_of(instance, number)]
    for values in (np.array([choice.cost for choice in choices]), *seconds):
        marks &= values[:, None] <= values[None, :]
    np.fill_diagonal(marks, val=False)
    return tuple(choice for choice, stays in zip(open_, unbeaten(marks), strict=True) if stays)


def _stand_in(instance: Instance, choices: Sequence[Choice], free: frozenset[int]) -> Marks:
    """[b, a]: the copies of b may stand where those of a stand, in one order or the other."""
    copies = list(dict.fromkeys(copy for choice in choices for copy in choice.copies))
    at: dict[Copy | None, int] = {copy: place for place, copy in enumerate(copies)}
    at[None] = len(copies)
    may = np.zeros((len(at), len(at)), np.bool_)
    may[at[None], :] = True  # no copy asks for nothing
    for copy in copies:
        may[at[copy], : len(copies)] = [replaces(instance, copy, other, free) for other in copies]
    places = np.array([[at[copy] for copy in (*choice.copies, None, None)[:_PLACES]] for choice in choices])
    first, second = places[:, 0], places[:, 1]
    same: Marks = may[np.ix_(first, first)] & may[np.ix_(second, second)]
    crossed: Marks = may[np.ix_(first, second)] & may[np.ix_(second, first)]
    return np.logical_or(same, crossed)
