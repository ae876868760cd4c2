"""Parsing a sequence by a nested pattern: which element of the pattern each call is, in which iteration.

The pattern is compiled to an automaton with one place between any two elements; a shortest path through
places and calls gives the parse. Exact parses cost nothing; where none exists, a call may be extra and an
element may be missing, each at a cost, so that a sequence that deviates is still matched as far as it agrees.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from froude.mining.shape.segments import Item, Loop

_EXTRA = 1.0
_MISSING = 1.0
_EMPTY_LOOP = 0.01
_MOST = 0.9
"""What an exact parse costs at most: many loops passed by."""
_MOVES_KEPT = 1 << 14
"""Moves that an automaton remembers."""
_WIDTH = 24.0
"""Paths this much worse than the best at a call are dropped: bounds the work on long deviating sequences."""


class Match(NamedTuple):
    """One call's place in the pattern."""

    element: int
    """Number of the pattern's token, counted in order; -1 for a call that fits nowhere."""
    indices: tuple[int, ...]
    """Iteration of each enclosing loop, outermost first."""


@dataclass(frozen=True, slots=True)
class Parse:
    """How a sequence fits a pattern."""

    matches: tuple[Match, ...]
    missing: tuple[int, ...]
    """Elements that should have been there, in order."""
    cost: float
    """0 for an exact fit; loops passed by cost little, extra and missing calls 1 each."""

    @property
    def exact(self) -> bool:
        """Whether nothing is extra and nothing missing."""
        return self.cost < _MISSING


@dataclass(slots=True)
class _Node:
    """Back pointer of a shortest path: what was done last, and the node before."""

    cost: float
    before: _Node | None
    what: tuple[_Act, ...]


_Act = tuple[str, int]
"""What is done: to eat a token, to enter, go round, leave or pass by a loop; or a call is extra, or a token missing."""
_State = tuple[tuple[int, float], ...]
"""Places that can be reached with a sequence, each with its cost beyond that of the first."""


class _Move(NamedTuple):
    """How a place is reached with one more token."""

    place: int
    start: int
    """From which of the places of the state before."""
    cost: float
    """Beyond that of the first place of the state before."""
    what: tuple[_Act, ...]


class Automaton:
    """A compiled pattern.

    Args:
        items: the nested pattern; its tokens are numbered in order.
    """

    def __init__(self, items: Sequence[Item]) -> None:
        self.tokens: list[Hashable] = []
        self.loops_of: list[tuple[int, ...]] = []
        """Numbers of the loops around each token, outermost first."""
        self._eat: dict[int, list[tuple[int, int]]] = {}
        self._free: dict[int, list[tuple[int, float, tuple[str, int]]]] = {}
        self._places = 1
        self._loops = 0
        self._moves: dict[tuple[_State, Hashable], tuple[list[_Move], _State]] = {}
        self._end = self._compile(items, 0, ())

    def _compile(self, items: Sequence[Item], at: int, loops: tuple[int, ...]) -> int:
        for item in items:
            after = self._place()
            if isinstance(item, Loop):
                number, self._loops = self._loops, self._loops + 1
                inside = self._place()
                self._link(at, inside, 0.0, ("enter", number))
                last = self._compile(item.body, inside, (*loops, number))
                self._link(last, inside, 0.0, ("again", number))
                self._link(last, after, 0.0, ("leave", number))
                self._link(at, after, _EMPTY_LOOP, ("none", number))
            else:
                token = len(self.tokens)
                self.tokens.append(item)
                self.loops_of.append(loops)
                self._eat.setdefault(at, []).append((token, after))
                self._link(at, after, _MISSING, ("missing", token))
            at = after
        return at

    def _place(self) -> int:
        self._places += 1
        return self._places - 1

    def _link(self, start: int, end: int, cost: float, what: tuple[str, int]) -> None:
        self._free.setdefault(start, []).append((end, cost, what))

    @property
    def loops(self) -> int:
        """Number of loops."""
        return self._loops

    def around(self, loop: int) -> tuple[int, ...]:
        """Numbers of the loops around a loop, outermost first."""
        inside = next(loops for loops in self.loops_of if loop in loops)
        return inside[: inside.index(loop)]

    def every_round(self, parse: Parse) -> dict[tuple[int, tuple[int, ...]], int]:
        """How often each loop ran, by its number and the iterations of the loops around it; 0 where it was passed by."""
        ran = self.iterations(parse)
        totals: dict[tuple[int, tuple[int, ...]], int] = {}
        for loop in range(self.loops):  # outer loops have lower numbers
            places: list[tuple[int, ...]] = [()]
            for outer in self.around(loop):
                places = [(*place, n) for place in places for n in range(totals[outer, place])]
            totals |= {(loop, place): ran.get((loop, place), 0) for place in places}
        return totals

    def iterations(self, parse: Parse) -> dict[tuple[int, tuple[int, ...]], int]:
        """How often each loop ran, by its number and the iterations of the loops around it; not those that never ran."""
        totals: dict[tuple[int, tuple[int, ...]], int] = {}
        for match in parse.matches:
            if match.element < 0:
                continue
            for depth, loop in enumerate(self.loops_of[match.element]):
                key = (loop, match.indices[:depth])
                totals[key] = max(totals.get(key, 0), match.indices[depth] + 1)
        return totals

    def uneven(self, parse: Parse) -> int:
        """Number of loops whose number of iterations differs between rounds of the loop around them."""
        counts: dict[int, set[int]] = {}
        for (loop, outer), total in self.iterations(parse).items():
            if outer:
                counts.setdefault(loop, set()).add(total)
        return sum(len(iterations) > 1 for iterations in counts.values())

    def parse(self, sequence: Sequence[Hashable], *, exact: bool = False) -> Parse | None:
        """The cheapest parse.

        Args:
            exact: give up, and return None, where a call is extra or missing: linear time.
        """
        if exact:
            return self._exactly(sequence)
        limit = float("inf")
        front = self._closed({0: _Node(0.0, None, ())}, limit)
        for at, token in enumerate(sequence):
            front = self._closed(self._step(front, token, at, limit), limit)
        last = front.get(self._end)
        return None if last is None else self._traced(last, len(sequence))

    def _exactly(self, sequence: Sequence[Hashable]) -> Parse | None:
        """The same where no call is extra and none missing: in a loop the same places are reached again and again."""
        front = self._closed({0: _Node(0.0, None, ())}, _MOST)
        nodes, state = list(front.values()), _state(front)
        for token in sequence:
            known = self._moves.get((state, token))
            if known is None:
                known = self._moved(state, token)
                if len(self._moves) < _MOVES_KEPT:
                    self._moves[state, token] = known
            moves, state = known
            if not moves:
                return None
            base = nodes[0].cost
            nodes = [_Node(base + move.cost, nodes[move.start], move.what) for move in moves]
            if max(node.cost for node in nodes) > _MOST:
                kept = {
                    move.place: node for move, node in zip(moves, nodes, strict=True) if node.cost <= _MOST
                }
                nodes, state = list(kept.values()), _state(kept)
                if not nodes:
                    return None
        last = next((node for (place, _), node in zip(state, nodes, strict=True) if place == self._end), None)
        return None if last is None else self._traced(last, len(sequence))

    def _moved(self, state: _State, token: Hashable) -> tuple[list[_Move], _State]:
        """The places that can be reached from others with a token."""
        starts = {place: _Node(cost, None, ()) for place, cost in state}
        number = {id(node): at for at, node in enumerate(starts.values())}
        least = min((cost for _, cost in state), default=0.0)
        front = self._closed(self._step(starts, token, 0, least + _MOST), least + _MOST)
        moves = []
        for place, node in front.items():
            what: list[_Act] = []
            step = node
            while step.before is not None:
                what[:0] = step.what
                step = step.before
            moves.append(_Move(place, number[id(step)], node.cost, tuple(what)))
        return moves, _state(front)

    def _step(self, front: dict[int, _Node], token: Hashable, at: int, limit: float) -> dict[int, _Node]:
        after: dict[int, _Node] = {}
        bound = min((node.cost for node in front.values()), default=0.0) + _WIDTH
        for place, node in front.items():
            if node.cost > bound:
                continue
            for number, end in self._eat.get(place, ()):
                if self.tokens[number] == token:
                    _keep(after, end, node.cost, node, (("eat", number),))
            if node.cost + _EXTRA <= limit:
                _keep(after, place, node.cost + _EXTRA, node, (("extra", at),))
        return after

    def _closed(self, front: dict[int, _Node], limit: float) -> dict[int, _Node]:
        """All places reached from these without a call.

        No loop is gone round without one: a round in which all is passed by or missing costs something, and ends where
        it began.
        """
        work = sorted(front)
        while work:
            place = work.pop()
            node = front[place]
            for end, cost, what in self._free.get(place, ()):
                total = node.cost + cost
                if total > limit:
                    continue
                if _keep(front, end, total, node, (what,)):
                    work.append(end)
        return front

    def _traced(self, last: _Node, calls: int) -> Parse:
        steps: list[_Act] = []
        node: _Node | None = last
        while node is not None:
            steps.extend(reversed(node.what))
            node = node.before
        counters: list[int] = []
        matches: list[Match] = []
        missing: list[int] = []
        for kind, number in reversed(steps):
            if kind == "enter":
                counters.append(0)
            elif kind == "again":
                counters[-1] += 1
            elif kind == "leave":
                counters.pop()
            elif kind == "eat":
                matches.append(Match(number, tuple(counters)))
            elif kind == "extra":
                matches.append(Match(-1, tuple(counters)))
            elif kind == "missing":
                missing.append(number)
        assert len(matches) == calls
        return Parse(tuple(matches), tuple(missing), round(last.cost, 6))


def _state(front: Mapping[int, _Node]) -> _State:
    base = next((node.cost for node in front.values()), 0.0)
    return tuple((place, round(node.cost - base, 9)) for place, node in front.items())


def _keep(front: dict[int, _Node], place: int, cost: float, before: _Node, what: tuple[_Act, ...]) -> bool:
    known = front.get(place)
    if known is not None and known.cost <= cost + 1e-9:
        return False
    front[place] = _Node(cost, before, what)
    return True
