"""What a workload says of a run beforehand: the calls of each node, in order, and what it does not know.

The calls are compared with those that the nodes of a run made. Effects of the calls of other nodes interleave by chance,
and are compared as multisets. What comes out wrong and was not announced was wrong silently.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial

from froude.base.units import Quantity
from froude.messages.rows import EMPTY, Row
from froude.mining.check.matching import Matched
from froude.mining.read.canonical import Logical, Token
from froude.mining.read.elements import EACH, ONLY, Numbers, element_path, elements_of, in_round
from froude.mining.shape.structure import MinedType, Occurrence
from froude.workload.extrapolate import extrapolate
from froude.workload.review import open_questions
from froude.workload.rounds import Round, unrolled
from froude.workload.scale import Count, Scale, at_node
from froude.workload.types import (
    NODES,
    STEPS,
    Actor,
    CallTemplate,
    Effect,
    Flow,
    NodeType,
    Repeat,
    Scalar,
    Side,
    Step,
    Workload,
)
from froude.workload.walk import flows, loops_around, repeats, templates

_INDEX = re.compile(r"\[[^\]]+\]")
Place = tuple[str, Round]
"""A call template's id, and the round of the loops around it."""


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
    """Effects whose cause is not known, or was not predicted itself."""
    missing: Mapping[str, int] = field(default_factory=dict)
    """Effects that are always there, and were not, by template."""

    @property
    def calls_matched(self) -> int:
        """Effects that were made and follow from a predicted cause of the run."""
        return self.seen + self.optional

    @property
    def calls_real(self) -> int:
        """All that were made."""
        return self.calls_matched + self.unexplained

    @property
    def calls_predicted(self) -> int:
        """All that follow from the run's predicted causes."""
        return self.expected + self.optional


@dataclass(frozen=True, slots=True)
class NodeDifference:
    """Where the calls of one node differ from the predicted ones."""

    node_type: str
    made: tuple[tuple[str, Logical], ...]
    """Calls at a place that was not predicted, with the id of their template; empty where no template fits."""
    missing: tuple[str, ...]
    """Templates of calls that were predicted and not made, one for each call."""
    node: bool = False
    """Whether the whole node was predicted and not seen, or the other way round."""
    first: int | None = None
    """Place in the run of the node's first call; None where the node was not seen."""


def sequences_of(
    node: NodeType, matched: Matched, scale: Mapping[str, Quantity], tokens: Mapping[str, Token]
) -> tuple[TypeSequences, tuple[NodeDifference, ...]]:
    """How the sequences of a node type's nodes came out, and what differs in those that did not.

    A call is matched by a predicted one of the same template, in the same round of its loops where there is one.

    Args:
        node: the type, as mined.
        matched: the run's calls, matched to the workload.
        tokens: what the calls of each template look like, by its id.
    """
    mined = next(occurrence for occurrence in matched.types if occurrence.name == node.name)
    wanted = node.count.whole_at(scale)
    loops = list(repeats(node.steps))
    by_number = any(segment.times.of_node for segment in loops)
    any_drawn = any(segment.drawn is not None for segment in loops)
    any_listed = any(segment.each is not None for segment in loops)

    def predicted_of(number: int, steps: Sequence[Step], sender: int = 0) -> dict[Place, None]:
        elements = partial(_elements, answers[sender])
        unfolded = unrolled(steps, at_node(scale, number), elements=elements)
        return {(call.id, around): None for call, around in unfolded}

    usual = cache(lambda number: predicted_of(number, node.steps))
    placed: dict[int, dict[int, Place]] = defaultdict(dict)
    answers: dict[int, dict[str, dict[Round, Row]]] = defaultdict(lambda: defaultdict(dict))
    for each in mined.occurrences:
        around = tuple(each.indices.items())
        placed[id(each.sender)][id(each.call)] = each.template, around
        answers[id(each.sender)][each.template][around] = each.call.response or EMPTY
    exact = agreed = real = expected = 0
    first = None
    differences = []
    for number, sender in mined.numbered():
        of = number if by_number else 0
        predicted = predicted_of(of, node.steps, id(sender)) if any_listed else usual(of)
        sent = list(sender.tokens)
        real += len(sent)
        if any_drawn and sent != [tokens[template] for template, _ in predicted]:
            predicted = predicted_of(number, _as_drawn(node.steps, mined, sender.run, number), id(sender))
        due = [tokens[template] for template, _ in predicted]
        beyond = number >= wanted
        expected += 0 if beyond else len(due)
        if sent == due and not beyond:
            exact, agreed = exact + 1, agreed + len(sent)
            continue
        place_of = {} if beyond else placed[id(sender)]
        elsewhere = [call for call in sender.own if place_of.get(id(call)) not in predicted]
        missing = Counter(() if beyond else (each for each, _ in predicted.keys() - place_of.values()))
        made = []
        for call in elsewhere:
            template = placed[id(sender)].get(id(call), ("",))[0]
            # In another round than predicted it is the same call: how often it is made is what counts.
            if missing[template]:
                missing[template] -= 1
            else:
                made.append((template, call))
        agreed += len(sent) - len(made)
        first = first or _difference(sent, due) or f"node {number + 1}: not predicted"
        absent = tuple(sorted(missing.elements()))
        differences.append(NodeDifference(node.name, tuple(made), absent, beyond, sender.first.order))
    for number in range(len(mined.senders), wanted):
        absent = tuple(template for template, _ in usual(number if by_number else 0))
        expected += len(absent)
        differences.append(NodeDifference(node.name, (), absent, True))
    counts = TypeSequences(node.name, wanted, len(mined.senders), exact, expected, real, agreed, first)
    return counts, tuple(differences)


def _elements(answers: Mapping[str, Mapping[Round, Row]], rule: Flow, around: Round) -> int | None:
    """How many elements a list has in a node's answer, for a loop in these rounds; None without an answer."""
    answer = in_round(answers.get(rule.call, {}), around)
    return None if answer is None else len(elements_of(answer, rule.path.partition(f"[{EACH}]")[0]))


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


def _difference(sent: Sequence[Token], predicted: Sequence[Token]) -> str:
    for at in range(max(len(sent), len(predicted))):
        seen = sent[at][1] if at < len(sent) else "the end"
        expected = predicted[at][1] if at < len(predicted) else "the end"
        if at >= len(sent) or at >= len(predicted) or sent[at] != predicted[at]:
            return f"call {at + 1}: {seen} where {expected} was predicted"
    return ""


def effect_counts(node: NodeType, matched: Matched, unexpected: Collection[int] = ()) -> EffectCounts:
    """Effects that a node type's nodes should have made of the run's own causes, and those that they made.

    Args:
        node: the type, as mined.
        matched: the run's calls, matched to the workload.
        unexpected: ids of calls (`id`) that were made and not predicted: what they cause was not predicted, either.
    """
    placement = matched.placement
    placed: dict[str, list[Occurrence]] = defaultdict(list)
    for occurrence in placement.all():
        placed[occurrence.template].append(occurrence)
    by_template = {effect.template: effect for effect in placement.effects.get(node.name, ())}
    expected = seen = optional = beyond = 0
    missing = {}
    for effect in node.effects:
        placed_effect = by_template.get(effect.call.id)
        made = placed_effect.occurrences if placed_effect else ()
        actual = {(id(o.cause), o.each) for o in made if o.cause and id(o.cause.call) not in unexpected}
        beyond += sum(o.cause is not None and id(o.cause.call) in unexpected for o in made)
        if effect.share < 1.0:
            optional += len(actual)
            continue
        names = _names(effect, matched, node)
        wanted = {
            (id(occurrence), each)
            for occurrence in placed[effect.cause]
            if id(occurrence.call) not in unexpected
            for each in _owned(occurrence, effect, names)
        }
        if wanted - actual:
            missing[effect.call.id] = len(wanted - actual)
        expected += len(wanted)
        seen += len(wanted & actual)
    return EffectCounts(node.name, expected, seen, optional, placement.lost[node.name] + beyond, missing)


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
    """What a workload's questions and refusals at a Scale are about: an argument, a number, or all that a type does."""

    def __init__(self, workload: Workload, scale: Mapping[str, Quantity]) -> None:
        """Collect them.

        Args:
            workload: as mined, with or without answers.
            scale: at which it is to be used.
        """
        questions = open_questions(workload)
        refusals = extrapolate(workload, Scale(dict(scale))).refusals
        self._arguments = {(q.call, _INDEX.sub("[]", q.path or "")) for q in questions if q.call is not None}
        self._add_copies(workload)
        self._refused = {each.node_type for each in refusals if each.fatal and each.number is None}
        asked = ((question.node_type, question.number) for question in questions)
        self._numbers = {*asked, *((refusal.node_type, refusal.number) for refusal in refusals)}
        self._steps = {question.node_type for question in questions if question.path == STEPS}
        self._loops = {
            call.id: around for node in workload.node_types for call, around in loops_around(node.steps)
        }

    def _add_copies(self, workload: Workload) -> None:
        """Add the arguments that flow from requests in which they were stated to be unsure."""
        copies = {
            (call.id, _INDEX.sub("[]", path)): [
                (flow.call, _INDEX.sub("[]", flow.path)) for flow in flows(rule) if flow.side is Side.REQUEST
            ]
            for node_type in workload.node_types
            for call in templates(node_type)
            for path, rule in call.arguments.items()
        }
        number = -1
        while number < len(self._arguments):
            number = len(self._arguments)
            self._arguments |= {
                to for to, sources in copies.items() if not self._arguments.isdisjoint(sources)
            }

    @property
    def everything(self) -> bool:
        """Whether the workload as a whole is refused."""
        return None in self._refused

    def argument(self, template: str, path: str) -> bool:
        """Whether an argument was stated to be unsure: asked about, or its whole node type or workload refused.

        A question about an element of a list is one about all of its elements.

        Args:
            template: id of its call template.
        """
        node_type = template.rpartition(".")[0]
        return (template, _INDEX.sub("[]", path)) in self._arguments or self._is_refused(node_type)

    def call(self, node_type: str, template: str) -> bool:
        """Whether how often a call is made was stated to be unsure: of a loop around it, or of all steps of its type.

        Args:
            node_type: whose call it is.
            template: id of its call template; empty where it has none, which nothing announces.
        """
        around = self._loops.get(template, ())
        unsure = node_type in self._steps and (not template or template in self._loops)
        return (
            unsure
            or self._is_refused(node_type)
            or any((node_type, loop) in self._numbers for loop in around)
        )

    def node(self, node_type: str) -> bool:
        """Whether the number of a type's nodes was stated to be unsure."""
        return self._is_refused(node_type) or (node_type, NODES) in self._numbers

    def differs(self, difference: NodeDifference) -> bool:
        """Whether all that differs in a node was stated to be unsure."""
        name = difference.node_type
        if difference.node:
            return self.node(name)
        templates_ = {*difference.missing, *(template for template, _ in difference.made)}
        return (
            all(self.call(name, template) for template in templates_)
            if templates_
            else self._is_refused(name)
        )

    def _is_refused(self, node_type: str) -> bool:
        return bool({node_type, None} & self._refused)
