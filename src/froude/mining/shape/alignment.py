"""One pattern for many senders: cross-validation between nodes and scales (PatternMiner III.B.2).

Senders of one type must follow one pattern up to the numbers of repetition. Each sender's own fold proposes a
pattern; patterns are merged where a loop that one shows runs once, or not at all, in another; the shortest
pattern by which every sequence parses wins. Sequences that no pattern joins are reported, never dropped.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from itertools import product
from typing import NamedTuple

from froude.mining.shape.parse import Automaton
from froude.mining.shape.segments import Item, Loop, fold, shortest_first, size_of

_VARIED = 3
"""Loops that ran twice of which a merge tries both readings; each doubles the work."""
_UNEVEN = 2
"""Elements that an inner loop counts for beside its own whose number differs from one round of the outer loop to
the next: a number that follows from the Scale does not."""
_MERGES_KEPT = 1 << 14
"""Merges that are remembered: the same rounds meet again and again."""
_LONGEST_MERGED = 300
"""Items of two patterns that are still merged: the work grows with their product."""

Sequence_ = tuple[Hashable, ...]
Pattern = tuple[Item, ...]


def unify(sequences: Iterable[Sequence_]) -> Pattern | None:
    """The pattern by which every sequence parses exactly: of those that pass fewest loops by, the shortest.

    Args:
        sequences: tokens of each sender, of all nodes and scales.

    Returns:
        The pattern, or None if the sequences do not follow one.
    """
    distinct = sorted(set(sequences), key=lambda s: (len(s), repr(s)))
    return best_of(proposed(distinct), distinct)


def proposed(sequences: Sequence[Sequence_]) -> set[Pattern]:
    """The patterns that sequences propose, each alone and all together.

    Args:
        sequences: each once, shortest first.
    """
    proposals = {pattern for sequence in sequences for pattern in folds(sequence)}
    for order in (sequences, sequences[::-1]):
        merged = _merged_all(order)
        if merged is not None:
            proposals.add(merged)
    return proposals


def best_of(proposals: Iterable[Pattern], sequences: Sequence[Sequence_]) -> Pattern | None:
    """Of the patterns by which every sequence parses exactly, the one that passes fewest loops by, then the shortest.

    Args:
        sequences: tokens of each sender, each sequence once.
    """
    best: tuple[float, int, int, Pattern] | None = None
    for pattern in sorted(proposals, key=lambda p: (size_of(p), repr(p))):
        size = size_of(pattern)
        if best is not None and best[0] == 0.0 and (best[1] < size or not best[2]):
            break
        cost = _cost(pattern, sequences)
        # A loop passed by costs more than any length: else `(create)* addBlock (complete)*` would cover all.
        if cost is not None and (best is None or (cost[0], size + cost[1], cost[1]) < best[:3]):
            best = (cost[0], size + cost[1], cost[1], pattern)
    return best[3] if best else None


def _cost(pattern: Pattern, sequences: Sequence[Sequence_]) -> tuple[float, int] | None:
    """What passing loops by costs in all sequences, and what uneven loops do; None where one does not parse."""
    automaton, total, uneven = Automaton(pattern), 0.0, 0
    for sequence in sequences:
        parse = automaton.parse(sequence, exact=True)
        if parse is None:
            return None
        total += parse.cost
        uneven = max(uneven, automaton.uneven(parse))
    return total, _UNEVEN * uneven


def folds(sequence: Sequence_) -> list[Pattern]:
    """The patterns that one sequence proposes."""
    built = [fold(sequence), fold(sequence, shortest_first)]
    generous = _generous(built[1])
    if generous != built[1]:
        built.append(generous)
    built.extend(apart for pattern in tuple(built) if (apart := _set_apart(pattern, sequence)) != pattern)
    return built


def _set_apart(pattern: Pattern, sequence: Sequence_) -> Pattern:
    """The pattern with calls beside a loop set apart from it where they look like a longer first or last round.

    `a a a a b a b` is `(a)* (a b)*` and no `((a)* b)*`: so it is where a command looks at all files first, and then at
    each before it is moved.
    """
    automaton = Automaton(pattern)
    parse = automaton.parse(sequence, exact=True)
    if parse is None:
        return pattern
    iterations = automaton.iterations(parse)

    def build(items: Pattern, number: int) -> Pattern:
        built: list[Item] = []
        for item in items:
            if not isinstance(item, Loop):
                built.append(item)
                continue
            body, before, after = build(item.body, number + 1), list[Item](), list[Item]()
            last = number + 1 + _loops_in(item.body[:-1])
            number += 1
            if isinstance(item.body[0], Loop) and (usual := _usual_rounds(iterations, number, min)):
                before, body = [body[0]], (*item.body[0].body * usual, *body[1:])
            elif isinstance(item.body[-1], Loop) and (usual := _usual_rounds(iterations, last, max)):
                after, body = [body[-1]], (*body[:-1], *item.body[-1].body * usual)
            number += _loops_in(item.body)
            built += [*before, Loop(body), *after]
        return tuple(built)

    return build(pattern, 0)


def _usual_rounds(
    iterations: Mapping[tuple[int, tuple[int, ...]], int], loop: int, edge: Callable[[Iterable[int]], int]
) -> int:
    """How often a loop runs in all rounds of the loop around it but the first or last, where it runs more; 0 for none.

    Args:
        iterations: of all loops, by number and iterations of the loops around them.
        loop: the number of the inner loop.
        edge: `min` for the first round, `max` for the last.
    """
    rounds: dict[tuple[int, ...], dict[int, int]] = defaultdict(dict)
    for (number, outer), times in iterations.items():
        if number == loop:
            rounds[outer[:-1]][outer[-1]] = times
    others = {times for each in rounds.values() for at, times in each.items() if at != edge(each)}
    if len(others) != 1 or any(len(each) != max(each) + 1 for each in rounds.values()):
        return 0
    (usual,) = others
    at_edge = [each[edge(each)] for each in rounds.values()]
    return usual if min(at_edge) >= usual < max(at_edge) else 0


def _loops_in(items: Pattern) -> int:
    return sum(1 for _ in _loops(items))


def _generous(pattern: Pattern) -> Pattern:
    """The pattern with lone copies of a loop's one-element body taken for loops too, folded again."""
    single = {item.body[0] for item in _loops(pattern) if len(item.body) == 1}

    def widen(items: Pattern) -> Pattern:
        built: list[Item] = []
        for item in items:
            if isinstance(item, Loop):
                built.append(item if len(item.body) == 1 else Loop(widen(item.body)))
            else:
                built.append(Loop((item,)) if item in single else item)
        return tuple(built)

    return fold(widen(pattern), shortest_first)


def _loops(items: Pattern) -> Iterable[Loop]:
    for item in items:
        if isinstance(item, Loop):
            yield item
            yield from _loops(item.body)


def _merged_all(sequences: Sequence[Sequence_]) -> Pattern | None:
    merged: Pattern | None = None
    for sequence in sequences:
        if merged is not None and Automaton(merged).parse(sequence, exact=True) is not None:
            continue
        folded = fold(sequence)
        if merged is None:
            merged = folded
            continue
        tried = [merge(left, right) for left in _doubtful(merged) for right in _doubtful(folded)]
        joined = [pattern for pattern in tried if pattern is not None]
        if not joined:
            return None
        merged = min(joined, key=lambda pattern: (size_of(pattern), repr(pattern)))
    return merged


def _doubtful(pattern: Pattern) -> list[Pattern]:
    """The pattern, and variants with loops that ran just twice written out: two equal calls need be no loop."""
    twice = [loop for loop in _loops(pattern) if loop.times == 2][:_VARIED]
    built: list[Pattern] = []
    for chosen in product((False, True), repeat=len(twice)):
        written = {id(loop) for loop, wanted in zip(twice, chosen, strict=True) if wanted}
        built.append(_written_out(pattern, written))
    return built


def _written_out(pattern: Pattern, chosen: set[int]) -> Pattern:
    built: list[Item] = []
    for item in pattern:
        if not isinstance(item, Loop):
            built.append(item)
            continue
        body = _written_out(item.body, chosen)
        built.extend(body * 2 if id(item) in chosen else [Loop(body, item.times)])
    return tuple(built)


def merge(left: Pattern, right: Pattern, *, optional: bool = False) -> Pattern | None:
    """One pattern that covers both, or None.

    Tokens must agree in order; a loop of one matches a loop, one or more copies of its body, or nothing, of
    the other. Among the ways the one with fewest loops that match nothing is taken.

    Args:
        left: tokens and loops in order.
        right: the pattern to be covered as well; None too where both together are too long to be aligned.
        optional: tokens that only one of them has become a loop that may be passed by.
    """
    if len(left) + len(right) > _LONGEST_MERGED:
        return None
    if not optional and left and right and (_differ(left[0], right[0]) or _differ(left[-1], right[-1])):
        return None
    return _merged(left, right, optional)


def merge_all(patterns: Iterable[Pattern]) -> Pattern | None:
    """One pattern that covers all, the longest first, with loops for what only some have; None where there is none.

    Args:
        patterns: at least one.
    """

    def join(left: Pattern | None, right: Pattern) -> Pattern | None:
        return None if left is None else merge(left, right, optional=True)

    longest, *others = sorted(patterns, key=lambda each: (-len(each), repr(each)))
    initial: Pattern | None = longest
    return reduce(join, others, initial)


@lru_cache(maxsize=_MERGES_KEPT)
def _merged(left: Pattern, right: Pattern, optional: bool) -> Pattern | None:
    found = _Merger(left, right, optional).from_here(0, 0)
    if found is None:
        return None
    items: list[Item] = []
    while found.rest is not None:
        items.append(found.item)
        found = found.rest
    return tuple(items)


class _Found(NamedTuple):
    """The best way from a place on."""

    cost: int
    """Loops that match nothing."""
    size: int
    """Of the merged items."""
    item: Item = None
    """The first of them."""
    rest: _Found | None = None
    """What follows it; None at the end, where there is no item."""


class _Merger:
    """Alignment of two lists of items by dynamic programming."""

    def __init__(self, left: Pattern, right: Pattern, optional: bool) -> None:
        self._left, self._right, self._optional = left, right, optional
        self.from_here = lru_cache(maxsize=None)(self._from_here)

    def _from_here(self, i: int, j: int) -> _Found | None:
        """Fewest skipped loops, and the smallest merged rest with it, from these places on."""
        left, right = self._left, self._right
        if i == len(left) and j == len(right):
            return _Found(0, 0)
        best: _Found | None = None
        for skipped, item, rest in self._choices(i, j):
            cost = skipped + rest.cost
            size = rest.size + (1 + size_of(item.body) if isinstance(item, Loop) else 1)
            if best is None or (cost, size) < best[:2]:
                best = _Found(cost, size, item, rest)
        if self._optional:
            for end in _ends(left, i):
                best = self._passed(best, left, i, end, self.from_here(end, j))
            for end in _ends(right, j):
                best = self._passed(best, right, j, end, self.from_here(i, end))
        return best

    def _choices(self, i: int, j: int) -> Iterator[tuple[int, Item, _Found]]:
        """Ways to take the next items, but for tokens that only one list has: the cost, the item, and what follows."""
        left, right = self._left, self._right
        a = left[i] if i < len(left) else None
        b = right[j] if j < len(right) else None
        ways: list[tuple[int, Item, int, int]] = []
        if i < len(left) and j < len(right):
            if isinstance(a, Loop) and isinstance(b, Loop):
                body = merge(a.body, b.body)
                if body is not None:
                    ways.append((0, Loop(body), i + 1, j + 1))
            elif a == b:
                ways.append((0, a, i + 1, j + 1))
        if isinstance(a, Loop):
            ways += [(0, loop, i + 1, end) for end, loop in copies(a, right, j)]
            ways.append((1, a, i + 1, j))
        if isinstance(b, Loop):
            ways += [(0, loop, end, j + 1) for end, loop in copies(b, left, i)]
            ways.append((1, b, i, j + 1))
        for cost, item, after_left, after_right in ways:
            rest = self.from_here(after_left, after_right)
            if rest is not None:
                yield cost, item, rest

    def _passed(
        self, best: _Found | None, items: Pattern, at: int, end: int, rest: _Found | None
    ) -> _Found | None:
        """The better of a way and one that makes tokens a loop which may be passed by."""
        if rest is None:
            return best
        cost, size = 1 + rest.cost, 1 + end - at + rest.size
        return (
            _Found(cost, size, Loop(items[at:end]), rest) if best is None or (cost, size) < best[:2] else best
        )


def _ends(items: Pattern, at: int) -> Iterator[int]:
    """Ends of the tokens from a place on, after one, then one more, up to the next loop."""
    for end in range(at + 1, len(items) + 1):
        if isinstance(items[end - 1], Loop):
            return
        yield end


def _differ(one: Item, other: Item) -> bool:
    """Whether two items are different tokens: what begins or ends with them has nothing in common."""
    return one != other and not isinstance(one, Loop) and not isinstance(other, Loop)


def copies(loop: Loop, items: Pattern, at: int) -> Iterable[tuple[int, Loop]]:
    """Places up to which the items are copies of the loop's body, nearest first; loops may stand within.

    Args:
        items: among which copies are looked for.
        at: where the first copy begins.

    Yields:
        Each place, and the loop joined with all copies before it.
    """
    body, start = loop.body, at
    while start < len(items):
        for end in range(start + 1, min(len(items), start + 2 * size_of(body) + 1) + 1):
            piece = items[start:end]
            if _differ(body[0], piece[0]) or _differ(body[-1], piece[-1]):
                continue
            joined = merge(body, piece[0].body if len(piece) == 1 and isinstance(piece[0], Loop) else piece)
            if joined is not None:
                body, start = joined, end
                yield end, Loop(body)
                break
        else:
            return
