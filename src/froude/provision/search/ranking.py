"""The architectures by ascending cost: all but the one found are parted, so that every solve has bounds over its part.

Source: Lawler, "A procedure for computing the k best solutions" (1972).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from froude.provision.search.architecture import Names
from froude.provision.search.best_first import BestFirst
from froude.provision.types.plan import ProvisionPlan

Open = Mapping[str, Sequence[Names]]
"""Choices that are open, per dataset."""
Solve = Callable[[Open], ProvisionPlan | None]
"""The cheapest cluster of some choices; None where there is none, or none worth having."""


def ranked(first: ProvisionPlan, every: Open, solve: Solve) -> Iterator[ProvisionPlan]:
    """The architectures by ascending cost, as far as the gap of the solves lets them be told apart.

    Up to one solve per dataset and architecture.

    Args:
        first: the cheapest plan; without a cluster nothing comes.
        solve: see `Solve`.
    """
    parts: BestFirst[tuple[ProvisionPlan, Open]] = BestFirst()
    if first.found:
        parts.push((first, every), first.upper)
    while parts:
        (plan, open_), _ = parts.pop()
        yield plan
        for part in _without(open_, plan.choices):
            cheapest = solve(part)
            if cheapest is not None:
                parts.push((cheapest, part), cheapest.upper)


def _without(open_: Open, chosen: Mapping[str, Names]) -> Iterator[Open]:
    """Everything open but one architecture, in parts that do not overlap."""
    kept: dict[str, Sequence[Names]] = {}
    for dataset, choices in open_.items():
        others = [choice for choice in choices if choice != chosen[dataset]]
        if others:
            yield {**open_, **kept, dataset: others}
        kept[dataset] = [chosen[dataset]]
