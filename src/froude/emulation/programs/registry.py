"""Every kind of program that a node type may name, and the nodes of a plan in the groups that a controller starts.

A new kind is added to `KINDS`, and nowhere else.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.emulation.controller import Group
from froude.emulation.pacing import planned_moments
from froude.emulation.programs.audit.clients import ClientKind
from froude.emulation.programs.hdfs.family import DatanodeKind
from froude.emulation.programs.population import PlaySettings, Population, ProgramKind
from froude.emulation.programs.yarn.family import LauncherKind, NodemanagerKind, ScriptedKind
from froude.emulation.settings import Mode, Pacing
from froude.emulation.sustained import Sustained, sustained
from froude.messages.schema import Schema
from froude.workload.plan import Plan
from froude.workload.types import Moment, NodeType, StartRule

KINDS: tuple[ProgramKind, ...] = (
    ScriptedKind(),
    DatanodeKind(),
    NodemanagerKind(),
    LauncherKind(),
    ClientKind(),
)


def kind_of(program: str) -> ProgramKind:
    """The kind that a node type names as its program.

    Raises:
        InputError: there is none of that name.
    """
    for kind in KINDS:
        if kind.name == program:
            return kind
    raise InputError(
        "is no program", place="program", found=program, allowed=", ".join(kind.name for kind in KINDS)
    )


def populate(plan: Plan, schema: Schema, *, seeds: Seeds, settings: PlaySettings | None = None) -> Population:
    """All nodes of a plan, each type with its program.

    Args:
        seeds: every random choice of the play.

    Raises:
        InputError: a node type names a program that there is not, or the release lacks what a program needs.
    """
    population = Population(plan, schema, seeds=seeds, settings=settings)
    for node_type in plan.workload.node_types:
        population.add(node_type.name, kind_of(node_type.program).family(node_type, population))
    return population


def groups_of(population: Population) -> list[Group]:
    """The groups of a plan.

    Daemons (endless nodes) begin with the play, at the pace of its settings: that the recorded ones took seconds each
    is the start of a JVM and no load. Nodes without a start rule wait for the kinds that are needed first. Nodes that
    start beside each other, however many, do so no faster than daemons: the player has to keep up. Those of a
    sustained load are followed by others, and nothing that waits for the end of all of them begins.
    """
    counts = population.plan.counts
    kept_up = None
    if population.settings.turnover.mode is not Mode.ONCE:
        kept_up = sustained(population.plan)
    awaited: str | None = None
    groups = []
    for node_type in sorted(
        population.types.values(), key=lambda each: not kind_of(each.program).needed_first
    ):
        needed = kind_of(node_type.program).needed_first and counts.get(node_type.name, 0) > 0
        group = _group(node_type, population, awaited)
        groups.append(group if kept_up is None else _kept_up(group, kept_up, population))
        if needed and node_type.start.after is None:
            awaited = (
                node_type.name
            )  # the next kind that is needed waits for this one, and all others for the last
    places = {name: place for place, name in enumerate(population.types)}
    return sorted(groups, key=lambda group: places[group.name])


def _group(node_type: NodeType, population: Population, awaited: str | None) -> Group:
    """The group of one type.

    Args:
        awaited: the type all of whose nodes must have started before those of a type without a start rule begin.
    """
    rule, kind, settings = node_type.start, kind_of(node_type.program), population.settings
    count = population.plan.counts.get(node_type.name, 0)
    if population.families[node_type.name].told:
        return Group(node_type.name, count, StartRule(), told=True)
    # The controller divides pauses by the speed, which is of the load; the ramp is what was asked for.
    ramp_s = settings.speed / settings.ramp_per_s
    if kind.endless:
        rule = StartRule(rule.after, rule.moment, rule.every, rule.nth, rule.share, spacing_s=ramp_s)
    else:
        rule = replace(rule, spacing_s=rule.apart_s(count, ramp_s))
    if awaited is not None and rule.after is None:
        rule = replace(rule, after=awaited, moment=Moment.STARTED, every=True)
    # Nodes in turn with those of another type are planned by what those take, which no schedule of their own says.
    scheduled = settings.pacing is Pacing.SCHEDULED and not kind.endless and rule.follows is None
    planned = planned_moments(node_type, population.plan.scale, settings.speed, count) if scheduled else {}
    return Group(node_type.name, count, rule, kind.endless, planned)


def _kept_up(group: Group, load: Sustained, population: Population) -> Group:
    """The group of one type under sustained load."""
    if group.name in load.contained and not group.told:
        found = "runs in containers, and no ResourceManager is called"
        raise InputError("cannot be kept up by further clients", place=group.name, found=found)
    if group.name in load.left_out:
        return replace(group, count=0)
    if group.name not in load.types:
        return group
    turnover, counts = population.settings.turnover, population.plan.counts
    if group.name not in load.chains or population.plan.log is not None:
        return replace(group, sustained=True)
    if turnover.mode is Mode.ARRIVALS:
        if not turnover.per_s:
            spacing_s = population.types[group.name].start.spacing_s / population.settings.speed
            return replace(group, sustained=True, gap_s=lambda: spacing_s)
        share = group.count / sum(counts[name] for name in load.chains)
        rng = population.seeds.child("arrivals", group.name).random()
        return replace(group, sustained=True, gap_s=partial(rng.expovariate, turnover.per_s * share))
    speed, scale = population.settings.speed, population.plan.scale
    types = [population.types[name] for name in (*load.chains[group.name], *sorted(load.contained))]
    works_s = sum(planned_moments(each, scale, speed)[Moment.FINISHED] for each in types)
    comes_up_s = sum(each.container.delay_s / speed for each in types if each.container is not None)
    lasts_s = min(turnover.spread_s, works_s + comes_up_s)
    spacing_s = max(group.rule.spacing_s, speed * lasts_s / max(1, group.count))
    return replace(group, sustained=True, rule=replace(group.rule, spacing_s=spacing_s))
