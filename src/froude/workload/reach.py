"""From which number to which the counters of a node type go at a Scale, without walking through its loops.

Bounds, of every node and every iteration in which a rule decides: of `Cases` the rule `otherwise` decides in none in
which `first` or `last` does. They are met exactly where each index stands in one term without remainders.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from froude.base.units import Quantity
from froude.workload.rounds import iterations
from froude.workload.scale import Scale, Term, term_of, variable_at
from froude.workload.types import NODE, Cases, Counter, Cycle, Flow, NodeType, Rule, Scaled, Template
from froude.workload.walk import parts

Ends = tuple[int, int]
"""The lowest and the highest value of an index."""


class Numbers(NamedTuple):
    """What a number within a rule comes to."""

    rule: Scaled | Counter
    within_text: bool
    """Whether it is part of a text."""
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Reach:
    """The values of the indices of a node type at a Scale."""

    scale: Scale
    ends: Mapping[str, Ends]
    """By index, of a rule that nothing limits; a loop of no iterations ends below its beginning."""
    lasts: Mapping[str, Ends]
    """The last value by index: the lowest and the highest of any node."""

    @classmethod
    def of(cls, node_type: NodeType, scale: Scale) -> Reach:
        """The reach of a node type.

        Args:
            node_type: its count and its loops.
            scale: quantity of each Scale variable.

        Raises:
            InputError: the Scale lacks a variable that a count depends on.
        """
        last = node_type.count.whole_at(scale) - 1
        ends, lasts = {NODE: (0, last)}, {NODE: (last, last)}
        for loop, numbers in iterations(node_type, scale).items():
            least, most = (max(0, round(number)) for number in numbers)
            ends[loop] = (0, most - 1)
            lasts[loop] = (max(0, least - 1), most - 1)
        return cls(scale, ends, lasts)

    def narrowed(self, rounds: Mapping[str, Ends]) -> Reach:
        """The same for a call that is made in some rounds alone.

        Args:
            rounds: the first and the last of a loop in which it is made, by the loop's id.
        """
        return Reach(self.scale, {**self.ends, **rounds}, self.lasts)

    def numbers(self, rule: Rule, *, within_text: bool = False) -> Iterator[Numbers]:
        """Every number in a rule that follows from place or Scale, and what it comes to.

        Args:
            within_text: the rule is part of a text.
        """
        if isinstance(rule, Scaled):
            value = rule.count.at(self.scale)
            yield Numbers(rule, within_text, value, value)
        elif isinstance(rule, Counter):
            least, most = self._between(rule)
            yield Numbers(rule, within_text, least, most)
        elif isinstance(rule, Cases):
            for reach, case in self._cases(rule):
                yield from reach.numbers(case, within_text=within_text)
        elif not isinstance(
            rule, Flow | Cycle
        ):  # the number of an element is no value: beyond the list is none
            for part in parts(rule):
                yield from self.numbers(part, within_text=within_text or isinstance(rule, Template))

    def _cases(self, rule: Cases) -> Iterator[tuple[Reach, Rule]]:
        """Each case that ever decides, and where it does."""
        if rule.index not in self.ends:
            yield from ((self, case) for case in parts(rule))
            return
        (low, high), lasts = self.ends[rule.index], self.lasts[rule.index]
        if rule.first is not None and low == 0:
            yield from self._where(rule.index, 0, min(0, high), rule.first)
            low = 1
        if rule.last is not None:  # of some nodes it is an earlier iteration than of others
            yield from self._where(rule.index, max(low, lasts[0]), high, rule.last)
            high -= high == lasts[1]
        yield from self._where(rule.index, low, high, rule.otherwise)

    def _where(self, index: str, low: int, high: int, rule: Rule) -> Iterator[tuple[Reach, Rule]]:
        if low <= high:
            yield Reach(self.scale, {**self.ends, index: (low, high)}, self.lasts), rule

    def _ends(self, name: str) -> Ends:
        if name in self.scale:
            return (round(variable_at(name, self.scale)),) * 2
        return self.ends.get(name, (0, 0))

    def _between(self, counter: Counter) -> tuple[float, float]:
        """The smallest and largest number that a counter comes to."""
        least = most = float(counter.base)
        for name, step in counter.steps.items():
            term = term_of(name)
            each = round(variable_at(term.names[0], self.scale)) if len(term.names) > 1 else 1
            ends = self._ends(term.names[-1])
            terms = [step * end for end in _folded(term, [each * max(0, end) for end in ends], self.scale)]
            least, most = least + min(terms), most + max(terms)
        return least, most


def _folded(term: Term, ends: list[int], scale: Mapping[str, Quantity]) -> list[float]:
    """The ends of a term, from those of what it folds; a remainder may be any once it has gone round."""
    if term.fold == "%":
        size = int(term.group_size(scale))
        if (term.factor * ends[0] + term.plus) // size != (term.factor * ends[1] + term.plus) // size:
            return [0, size - 1]
    return [term.folded(end, scale) for end in ends]
