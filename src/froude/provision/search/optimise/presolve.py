"""Choices that no feasible plan makes: closed before the search, so that it need not propose and refute them."""

from __future__ import annotations

from collections.abc import Sequence

from froude.provision.model.instance import Instance, Path, TaskNeed
from froude.provision.search.optimise.subproblem import FIT, whole_up
from froude.provision.types import Placement

Open = tuple[tuple[int, ...], ...]


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
