"""An architecture: the storage types of every dataset; counts may differ.

It is what a change of means moving data, so the analyses follow it, not the plan. Where the catalog has several
core types, each solve picks those of the tasks anew: they are told, and make no architecture of their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from froude.provision.check.bill import bill
from froude.provision.model.build import build
from froude.provision.model.growth import grown
from froude.provision.model.instance import Instance
from froude.provision.search.compile import Only, compile_plan
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.search.split import decided
from froude.provision.types import Problem
from froude.provision.types.plan import ProvisionPlan, Status

Names = tuple[str, ...]
"""A choice, by the names of its units: as in `ProvisionPlan.choices`."""


@dataclass(frozen=True, slots=True, order=True)
class Architecture:
    """One choice per dataset."""

    choices: tuple[tuple[str, Names], ...]
    """(dataset, unit names), in the order of the inputs."""
    cpus: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    """(task, core type), where the catalog has more than one; not compared."""

    @property
    def only(self) -> Only:
        """Leaves nothing but this open, for `compile_plan`."""
        return {dataset: [names] for dataset, names in self.choices}

    def __str__(self) -> str:
        parts = [f"{name}: {' + '.join(units)}" for name, units in self.choices]
        return ", ".join([*parts, *(f"{task} on {cpu}" for task, cpu in self.cpus)])

    def of(self, dataset: str) -> str:
        """Unit names of a dataset, joined."""
        return " + ".join(dict(self.choices)[dataset])

    def changes(self, other: Architecture) -> tuple[str, ...]:
        """What must be changed to get to another: `tags: 7.2KDisk → 7.2KDisk + DRAM`."""
        before, after = _named(self), _named(other)
        return tuple(
            f"{name}: {before[name]} → {after[name]}" for name in before if before[name] != after[name]
        )


def _named(architecture: Architecture) -> dict[str, str]:
    return {name: " + ".join(units) for name, units in architecture.choices} | dict(architecture.cpus)


def architecture_of(plan: ProvisionPlan) -> Architecture | None:
    """The architecture of a plan; None without a cluster."""
    if not plan.found:
        return None
    return Architecture(tuple(plan.choices.items()), tuple(plan.cpus.items()))


def architectures(plans: Iterable[ProvisionPlan]) -> tuple[Architecture, ...]:
    """The distinct ones, in the order in which they come."""
    return tuple(
        dict.fromkeys(architecture for plan in plans if (architecture := architecture_of(plan)) is not None)
    )


def at_factor(problem: Problem, factor: float) -> Problem:
    """The problem at a multiple of its SLA.

    Args:
        factor: all rates of the SLA times this, 0 or more.
    """
    return replace(problem, sla=problem.sla.scaled(factor))


def cost_at(problem: Problem, plan: ProvisionPlan) -> float:
    """Dollars of a plan's cluster at the prices of a problem: the sum of its bill.

    Args:
        problem: gives the prices; the plan may have been made at others.
    """
    return sum(line.total for line in bill(problem, plan))


def held_cost(problem: Problem, held: Architecture, limits: SolveLimits) -> ProvisionPlan:
    """The cheapest cluster of one architecture.

    Args:
        held: the storage types that stay; counts are free.
    """
    return compile_plan(problem, limits, only=held.only)


def choices_of(problem: Problem, plan: ProvisionPlan) -> dict[str, tuple[Names, ...]]:
    """Every way to store each dataset.

    Args:
        plan: any plan of it: decides the split of a batch job that leaves it open.
    """
    instance = build(grown(decided(problem, plan)))
    if not isinstance(instance, Instance):
        return {}
    stored = [dataset for dataset in instance.datasets if dataset.cpu_of is None]
    return {dataset.name: tuple(dict.fromkeys(c.names for c in dataset.choices)) for dataset in stored}


def proved(plan: ProvisionPlan) -> bool:
    """Whether its bounds met."""
    return plan.status is Status.PROVED
