"""Clusters with more pieces of a kind than a plan can have are no clusters.

Whether they are is asked here and not of the inputs: a split of a batch job that leaves a phase next to no time asks
for as many, and is merely one that the search passes by.
"""

from __future__ import annotations

from collections.abc import Sequence

from froude.provision.model.instance import Instance
from froude.provision.types.plan import Conflict

MOST = 1e9
"""Pieces of a kind that a plan can have."""

Open = tuple[tuple[int, ...], ...]
"""Indices of the choices that stay open, per dataset of an instance."""


def countable(instance: Instance, open_: Sequence[Sequence[int]]) -> Open | Conflict:
    """The choices whose pieces a plan can have, or what there would be too many of.

    Args:
        open_: open choices per dataset; each has one at least.
    """
    kept: list[tuple[int, ...]] = []
    for dataset, choices in zip(instance.datasets, open_, strict=True):
        units = {c: sum(copy.min_units for copy in dataset.choices[c].copies) for c in choices}
        kept.append(tuple(c for c in choices if units[c] <= MOST))
        if not kept[-1]:
            return _too_many(f"units of dataset {dataset.name}", float(min(units.values())))
    wanted = instance.parallelism_among(kept)
    for task, instances in zip(instance.tasks, wanted, strict=True):
        for what, count in (("instances", instances), ("cores", min(task.cores, default=0.0))):
            if not count <= MOST:
                return _too_many(f"{what} of task {task.name}", count)
    return tuple(kept)


def _too_many(what: str, count: float) -> Conflict:
    return Conflict(f"number of {what}", count, MOST)
