"""How often loops run where that depends on the rounds of the loops around them: every fourth time, or not at first.

A loop's number may hold the ids of the loops around it beside Scale variables: in `(L1+1)//4 - L1//4` the round of
L1, from 0.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence

from froude.base.errors import InputError
from froude.base.input_limits import check_limit
from froude.base.units import Quantity
from froude.workload.scale import Count, at_node
from froude.workload.types import CallTemplate, Flow, NodeType, Repeat, Step
from froude.workload.walk import fold, repeats

_MOST_ROUNDS = 840
"""Rounds of a loop that are looked at one by one. Of more, those that lie so many apart count as alike: they are at
the same place in any group of up to eight."""

_MOST_LOOKS = 200_000
"""Rounds that are looked at one by one, of loops that differ within loops that differ."""

Round = tuple[tuple[str, int], ...]
"""The ids of the loops around a call, outermost first, each with its round, from 0."""
Ends = tuple[float, float]
"""The lowest and the highest number."""


def at_round(scale: Mapping[str, Quantity], loop: str, number: int) -> Mapping[str, Quantity]:
    """A Scale as the loops within a loop see it.

    Args:
        scale: the Scale, perhaps of a node (`workload.scale.at_node`) and of rounds further out.
        number: its round, from 0.
    """
    return {**scale, loop: Quantity(float(number))}


def how_often(segment: Repeat) -> str:
    """How often a loop runs, for people: by a formula, by the elements of an answer, drawn, or in first rounds alone."""
    if segment.each is not None:
        return f"each of {segment.each.call}"
    if segment.drawn is not None:
        return "{low} to {high}".format_map(segment.drawn.parameters)
    loops = segment.times.slopes
    first = loops and segment.times == Count(1.0, dict.fromkeys(loops, -1.0))
    return "first round" if first else str(segment.times)


def is_uneven(segment: Repeat) -> bool:
    """Whether a loop within the segment runs more often in some of its rounds than in others."""
    return any(segment.id in inner.times.names for inner in repeats(segment.steps))


def _is_first(count: Count, loop: str) -> bool:
    """Whether a number does not depend on a loop around it, or is above 0 in its first round at most."""
    falls = not count.variables - set(count.slopes) and all(slope < 0 for slope in count.slopes.values())
    return loop not in count.names or (falls and count.intercept <= -count.slopes.get(loop, 0.0))


def rounds(segment: Repeat, scale: Mapping[str, Quantity]) -> Iterator[tuple[int, Mapping[str, Quantity]]]:
    """The rounds of a segment in groups of equal ones: how many, and the Scale as one of them sees it.

    Raises:
        InputError: the Scale lacks a variable.
    """
    times = segment.times.whole_at(scale)
    if not is_uneven(segment):
        yield times, scale
        return
    if times > 1 and all(_is_first(inner.times, segment.id) for inner in repeats(segment.steps)):
        yield from ((1, at_round(scale, segment.id, 0)), (times - 1, at_round(scale, segment.id, 1)))
        return
    for number in range(min(times, _MOST_ROUNDS)):
        yield len(range(number, times, _MOST_ROUNDS)), at_round(scale, segment.id, number)


def count_calls(
    steps: Sequence[Step],
    scale: Mapping[str, Quantity],
    visit: Callable[[CallTemplate, int], None],
    times: int = 1,
) -> None:
    """Say of every call template how often one node makes it; in groups, where rounds differ.

    Args:
        scale: as the node sees it (`workload.scale.at_node`).
        visit: is given a template and a number of calls, perhaps several times for one template.
        times: how often all of the steps are made.

    Raises:
        InputError: the Scale lacks a variable.
    """
    for step in steps:
        if isinstance(step, Repeat):
            for number, seen in rounds(step, scale):
                if number:
                    count_calls(step.steps, seen, visit, times * number)
        else:
            visit(step, times)


def unrolled(
    steps: Sequence[Step],
    scale: Mapping[str, Quantity],
    around: Round = (),
    elements: Callable[[Flow, Round], int | None] = lambda *_: None,
) -> Iterator[tuple[CallTemplate, Round]]:
    """Every call that one node makes, in order, with its round of the loops around it; takes as long as there are calls.

    Args:
        scale: as the node sees it (`workload.scale.at_node`).
        around: the round that the steps are in, of the loops around them.
        elements: how many a list in an earlier answer has, for a loop in that round; None where it is not known.

    Raises:
        InputError: the Scale lacks a variable.
    """
    for step in steps:
        if not isinstance(step, Repeat):
            yield step, around
            continue
        uneven = is_uneven(step)
        listed = None if step.each is None else elements(step.each, around)
        for number in range(step.times.whole_at(scale) if listed is None else listed):
            inner = at_round(scale, step.id, number) if uneven else scale
            yield from unrolled(step.steps, inner, (*around, (step.id, number)), elements)


def check_size(node_type: NodeType, scale: Mapping[str, Quantity]) -> None:
    """Refuse a node type of more nodes, repetitions of a loop, or calls of one node than the limits of inputs allow.

    Args:
        scale: quantity of each Scale variable.

    Raises:
        InputError: with the field that is too large; or the Scale lacks a variable.
    """
    check_limit("nodes", node_type.count.at(scale), place=f"nodes.{node_type.name}.count")
    most = {loop: max(0.0, high) for loop, (_, high) in iterations(node_type, scale).items()}
    for loop, times in most.items():
        check_limit("repetitions", times, place=f"nodes.{node_type.name}.{loop}.times")

    def made(segment: Repeat, inner: list[float]) -> float:
        return most[segment.id] * sum(inner)

    calls = sum(fold(node_type.steps, lambda _: 1.0, made))
    check_limit("steps", calls, place=f"nodes.{node_type.name}.steps")


def iterations(node_type: NodeType, scale: Mapping[str, Quantity]) -> dict[str, Ends]:
    """The lowest and the highest number of rounds of each loop, as its formula gives them: not rounded.

    Of the first and the last node, and of the rounds of the loops around it.

    Args:
        scale: quantity of each Scale variable.

    Raises:
        InputError: the Scale lacks a variable; or loops differ within loops that differ, too often to be looked at.
    """
    ends: dict[str, Ends] = {}
    looks = itertools.count()

    def look(steps: Sequence[Step], seen: Mapping[str, Quantity]) -> None:
        if next(looks) > _MOST_LOOKS:
            allowed = f"at most {_MOST_LOOKS:,} rounds that differ"
            raise InputError("has too many rounds", place=f"nodes.{node_type.name}.steps", allowed=allowed)
        for step in steps:
            if isinstance(step, Repeat):
                times = step.times.at(seen)
                low, high = ends.get(step.id, (times, times))
                ends[step.id] = min(low, times), max(high, times)
                for _, inner in rounds(step, seen) if round(times) > 0 else [(0, at_round(seen, step.id, 0))]:
                    look(step.steps, inner)

    for node in {0, max(0, node_type.count.whole_at(scale) - 1)}:
        look(node_type.steps, at_node(scale, node))
    return ends


def made_in(node_type: NodeType, scale: Mapping[str, Quantity]) -> dict[str, dict[str, tuple[int, int]]]:
    """The first and the last round of each uneven loop in which a call is made at all, by the call's template.

    Args:
        node_type: with its loops; the first and the last node are looked at.
        scale: quantity of each Scale variable.

    Returns:
        By template id, of those that are made; by loop id, of loops whose rounds differ.

    Raises:
        InputError: the Scale lacks a variable.
    """
    found: dict[str, dict[str, tuple[int, int]]] = {}

    def look(
        steps: Sequence[Step], seen: Mapping[str, Quantity], around: Mapping[str, tuple[int, int]]
    ) -> None:
        for step in steps:
            if not isinstance(step, Repeat):
                known = found.setdefault(step.id, dict(around))
                for loop, (first, last) in around.items():
                    known[loop] = min(known[loop][0], first), max(known[loop][1], last)
                continue
            times = step.times.whole_at(seen)
            for number, (alike, inner) in enumerate(rounds(step, seen)):
                alike_rounds = range(number, times, _MOST_ROUNDS)
                last = alike_rounds[-1] if alike_rounds else number
                uneven = {step.id: (number, last)} if is_uneven(step) else {}
                if alike:
                    look(step.steps, inner, {**around, **uneven})

    for node in {0, max(0, node_type.count.whole_at(scale) - 1)}:
        look(node_type.steps, at_node(scale, node), {})
    return found
