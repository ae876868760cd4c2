"""Where an argument's values come from: flows that hold at every call, likeliest first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from froude.base.units import Quantity
from froude.mining.effects.rare_values import is_distinctive
from froude.mining.fit.patterns import same
from froude.mining.history.timeline import Timeline
from froude.mining.history.value_uses import Takers
from froude.mining.read.elements import leaf_name
from froude.mining.rules.bulk_rules import Bulk
from froude.mining.rules.candidates import flows_from, from_cause, is_chosen, ranked, siblings
from froude.mining.rules.evidence import ALWAYS_NEW, SOURCES_TRIED, Column, is_telling, spread
from froude.mining.shape.structure import Occurrence
from froude.workload.rules import Special
from froude.workload.types import Flow, Rule, Scalar, Side, Which

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
