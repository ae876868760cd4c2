"""Rules that stand although they may be wrong: each becomes a question."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from froude.base.units import Quantity
from froude.mining.read.knowledge import LENGTH
from froude.mining.shape.structure import Occurrence
from froude.workload.types import Cases, Counter, Flow, Rule, Scalar, Scaled, Template

_INDEX = re.compile(r"\[(\d+)\]")
SHORT_TEXT = 1024
"""Bytes below which a file is a text of a few words."""
_TWO_DIGITS = 10
"""The first number that has two; counted from 1 it is a place earlier."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A rule that does not hold at all calls: a few have another value, or lack the leaf."""

    template: str
    path: str
    others: tuple[Scalar, ...]
    """Values that it does not explain; none where it is only sometimes absent."""
    rule: Rule
    equals: tuple[Rule, ...] = ()
    """Other rules that hold at all calls: which is right shows at another Scale."""
    thin: bool = False
    """Whether it was seen at two nodes or two rounds alone: any two numbers lie on one line."""
    below_ten: bool = False
    """Whether it may be the length of a short text, which grows with a number in it that always had one digit."""
    clock: bool = False
    """Whether it repeats a time that the node read of its own clock, until that is read again."""
    longer: bool = False
    """Whether its list was longer at some Scales than at others, and may be longer still elsewhere."""


def growing(occurrences: Sequence[Occurrence], scales: Sequence[Mapping[str, Quantity]]) -> list[str]:
    """Leaves of the last elements of lists whose greatest length differs between the Scales.

    Args:
        scales: of each run, by its number.
    """
    longest: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    names = [str(sorted(scale.items())) for scale in scales]
    shapes = dict.fromkeys((each.run, each.call.request.shape) for each in occurrences)
    paths = dict.fromkeys(path for _, shape in shapes for path in shape.paths)
    for scale, path in {(names[run], path) for run, shape in shapes for path in shape.paths}:
        for at in _INDEX.finditer(path):
            lengths = longest[_INDEX.sub("[]", path[: at.start()])]
            lengths[scale] = max(lengths[scale], int(at[1]))
    seen = {names[run] for run, _ in shapes}
    last = {
        name: max(lengths.values())
        for name, lengths in longest.items()
        if len({lengths.get(scale, -1) for scale in seen}) > 1
    }
    return [
        path
        for path in paths
        if any(last.get(_INDEX.sub("[]", path[: at.start()])) == int(at[1]) for at in _INDEX.finditer(path))
    ]


def below_ten(occurrences: Sequence[Occurrence], scales: Sequence[Mapping[str, Quantity]]) -> bool:
    """Whether a text may have a number that had one digit in every run: of nodes, of rounds of a loop, a variable.

    Args:
        scales: of each run, by its number.
    """
    loops = [max(each.indices.get(name, 0) for each in occurrences) for name in occurrences[0].indices]
    most = [max(each.node for each in occurrences), *([min(loops)] if loops else [])]
    known = set.intersection(*map(set, scales))
    most += [max(int(scale[name].value) for scale in scales) - 1 for name in known]
    return any(0 < number < _TWO_DIGITS - 1 for number in most)


def short_texts(occurrences: Sequence[Occurrence]) -> list[str]:
    """Leaves that are lengths of short texts."""
    shapes = dict.fromkeys(occurrence.call.request.shape for occurrence in occurrences)
    lengths = dict.fromkeys(p for shape in shapes for p in shape.paths if p.rpartition(".")[2] == LENGTH)
    return [
        path
        for path in lengths
        if all(type(value) is int and value < SHORT_TEXT for value in _values(occurrences, path))
        and any(_values(occurrences, path))
    ]


def _values(occurrences: Sequence[Occurrence], path: str) -> Iterator[Scalar]:
    return (occurrence.call.request.get(path) for occurrence in occurrences)


def replaced(rule: Rule, old: Rule, new: Rule) -> Rule:
    """A rule with another rule in a part's place."""
    if rule is old:
        return new
    if isinstance(rule, Template):
        return Template(tuple(p if isinstance(p, str) else replaced(p, old, new) for p in rule.parts))
    if isinstance(rule, Flow) and isinstance(rule.element, Counter | Scaled):
        element = replaced(rule.element, old, new)
        return replace(rule, element=element) if isinstance(element, Counter | Scaled) else rule
    if isinstance(rule, Cases):
        first, last = (None if r is None else replaced(r, old, new) for r in (rule.first, rule.last))
        return Cases(rule.index, first, last, replaced(rule.otherwise, old, new))
    return rule
