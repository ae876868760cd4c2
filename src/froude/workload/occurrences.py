"""Which earlier call an information flow means: one definition, for predictions and for plays.

A call stands in loops: `{"L1": 4, "L2": 0}` is the first iteration of L2 in the fifth of L1. A flow names a source
call by its id and, by `Which`, one of its occurrences before the taking call. `stands` says whether an occurrence is
at a place that is meant; the latest such occurrence is the source (for `FIRST` the first of all).

A prediction has the whole history of a run and searches it (`mining.flows`). A node that plays cannot keep its whole
history: `History` keeps of each call only what some later taker may still ask for, and gives the same answers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Generic, NamedTuple, TypeVar

from froude.workload.types import NODE, Flow, Which

Loops = Mapping[str, int]
"""Iteration by loop id, outermost first."""

T = TypeVar("T")


def qualified(node_type: str, node: int, loops: Loops) -> Loops:
    """A place among all nodes of a type, for flows from and to other nodes: the node's number is its outermost loop.

    Args:
        node_type: name of the type; its loops share no name with another type's.
        node: the node's number.
        loops: iterations of the loops that the node stands in; none of another type.
    """
    return {f"{node_type}.{NODE}": node} | {f"{node_type}.{loop}": number for loop, number in loops.items()}


def of_own_node(flow: Flow, node_type: str) -> bool:
    """Whether a flow means a call of the taking node itself: the same iteration of all nodes of its type is its own.

    Args:
        flow: the flow.
        node_type: name of the taking node's type.
    """
    return flow.node_type is None or (
        flow.node_type == node_type and flow.which in (Which.SAME, Which.PREVIOUS)
    )


def stands(which: Which, taker: Loops, source: Loops) -> bool:
    """Whether an earlier call stands where a flow means, seen from the taking call.

    Args:
        which: of which occurrence the flow speaks; `CAUSE` is no earlier call of a node and stands nowhere.
        taker: loops around the taking call.
        source: loops around the earlier call.
    """
    shared = [loop for loop in source if loop in taker]
    match which:
        case Which.FIRST | Which.LAST:
            return True
        case Which.SAME:
            return all(source[loop] == taker[loop] for loop in shared)
        case Which.PREVIOUS:
            if not shared:
                return False
            *outer, inner = shared
            return all(source[loop] == taker[loop] for loop in outer) and source[inner] == taker[inner] - 1
        case Which.NTH:
            return nth_place(taker, tuple(source)) == tuple(source.values())
        case Which.CAUSE:
            return False


def nth_place(taker: Loops, source_loops: Collection[str]) -> tuple[int, ...] | None:
    """The iterations at which a source call in those loops has the taking call's numbers (`Which.NTH`).

    Loops that both are in have the taker's iteration. The source's other loops have, from outside in, the iterations
    of the taker's other loops: what loop L1 made in its fifth iteration, the fifth iteration of L2 takes up.

    Args:
        taker: loops around the taking call.
        source_loops: ids of the loops around the source call, outermost first.

    Returns:
        An iteration for each of `source_loops`; None where the source is in no loop of its own, or in more than the
        taker.
    """
    own = [loop for loop in taker if loop not in source_loops]
    others = [loop for loop in source_loops if loop not in taker]
    if not others or len(others) > len(own):
        return None
    paired = dict(zip(others, own, strict=False))
    return tuple(taker[paired.get(loop, loop)] for loop in source_loops)


class _Kept(NamedTuple, Generic[T]):
    loops: Loops
    item: T


class History(Generic[T]):
    """The occurrences of one call of one node, added as they happen; answers as a search of all of them would.

    Memory: one item a nesting level, and with `NTH` among what is asked one an occurrence.
    """

    __slots__ = ("_asked", "_before", "_first", "_last", "_nth")

    def __init__(self, asked: Collection[Which] = tuple(Which)) -> None:
        """An empty history.

        Args:
            asked: which occurrences will be asked for; others need not be found.
        """
        self._asked = asked
        self._first: _Kept[T] | None = None
        self._last: _Kept[T] | None = None
        self._before: list[_Kept[T] | None] = []
        """At level `d` the latest call of the iteration before, of the loop at that level."""
        self._nth: dict[tuple[int, ...], _Kept[T]] = {}

    def add(self, loops: Loops, item: T) -> None:
        """Take an occurrence that comes after all others.

        Args:
            loops: where it stands.
            item: what to give back when it is asked for.
        """
        kept = _Kept(dict(loops), item)
        if self._first is None:
            self._first = kept
        if Which.PREVIOUS in self._asked:
            self._pass_on(kept.loops)
        if Which.NTH in self._asked:
            self._nth[tuple(kept.loops.values())] = kept
        self._last = kept

    def find(self, which: Which, taker: Loops) -> T | None:
        """What was added with the occurrence that `which` means for a taking call; None where there is none.

        Args:
            which: of which occurrence the flow speaks.
            taker: loops around the taking call.
        """
        if which is Which.FIRST:
            candidates = [self._first]
        elif which is Which.NTH:
            place = nth_place(taker, tuple(self._last.loops)) if self._last is not None else None
            candidates = [self._nth.get(place)] if place is not None else []
        elif which is Which.PREVIOUS:
            candidates = [self._last, *reversed(self._before)]
        else:
            candidates = [self._last]
        for kept in candidates:
            if kept is not None and stands(which, taker, kept.loops):
                return kept.item
        return None

    def _pass_on(self, loops: Loops) -> None:
        """The iteration that is left becomes the one before, at the level where the new occurrence goes on."""
        if self._last is None:
            self._before = [None] * len(loops)
            return
        changed = [number for number, loop in enumerate(loops) if loops[loop] != self._last.loops.get(loop)]
        if changed:
            level = changed[0]
            self._before[level] = self._last
            self._before[level + 1 :] = [None] * (len(self._before) - level - 1)
