"""The node types of a plan as the groups that a controller starts."""

from __future__ import annotations

from dataclasses import replace

from froude.emulation.controller import Group
from froude.emulation.pacing import Pacing, planned_moments
from froude.emulation.programs.population import Population
from froude.emulation.programs.registry import kind_of
from froude.workload.types import Moment, NodeType, StartRule


def groups_of(population: Population) -> list[Group]:
    """The groups of a plan.

    Daemons (endless nodes) begin with the play, at the pace of its settings: that the recorded ones took seconds each
    is the start of a JVM and no load. Nodes without a start rule wait for the kinds that are needed first. Nodes that
    start beside each other, however many, do so no faster than daemons: the player has to keep up.

    Args:
        population: all nodes.
    """
    counts = population.plan.counts
    needed = [
        name
        for name, node_type in population.types.items()
        if kind_of(node_type.program).needed_first and counts.get(name)
    ]
    return [_group(node_type, population, needed) for node_type in population.types.values()]


def _group(node_type: NodeType, population: Population, needed: list[str]) -> Group:
    rule, kind, settings = node_type.start, kind_of(node_type.program), population.settings
    count = population.plan.counts.get(node_type.name, 0)
    # The controller divides pauses by the speed, which is of the load; the ramp is what was asked for.
    ramp_s = settings.speed / settings.ramp_per_s
    if kind.endless:
        rule = StartRule(rule.after, rule.moment, rule.every, rule.nth, rule.share, spacing_s=ramp_s)
    else:
        rule = replace(rule, spacing_s=rule.apart_s(count, ramp_s))
        if needed and rule.after is None:
            rule = replace(rule, after=needed[0], moment=Moment.STARTED, every=True)
    # Nodes in turn with those of another type are planned by what those take, which no schedule of their own says.
    scheduled = settings.pacing is Pacing.SCHEDULED and not kind.endless and rule.follows is None
    planned = planned_moments(node_type, population.plan.scale, settings.speed, count) if scheduled else {}
    return Group(node_type.name, count, rule, kind.endless, planned)
