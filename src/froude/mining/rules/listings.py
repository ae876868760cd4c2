"""Loops that go through a list in an earlier answer: as many iterations as it has elements, whatever the Scale.

A script lists a folder and deletes what is in it. How often its loop runs follows from the answer, and a formula of the
Scale would only repeat how the folder was filled.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import takewhile

from froude.messages.rows import EMPTY, Row
from froude.mining.read.elements import EACH, elements_of, in_round
from froude.mining.shape.structure import LoopRun, MinedType, Names
from froude.workload.rounds import Round
from froude.workload.types import Counter, Flow, Side, Step
from froude.workload.walk import calls, flows

_LISTED = re.compile(r"[^\[]+(?=\[\d+\])")
Node = tuple[int, int]
"""Run, and number within it."""


class Listings:
    """The answers with lists of a node type's own calls."""

    def __init__(self, mined: MinedType) -> None:
        """Of a type whose calls are placed."""
        self._answers: dict[str, dict[Node, dict[Round, Row]]] = {
            template: defaultdict(dict) for template in Names.of(mined.name, mined.automaton).templates
        }
        """By template, in the pattern's order."""
        self._leaves: dict[str, dict[str, str]] = defaultdict(dict)
        """By template the lists in its answers, each with a leaf of its elements."""
        self._numbers: dict[tuple[int, str], int] = {}
        """Elements by identity of the answer and list: one answer serves many loops."""
        for each in mined.occurrences:
            answer = each.call.response or EMPTY
            self._answers[each.template][each.run, each.node][tuple(each.indices.items())] = answer
            for path in answer:
                listed = _LISTED.match(path)
                if listed is not None:
                    leaf = path[listed.end() :].partition("]")[2]
                    self._leaves[each.template].setdefault(listed[0], f"{listed[0]}[{EACH}]{leaf}")

    def of_loop(self, name: str, body: Sequence[Step], seen: Sequence[LoopRun]) -> tuple[Flow, bool] | None:
        """The list that had as many elements as a loop had iterations, whenever it was come to.

        Args:
            name: the loop's id.
            body: its steps.
            seen: each time that it was come to.

        Returns:
            A leaf of its elements, and whether the loop's calls name them; None where there is no such list, or where
            all had one length, which shows nothing.
        """
        if len({each.times for each in seen}) < 2:
            return None
        inside = list(calls(body))
        named = [flow for call in inside for rule in call.arguments.values() for flow in flows(rule)]
        named = [flow for flow in named if isinstance(flow.element, Counter) and name in flow.element.steps]
        agreeing = [
            (template, listed, path)
            for template in takewhile(lambda template: template != inside[0].id, self._answers)
            for listed, path in self._leaves[template].items()
            if all(self._elements(template, listed, each) == each.times for each in seen)
        ]
        for template, listed, _ in agreeing:
            by_name = [each.path for each in named if each.call == template]
            by_name = [path for path in by_name if path.startswith(f"{listed}[")]
            if by_name:
                return Flow(template, Side.RESPONSE, min(by_name)), True
        # Of two lists, or where the calls name the elements of another one, chance made the lengths equal.
        if len(agreeing) != 1 or named:
            return None
        ((template, _, path),) = agreeing
        return Flow(template, Side.RESPONSE, path), False

    def _elements(self, template: str, listed: str, loop: LoopRun) -> int | None:
        """How many elements a list has in the latest answer of the same round; None where there is none."""
        answer = in_round(self._answers[template][loop.run, loop.node], tuple(loop.rounds.items()))
        if answer is None:
            return None
        key = id(answer), listed
        if key not in self._numbers:
            self._numbers[key] = len(elements_of(answer, listed))
        return self._numbers[key]
