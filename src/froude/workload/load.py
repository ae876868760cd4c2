"""How many calls each template of a workload makes at a Scale: what hangs on a rule that is unsure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from froude.base.units import Quantity
from froude.workload.plan import Plan, expected_s
from froude.workload.rounds import count_calls
from froude.workload.scale import Scale, at_node
from froude.workload.types import CallTemplate, Workload

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

    def add(call: CallTemplate, times: int) -> None:
        calls[call.id] += times

    for node_type in workload.node_types:
        number = counts[node_type.name]
        # Where loops depend on the node's number those of the middle node stand for all.
        count_calls(node_type.steps, at_node(scale, number // 2), add, number)
        for periodic in node_type.periodic:
            calls[periodic.call.id] += number * duration_s / periodic.every_s
    for node_type in workload.node_types:
        for effect in node_type.effects:
            calls[effect.call.id] += effect.share * calls[effect.cause]
    return dict(calls)
