"""Which ways to store a dataset can be left out because another does as well in the same places for no more.

Choice B dominates choice A when every copy of B may take the place of a copy of A, unit by unit (`cuts.replaces`), B
costs no more besides, and no operation of any task takes longer. It is exact: in any cluster of A the units are
exchanged on each server and the tasks stay as they are; their run times are no longer, so that the cluster is one of B
and costs no more. This holds at the prices at hand and among the choices that are open: where B is closed, A stays.

A price list has a disk of its own per family of servers and volumes in many sizes; pairs of them are a thousand
choices a dataset, of which three quarters and more are dominated.

Source: ours, as `dominance` for types of servers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from froude.provision.model.instance import Choice, Copy, DatasetNeed, Instance
from froude.provision.search.optimise.cuts import included_units, replaces, seconds_of
from froude.provision.search.optimise.dominance import Marks, unbeaten
from froude.provision.search.optimise.presolve import Open
from froude.provision.types import Placement

_MOST = 4000
"""Choices of a dataset up to which they are compared, each with each."""
_PLACES = 2
"""Copies that a choice has at most: a persistent one and a cache."""


def undominated_choices(instance: Instance, allowed: Open) -> Open:
    """The open choices that are needed, ascending; of two that dominate each other the first stays.

    With uniform placement all are: fewer units there are not merely spare ones. So are those beside a task, and those of
    a core type. O(n^2 d) for n choices and d operations, in numpy.

    Args:
        allowed: open choices per dataset.
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
