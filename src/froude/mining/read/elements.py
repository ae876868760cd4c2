"""Elements of repeated fields by their place: an effect's `{each}` counts them, whether they are numbered or named.

A list may stand in the elements of another: `targets[].datanodes` is every node of every target, and an element of it
has two numbers. The first `{each}` of a path stands for the first of them, in a list beside the outer one, too.

Elements of a list that stands for a map are named by their keys in leaf paths (`messages.leaves`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from froude.messages.rows import Row
from froude.workload.rounds import Round
from froude.workload.types import EACH as EACH  # noqa: PLC0414 - of elements, too

Numbers = tuple[int, ...]
"""An element's place: its number in its list, and before it those of the elements that the list stands in."""
ONLY: Numbers = (0,)
"""Of a call that is no element of any list."""
_INDEX = re.compile(r"\[[^\]]+\]")
_NUMBER = re.compile(r"\[(\d+)\]")


def number_of(leaves: Collection[str], listed: str, word: str) -> int:
    """An element's number in its list, in the order of the message.

    Args:
        word: what stands for the element between brackets: its number, or its key.
    """
    return int(word) if word.isdigit() else _words(leaves, listed).index(word)


def elements_of(leaves: Collection[str], listed: str) -> list[Numbers]:
    """The elements of a repeated field; of no field the call as a whole, since then it is the only cause.

    Args:
        leaves: paths of the call's request or response.
        listed: the repeated field, such as `targets[].datanodes`; empty for the call as a whole.
    """
    if not listed:
        return [ONLY]
    outer, _, inner = listed.partition("[].")
    words = _words(leaves, outer)
    if not inner:
        return [(number,) for number in range(len(words))]
    return [
        (number, *rest)
        for number, word in enumerate(words)
        for rest in elements_of(leaves, f"{outer}[{word}].{inner}")
    ]


def in_round(answers: Mapping[Round, Row], around: Round) -> Row | None:
    """The answer to a call in the same rounds of the loops around it, else of the outer ones alone; None for none.

    Args:
        answers: of one node and call, by its rounds.
    """
    rounds = (around[:depth] for depth in range(len(around), -1, -1))
    return next((answers[each] for each in rounds if each in answers), None)


def element_path(leaves: Collection[str], path: str, numbers: Numbers) -> str:
    """A path in which `{each}` stands for an element, as it is in a message.

    Args:
        path: with `{each}` as often as the element has numbers, less often, or without.
    """
    numbered = with_numbers(path, numbers)
    if numbered in leaves or numbered == path:
        return numbered
    for number in numbers:
        listed, each, rest = path.partition(f"[{EACH}]")
        if not each:
            break
        words = _words(leaves, listed)
        if number >= len(words):
            return numbered
        path = f"{listed}[{words[number]}]{rest}"
    return path


def with_numbers(path: str, numbers: Numbers) -> str:
    """A path in which `{each}` stands for an element, with its numbers.

    Args:
        path: as in `element_path`.
    """
    for number in numbers:
        path = path.replace(EACH, str(number), 1)
    return path


def lists_of(path: str) -> Iterator[tuple[int, str, str]]:
    """The lists whose element a leaf path may be meant to lead to: a command's targets, or each target's nodes.

    Yields:
        Which of the path's lists is the first whose element may be any; the list, and what is left of the path.
    """
    indices = list(_NUMBER.finditer(path))
    for depth, index in enumerate(indices):
        listed, owner = path[: index.start()], path[index.end() :].lstrip(".")
        yield depth, listed, owner
        for first in range(depth):
            head = path[: indices[first].start()]
            yield first, head + _NUMBER.sub("[]", listed[len(head) :]), owner


def indices_of(path: str) -> Numbers:
    """The numbers that stand in a leaf path."""
    return tuple(int(number) for number in _NUMBER.findall(path))


def leaf_name(path: str) -> str:
    """A leaf path's last name, without indices."""
    return _INDEX.sub("", path).rpartition(".")[2]


def _words(leaves: Iterable[str], listed: str) -> list[str]:
    prefix = f"{listed}["
    inside = (path[len(prefix) :].partition("]")[0] for path in leaves if path.startswith(prefix))
    return list(dict.fromkeys(inside))
