"""Other clusters than the cheapest: the k best architectures, and what a forced choice would cost.

An architecture is the names of the units per dataset (and of the core type per task); how many units stand beside
a task is not part of it. Both questions are solves with choices closed, so each answer comes
with its own bounds.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator

from froude.provision.model.instance import Instance
from froude.provision.search.optimise.column_generation import ColumnPool
from froude.provision.search.optimise.solving import solve
from froude.provision.types.plan import ProvisionPlan

Open = tuple[tuple[int, ...], ...]


def forced(
    instance: Instance, dataset: str, choice: int, *, gap: float = 0.01, time_limit_s: float = 60.0
) -> ProvisionPlan:
    """The cheapest cluster with one dataset's choice given: its extra cost answers "why not".

    Args:
        instance: the numeric problem.
        dataset: name of the one whose choice is given.
        choice: its number, from 0, in that dataset's `choices`.
        gap: relative distance of cost and lower bound that counts as proved, 0 to below 1.
        time_limit_s: seconds after which the best so far is taken.

    Raises:
        ValueError: no such dataset, or it has no such choice.
    """
    names = [stored.name for stored in instance.datasets]
    if dataset not in names or not 0 <= choice < len(instance.datasets[names.index(dataset)].choices):
        raise ValueError(f"no choice {choice} of dataset {dataset}")
    open_ = [
        (choice,) if stored.name == dataset else tuple(range(len(stored.choices)))
        for stored in instance.datasets
    ]
    return solve(instance, gap=gap, time_limit_s=time_limit_s, allowed=open_)


def k_best(
    instance: Instance, k: int, *, gap: float = 0.01, time_limit_s: float = 60.0
) -> list[ProvisionPlan]:
    """The k cheapest architectures, cheapest first, each different in some dataset.

    The set of architectures is parted around each plan found: the part that keeps its first choices and
    leaves it at the next dataset, for every dataset. The plans come in order within the gap; each has its
    own bounds over its part.

    Args:
        instance: the numeric problem.
        k: how many; fewer come back when there are no more.
        gap: of each solve.
        time_limit_s: of each solve.

    Raises:
        ValueError: k below 1.

    Source: Lawler, "A procedure for computing the k best solutions" (1972).
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    pool = ColumnPool()
    plans: list[ProvisionPlan] = []
    every: Open = tuple(tuple(range(len(dataset.choices))) for dataset in instance.datasets)
    heap: list[tuple[float, int, ProvisionPlan, Open]] = []
    serial = 0

    def push(open_: Open) -> None:
        nonlocal serial
        plan = solve(instance, gap=gap, time_limit_s=time_limit_s, allowed=open_, pool=pool)
        if math.isfinite(plan.upper):
            heapq.heappush(heap, (plan.upper, serial, plan, open_))
            serial += 1

    push(every)
    while heap and len(plans) < k:
        _, _, plan, open_ = heapq.heappop(heap)
        plans.append(plan)
        if len(plans) < k:
            for part in _parts(open_, _same(instance, plan, open_)):
                push(part)
    return plans


def _parts(open_: Open, kept: Open) -> Iterator[Open]:
    """Everything open but one architecture, in parts that do not overlap."""
    for at, chosen in enumerate(kept):
        others = tuple(c for c in open_[at] if c not in chosen)
        if others:
            yield (*kept[:at], others, *open_[at + 1 :])


def _same(instance: Instance, plan: ProvisionPlan, open_: Open) -> Open:
    """The open choices with a plan's names per dataset: of a local one, every number of units beside a task."""
    kept = []
    for dataset, choices in zip(instance.datasets, open_, strict=True):
        if dataset.cpu_of is None:
            names = plan.choices[dataset.name]
        else:
            names = (plan.cpus[instance.tasks[dataset.cpu_of].name],)
        kept.append(tuple(c for c in choices if dataset.choices[c].names == names))
    return tuple(kept)
