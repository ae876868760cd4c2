"""The Plan: a Workload at a Scale, with its refusals. Programs are expanded lazily, one node at a time."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from froude.base.summary import Summarised, counted
from froude.base.units import Quantity
from froude.hadoop.rpc.target import is_hadoops
from froude.workload.rounds import count_calls
from froude.workload.scale import Scale, at_node
from froude.workload.types import SCRIPTED, CallTemplate, Moment, NodeType, Workload
from froude.workload.walk import repeats, templates

_MOST_PACES = 1000
"""Nodes of a type whose paces are worked out one by one, where each has its own."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something that does not fit well enough to extrapolate."""

    what: str
    """One sentence for the user."""
    node_type: str | None = None
    fatal: bool = True
    """Whether the plan cannot be played because of it."""
    number: str | None = None
    """The number that is not known: a loop's id, or `workload.types.NODES`."""


@dataclass(frozen=True, slots=True, repr=False)
class Plan(Summarised):
    """What shall be played: how many nodes of each type, and the pattern each follows."""

    workload: Workload
    scale: Scale
    counts: Mapping[str, int]
    """Nodes by type at the Scale."""
    refusals: tuple[Refusal, ...] = ()
    log: Path | None = None
    """An audit log that its clients make again, made ready for that (`emulation.programs.audit.lines`)."""

    def summary(self) -> Mapping[str, str]:
        """The Scale, who plays, and what stands against it: the first refusal in its words."""
        fatal = sum(refusal.fatal for refusal in self.refusals)
        more = f", and {counted(fatal - 1, 'more refusal')}" if fatal > 1 else ""
        remarks = len(self.refusals) - fatal
        return {
            "scale": str(self.scale),
            "nodes": ", ".join(f"{number:,} {name}" for name, number in self.counts.items()),
            "cannot be played": f"{self.obstacle}{more}",
            "remarks": counted(remarks, "remark") if remarks else "",
        }

    @property
    def playable(self) -> bool:
        """Whether no refusal is fatal, and Hadoop's daemons speak the protocols of its calls."""
        return not self.obstacle

    @property
    def refused(self) -> bool:
        """Whether a refusal is fatal: its numbers are not to be trusted."""
        return any(refusal.fatal for refusal in self.refusals)

    @property
    def obstacle(self) -> str:
        """Why it cannot be played: the first refusal that is fatal, or protocols; empty where it can."""
        fatal = (refusal.what for refusal in self.refusals if refusal.fatal)
        return next(fatal, unspoken(self.workload))


def unspoken(workload: Workload) -> str:
    """That no Hadoop daemon speaks the protocols of its calls, as of tables of calls; empty if that is not so."""
    protocols = {call.protocol for node_type in workload.node_types for call in templates(node_type)}
    foreign = sorted(protocol for protocol in protocols if not is_hadoops(protocol))
    more = f" and {counted(len(foreign) - 1, 'more protocol')}" if len(foreign) > 1 else ""
    return f"no Hadoop daemon speaks {foreign[0]}{more}" if foreign else ""


def expected_s(plan: Plan, *, speed: float = 1.0, ramp_per_s: float = 1000.0) -> float | None:
    """Seconds that a play takes where every answer comes as quickly as the recorded one; None if nothing in it ends.

    Args:
        speed: 2 halves every recorded time.
        ramp_per_s: nodes with programs of their own that begin in a second; nor do others begin faster, unless they
            were recorded to.
    """
    types = {
        node_type.name: node_type for node_type in plan.workload.node_types if plan.counts.get(node_type.name)
    }
    ramp_s = sum(plan.counts[t.name] for t in types.values() if t.program != SCRIPTED) / ramp_per_s

    def moments_s(name: str, above: frozenset[str]) -> Mapping[tuple[Moment, bool], float]:
        """When the first and when every node of a type comes to each moment; what never ends, when all have begun."""
        node_type = types.get(name)
        if node_type is None or name in above:
            return dict.fromkeys(itertools.product(Moment, (False, True)), 0.0)
        if node_type.program != SCRIPTED:
            return dict.fromkeys(itertools.product(Moment, (False, True)), ramp_s) | {
                (Moment.STARTED, False): 0.0
            }
        together = [each for each in _in_turn_with(node_type, plan.workload) if each.name in types]
        rule = next((each for each in together if _begins(each, plan)), node_type).start
        before_s, least_s = ramp_s, speed / ramp_per_s
        if rule.after is not None:
            awaited = moments_s(rule.after, above | {each.name for each in together})
            first_s, every_s = awaited[rule.moment, False], awaited[rule.moment, True]
            there = plan.counts.get(rule.after, 0)
            part = (rule.needed(there) - 1) / (there - 1) if there > 1 else 1.0
            before_s = first_s + part * (every_s - first_s)
        since = _moments_s(node_type, plan, least_s)
        others = (_moments_s(each, plan, least_s) for each in together if each is not node_type)
        others_s = sum(other[Moment.FINISHED, True] for other in others)
        return {
            (moment, every): before_s + (rule.delay_s + seconds + (others_s if every else 0.0)) / speed
            for (moment, every), seconds in since.items()
        }

    scripted = (t.name for t in types.values() if t.program == SCRIPTED)
    return max((moments_s(name, frozenset())[Moment.FINISHED, True] for name in scripted), default=None)


def one_at_a_time(node_type: NodeType, workload: Workload) -> bool:
    """Whether never two nodes of a type are at work: each waits for another, and by that for all before it.

    Args:
        workload: has the types in turn with which its nodes may run.
    """
    passed, current = {node_type.name}, node_type
    while current.start.in_turn and current.start.follows is not None and not current.start.offset:
        if current.start.follows in passed:
            return True
        passed.add(current.start.follows)
        current = workload.node_type(current.start.follows)
    return current.start.in_turn


def _moments_s(node_type: NodeType, plan: Plan, least_s: float) -> dict[tuple[Moment, bool], float]:
    """Seconds, as recorded, from the start of the first node of a type to when the first or every one is at a moment."""
    rule, nodes = node_type.start, plan.counts[node_type.name]
    groups = paces(node_type, plan.scale, nodes)
    first_s, last_s = groups[0][2], groups[-1][2]
    if rule.pause_s is not None and not one_at_a_time(node_type, plan.workload):
        begun_s, all_s = rule.pause_s, rule.pause_s + max(seconds for _, _, seconds in groups)
    elif rule.pause_s is not None:
        all_s = rule.pause_s * (nodes - 1) + sum(number * seconds for number, _, seconds in groups)
        begun_s = all_s - last_s
    else:
        begun_s = rule.apart_s(nodes, least_s) * (nodes - 1)
        all_s = begun_s + max(seconds for _, _, seconds in groups)
    return {
        (Moment.STARTED, False): 0.0,
        (Moment.STARTED, True): begun_s,
        (Moment.FINISHED, False): first_s,
        (Moment.FINISHED, True): all_s,
    }


def _in_turn_with(node_type: NodeType, workload: Workload) -> list[NodeType]:
    """The types whose nodes run in turn with a type's, and itself: of all of them one node is at work."""
    names = {node_type.name}
    while True:
        linked = [
            each
            for each in workload.node_types
            if each.name in names
            or each.start.follows in names
            or any(other.start.follows == each.name for other in workload.node_types if other.name in names)
        ]
        if len(linked) == len(names):
            return linked
        names = {each.name for each in linked}


def _begins(node_type: NodeType, plan: Plan) -> bool:
    """Whether the first node of a type waits for none of another type that it runs in turn with."""
    there = plan.counts.get(node_type.start.follows or "", 0)
    return node_type.start.predecessor(0, there) is None


def paces(node_type: NodeType, scale: Mapping[str, Quantity], nodes: int) -> list[tuple[int, int, float]]:
    """The `pace` of all nodes of a type, as groups of nodes: how many, and the calls and seconds of each.

    Args:
        scale: quantity of each Scale variable.
        nodes: how many there are; where each has a pace of its own, some of them spread evenly stand for all.
    """
    if not nodes:
        return []
    if not any(segment.times.of_node for segment in repeats(node_type.steps)):
        return [(nodes, *pace(node_type, scale))]
    groups = min(nodes, _MOST_PACES)
    bounds = [nodes * at // groups for at in range(groups + 1)]
    return [(end - begin, *pace(node_type, scale, (begin + end - 1) // 2)) for begin, end in pairwise(bounds)]


def pace(node_type: NodeType, scale: Mapping[str, Quantity], node: int = 0) -> tuple[int, float]:
    """Number of calls in the steps of one node at a Scale, and the mean seconds that they take as recorded.

    Args:
        node_type: of the workload; its periodic calls and effects are not counted.
        scale: quantity of each Scale variable.
        node: the node's number, on which loops may depend.

    Returns:
        Calls and seconds.
    """
    calls, seconds = 0, 0.0

    def add(template: CallTemplate, times: int) -> None:
        nonlocal calls, seconds
        calls += times
        seconds += times * template.timing.mean_s(scale)

    count_calls(node_type.steps, at_node(scale, node), add)
    return calls, seconds


def calls_per_node(plan: Plan, node_type: NodeType) -> float:
    """Calls in the steps of a node of a plan; the mean where each node has its own number."""
    groups = paces(node_type, plan.scale, plan.counts[node_type.name])
    if len({calls for _, calls, _ in groups}) < 2:
        return pace(node_type, plan.scale)[0]
    return round(sum(number * calls for number, calls, _ in groups) / plan.counts[node_type.name], 3)
