"""A cluster as its servers are, whatever else its document says of it.

Which units hold a dataset, and the cores that a task runs on, follow from the groups. A document that was changed by
hand may say otherwise; then the servers count.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from froude.provision.types import Problem
from froude.provision.types.plan import Group, Held, LocalHeld, ProvisionPlan, Running


def as_built(problem: Problem, plan: ProvisionPlan) -> ProvisionPlan:
    """The plan with what follows from its groups taken from them; contents that stand twice in a group are one.

    Args:
        problem: the inputs; names that they do not have are left as they are.
        plan: a cluster, which may contradict itself.
    """
    groups = tuple(_merged(group) for group in plan.groups)
    names = [dataset.name for dataset in problem.application.datasets]
    choices = {name: choice_of(problem, groups, name, plan.choices.get(name, ())) for name in names}
    return replace(plan, groups=groups, choices=choices, cpus={})


def says_shares(plan: ProvisionPlan) -> bool:
    """Whether it says how the load is spread."""
    held = any(part.share for group in plan.groups for part in group.held)
    return held or any(part.share for group in plan.groups for part in group.running)


def choice_of(
    problem: Problem, groups: Iterable[Group], dataset: str, said: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Units that hold a dataset, the cache last; more than two where it stands on several types.

    Args:
        problem: the inputs, which say what is a service.
        said: what the document says, which counts for what no server can show: data on a service, and data that
            stands nowhere.
    """
    kept: dict[str, None] = {}
    cached: dict[str, None] = {}
    for group in groups:
        for held in group.held:
            if held.dataset == dataset and held.units:
                (cached if held.cache else kept)[held.unit] = None
        for local in group.local:
            if local.dataset == dataset and local.units:
                kept[local.unit] = None
    services = {unit.name for unit in problem.catalog.units if unit.service}
    if said and (not kept or (said[0] in services and set(kept) <= services)):
        kept = {said[0]: None}
        if not cached and said[0] not in services:
            cached = dict.fromkeys(said[1:])
    return (*kept, *cached) if kept else ()


def _merged(group: Group) -> Group:
    held: dict[tuple[str, str, bool], Held] = {}
    for part in group.held:
        before = held.get((part.dataset, part.unit, part.cache), replace(part, units=0, share=0.0))
        total = replace(part, units=part.units + before.units, share=part.share + before.share)
        held[part.dataset, part.unit, part.cache] = total
    local: dict[tuple[str, str], LocalHeld] = {}
    for beside in group.local:
        units = local[beside.dataset, beside.unit].units if (beside.dataset, beside.unit) in local else 0
        local[beside.dataset, beside.unit] = replace(beside, units=units + beside.units)
    running: dict[str, Running] = {}
    for run in group.running:
        earlier = running.get(run.task, Running(run.task, 0, 0.0))
        running[run.task] = Running(run.task, run.instances + earlier.instances, run.share + earlier.share)
    return replace(
        group, held=tuple(held.values()), local=tuple(local.values()), running=tuple(running.values())
    )
