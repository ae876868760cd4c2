"""Texts that are made of parts: of another call's text, or of a name that stands in a listing.

What stands around such a part is text of its own, with numbers by rules. A rule counts only if it gives the recorded
value at every call, as all rules of arguments do (`mining.rules.arguments`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from froude.messages.rows import EMPTY
from froude.mining.fit import patterns
from froude.mining.fit.patterns import SlotRule
from froude.mining.history.timeline import EACH, Timeline
from froude.mining.read.knowledge import PATH
from froude.mining.rules.candidates import flows_from, from_list, is_chosen
from froude.mining.rules.evidence import SOURCES_TRIED, Column
from froude.mining.shape.structure import Occurrence
from froude.workload.types import Constant, Counter, Flow, Rule, Scalar, Scaled, Side, Template

FEWEST_LISTED = 3
"""Different paths whose names follow a listing before that is no accident."""
_SHORTEST_PART = 4
"""Characters of a value within a text before meeting it counts as flow."""
BOUNDS = "/_-.:=@,"
"""Characters between which parts stand."""

Holds = Callable[[Rule, Column], bool]
"""Whether a rule gives the recorded value at every call."""
ScaledRule = Callable[[Sequence[Occurrence], Sequence[int]], Scaled | None]
"""Finds numbers that follow from the Scale."""


class TextMiner:
    """Finds rules of texts that hold what others have said."""

    def __init__(self, timeline: Timeline, holds: Holds, slot: SlotRule, scaled: ScaledRule) -> None:
        """Over the calls of some runs.

        Args:
            timeline: every placed call of all runs.
            holds: whether a rule is right.
            slot: the rule of a number beside the part.
            scaled: the rule of an element's number, where no counter says it.
        """
        self._timeline = timeline
        self._holds = holds
        self._slot = slot
        self._scaled = scaled

    def within(self, column: Column) -> Rule | None:
        """Text that holds another call's text: a file's name under a folder that was answered."""
        at = column.shows
        texts = [value for value in column.values if isinstance(value, str)]
        if at is None or len(texts) < len(column.values):
            return None
        occurrence, whole = column.occurrences[at], texts[at]
        parts = sorted(
            {
                whole[start:end]
                for start in _starts(whole)
                for end in _ends(whole)
                if _SHORTEST_PART <= end - start < len(whole)
            },
            key=lambda part: (-len(part), part),
        )
        for part in parts:
            sources = self._timeline.sources(occurrence, part)[-SOURCES_TRIED:]
            tried = [flow for source in sources for flow in flows_from(source, occurrence.template)]
            for flow in sorted(tried, key=lambda flow: is_chosen(flow, part)):
                rule = self._around(flow, column, texts)
                if rule is not None:
                    return rule
        return None

    def listed(self, column: Column) -> Rule | None:
        """Paths with a name that stands in a listing: at each call another element of it."""
        at = column.shows
        texts = [value for value in column.values if isinstance(value, str)]
        if at is None or len(texts) < len(column.values) or len(set(texts)) < 2:
            return None
        occurrence, components = column.occurrences[at], texts[at].split("/")
        for behind in range(1, len(components) + 1):
            name = components[-behind]
            sources = self._timeline.sources(occurrence, name.encode())[-SOURCES_TRIED:] if name else []
            for source in reversed(sources):
                for flow in from_list(source, occurrence.template):
                    rule = self._named_by(flow, column, texts, behind)
                    if rule is not None:
                        return rule
        return None

    def _named_by(self, flow: Flow, column: Column, texts: Sequence[str], behind: int) -> Rule | None:
        """Paths whose component, that many from the end, is an element of a list; None where no rule says which."""
        before, numbers, after = list[str](), list[int](), list[str]()
        folders: list[Scalar] = []
        elements: dict[int, dict[str, int]] = {}  # by identity of the call: one listing serves many takers
        for source, whole in zip(self._timeline.meant(flow, column.occurrences), texts, strict=True):
            components = whole.split("/")
            if source is None or len(components) < behind:
                return None
            if id(source) not in elements:
                elements[id(source)] = _elements(source, flow.path)
            number = elements[id(source)].get(components[-behind])
            if number is None:
                return None
            numbers.append(number)
            folders.append(source.call.request.get(PATH))
            before.append("/".join([*components[:-behind], ""]))
            after.append("/".join(["", *components[len(components) - behind + 1 :]]) if behind > 1 else "")
        element = patterns.counter(column.occurrences, numbers) or self._scaled(column.occurrences, numbers)
        if element is None or len(set(numbers)) < 2:
            return None
        rule = self._between(replace(flow, element=element), before, after, column)
        listed = behind == 1 and folders == [folder[:-1] for folder in before]
        if listed and (rule is None or not is_padded(rule)):
            # Whatever order the folders come in, it is the one that was listed.
            listing = replace(flow, side=Side.REQUEST, path=PATH)
            whole_path = Template((listing, "/", replace(flow, element=element)))
            return whole_path if self._holds(whole_path, column) else rule
        return rule

    def _around(self, flow: Flow, column: Column, texts: Sequence[str]) -> Rule | None:
        before, after = [], []
        for inner, whole in zip(self._timeline.values(flow, column.occurrences), texts, strict=True):
            if not isinstance(inner, str) or len(inner) < _SHORTEST_PART or inner not in whole:
                return None
            head, _, tail = whole.partition(inner)
            before.append(head)
            after.append(tail)
        return self._between(flow, before, after, column)

    def _between(
        self, flow: Flow, before: Sequence[str], after: Sequence[str], column: Column
    ) -> Rule | None:
        """A flow between two texts, both by rules."""
        sides = []
        for piece in (before, after):
            rule = patterns.constant(piece) or patterns.text(column.occurrences, piece, self._slot)
            if rule is None:
                return None
            sides.append(rule)
        flat = [p for rule in (sides[0], flow, sides[1]) for p in _parts(rule)]
        template = Template(patterns.joined(flat))
        return template if self._holds(template, column) else None


def is_padded(rule: Rule) -> bool:
    """Whether all numbers of a text are padded with zeros, so that their order is that of the text, too."""
    return all(part.width for part in _parts(rule) if isinstance(part, Counter | Scaled))


def _elements(occurrence: Occurrence, path: str) -> dict[str, int]:
    """The elements of a list in a call's answer by their names, which HDFS has as bytes there: number by name."""
    head, _, tail = path.partition(f"[{EACH}]")
    numbers: dict[str, int] = {}
    leaves = occurrence.call.response or EMPTY
    for number in range(len(leaves)):
        value = leaves.get(f"{head}[{number}]{tail}")
        if not isinstance(value, bytes):
            break
        numbers.setdefault(value.decode(errors="replace"), number)
    return numbers


def _parts(rule: Rule) -> tuple[str | Rule, ...]:
    if isinstance(rule, Constant):
        return (str(rule.value),)
    return rule.parts if isinstance(rule, Template) else (rule,)


def _starts(whole: str) -> list[int]:
    return [0, *(at + 1 for at, c in enumerate(whole) if c in BOUNDS)]


def _ends(whole: str) -> list[int]:
    return [len(whole), *(at for at, c in enumerate(whole) if c in BOUNDS)]
