"""Which earlier call an information flow means: one definition, for predictions and for plays.

A call stands in loops: `{"L1": 4, "L2": 0}` is the first iteration of L2 in the fifth of L1. A flow names a source
call by its id and, by `Which`, one of its occurrences. `place_meant` gives the iterations that are meant.

**What exists.** A taking call sees what its player can know when it is sent. For a value from a request, an occurrence
exists once it has been sent; for one from a response, once it has been answered: an error is an answer that lacks
every leaf, and a call that is never answered never exists.

**Which comes first.** Occurrences are in the order in which they come to exist: requests as they are sent, responses
as they arrive, whatever the order of their calls. `FIRST` means the first of all; everything else means the latest
that stands at the place meant.

A prediction has a whole run and asks for takers at any time: `WholeHistory`. A node that plays asks only for now and
cannot keep its whole history: `History` forgets what no later taker can ask for. Both look up the same place.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Generic, TypeVar

from froude.workload.types import NODE, Flow, Side, Which

Loops = Mapping[str, int]
"""Iteration by loop id, outermost first."""

Place = tuple[int, ...]
"""Iterations of loops that are known, outermost first; `()` stands for every iteration of all."""

Moment = tuple[float, int]
"""Seconds, and a number that orders what happened at once."""

T = TypeVar("T")


def qualified(node_type: str, node: int, loops: Loops, *, effect: bool) -> Loops:
    """A place among all nodes of a type, for flows from and to other nodes: the node's number is its outermost loop.

    Args:
        node_type: name of the type; its loops share no name with another type's.
        loops: iterations of the loops around the call.
        effect: the call is an effect. It stands where its node stands, in none of the loops: they are its cause's.
    """
    inner = {} if effect else {f"{node_type}.{loop}": number for loop, number in loops.items()}
    return {f"{node_type}.{NODE}": node} | inner


def of_own_node(flow: Flow, node_type: str) -> bool:
    """Whether a flow means a call of the taking node itself: the same iteration of all nodes of its type is its own.

    Args:
        node_type: name of the taking node's type.
    """
    return flow.node_type is None or (
        flow.node_type == node_type and flow.which in (Which.SAME, Which.PREVIOUS)
    )


def place_meant(which: Which, taker: Loops, source_loops: Collection[str]) -> Place | None:
    """The iterations, from the outermost loop on, that an occurrence is in if a flow means it.

    Of the source's other loops it may be in any. Loops nest: those that source and taker share are the source's
    outermost.

    Args:
        which: of which occurrence the flow speaks.
        source_loops: ids of the loops around the source call, outermost first.

    Returns:
        Iterations of as many of `source_loops`; None where no occurrence is meant, as for `CAUSE`, which is handed
        over with an effect and not looked up.
    """
    shared = tuple(taker[loop] for loop in source_loops if loop in taker)
    match which:
        case Which.FIRST | Which.LAST:
            return ()
        case Which.SAME:
            return shared
        case Which.PREVIOUS:
            return _one_before(shared)
        case Which.NTH:
            return nth_place(taker, source_loops)
        case Which.CAUSE:
            return None


def _one_before(place: Place) -> Place | None:
    """The iteration before, of the innermost loop; None outside of loops."""
    return (*place[:-1], place[-1] - 1) if place else None


def nth_place(taker: Loops, source_loops: Collection[str]) -> Place | None:
    """The iterations at which a source call in those loops has the taking call's numbers (`Which.NTH`).

    Loops that both are in have the taker's iteration. The source's other loops have, from outside in, the iterations
    of the taker's other loops: what loop L1 made in its fifth iteration, the fifth iteration of L2 takes up.

    Args:
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


def key_of(call: str, side: Side) -> str:
    """Under which name a memory has one side of a call."""
    return f"{call} {side.value}"


class WholeHistory(Generic[T]):
    """Every occurrence of one side of a call, for taking calls at any moment; a look-up takes logarithmic time."""

    __slots__ = ("_loops", "_moments", "_occurrences")

    def __init__(self) -> None:
        """An empty history."""
        self._loops: Collection[str] = ()
        self._moments: dict[Place, list[Moment]] = defaultdict(list)
        self._occurrences: dict[Place, list[T]] = defaultdict(list)

    def add(self, loops: Loops, moment: Moment, occurrence: T) -> None:
        """Take an occurrence that comes after all others.

        Args:
            occurrence: what to give back when it is asked for.
        """
        self._loops = tuple(loops)
        place = tuple(loops.values())
        for depth in range(len(place) + 1):
            self._moments[place[:depth]].append(moment)
            self._occurrences[place[:depth]].append(occurrence)

    def find(self, which: Which, taker: Loops, sent: Moment) -> T | None:
        """The occurrence that `which` means for a taking call; None where there is none.

        Args:
            which: of which occurrence the flow speaks.
            sent: the taking call's moment; what exists from then on comes too late.
        """
        place = place_meant(which, taker, self._loops)
        if place is None or place not in self._moments:
            return None
        existing = bisect_left(self._moments[place], sent)
        if not existing:
            return None
        return self._occurrences[place][0 if which is Which.FIRST else existing - 1]


class History(Generic[T]):
    """The occurrences of one side of a call, added as they come to exist; for taking calls of now.

    Memory, of a call in its node's own loops: one item, where `SAME` or `PREVIOUS` may be asked for two a nesting
    level, and with `NTH` one an occurrence. The node walks through those loops: no later taker goes back further than
    to the iteration before the highest that has been seen, also where answers come out of order.
    """

    __slots__ = ("_depths", "_first", "_latest", "_loops", "_nth", "_walked")

    def __init__(self, asked: Collection[Which] = tuple(Which), *, walked: bool = True) -> None:
        """An empty history.

        Args:
            asked: which occurrences will be asked for; others need not be found.
            walked: takers follow the order of the loops. Those of effects do not, for causes come from many nodes:
                they have an item an occurrence kept.
        """
        self._nth = Which.NTH in asked
        self._depths = -1 if Which.SAME in asked or Which.PREVIOUS in asked else 1 if self._nth else 0
        """Loops around an occurrence that are told apart by what may be asked: -1 for any number of them, 1 for all or
        none, 0 for none."""
        self._walked = walked
        self._loops: tuple[str, ...] = ()
        self._first: T | None = None
        self._latest: dict[int, dict[Place, T]] = {}
        """By number of loops and their iterations."""

    def add(self, loops: Loops, item: T) -> None:
        """Take an occurrence that comes after all others.

        Args:
            item: what to give back when it is asked for.
        """
        whole = len(loops)
        if not self._latest:
            self._loops, self._first = tuple(loops), item
            depths = range(whole + 1) if self._depths < 0 else sorted({0, whole * self._depths})
            self._latest = {depth: {} for depth in depths}
        place = tuple(loops.values())
        for depth, latest in self._latest.items():
            latest[place[:depth]] = item
            if len(latest) > 1 and self._walked and not (self._nth and depth == whole):
                _forget(latest)

    def find(self, which: Which, taker: Loops) -> T | None:
        """What was added with the occurrence that `which` means for a taking call; None where there is none.

        Args:
            which: of which occurrence the flow speaks.
        """
        if which is Which.FIRST:
            return self._first
        if which is Which.SAME and self._loops == tuple(
            taker
        ):  # the usual case of what `place_meant` defines
            place: Place | None = tuple(taker.values())
        else:
            place = place_meant(which, taker, self._loops)
        latest = None if place is None else self._latest.get(len(place))
        return None if latest is None else latest.get(place)  # type: ignore[arg-type]


def _forget(latest: dict[Place, T]) -> None:
    """Keep the highest iteration and the one before it."""
    highest = max(latest)
    for place in [place for place in latest if place not in (highest, _one_before(highest))]:
        del latest[place]
