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
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from froude.base.units import Quantity
from froude.mining.check.forecast import (
    Announced,
    EffectCounts,
    NodeDifference,
    TypeSequences,
    effect_counts,
    sequences_of,
)
from froude.mining.check.matching import Matched, match, token_of
from froude.mining.fit.patterns import same
from froude.mining.history.placement import Placement
from froude.mining.history.timeline import OccurrenceContext
from froude.mining.pipeline import mine_recordings
from froude.mining.read.ask_names import representative
from froude.mining.read.canonical import Logical, decided_by_time
from froude.mining.read.events import Event, Recording, recording_of
from froude.mining.read.knowledge import ASKS
from froude.mining.read.reports import on_the_way
from froude.mining.read.senders import is_timely
from froude.mining.shape.structure import Occurrence
from froude.mining.yarn.container_requests import Outstanding, judge
from froude.mining.yarn.inputs import find_inputs
from froude.trace.types import Trace
from froude.workload.generators import CONTAINER_ASKS, fits
from froude.workload.rules import Context, Special, evaluate
from froude.workload.rules import active as deciding_rule
from froude.workload.types import (
    Absent,
    CallTemplate,
    Generated,
    NodeFact,
    Rule,
    Scalar,
    Side,
    Unknown,
    Workload,
)
from froude.workload.walk import flows, templates, within

_EXAMPLES = 3
Leaf = tuple[int, str]
"""A raw leaf: the call's place in the trace, and its path."""


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
    outcome: LeafOutcome
    count: int
    examples: tuple[tuple[Scalar, str], ...]
    """Up to three: what was there, and what was predicted (as text)."""
    silent: bool = False
    """Whether the values are wrong although no question, finding or refusal said that they might be."""


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
    def share(self) -> float | None:
        """Predicted leaves over all, 0 to 1; None of no leaves, as every share here."""
        return self.predicted / self.leaves if self.leaves else None

    @property
    def ceiling_share(self) -> float | None:
        """Reachable leaves over all, 0 to 1."""
        return None if self.ceiling is None or not self.leaves else self.ceiling / self.leaves


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a workload predicted of a run."""

    sequences: tuple[TypeSequences, ...]
    effects: tuple[EffectCounts, ...]
    rows: tuple[PredictionRow, ...]
    """Logical calls, periodic calls, all."""
    misses: tuple[Miss, ...]
    unmatched: int = 0
    """Senders of a kind that the workload does not have."""
    invented: int = 0
    """Leaves predicted in calls that were made without them; no part of the denominator."""
    silently_invented: int = 0
    """Of those, the leaves that no question, finding or refusal was about."""
    silent: tuple[NodeDifference, ...] = ()
    """Nodes whose sequence or number came out wrong although nothing stated that it might."""
    calls_seen: int = 0
    """Calls of sequences and effects that were made, those of unmatched senders with them."""
    calls_predicted: int = 0
    calls_matched: int = 0
    """Calls that were made at a predicted place."""

    silent_leaves: frozenset[Leaf] = frozenset()
    """Arguments of calls at a predicted place whose value is wrong although nothing stated that it might be."""

    @property
    def silent_sequences(self) -> int:
        """How many nodes are silently wrong, with those of a kind that the workload does not have."""
        return self.unmatched + len(self.silent)

    @property
    def judged(self) -> int:
        """Leaves of all requests that were made or predicted; 0 where none was made."""
        leaves = self.row("all").leaves
        return leaves and leaves + self.invented

    @property
    def silent_share(self) -> float | None:
        """Values that are wrong although nothing stated that they might be, over all made or predicted: 0 to 1."""
        silent = sum(miss.count for miss in self.misses if miss.silent) + self.silently_invented
        return silent / self.judged if self.judged else None

    @property
    def sequence_share(self) -> float | None:
        """Nodes whose sequence and number came out, over all nodes predicted or seen: 0 to 1."""
        total = sum(max(s.nodes_predicted, s.nodes_real) for s in self.sequences) + self.unmatched
        return sum(s.exact for s in self.sequences) / total if total else None

    @property
    def fitness(self) -> float | None:
        """Calls that were predicted, over all that were made: 0 to 1; as process mining uses the word."""
        return self.calls_matched / self.calls_seen if self.calls_seen else None

    @property
    def precision(self) -> float | None:
        """Calls that were made, over all that were predicted: 0 to 1; None where no call was made at all."""
        known = self.calls_predicted and self.calls_seen
        return self.calls_matched / self.calls_predicted if known else None

    @property
    def worst(self) -> TypeSequences | EffectCounts | None:
        """Sequences or effects of the node type with the smallest share of calls in common; None where all are."""
        counts: list[TypeSequences | EffectCounts] = [*self.sequences, *self.effects]
        return min((each for each in counts if _in_common(each) < 1.0), key=_in_common, default=None)

    def row(self, name: str) -> PredictionRow:
        """A row by name.

        Raises:
            KeyError: there is none.
        """
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(name)


def _in_common(counts: TypeSequences | EffectCounts) -> float:
    most = max(counts.calls_predicted, counts.calls_real)
    return counts.calls_matched / most if most else 1.0


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
    """The same for decoded runs.

    Args:
        workload: what was mined, from other runs.
        recording: the run to predict.
        pair: another run of the same Scale, which the rows' ceilings follow from; without it they have none.

    Returns:
        What was predicted, what was not, and what was not there to be.
    """
    matched, score = seen_by(workload, recording)
    calls = {call.id: call for node in workload.node_types for call in templates(node)}
    tokens = {call_id: token_of(call) for call_id, call in calls.items()}
    sequences, differences = [], list[NodeDifference]()
    for node in workload.node_types:
        counts, different = sequences_of(node, matched, recording.scale, tokens)
        sequences.append(counts)
        differences += different
    announced = Announced(workload, recording.scale)
    score.early = on_the_way(recording.events, score.outcomes)
    unexpected = Unexpected(differences, announced)
    unexpected.spread(matched.placement)
    effects = tuple(
        effect_counts(node, matched, unexpected.calls) for node in workload.node_types if node.effects
    )
    unexpected.lack(effects, announced)
    score.leave_out(unexpected.silent)
    reachable = None
    if pair is not None:
        # What was predicted could be, even where the same rule fails elsewhere in the other run.
        predicted = {leaf for leaf, outcome in score.outcomes.items() if outcome.predicted}
        reachable = ceiling(workload, recording, pair) | predicted
    rows = _rows(recording, score, _periodic_methods(workload), reachable)
    missing = {call_id: _leaves_of(calls[call_id]) for call_id in unexpected.missing}
    lacking = sum(missing[call_id] * number for call_id, number in unexpected.missing.items())
    alone = sum(len(sender.own) for sender in matched.unmatched)
    return Prediction(
        sequences=tuple(sequences),
        effects=effects,
        rows=rows,
        misses=_misses(recording, score, announced, unexpected),
        silent_leaves=frozenset(leaf for leaf in score.outcomes if _is_silent(leaf, score, announced)),
        unmatched=len(matched.unmatched),
        invented=len(score.invented) + score.unasked + lacking,
        silently_invented=sum(not announced.argument(*rule) for rule in score.invented)
        + sum(missing[call_id] * number for call_id, number in unexpected.silently_missing.items()),
        silent=tuple(each for each in differences if not announced.differs(each)),
        calls_seen=sum(s.calls_real for s in sequences) + sum(e.calls_real for e in effects) + alone,
        calls_predicted=sum(s.calls_predicted for s in sequences) + sum(e.calls_predicted for e in effects),
        calls_matched=sum(s.calls_matched for s in sequences) + sum(e.calls_matched for e in effects),
    )


def seen_by(workload: Workload, recording: Recording) -> tuple[Matched, Score]:
    """A run's calls by a workload's templates, and what its rules give for each of their arguments."""
    matched = match(workload, recording)
    calls = {call.id: call for node in workload.node_types for call in templates(node)}
    return matched, Score(matched.placement, recording.scale, calls)


def ceiling(workload: Workload, recording: Recording, pair: Recording) -> frozenset[Leaf]:
    """Raw leaves of a run that could be predicted, from another run of the same size.

    A leaf is reachable where a pattern or flow holds in both runs (one mined from these two, or one of the
    workload), or where both have the same value at the same place; a call that timing decided on has no place in
    the other run, and is held against the commonest value of its kind there.

    Args:
        workload: what was mined, from other runs.
        recording: the run whose leaves are counted.
    """
    both = mine_recordings([recording, pair])
    return frozenset(_reachable(both, recording, pair) | _reachable(workload, recording, pair))


def _reachable(workload: Workload, recording: Recording, pair: Recording) -> set[Leaf]:
    ours, score = seen_by(workload, recording)
    other, there = seen_by(workload, pair)
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


class Unexpected:
    """The leaves of calls that were made at no predicted place, and the calls that were predicted and not made."""

    def __init__(self, differences: Iterable[NodeDifference], announced: Announced) -> None:
        """Collect them.

        Args:
            differences: of all nodes.
            announced: what was stated to be unsure.
        """
        self.calls: dict[int, bool] = {}
        """Unexpected calls by their identity (`id`), and whether each is silent."""
        self.silent: dict[Leaf, bool] = {}
        """Of each leaf of an unexpected call, whether nothing stated that it might be made."""
        self.missing: Counter[str] = Counter()
        """Calls by template."""
        self.silently_missing: Counter[str] = Counter()
        for each in differences:
            whole = announced.node(each.node_type) if each.node else None
            for template, call in each.made:
                known = announced.call(each.node_type, template) if whole is None else whole
                self._add(call, silent=not known)
            for template, number in Counter(each.missing).items():
                known = announced.call(each.node_type, template) if whole is None else whole
                self.missing[template] += number
                self.silently_missing[template] += 0 if known else number

    def _add(self, call: Logical, *, silent: bool) -> None:
        self.calls[id(call)] = silent
        self.silent.update({(event.order, raw): silent for event, names in call.raw for raw in names})

    def spread(self, placement: Placement) -> None:
        """Add what unexpected calls caused, and what that caused: as silent as its cause."""
        made = [o for listed in placement.effects.values() for effect in listed for o in effect.occurrences]
        caused = [(each.call, each.cause.call) for each in made if each.cause is not None]
        number = -1
        while number < len(self.calls):
            number = len(self.calls)
            for call, cause in (*caused, *placement.causes_of_lost):
                if id(cause) in self.calls:
                    self._add(call, silent=self.calls[id(cause)])

    def lack(self, effects: Iterable[EffectCounts], announced: Announced) -> None:
        """Add effects that are always there and were not made."""
        for counts in effects:
            for template, number in counts.missing.items():
                self.missing[template] += number
                if not announced.call(counts.node_type, template):
                    self.silently_missing[template] += number


def _leaves_of(call: CallTemplate) -> int:
    return sum(not isinstance(rule, Absent) for rule in call.arguments.values())


# --- arguments --------------------------------------------------------------------------------------------


class Score:
    """What became of each raw leaf that belongs to a predicted call."""

    def __init__(
        self, placement: Placement, scale: Mapping[str, Quantity], templates: Mapping[str, CallTemplate]
    ) -> None:
        self.outcomes: dict[Leaf, LeafOutcome] = {}
        self.by_rule: dict[Leaf, LeafOutcome] = {}
        """The same, whenever that came: what a rule says of a report that changes, or of an ask, once there is one."""
        self.predicted: dict[Leaf, str] = {}
        """What was predicted instead, as text, for misses."""
        self.rule_of: dict[Leaf, tuple[str, str]] = {}
        """Template and canonical path."""
        self.invented: list[tuple[str, str]] = []
        """Template and canonical path of each leaf that was predicted where none was."""
        self.early: frozenset[Leaf] = frozenset()
        """Leaves of reports that time alone let a call carry."""
        self.unasked = 0
        """Asks for containers that were due and not made."""
        self._outstanding: dict[int, Outstanding] = {}
        self._inputs = find_inputs(placement.steps, placement.periodic)
        for occurrence in placement.all():
            template = templates.get(occurrence.template)
            if template is not None:
                self._call(occurrence, template, OccurrenceContext(placement.timeline, scale, occurrence))

    def leave_out(self, leaves: Iterable[Leaf]) -> None:
        """Count leaves as unexpected: their calls were not predicted, whatever the rules of their templates give."""
        for leaf in leaves:
            self.outcomes[leaf] = LeafOutcome.UNEXPECTED
            self.predicted.pop(leaf, None)

    def _call(self, occurrence: Occurrence, template: CallTemplate, context: Context) -> None:
        judged: dict[str, tuple[LeafOutcome, str]] = {}
        asked = self._asked(occurrence, template, context.scale) if template.method in ASKS else {}
        for path, value in occurrence.call.request.items():
            if path in asked:
                judged[path] = LeafOutcome(asked[path][0]), CONTAINER_ASKS
                continue
            rule = template.arguments.get(path)
            judged[path] = (
                (LeafOutcome.WRONG, "no such leaf") if rule is None else _judge(rule, context, value)
            )
        for path, rule in template.arguments.items():
            if path not in judged and evaluate(rule, context) is not Special.ABSENT:
                self.invented.append((occurrence.template, path))
        for event, names in occurrence.call.raw:
            for raw, path in names.items():
                outcome, instead = judged[path]
                self.by_rule.setdefault(
                    (event.order, raw), LeafOutcome(asked[path][1]) if path in asked else outcome
                )
                if path in occurrence.call.moved and event is occurrence.call.raw[0][0]:
                    outcome, instead = LeafOutcome.GENERATED, "when it changes"
                self.outcomes.setdefault((event.order, raw), outcome)
                self.rule_of.setdefault((event.order, raw), (occurrence.template, representative(path)))
                if not outcome.predicted:
                    self.predicted.setdefault((event.order, raw), instead)

    def _asked(
        self, occurrence: Occurrence, template: CallTemplate, scale: Mapping[str, Quantity]
    ) -> dict[str, tuple[str, str]]:
        """What becomes of the leaves of asks, and what their rules say."""
        asks = ASKS[template.method]
        state = self._outstanding.get(id(occurrence.sender))
        if state is None:
            told = self._inputs.get(id(occurrence.sender), {})
            state = self._outstanding[id(occurrence.sender)] = Outstanding(asks, told)
        judged = judge(occurrence, template.arguments, scale, state)
        self.unasked += state.not_said(occurrence.call.request)
        state.take(occurrence.call.request, occurrence.call.response)
        return judged


def _judge(rule: Rule, context: Context, value: Scalar) -> tuple[LeafOutcome, str]:
    active = deciding_rule(rule, context)
    if isinstance(active, NodeFact):
        # What its client says of a block is what the emulated DataNode sends; another value came with time.
        echoed = same(context.fact(active.fact), value)
        return LeafOutcome.ECHO if echoed else LeafOutcome.GENERATED, active.fact
    if isinstance(active, Generated):
        return (LeafOutcome.GENERATED if fits(active, value) else LeafOutcome.WRONG), active.generator
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
    score: Score,
    periodic: frozenset[tuple[str, str]],
    reachable: frozenset[Leaf] | None,
) -> tuple[PredictionRow, ...]:
    counted: dict[str, Counter[LeafOutcome]] = {"logical": Counter(), "periodic": Counter()}
    reached: Counter[str] = Counter()
    for event in recording.events:
        name = "periodic" if (event.protocol, event.method) in periodic else "logical"
        for leaf in _leaves(event):
            counted[name][_outcome(event, leaf, score)] += 1
            reached[name] += reachable is not None and leaf in reachable
    counted["all"] = counted["logical"] + counted["periodic"]
    reached["all"] = reached["logical"] + reached["periodic"]
    return tuple(
        PredictionRow(name, outcomes.total(), dict(outcomes), None if reachable is None else reached[name])
        for name, outcomes in counted.items()
    )


def _outcome(event: Event, leaf: Leaf, score: Score) -> LeafOutcome:
    """What became of a leaf; what time alone decides on is the playing machine's."""
    if leaf in score.outcomes:
        return score.outcomes[leaf]
    timely = leaf in score.early or decided_by_time(event, leaf[1]) or is_timely(event)
    return LeafOutcome.GENERATED if timely else LeafOutcome.UNEXPECTED


def _leaves(event: Event) -> list[Leaf]:
    return [(event.order, path) for path in event.request]


def _is_silent(leaf: Leaf, score: Score, announced: Announced) -> bool:
    """Whether an argument of a call at a predicted place is wrong although nothing stated that it might be."""
    wrong = score.outcomes.get(leaf) is LeafOutcome.WRONG
    return wrong and not announced.argument(*score.rule_of[leaf])


def _misses(
    recording: Recording, score: Score, announced: Announced, unexpected: Unexpected
) -> tuple[Miss, ...]:
    by_leaf: dict[tuple[str, str, LeafOutcome, bool], list[tuple[Scalar, str]]] = defaultdict(list)
    for event in recording.events:
        for raw, value in event.request.items():
            leaf = (event.order, raw)
            outcome = _outcome(event, leaf, score)
            if outcome.predicted:
                continue
            _, path = score.rule_of.get(leaf, ("", raw))
            silent = _is_silent(leaf, score, announced)
            if outcome is LeafOutcome.UNEXPECTED:
                silent = unexpected.silent.get(leaf, not announced.everything)
            by_leaf[event.method, path, outcome, silent].append((value, score.predicted.get(leaf, "")))
    ranked = sorted(
        by_leaf.items(), key=lambda item: (-len(item[1]), *item[0][:2], item[0][2].value, item[0][3])
    )
    return tuple(
        Miss(method, path, outcome, len(examples), tuple(dict.fromkeys(examples))[:_EXAMPLES], silent)
        for (method, path, outcome, silent), examples in ranked
    )
