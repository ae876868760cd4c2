"""The node types of a plan as the groups that a controller starts."""

from __future__ import annotations

from froude.emulation.controller import Group
from froude.emulation.pacing import Pacing, planned_moments
from froude.emulation.programs.population import Population
from froude.emulation.programs.registry import kind_of
from froude.workload.types import Moment, NodeType, StartRule


def groups_of(population: Population) -> list[Group]:
    """The groups of a plan.

    Daemons (endless nodes) begin with the play, at the pace of its settings: that the recorded ones took seconds each
    is the start of a JVM and no load. Nodes without a start rule wait for the kinds that are needed first.

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
    if kind.endless:
        # The controller divides pauses by the speed, which is of the load; the ramp is what was asked for.
        rule = StartRule(rule.after, rule.moment, rule.every, 0.0, settings.speed / settings.ramp_per_s)
    if needed and rule.after is None and not kind.endless:
        rule = StartRule(needed[0], Moment.STARTED, True, rule.delay_s, rule.spacing_s)
    scheduled = settings.pacing is Pacing.SCHEDULED and not kind.endless
    planned = planned_moments(node_type, population.plan.scale, settings.speed) if scheduled else {}
    count = population.plan.counts.get(node_type.name, 0)
    return Group(node_type.name, count, rule, kind.endless, planned)
