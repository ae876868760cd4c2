"""Where an argument's values come from: flows that hold at every call, likeliest first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from froude.base.units import Quantity
from froude.mining.bulk import Bulk
from froude.mining.candidates import flows_from, from_cause, is_chosen, ranked, siblings
from froude.mining.elements import leaf_name
from froude.mining.evidence import ALWAYS_NEW, SOURCES_TRIED, Column, is_telling, spread
from froude.mining.flows import Timeline
from froude.mining.patterns import same
from froude.mining.said import is_distinctive
from froude.mining.structure import Occurrence
from froude.workload.rules import Special
from froude.workload.types import Flow, Rule, Scalar, Side, Which

_Part = tuple[Sequence[int], list[Occurrence]]
"""Some of the calls, with their places among all."""
_FEW = 4000
"""Calls at which a rule is tried before all."""
_PARTS_KEPT = 8
_NEARBY = 16
"""Largest offset between a number and its source."""


class Sources:
    """Finds flows.

    Args:
        timeline: every placed call of all runs.
        scales: of each run.
    """

    def __init__(self, timeline: Timeline, scales: Sequence[Mapping[str, Quantity]]) -> None:
        self._timeline = timeline
        self._bulk = Bulk(timeline, scales)
        self._parts: dict[int, tuple[Sequence[Occurrence], list[_Part]]] = {}
        """By identity of the calls, which are kept with it."""

    def holds(self, rule: Rule, column: Column) -> bool:
        """Whether a rule gives the recorded value at every call.

        Args:
            rule: any.
            column: the argument.
        """
        return next(self.contradicting(rule, column), None) is None

    def contradicting(self, rule: Rule, column: Column) -> Iterator[int]:
        """Places of the calls that have another value than a rule gives.

        Args:
            rule: any.
            column: the argument.
        """
        for places, takers in self._parts_of(column.occurrences):
            for at, given in zip(places, self._bulk.values(rule, takers), strict=True):
                if not same(given, column.values[at]):
                    yield at

    def _parts_of(self, occurrences: Sequence[Occurrence]) -> list[_Part]:
        """Calls in parts: some from everywhere first, then a few more, then the rest."""
        key = id(occurrences)
        if key not in self._parts:
            if len(self._parts) >= _PARTS_KEPT:
                self._parts.clear()
            first = spread(len(occurrences))
            others = [at for at in range(len(occurrences)) if at % first.step] if first.step > 1 else []
            parts = [part for part in (first, others[:_FEW], others[_FEW:]) if part]
            self._parts[key] = occurrences, [(part, [occurrences[at] for at in part]) for part in parts]
        return self._parts[key][1]

    def flow(self, column: Column) -> Rule | None:
        """The likeliest flow that holds at all calls; of small numbers and flags only from a leaf of the same meaning.

        Args:
            column: the argument.
        """
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
        occurrence = column.occurrences[at]
        for plus in (d for n in range(1, _NEARBY + 1) for d in (n, -n)):
            tried = [
                Flow(flow.call, flow.side, flow.path, flow.which, flow.node_type, plus)
                for source in self._timeline.sources(occurrence, numbers[at] - plus)[-SOURCES_TRIED:]
                for flow in flows_from(source, occurrence.template)
            ]
            for flow in ranked(tried, column.path, occurrence.template):
                alike = leaf_name(flow.path) == leaf_name(column.path) or is_distinctive(numbers[at])
                if alike and self.holds(flow, column):
                    return flow
        return None
