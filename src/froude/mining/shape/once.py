"""A call that a process makes once, whenever it first needs the answer: no part of the round that it happens to be in.

The HDFS client asks for the server's defaults before its first write or checksum, and keeps the answer for an hour
(`DFSClient.getServerDefaults`). Left in the sequence, it makes the first round of a loop differ from all others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from itertools import count

from froude.mining.shape.alignment import Pattern, Sequence_
from froude.mining.shape.parse import Automaton, Match
from froude.mining.shape.segments import Item, Loop

ONCE = "getServerDefaults"


def is_once(token: Hashable) -> bool:
    """Whether a process makes a call once: `ONCE`."""
    return isinstance(token, tuple) and len(token) > 1 and token[1] == ONCE


def without(items: Sequence[Item]) -> Pattern:
    """A sequence or a pattern without such calls, and without loops of nothing else."""
    rest = (Loop(without(item.body)) if isinstance(item, Loop) else item for item in items)
    return tuple(
        item for item in rest if not is_once(item) and not (isinstance(item, Loop) and not item.body)
    )


def find_without(
    sequences: Collection[Sequence_], find: Callable[[Collection[Sequence_]], Pattern | None]
) -> Pattern | None:
    """The pattern of sequences without such a call, in which it is put as a loop that runs in the first rounds alone.

    Args:
        sequences: tokens of each sender.
        find: gives the pattern by which some sequences parse; None for none.

    Returns:
        None where there is no such call, or a sequence has several; or where it is not always at one place of the
        pattern, in the first rounds of all loops around.
    """
    tokens = {token for sequence in sequences for token in sequence if is_once(token)}
    if len(tokens) != 1:
        return None
    (token,) = tokens
    if any(sequence.count(token) > 1 for sequence in sequences):
        return None
    pattern = find({*map(without, sequences)})
    place = None if pattern is None else _place(pattern, token, sequences)
    return (
        None if pattern is None or place is None else tuple(_with(pattern, Loop((token,)), *place, count()))
    )


def _place(pattern: Pattern, token: Hashable, sequences: Collection[Sequence_]) -> tuple[int, bool] | None:
    """The element of a pattern next to which a token always is, and whether it comes after that."""
    automaton = Automaton(pattern)
    before: set[Match | None] = set()
    after: set[Match | None] = set()
    for sequence in sequences:
        if token in sequence:
            at = sequence.index(token)
            parse = automaton.parse(sequence[:at] + sequence[at + 1 :], exact=True)
            if parse is None:
                return None
            before.add(parse.matches[at - 1] if at else None)
            after.add(parse.matches[at] if at < len(parse.matches) else None)
    for matches, comes_after in ((before, True), (after, False)):
        places = {-1 if match is None or any(match.indices) else match.element for match in matches}
        if len(places) == 1 and -1 not in places:
            return places.pop(), comes_after
    return None


def _with(
    items: Sequence[Item], loop: Loop, element: int, after: bool, numbers: Iterator[int]
) -> Iterator[Item]:
    for item in items:
        if isinstance(item, Loop):
            yield Loop(tuple(_with(item.body, loop, element, after, numbers)))
        elif next(numbers) == element:
            yield from (item, loop) if after else (loop, item)
        else:
            yield item
