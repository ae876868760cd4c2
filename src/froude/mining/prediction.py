"""A workload's prediction of a run that it never saw, held against the run.

Two things are compared. Sequences: for each node of each type, the calls that the workload predicts at the
run's Scale and the calls it made. Arguments: every leaf of every request of the run, whatever was joined or
split on the way, is predicted (equal by a regular pattern, or by an information flow applied to that run's
own calls), or it is a miss of a stated kind. The ceiling is the same share for a workload mined from two runs
of that very size, with what both have alike at the same place counted as reachable: what lies beyond it is
random by nature.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain

from froude.base.units import Quantity
from froude.mining.canonical import Token
from froude.mining.events import Event, Recording, recording_of
from froude.mining.flows import OccurrenceContext
from froude.mining.matching import Matched, match, token_of
from froude.mining.patterns import same
from froude.mining.pipeline import mine_recordings
from froude.mining.placement import Placement
from froude.mining.structure import Occurrence
from froude.trace.types import Trace
from froude.workload.rules import Context, Special, evaluate
from froude.workload.rules import active as deciding_rule
from froude.workload.types import (
    Actor,
    CallTemplate,
    Effect,
    Generated,
    NodeFact,
    NodeType,
    Repeat,
    Rule,
    Scalar,
    Side,
    Step,
    Unknown,
    Workload,
)
from froude.workload.walk import flows, fold, templates, within

_EXAMPLES = 3


class LeafOutcome(Enum):
    """What became of one leaf."""

    EQUAL = "equal"
    """A regular pattern gave its value."""
    FLOW = "flow"
    """A flow from an answer of that run gave its value."""
    ECHO = "echo"
    """A flow from an earlier request of that run gave its value."""
    GENERATED = "generated"
    """A named generator or the playing machine supplies it: a miss."""
    UNKNOWN = "unknown"
    """No rule is known: a miss."""
    WRONG = "wrong"
    """The rule gave another value, or none: a miss."""
    UNEXPECTED = "unexpected"
    """It belongs to a call that was not predicted: a miss."""

    @property
    def predicted(self) -> bool:
        """Whether it counts as predicted."""
        return self in (LeafOutcome.EQUAL, LeafOutcome.FLOW, LeafOutcome.ECHO)


@dataclass(frozen=True, slots=True)
class Miss:
    """Leaves of one path that were not predicted."""

    method: str
    path: str
    """Canonical leaf path."""
    outcome: LeafOutcome
    count: int
    examples: tuple[tuple[Scalar, str], ...]
    """Up to three: what was there, and what was predicted (as text)."""


@dataclass(frozen=True, slots=True)
class PredictionRow:
    """Leaves of a kind of calls."""

    name: str
    """`logical`, `periodic` or `all`."""
    leaves: int
    """The denominator: every leaf of every request."""
    outcomes: Mapping[LeafOutcome, int]
    ceiling: int | None = None
    """How many of them could be predicted, as two runs of one size show; None without a second run."""

    @property
    def predicted(self) -> int:
        """How many were."""
        return sum(count for outcome, count in self.outcomes.items() if outcome.predicted)

    @property
    def share(self) -> float:
        """Predicted leaves over all, 0 to 1."""
        return self.predicted / self.leaves if self.leaves else 1.0

    @property
    def ceiling_share(self) -> float | None:
        """Reachable leaves over all, 0 to 1."""
        if self.ceiling is None:
            return None
        return self.ceiling / self.leaves if self.leaves else 1.0


@dataclass(frozen=True, slots=True)
class TypeSequences:
    """Sequences of one node type."""

    node_type: str
    nodes_predicted: int
    nodes_real: int
    exact: int
    """Nodes whose whole sequence came out."""
    calls_predicted: int
    calls_real: int
    calls_matched: int
    """Calls at their predicted place."""
    first_difference: str | None = None
    """Where the first node that differs does so."""


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


@dataclass(frozen=True, slots=True)
class Prediction:
    """What came true of a workload."""

    sequences: tuple[TypeSequences, ...]
    effects: tuple[EffectCounts, ...]
    rows: tuple[PredictionRow, ...]
    """Logical calls, periodic calls, all."""
    misses: tuple[Miss, ...]
    """Most frequent first."""
    unmatched: int = 0
    """Senders of a kind that the workload does not have."""
    invented: int = 0
    """Leaves predicted in calls that were made without them; no part of the denominator."""
    outcomes_by_method: Mapping[str, Mapping[LeafOutcome, int]] = field(default_factory=dict)

    @property
    def sequence_share(self) -> float:
        """Nodes whose sequence and number came out, over all nodes predicted or seen: 0 to 1."""
        total = sum(max(s.nodes_predicted, s.nodes_real) for s in self.sequences) + self.unmatched
        return sum(s.exact for s in self.sequences) / total if total else 1.0

    @property
    def call_share(self) -> float:
        """Calls at their predicted place, over all predicted or made."""
        total = sum(max(s.calls_predicted, s.calls_real) for s in self.sequences)
        return sum(s.calls_matched for s in self.sequences) / total if total else 1.0

    def row(self, name: str) -> PredictionRow:
        """A row by name.

        Raises:
            KeyError: there is none.
        """
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(name)


def predict(workload: Workload, trace: Trace, ceiling_pair: Trace | None = None) -> Prediction:
    """Hold a workload's prediction against a real run.

    Args:
        workload: mined from other runs.
        trace: the run, at a Scale that the workload need not have seen.
        ceiling_pair: another run of the same size and job, to measure what is random by nature.

    Raises:
        InputError: the trace's Scale lacks a variable, or its payloads do not decode.
    """
    pair = recording_of(ceiling_pair) if ceiling_pair is not None else None
    return predict_recording(workload, recording_of(trace), pair)


def predict_recording(workload: Workload, recording: Recording, pair: Recording | None = None) -> Prediction:
    """The same for decoded runs."""
    matched = match(workload, recording)
    calls = {call.id: call for node in workload.node_types for call in templates(node)}
    score = _Score(matched.placement, recording.scale, calls)
    reachable = None
    if pair is not None:
        # What was predicted could be, even where the same rule fails elsewhere in the other run.
        predicted = {leaf for leaf, outcome in score.outcomes.items() if outcome.predicted}
        reachable = ceiling(workload, recording, pair) | predicted
    rows = _rows(recording, score, _periodic_methods(workload), reachable)
    tokens = {call_id: token_of(call) for call_id, call in calls.items()}
    return Prediction(
        sequences=tuple(_sequences(node, matched, recording.scale, tokens) for node in workload.node_types),
        effects=tuple(_effect_counts(node, matched) for node in workload.node_types if node.effects),
        rows=rows,
        misses=_misses(recording, score),
        unmatched=len(matched.unmatched),
        invented=score.invented,
        outcomes_by_method=_by_method(recording, score),
    )


Leaf = tuple[int, str]
"""A raw leaf: the call's place in the trace, and its path."""


def ceiling(workload: Workload, recording: Recording, pair: Recording) -> frozenset[Leaf]:
    """Raw leaves of a run that could be predicted, from another run of the same size.

    A leaf is reachable where a pattern or flow holds in both runs (one mined from these two, or one of the
    workload), or where both have the same value at the same place; a call that timing decided on has no place in
    the other run, and is held against the commonest value of its kind there.
    """
    both = mine_recordings([recording, pair])
    return frozenset(_reachable(both, recording, pair) | _reachable(workload, recording, pair))


def _reachable(workload: Workload, recording: Recording, pair: Recording) -> set[Leaf]:
    calls = {call.id: call for node in workload.node_types for call in templates(node)}
    ours, other = match(workload, recording), match(workload, pair)
    score = _Score(ours.placement, recording.scale, calls)
    there = _Score(other.placement, pair.scale, calls)
    broken = {there.rule_of[leaf] for leaf, outcome in there.outcomes.items() if outcome is LeafOutcome.WRONG}
    reachable = {
        leaf
        for leaf, outcome in score.outcomes.items()
        if outcome.predicted and score.rule_of[leaf] not in broken
    }
    twins = {_place(occurrence): occurrence.call.request for occurrence in other.placement.all()}
    usual = _usual(other.placement.all())
    for occurrence in ours.placement.all():
        like = twins.get(_place(occurrence)) or usual.get(occurrence.template, {})
        for event, names in occurrence.call.raw:
            for raw, path in names.items():
                if path in like and same(like[path], occurrence.call.request[path]):
                    reachable.add((event.order, raw))
    return reachable


def _usual(occurrences: Iterable[Occurrence]) -> dict[str, dict[str, Scalar]]:
    """The commonest value of each leaf, by template."""
    seen: dict[str, dict[str, Counter[Scalar]]] = defaultdict(lambda: defaultdict(Counter))
    for occurrence in occurrences:
        for path, value in occurrence.call.request.items():
            seen[occurrence.template][path][value] += 1
    return {t: {p: c.most_common(1)[0][0] for p, c in paths.items()} for t, paths in seen.items()}


def _place(occurrence: Occurrence) -> tuple[object, ...]:
    cause = (occurrence.cause.node, occurrence.cause.template) if occurrence.cause is not None else None
    return occurrence.template, occurrence.node, tuple(occurrence.indices.items()), cause, occurrence.each


# --- arguments --------------------------------------------------------------------------------------------


class _Score:
    """What became of each raw leaf that belongs to a predicted call."""

    def __init__(
        self, placement: Placement, scale: Mapping[str, Quantity], templates: Mapping[str, CallTemplate]
    ) -> None:
        self.outcomes: dict[Leaf, LeafOutcome] = {}
        self.predicted: dict[Leaf, str] = {}
        """What was predicted instead, as text, for misses."""
        self.rule_of: dict[Leaf, tuple[str, str]] = {}
        """Template and canonical path."""
        self.invented = 0
        for occurrence in placement.all():
            template = templates.get(occurrence.template)
            if template is not None:
                self._call(occurrence, template, OccurrenceContext(placement.timeline, scale, occurrence))

    def _call(self, occurrence: Occurrence, template: CallTemplate, context: Context) -> None:
        judged: dict[str, tuple[LeafOutcome, str]] = {}
        for path, value in occurrence.call.request.items():
            rule = template.arguments.get(path)
            judged[path] = (
                (LeafOutcome.WRONG, "no such leaf") if rule is None else _judge(rule, context, value)
            )
        for path, rule in template.arguments.items():
            if path not in judged and evaluate(rule, context) is not Special.ABSENT:
                self.invented += 1
        for event, names in occurrence.call.raw:
            for raw, path in names.items():
                outcome, instead = judged[path]
                self.outcomes.setdefault((event.order, raw), outcome)
                self.rule_of.setdefault((event.order, raw), (occurrence.template, path))
                if not outcome.predicted:
                    self.predicted.setdefault((event.order, raw), instead)


def _judge(rule: Rule, context: Context, value: Scalar) -> tuple[LeafOutcome, str]:
    active = deciding_rule(rule, context)
    if isinstance(active, Generated | NodeFact):
        return LeafOutcome.GENERATED, active.generator if isinstance(active, Generated) else active.fact
    if isinstance(active, Unknown):
        return LeafOutcome.UNKNOWN, ""
    given = evaluate(active, context)
    if any(isinstance(part, Generated) for part in within(active)):
        return LeafOutcome.GENERATED, "part of a text"
    if isinstance(given, Special) or not same(given, value):
        return LeafOutcome.WRONG, given.value if isinstance(given, Special) else repr(given)
    sides = {flow.side for flow in flows(active)}
    if Side.REQUEST in sides:
        return LeafOutcome.ECHO, ""
    return (LeafOutcome.FLOW if sides else LeafOutcome.EQUAL), ""


def _periodic_methods(workload: Workload) -> frozenset[tuple[str, str]]:
    return frozenset((p.call.protocol, p.call.method) for node in workload.node_types for p in node.periodic)


def _rows(
    recording: Recording,
    score: _Score,
    periodic: frozenset[tuple[str, str]],
    reachable: frozenset[Leaf] | None,
) -> tuple[PredictionRow, ...]:
    counted: dict[str, Counter[LeafOutcome]] = {"logical": Counter(), "periodic": Counter()}
    reached: Counter[str] = Counter()
    for event in recording.events:
        name = "periodic" if (event.protocol, event.method) in periodic else "logical"
        for leaf in _leaves(event):
            counted[name][score.outcomes.get(leaf, LeafOutcome.UNEXPECTED)] += 1
            reached[name] += reachable is not None and leaf in reachable
    counted["all"] = counted["logical"] + counted["periodic"]
    reached["all"] = reached["logical"] + reached["periodic"]
    return tuple(
        PredictionRow(name, outcomes.total(), dict(outcomes), None if reachable is None else reached[name])
        for name, outcomes in counted.items()
    )


def _leaves(event: Event) -> list[Leaf]:
    return [(event.order, path) for path in event.request]


def _misses(recording: Recording, score: _Score) -> tuple[Miss, ...]:
    by_leaf: dict[tuple[str, str, LeafOutcome], list[tuple[Scalar, str]]] = defaultdict(list)
    for event in recording.events:
        for path, value in event.request.items():
            leaf = (event.order, path)
            outcome = score.outcomes.get(leaf, LeafOutcome.UNEXPECTED)
            if not outcome.predicted:
                key = (event.method, score.rule_of.get(leaf, ("", path))[1], outcome)
                by_leaf[key].append((value, score.predicted.get(leaf, "")))
    ranked = sorted(
        by_leaf.items(), key=lambda item: (-len(item[1]), item[0][0], item[0][1], item[0][2].value)
    )
    return tuple(
        Miss(method, path, outcome, len(examples), tuple(dict.fromkeys(examples))[:_EXAMPLES])
        for (method, path, outcome), examples in ranked
    )


def _by_method(recording: Recording, score: _Score) -> dict[str, dict[LeafOutcome, int]]:
    counted: dict[str, Counter[LeafOutcome]] = defaultdict(Counter)
    for event in recording.events:
        for leaf in _leaves(event):
            counted[event.method][score.outcomes.get(leaf, LeafOutcome.UNEXPECTED)] += 1
    return {method: dict(counts) for method, counts in sorted(counted.items())}


# --- sequences --------------------------------------------------------------------------------------------


def expand(steps: Sequence[Step], scale: Mapping[str, Quantity], tokens: Mapping[str, Token]) -> list[Token]:
    """The calls that one node makes at a Scale, as tokens.

    Args:
        steps: of its node type.
        scale: the Scale.
        tokens: what the calls of each template look like, by its id.
    """

    def call(template: CallTemplate) -> list[Token]:
        return [tokens[template.id]]

    def repeat(segment: Repeat, body: list[list[Token]]) -> list[Token]:
        return list(chain.from_iterable(body)) * segment.times.whole_at(scale)

    expanded: list[list[Token]] = fold(steps, call, repeat)
    return list(chain.from_iterable(expanded))


def _sequences(
    node: NodeType, matched: Matched, scale: Mapping[str, Quantity], tokens: Mapping[str, Token]
) -> TypeSequences:
    mined = next(occurrence for occurrence in matched.types if occurrence.name == node.name)
    predicted = expand(node.steps, scale, tokens)
    exact = agreed = real = 0
    difference = None
    for sender in mined.senders:
        sent = list(sender.tokens)
        real += len(sent)
        exact += sent == predicted
        agreed += _agreeing(sent, predicted)
        if sent != predicted and difference is None:
            difference = _difference(sent, predicted)
    wanted = node.count.whole_at(scale)
    if len(mined.senders) > wanted:
        exact -= min(exact, len(mined.senders) - wanted)
    calls = wanted * len(predicted)
    return TypeSequences(node.name, wanted, len(mined.senders), exact, calls, real, agreed, difference)


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


def _effect_counts(node: NodeType, matched: Matched) -> EffectCounts:
    placement = matched.placement
    placed: dict[str, list[Occurrence]] = defaultdict(list)
    for occurrence in (
        o for listed in (*placement.steps.values(), *placement.periodic.values()) for o in listed
    ):
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


def _owned(cause: Occurrence, effect: Effect, names: set[Scalar]) -> list[int]:
    """Elements of a cause for which a node of the type acts."""
    callee = effect.actor is Actor.CALLEE
    leaves = cause.call.request if callee else cause.call.response or {}
    if callee and cause.call.event.target.host not in names:
        return []
    if effect.each is None:
        return [0]
    prefix = effect.each + "["
    elements = sorted({int(p[len(prefix) :].partition("]")[0]) for p in leaves if p.startswith(prefix)})
    if effect.actor is not Actor.OWNER:
        return elements
    owner = f".{effect.owner}" if effect.owner else ""
    return [each for each in elements if leaves.get(f"{prefix}{each}]{owner}") in names]
