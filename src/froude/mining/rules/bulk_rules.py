"""What a rule gives at many calls of a template: as `workload.rules.evaluate` at each, at a fraction of the cost.

A rule is held against every call that was recorded, and there may be millions. Each kind of rule is evaluated for all
of them at once; of flows the sources are looked up together (`chronology`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from froude.base.units import Quantity
from froude.mining.history.timeline import OccurrenceContext, Timeline
from froude.mining.history.value_uses import Takers
from froude.mining.shape.structure import Occurrence
from froude.workload.rules import Special, Value, as_text, evaluate, joined, number_at
from froude.workload.scale import term_of
from froude.workload.types import (
    Cases,
    Constant,
    Counter,
    Cycle,
    Flow,
    Rule,
    Scaled,
    Template,
)


class Bulk:
    """Evaluates rules at many calls.

    Args:
        timeline: every placed call of all runs.
    """

    def __init__(self, timeline: Timeline, scales: Sequence[Mapping[str, Quantity]]) -> None:
        self._timeline = timeline
        self._scales = scales

    def values(self, rule: Rule, takers: Takers) -> list[Value]:
        """What a rule gives at each call."""
        match rule:
            case Constant(value):
                return [value] * len(takers)
            case Counter():
                return list(self._counted(rule, takers))
            case Cycle(values, counter):
                return [values[number % len(values)] for number in self._counted(counter, takers)]
            case Scaled(formula, _):
                by_run = {run: formula.whole_at(self._scales[run]) for run in {each.run for each in takers}}
                return [by_run[taker.run] for taker in takers]
            case Template(parts):
                return self._joined(parts, takers)
            case Flow(element=None):
                return self._timeline.values(rule, takers)
            case Cases():
                return self._by_cases(rule, takers)
            case _:
                return [self._one(rule, taker) for taker in takers]

    def _one(self, rule: Rule, taker: Occurrence) -> Value:
        return evaluate(rule, OccurrenceContext(self._timeline, self._scales[taker.run], taker))

    def _counted(self, rule: Counter, takers: Takers) -> list[int]:
        totals = [rule.base] * len(takers)
        for name, step in rule.steps.items():
            alone, known = Counter(0, {name: step}), dict[tuple[int, int], int]()
            counted = term_of(name).names[-1]
            for at, (taker, index) in enumerate(zip(takers, takers.indices(counted), strict=True)):
                key = (taker.run, index)
                if key not in known:
                    known[key] = number_at(alone, {counted: index}.__getitem__, self._scales[taker.run])
                totals[at] += known[key]
        return totals

    def _joined(self, parts: Sequence[str | Rule], takers: Takers) -> list[Value]:
        texts: list[Sequence[str | None]] = []
        for part in parts:
            if isinstance(part, str):
                texts.append([part] * len(takers))
            else:
                values = self.values(part, takers)
                known = {(type(value), value): as_text(part, value) for value in values}
                texts.append([known[type(value), value] for value in values])
        return [joined(pieces) for pieces in zip(*texts, strict=True)] if texts else [""] * len(takers)

    def _by_cases(self, rule: Cases, takers: Takers) -> list[Value]:
        given: list[Value] = [Special.UNRESOLVED] * len(takers)
        for part, places in cases_of(rule, takers):
            for at, value in zip(places, self.values(part, takers.part(places)), strict=True):
                given[at] = value
        return given


def cases_of(rule: Rule, takers: Takers) -> list[tuple[Rule, list[int]]]:
    """The rules that decide at some calls each, with the calls' places; as `workload.rules.active` at each.

    Args:
        rule: any; what is no `Cases` decides everywhere.
    """
    if not isinstance(rule, Cases):
        return [(rule, list(range(len(takers))))]
    first, last, others = list[int](), list[int](), list[int]()
    for at, (taker, index) in enumerate(zip(takers, takers.indices(rule.index), strict=True)):
        if rule.first is not None and index == 0:
            first.append(at)
        elif rule.last is not None and taker.last.get(rule.index, False):
            last.append(at)
        else:
            others.append(at)
    decided: list[tuple[Rule, list[int]]] = []
    for part, places in ((rule.first, first), (rule.last, last), (rule.otherwise, others)):
        if isinstance(part, Cases) and places:
            inner = cases_of(part, takers.part(places))
            decided += [(each, [places[at] for at in chosen]) for each, chosen in inner]
        elif part is not None and places:
            decided.append((part, places))
    return decided
