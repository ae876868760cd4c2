"""Flows that may explain a value, likeliest first: from where it was seen, from a cause, from its own request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from froude.messages.rows import EMPTY
from froude.mining.fit.patterns import ADDRESS, same
from froude.mining.history.timeline import EACH, Source
from froude.mining.read.elements import Numbers, number_of
from froude.mining.read.elements import leaf_name as leaf_name  # noqa: PLC0414 - of candidates, too
from froude.mining.read.events import Leaves
from froude.mining.rules.doubtful_rules import replaced
from froude.mining.shape.structure import Occurrence
from froude.workload.types import Flow, Rule, Scalar, Side, Which
from froude.workload.walk import within

_WHICH = (Which.SAME, Which.PREVIOUS, Which.NTH, Which.FIRST, Which.LAST)
_INDEX = re.compile(r"\[(\d+)\]")
_WORD_INDEX = re.compile(r"\[([^\]]+)\]")
"""With the key of an element in place of its number, too."""
_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


def flows_from(source: Source, taker: str) -> list[Flow]:
    """Flows from a place where a value was seen, one an occurrence that it may mean.

    Args:
        source: template, node type, side and leaf path of the place.
        taker: id of the call template that takes the value.
    """
    template, node_type, side, path = source
    if node_type is None:
        # A call is no source of itself: `same` would name the taking call.
        return [
            Flow(template, side, path, which)
            for which in _WHICH
            if which is not Which.SAME or template != taker
        ]
    return [Flow(template, side, path, which, node_type) for which in (Which.NTH, Which.LAST, Which.FIRST)]


def from_list(source: Source, taker: str) -> list[Flow]:
    """Flows from a list in which a value was seen, of whichever element: `{each}` stands for its number.

    Args:
        source: template, node type, side and leaf path of the place.
        taker: id of the call template that takes the value.
    """
    return [
        flow
        for at in _INDEX.finditer(source[3])
        for flow in flows_from(
            (*source[:3], f"{source[3][: at.start()]}[{EACH}]{source[3][at.end() :]}"), taker
        )
    ]


def from_cause(occurrence: Occurrence, value: Scalar) -> list[Flow]:
    """Flows from the call that caused an effect, its element named by `{each}` wherever its index stands.

    Args:
        occurrence: a call with a cause, the effect whose argument is to be explained.

    Returns:
        The flows, answer before request; none where the value does not stand in the cause.
    """
    assert occurrence.cause is not None
    flows: list[Flow] = []
    for side, leaves in (
        (Side.RESPONSE, occurrence.cause.call.response or EMPTY),
        (Side.REQUEST, occurrence.cause.call.request),
    ):
        for path, seen in leaves.items():
            if not same(seen, value):
                continue
            kind = occurrence.cause.template.rpartition(".")[0]
            places = [*_of_element(leaves, ("", path), occurrence.listed.split("[]."), occurrence.each), path]
            flows.extend(Flow(occurrence.cause.template, side, place, Which.CAUSE, kind) for place in places)
    return flows


def _of_element(
    leaves: Leaves, path: tuple[str, str], lists: Sequence[str], numbers: Numbers
) -> Iterator[str]:
    """What is left of a leaf path with `{each}` for the numbers of an element, or for those of the elements around it.

    Lists beside each other in one message have their elements in one order; others say nothing of it.

    Args:
        path: what is before the lists, and what is left.
        lists: that of the element, in its parts from one list to the next; empty for any.
    """
    before, rest = path
    for at in _WORD_INDEX.finditer(rest):
        head, behind = rest[: at.start()], rest[at.end() :]
        beside = not lists[0] or head.lstrip(".").rpartition(".")[0] == lists[0].rpartition(".")[0]
        if beside and number_of(leaves, before + head, at[1]) == numbers[0]:
            if numbers[1:]:
                inner = _of_element(leaves, (before + head + at[0], behind), lists[1:], numbers[1:])
                yield from (f"{head}[{EACH}]{place}" for place in inner)
            yield f"{head}[{EACH}]{behind}"


def of_cause(rule: Rule, cause: str, cause_type: str) -> Rule:
    """A rule that was found at calls of several causes, as one of the calls of this one.

    Args:
        rule: its flows from causes name any of them.
        cause_type: of the nodes that make it.
    """
    for part in list(within(rule)):
        if isinstance(part, Flow) and part.which is Which.CAUSE:
            rule = replaced(rule, part, replace(part, call=cause, node_type=cause_type))
    return rule


def siblings(occurrence: Occurrence, value: Scalar, path: str) -> list[Flow]:
    """Copies of a leaf that stands earlier in the same request.

    Args:
        path: the leaf; those behind it in the request are not looked at.
    """
    flows = []
    for other, seen in occurrence.call.request.items():
        if other == path:
            break
        if same(seen, value):
            flows.append(Flow(occurrence.template, Side.REQUEST, other, Which.SAME))
    return flows


def ranked(flows: Sequence[Flow], path: str, taker: str) -> list[Flow]:
    """Likeliest first: same name, answer rather than request, nearest occurrence, shortest path.

    Args:
        flows: in any order; each is named once in the result.
        path: the leaf that takes the value.
    """

    def rank(flow: Flow) -> tuple[object, ...]:
        cause = flow.which is not Which.CAUSE
        # A call of real time has what it had the time before; other calls' places beside it are accidents.
        repeated = flow.call == taker and taker.rpartition(".")[2].startswith("p") and flow.path == path
        which = _WHICH.index(flow.which) if flow.which in _WHICH else -1
        alike = leaf_name(flow.path) != leaf_name(path)
        return (
            cause,
            not repeated,
            alike,
            flow.side is Side.REQUEST,
            which,
            -flow.path.count(EACH),
            len(flow.path),
            flow.call,
            flow.path,
        )

    return sorted(set(flows), key=rank)


def is_chosen(flow: Flow, value: Scalar) -> bool:
    """Whether a flow takes a machine's address from a place in a list: which machine stands there is chance.

    Args:
        flow: any but from a cause, whose element is known.
    """
    address = isinstance(value, str) and ADDRESS.fullmatch(value) is not None
    return address and flow.which is not Which.CAUSE and _INDEX.search(flow.path) is not None


def alike(path: str, other: str) -> bool:
    """Whether two leaves have one name, which either may shorten word by word: `genStamp` of `generationStamp`."""
    words, others = ([word.lower() for word in _WORD.findall(leaf_name(each))] for each in (path, other))
    if not words or len(words) != len(others):
        return False
    return all(a.startswith(b) or b.startswith(a) for a, b in zip(words, others, strict=True))
