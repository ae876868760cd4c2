"""What a workload says of a run beforehand: the calls of each node, in order, and what it does not know.

The calls are compared with those that the nodes of a run made. Effects of the calls of other nodes interleave by chance,
and are compared as multisets. What comes out wrong and was not announced was wrong silently.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from froude.base.units import Quantity
from froude.messages.rows import EMPTY
from froude.mining.check.matching import Matched
from froude.mining.read.canonical import Token
from froude.mining.read.elements import ONLY, Numbers, element_path, elements_of
from froude.mining.shape.structure import MinedType, Occurrence
from froude.workload.extrapolate import extrapolate
from froude.workload.review import open_questions
from froude.workload.rounds import unrolled
from froude.workload.scale import Count, Scale, at_node
from froude.workload.types import Actor, CallTemplate, Effect, NodeType, Repeat, Scalar, Step, Workload
from froude.workload.walk import repeats

_INDEX = re.compile(r"\[\d+\]")


@dataclass(frozen=True, slots=True)
class TypeSequences:
    """Sequences of one node type."""

    node_type: str
    nodes_predicted: int
    nodes_real: int
    exact: int
    """Nodes whose whole sequence came out, a loop of a drawn number with any that may be drawn."""
    calls_predicted: int
    calls_real: int
    calls_matched: int
    """Calls at their predicted place."""
    first_difference: str | None = None
    """Where the first node that differs does so."""

    @property
    def missed(self) -> int:
        """Nodes predicted or seen whose sequence did not come out."""
        return max(self.nodes_predicted, self.nodes_real) - self.exact


@dataclass(frozen=True, slots=True)
class EffectCounts:
    """Effects of one node type, as multisets."""

    node_type: str
    expected: int
    """Effects that are always there, from the run's own causes."""
    seen: int
    """Of those, how many there were."""
    optional: int
    """Effects that timing decides, that there were and whose cause is known."""
    unexplained: int
    """Effects whose cause is not."""


def expand(steps: Sequence[Step], scale: Mapping[str, Quantity], tokens: Mapping[str, Token]) -> list[Token]:
    """The calls that one node makes at a Scale, as tokens.

    Args:
        steps: of its node type.
        scale: the Scale, with the node's number (`workload.scale.at_node`) where a loop depends on it.
        tokens: what the calls of each template look like, by its id.
    """
    return unrolled(steps, scale, lambda call: tokens[call.id])


def sequences_of(
    node: NodeType, matched: Matched, scale: Mapping[str, Quantity], tokens: Mapping[str, Token]
) -> TypeSequences:
    """How the sequences of a node type's nodes came out.

    Args:
        node: the type, as mined.
        matched: the run's calls, matched to the workload.
        tokens: as in `expand`.
    """
    mined = next(occurrence for occurrence in matched.types if occurrence.name == node.name)
    wanted = node.count.whole_at(scale)
    numbers = range(
        max(wanted, len(mined.senders), 1) if any(s.times.of_node for s in repeats(node.steps)) else 1
    )
    by_node = [expand(node.steps, at_node(scale, number), tokens) for number in numbers]
    exact = agreed = real = 0
    difference = None
    for number, sender in mined.numbered():
        predicted = by_node[number if len(by_node) > 1 else 0]
        sent = list(sender.tokens)
        if sent != predicted and (steps := _as_drawn(node.steps, mined, sender.run, number)) != node.steps:
            predicted = expand(steps, at_node(scale, number), tokens)
        real += len(sent)
        exact += sent == predicted
        agreed += _agreeing(sent, predicted)
        if sent != predicted and difference is None:
            difference = _difference(sent, predicted)
    if len(mined.senders) > wanted:
        exact -= min(exact, len(mined.senders) - wanted)
    calls = sum(map(len, by_node[:wanted])) if len(by_node) > 1 else wanted * len(by_node[0])
    return TypeSequences(node.name, wanted, len(mined.senders), exact, calls, real, agreed, difference)


def _as_drawn(steps: Sequence[Step], mined: MinedType, run: int, number: int) -> tuple[Step, ...]:
    """The steps of a node whose drawn numbers are those that it had, as far as they can be drawn."""
    return tuple(
        step if isinstance(step, CallTemplate) else _loop_as_drawn(step, mined, run, number) for step in steps
    )


def _loop_as_drawn(loop: Repeat, mined: MinedType, run: int, number: int) -> Repeat:
    steps = _as_drawn(loop.steps, mined, run, number)
    had = {each.times for each in mined.loop_runs[loop.id] if (each.run, each.node) == (run, number)}
    if loop.drawn is None or len(had) != 1:
        return replace(loop, steps=steps)
    times = had.pop()
    low, high = (loop.drawn.parameters[bound] for bound in ("low", "high"))
    possible = isinstance(low, int | float) and isinstance(high, int | float) and low <= times <= high
    return replace(loop, steps=steps, times=Count(float(times)) if possible else loop.times)


def _agreeing(sent: Sequence[Token], predicted: Sequence[Token]) -> int:
    """Calls in common, in order."""
    if list(sent) == list(predicted):
        return len(sent)
    row = [0] * (len(predicted) + 1)
    for token in sent:
        before = 0
        for at, other in enumerate(predicted, 1):
            row[at], before = (before + 1 if token == other else max(row[at], row[at - 1])), row[at]
    return row[-1]


def _difference(sent: Sequence[Token], predicted: Sequence[Token]) -> str:
    for at in range(max(len(sent), len(predicted))):
        seen = sent[at][1] if at < len(sent) else "the end"
        expected = predicted[at][1] if at < len(predicted) else "the end"
        if at >= len(sent) or at >= len(predicted) or sent[at] != predicted[at]:
            return f"call {at + 1}: {seen} where {expected} was predicted"
    return ""


def effect_counts(node: NodeType, matched: Matched) -> EffectCounts:
    """Effects that a node type's nodes should have made of the run's own causes, and those that they made.

    Args:
        node: the type, as mined.
        matched: the run's calls, matched to the workload.
    """
    placement = matched.placement
    placed: dict[str, list[Occurrence]] = defaultdict(list)
    for occurrence in placement.all():
        placed[occurrence.template].append(occurrence)
    by_template = {effect.template: effect for effect in placement.effects.get(node.name, ())}
    expected = seen = optional = 0
    for effect in node.effects:
        placed_effect = by_template.get(effect.call.id)
        actual = {(id(o.cause), o.each) for o in placed_effect.occurrences} if placed_effect else set()
        if effect.share < 1.0:
            optional += len(actual)
            continue
        names = _names(effect, matched, node)
        wanted = {
            (id(occurrence), each)
            for occurrence in placed[effect.cause]
            for each in _owned(occurrence, effect, names)
        }
        expected += len(wanted)
        seen += len(wanted & actual)
    return EffectCounts(node.name, expected, seen, optional, placement.lost[node.name])


def _names(effect: Effect, matched: Matched, node: NodeType) -> set[Scalar]:
    """What the nodes of a type call themselves in the leaf that an effect's owner stands in."""
    mined = next(t for t in matched.types if t.name == node.name)
    names = {c.request.get(effect.owner_fact or "") for s in mined.senders for c in s.calls}
    return names - {None}


def _owned(cause: Occurrence, effect: Effect, names: set[Scalar]) -> list[Numbers]:
    """Elements of a cause for which a node of the type acts."""
    leaves = cause.call.request if effect.actor is Actor.CALLEE else cause.call.response or EMPTY
    if effect.actor in {Actor.CALLEE, Actor.ANSWERER} and cause.call.event.target.host not in names:
        return []
    if effect.each is None:
        return [ONLY]
    elements = elements_of(leaves, effect.each)
    if effect.actor is not Actor.OWNER:
        return elements
    return [each for each in elements if leaves.get(element_path(leaves, effect.owner_path, each)) in names]


class Announced:
    """The questions, findings and refusals of a workload at a Scale, by what they are about."""

    def __init__(self, workload: Workload, scale: Mapping[str, Quantity]) -> None:
        """Collect them.

        Args:
            workload: as mined, with or without answers.
            scale: at which it is to be used.
        """
        questions = open_questions(workload)
        refusals = extrapolate(workload, Scale(dict(scale))).refusals
        self._arguments = {(q.call, _INDEX.sub("[]", q.path or "")) for q in questions if q.call is not None}
        self._refused = {refusal.node_type for refusal in refusals if refusal.fatal}
        self._doubtful = {
            *(question.node_type for question in questions if question.call is None),
            *(finding.node_type for finding in workload.findings if finding.node_type is not None),
            *(refusal.node_type for refusal in refusals if refusal.node_type is not None),
        }

    def argument(self, template: str, path: str) -> bool:
        """Whether an argument was said to be unsure: asked about, or its whole node type or workload refused.

        A question about an element of a list is one about all of its elements.

        Args:
            template: id of its call template.
        """
        node_type = template.rpartition(".")[0]
        return (template, _INDEX.sub("[]", path)) in self._arguments or bool(
            {node_type, None} & self._refused
        )

    def sequence(self, node_type: str) -> bool:
        """Whether the number of a type's nodes, or which calls they make, was said to be unsure."""
        return node_type in self._doubtful or None in self._refused
