"""Where an argument's values come from: flows that hold at every call, likeliest first.

Flows that are derived from one earlier value are looked for last, where nothing simpler gives a value: a part of its
text, or a number that is always as much larger (PatternMiner, section III.B.3). As all rules they count only if they
hold at every call.

Where a single run is mined, ids, names and secrets that every run makes again only look constant, and nothing else shows
that a person did not write them. So a value of such a form is one of its generator, and a long number within a text is
looked for in what was sent before.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from froude.base.units import Quantity
from froude.mining.effects.rare_values import is_distinctive
from froude.mining.fit.patterns import SLOT, joined, same
from froude.mining.history.timeline import Source, Timeline
from froude.mining.history.value_uses import Takers
from froude.mining.read.elements import leaf_name
from froude.mining.rules.bulk_rules import Bulk
from froude.mining.rules.candidates import flows_from, from_cause, is_chosen, ranked, siblings
from froude.mining.rules.evidence import ALWAYS_NEW, SOURCES_TRIED, Column, is_telling, spread
from froude.mining.rules.texts import BOUNDS, Holds
from froude.mining.shape.structure import Occurrence
from froude.workload.generators import recognise
from froude.workload.rules import Special
from froude.workload.types import Flow, Generated, Rule, Scalar, Side, Template, TextPart, Which

_SECRET = re.compile(r"(?=.*[0-9])(?=.*[a-f])[0-9a-f]{16,}")
"""What a capture puts in place of a secret text."""
_EPHEMERAL = 1 << 15
"""Ports from here on are given to whoever asks."""

FlowOf = Callable[[Column], Rule | None]
"""Finds where a value comes from."""
_FEWEST_CALLS = 4
"""Calls at which a derived value must have been seen before it is no accident."""
_FEWEST_NUMBERS = 3
"""Different values that a number must have had."""
_SHORTEST = 3
"""Characters of a part before meeting it counts."""
_FEW = 4000
"""Calls at which a rule is tried before all."""
_NEARBY = 16
"""Largest offset between a number and its source."""


class Sources:
    """Finds flows.

    Args:
        timeline: every placed call of all runs.
    """

    def __init__(self, timeline: Timeline, scales: Sequence[Mapping[str, Quantity]]) -> None:
        self._timeline = timeline
        self._bulk = Bulk(timeline, scales)

    def holds(self, rule: Rule, column: Column) -> bool:
        """Whether a rule gives the recorded value at every call."""
        return next(self.contradicting(rule, column), None) is None

    def contradicting(self, rule: Rule, column: Column) -> Iterator[int]:
        """Places of the calls that have another value than a rule gives."""
        calls = column.occurrences
        for places, takers in calls.known("some first", lambda: _some_first(calls)):
            given, seen = self._bulk.values(rule, takers), [column.values[at] for at in places]
            if given == seen and list(map(type, given)) == list(map(type, seen)):
                continue
            for at, one, other in zip(places, given, seen, strict=True):
                if not same(one, other):
                    yield at

    def flow(self, column: Column) -> Rule | None:
        """The likeliest flow that holds at all calls; small numbers and flags only from leaves of one meaning."""
        present = [value for value in column.values if not isinstance(value, Special)]
        distinct = {(type(value), value) for value in present}
        flows = self.flows(column)
        if not present or not (any(is_telling(value) for value in present) or len(distinct) >= ALWAYS_NEW):
            # Small numbers and flags meet by accident: only a leaf of the same name is believed.
            if len(distinct) < 2:
                return None
            flows = (
                flow
                for flow in flows
                if leaf_name(flow.path) == leaf_name(column.path) or self._is_of_same_thing(flow, column)
            )
        return next(iter(flows), None)

    def flows(self, column: Column, sides: Sequence[Side] = tuple(Side)) -> Iterator[Flow]:
        """Every flow that holds at all calls, best first; from other nodes only if there is none of its own.

        Which machine stands where in a list is chance: such flows come last.
        """
        at = column.shows
        if at is None:
            return
        occurrence, value = column.occurrences[at], column.values[at]
        assert not isinstance(value, Special)
        for tried in self._tried(column, occurrence, value):
            held = False
            for flow in tried:
                if flow.side in sides and self.holds(flow, column):
                    held = True
                    yield flow
            if held:
                return

    def _tried(self, column: Column, occurrence: Occurrence, value: Scalar) -> Iterator[list[Flow]]:
        """Flows that may give the value of one call, in groups: what is in a later one counts if none of these holds."""
        own: list[Flow] = []
        if occurrence.cause is not None:
            own.extend(from_cause(occurrence, value))
        for source in self._timeline.sources(occurrence, value)[-SOURCES_TRIED:]:
            own.extend(flows_from(source, occurrence.template))
        own.extend(siblings(occurrence, value, column.path))
        own = ranked(own, column.path, occurrence.template)
        yield [flow for flow in own if not is_chosen(flow, value)]
        yield self._launched(occurrence, value)
        yield [flow for flow in own if is_chosen(flow, value)]
        yield self._of_others(column, occurrence, value)

    def _launched(self, occurrence: Occurrence, value: Scalar) -> list[Flow]:
        """The host that a daemon was last called on, as one is to start the process that makes a call."""
        called = self._timeline.called_last(occurrence, value)
        if called is None:
            return []
        template, node_type, side, path = called
        return [Flow(template, side, path, Which.LAST, node_type)]

    def _of_others(self, column: Column, occurrence: Occurrence, value: Scalar) -> list[Flow]:
        if not is_distinctive(value):
            return []
        tried = [
            flow
            for source in self._timeline.sources(occurrence, value, others=True)[-SOURCES_TRIED:]
            for flow in flows_from(source, occurrence.template)
        ]
        return ranked(tried, column.path, occurrence.template)

    def _is_of_same_thing(self, flow: Flow, column: Column) -> bool:
        """Whether the source is about the very path that stands beside a leaf: then a small number is no accident."""
        assert column.shows is not None
        taker = column.occurrences[column.shows]
        source = taker.cause if flow.which is Which.CAUSE else self._timeline.meant(flow, [taker])[0]
        around = column.path.rpartition(".")[0] + "."
        beside = {
            v
            for p, v in taker.call.request.items()
            if p.startswith(around) and isinstance(v, str) and "/" in v
        }
        return (
            source is not None and source is not taker and not beside.isdisjoint(source.call.request.values())
        )

    def shifted(self, column: Column) -> Rule | None:
        """A flow with a small whole number added: `response_id + 1`."""
        at = column.shows
        numbers = [value for value in column.values if type(value) is int]
        if at is None or len(numbers) < len(column.values) or len(set(numbers)) < 3:
            return None
        taker = column.occurrences[at]
        nearby = self._nearby if is_distinctive(numbers[at]) else self._nearby_of_name
        for tried in nearby(taker, numbers[at], column.path):
            for flow in ranked(tried, column.path, taker.template):
                if self.holds(flow, column):
                    return flow
        return None

    def _nearby(self, taker: Occurrence, number: int, _: str) -> Iterator[list[Flow]]:
        """Flows to which a small number is added, nearest first, from wherever such a rare number stood before."""
        for plus in (d for n in range(1, _NEARBY + 1) for d in (n, -n)):
            yield [
                replace(flow, plus=plus)
                for source in self._timeline.sources(taker, number - plus)[-SOURCES_TRIED:]
                for flow in flows_from(source, taker.template)
            ]

    def _nearby_of_name(self, taker: Occurrence, number: int, path: str) -> Iterator[list[Flow]]:
        """The same of numbers that stand everywhere: from leaves of the same name alone."""
        by_plus: dict[int, list[Flow]] = defaultdict(list)
        one = Takers([taker])
        for source in self._timeline.named(taker, leaf_name(path)):
            for flow in flows_from(source, taker.template):
                (value,) = self._timeline.values(flow, one)
                if isinstance(value, int) and 0 < abs(number - value) <= _NEARBY:
                    by_plus[number - value].append(replace(flow, plus=number - value))
        yield from (by_plus[plus] for plus in sorted(by_plus, key=lambda plus: (abs(plus), plus < 0)))


def _some_first(calls: Takers) -> list[tuple[Sequence[int], Takers]]:
    """Calls in parts with their places: some from everywhere first, then a few more, then the rest."""
    first = spread(len(calls))
    others = [at for at in range(len(calls)) if at % first.step] if first.step > 1 else []
    return [
        (part, Takers([calls[at] for at in part])) for part in (first, others[:_FEW], others[_FEW:]) if part
    ]


def derived(column: Column, timeline: Timeline, holds: Holds) -> Flow | None:
    """The likeliest derived flow that holds at all calls of a template, from its own node's last calls.

    Args:
        timeline: every placed call of all runs.
        holds: whether a rule gives the recorded value at every call.

    Returns:
        None where there is none, or where too few calls or too few different values were seen.
    """
    at = column.shows
    if at is None or len(column.values) < _FEWEST_CALLS:
        return None
    value = column.values[at]
    distinct = set(column.values)
    if isinstance(value, Special) or not _tells(value, len(distinct)):
        return None
    taker = column.occurrences[at]
    tried = [
        replace(flow, part=made.part, plus=made.plus)
        for source, seen in timeline.latest(taker)
        for made in _derivations(source, seen, value)
        for flow in flows_from(source, taker.template)
    ]
    for flow in ranked(tried, column.path, taker.template):
        if not is_chosen(flow, value) and holds(flow, column):
            return flow
    return None


def _tells(value: Scalar, distinct: int) -> bool:
    if isinstance(value, str):
        return len(value) >= _SHORTEST and distinct > 1
    return type(value) is int and is_distinctive(value) and distinct >= _FEWEST_NUMBERS


def _derivations(source: Source, seen: Scalar, value: Scalar) -> Iterator[Flow]:
    """How a value may come from another one, as flows of which only the part and the number count."""
    template, _, side, path = source
    if isinstance(value, str) and isinstance(seen, str):
        if value not in seen:
            return
        for separator in BOUNDS:
            parts = seen.split(separator)
            if len(parts) > 1 and value in parts:
                yield Flow(template, side, path, part=TextPart(separator, parts.index(value)))
    elif type(value) is int and type(seen) is int and is_distinctive(seen) and seen != value:
        yield Flow(template, side, path, plus=value - seen)


def of_this_run(column: Column, flow_of: FlowOf) -> Rule | None:
    """The rule of an argument that has one value in the only run; None where nothing says that another run has another.

    Args:
        flow_of: where its value, or a number within it, was seen before.
    """
    value = column.values[0]
    if isinstance(value, Special):
        return None
    made = recognise([value]) or _secret(value) or _ephemeral(column.path, value)
    if made is not None:
        return flow_of(column) or made
    if not isinstance(value, str):
        return None
    parts: list[str | Rule] = []
    for piece in SLOT.split(value):
        number = int(piece) if piece.isdecimal() and str(int(piece)) == piece else 0
        source = (
            flow_of(Column(column.occurrences, [number] * len(column.values), ""))
            if is_distinctive(number)
            else None
        )
        made = recognise([number]) if number else None
        parts.append(source or made or piece)
    return Template(joined(parts)) if any(not isinstance(part, str) for part in parts) else None


def _secret(value: Scalar) -> Generated | None:
    known = isinstance(value, str) and _SECRET.fullmatch(value)
    return Generated("hex", {"digits": len(value)}) if known and isinstance(value, str) else None


def _ephemeral(path: str, value: Scalar) -> Generated | None:
    given = type(value) is int and _EPHEMERAL <= value < 2 * _EPHEMERAL
    return Generated("port") if given and leaf_name(path).lower().endswith("port") else None
