"""How many calls each template of a workload makes at a Scale: what hangs on a rule that is unsure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from froude.base.units import Quantity
from froude.workload.plan import Plan, expected_s
from froude.workload.scale import Scale, at_node
from froude.workload.types import CallTemplate, NodeType, Repeat, Workload
from froude.workload.walk import fold

_ENDLESS_S = 60.0
"""How long periodic calls are counted for where nothing in the workload ends, seconds."""


def calls_by_template(workload: Workload, scale: Mapping[str, Quantity]) -> dict[str, float]:
    """The calls of each template, by its id, of all nodes: steps, periodic calls until the last node has ended, effects.

    An effect counts once for each call of its cause, times its share: how many elements an answer has is the target's.

    Args:
        workload: with or without open questions.
        scale: with every variable of the workload.

    Raises:
        InputError: the Scale lacks a variable.
    """
    counts = {node_type.name: node_type.count.whole_at(scale) for node_type in workload.node_types}
    plan = Plan(workload, Scale(dict(scale)), counts, ())
    duration_s = expected_s(plan) or _ENDLESS_S
    calls: dict[str, float] = defaultdict(float)
    for node_type in workload.node_types:
        number = counts[node_type.name]
        for call, times in _steps(node_type, scale, number):
            calls[call] += times
        for periodic in node_type.periodic:
            calls[periodic.call.id] += number * duration_s / periodic.every_s
    for node_type in workload.node_types:
        for effect in node_type.effects:
            calls[effect.call.id] += effect.share * calls[effect.cause]
    return dict(calls)


def _steps(node_type: NodeType, scale: Mapping[str, Quantity], nodes: int) -> list[tuple[str, float]]:
    """Calls of the steps; of loops that depend on the node's number those of the middle node stand for all."""
    seen = at_node(scale, nodes // 2)

    def call(template: CallTemplate) -> list[tuple[str, float]]:
        return [(template.id, float(nodes))]

    def repeat(segment: Repeat, body: list[list[tuple[str, float]]]) -> list[tuple[str, float]]:
        times = segment.times.whole_at(seen)
        return [(name, times * number) for step in body for name, number in step]

    return [counted for step in fold(node_type.steps, call, repeat) for counted in step]
