"""Patterns whose rounds differ from each other in turn: a longer file by day than by night, a clean-up every third time.

Folding finds a round of two where every second one differs, and no loop where it is the job's length that decides after
which of them it ends. Here the unequal halves of such a round become one, with loops for what only one of them has. How
often those run must then follow from the round (from the fourth round on, every fourth time), or it is no pattern.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from froude.base.units import Quantity
from froude.mining.counts import LARGEST_GROUP, fit_count
from froude.mining.shape.alignment import Pattern, Sequence_, best_of, copies, folds, merge_all, proposed
from froude.mining.shape.induction import description_length, induce
from froude.mining.shape.parse import Automaton
from froude.mining.shape.segments import Loop, backwards, fold, size_of
from froude.workload.scale import Count

_LOOKED_AT = 3
"""Sequences, the longest, from which patterns are made."""
_MANY_PLACES = 3
"""Places of one token in a pattern before it is asked whether they are one."""
_MUCH_SHORTER = 0.7
"""Of a pattern's size that one with unlike rounds must have, before it is believed instead."""
_MOST_EARLY = 9
"""First rounds that may be written out, since something begins after them."""
_LONGEST_CUT = 2000
"""Calls of the longest sequence that is cut into rounds."""
_LONGEST_ROUND = 80
"""Items of a round whose halves are joined."""


Rank = Callable[[Pattern], int]
"""How ill a pattern suits what the calls are about; of equal patterns that with the lowest is taken."""
FEWEST_ROUNDS = 6
"""Different rounds that must have been seen before a number may follow from them: fewer would fit by chance."""
_FEWEST_AFTER = 3
"""Rounds with a call after those that were without, before it is said to begin there."""
_FEWEST_GROUPS = 2
"""Whole groups of rounds that must have been seen before they are believed."""


def fit_rounds(points: Sequence[tuple[Mapping[str, int], int]]) -> Count | None:
    """A loop's number from the round of one of the loops around it, the innermost that decides it.

    Args:
        points: rounds of the loops around it by their ids, outermost first, and how often it ran then.

    Returns:
        The number, which holds the id of that loop; None where none fits every point.
    """
    for loop in reversed(list(points[0][0]) if points else []):
        by_round: dict[int, int] = {}
        decided = all(by_round.setdefault(rounds[loop], times) == times for rounds, times in points)
        if not decided or len(by_round) < FEWEST_ROUNDS or len(set(by_round.values())) < 2:
            continue
        for count in _counts(loop, by_round):
            if all(count.whole_at({loop: Quantity(float(n))}) == times for n, times in by_round.items()):
                return count
    return None


def fit_first(points: Sequence[tuple[Mapping[str, int], int]]) -> Count | None:
    """A loop's number that is 1 in the first rounds of all loops around it, and 0 from then on.

    Args:
        points: as for `fit_rounds`.
    """
    if not points or any(times != (not any(rounds.values())) for rounds, times in points):
        return None
    return Count(1.0, dict.fromkeys(points[0][0], -1.0))


def _counts(loop: str, by_round: Mapping[int, int]) -> Iterator[Count]:
    """What may be right, simplest first."""
    without = [number for number, times in by_round.items() if not times]
    after = [number for number, times in by_round.items() if times]
    if without and len(after) >= _FEWEST_AFTER and max(without) < min(after):
        times = by_round[after[0]]
        yield Count(float(-times * (min(after) - 1)), {loop: float(times)}, float(times))
    if after and len(without) >= _FEWEST_AFTER and max(after) < min(without):
        times = by_round[after[0]]
        yield Count(float(times * (max(after) + 1)), {loop: float(-times)}, float(times))
    yield from _in_turn(loop, by_round)
    line = fit_count([({loop: Quantity(float(n))}, float(times)) for n, times in by_round.items()])
    if line.count is not None and line.sure:
        yield line.count


def _in_turn(loop: str, by_round: Mapping[int, int]) -> Iterator[Count]:
    """Two numbers that take turns: at some rounds of every group, which lie side by side, it is the other one.

    From `(L1+3)//4 - L1//4` follows 1 in the last three of every four rounds, 0 in the first.
    """
    for size in range(2, min(LARGEST_GROUP, (max(by_round) + 1) // _FEWEST_GROUPS) + 1):
        table = {number % size: times for number, times in by_round.items()}
        if len(table) < size or len(set(table.values())) != 2:
            continue
        usual = table[0]
        others = [place for place in range(size) if table[place] != usual]
        if others != list(range(others[0], others[-1] + 1)):
            continue
        more = float(table[others[0]] - usual)
        if size == 2:
            yield Count(float(usual), {f"{loop}%2": more})
            continue
        begun, ended = size - others[0], size - 1 - others[-1]
        yield Count(float(usual), {_moved(loop, begun, size): more, _moved(loop, ended, size): -more})


def _moved(loop: str, plus: int, size: int) -> str:
    return f"({loop}+{plus})//{size}" if plus else f"{loop}//{size}"


def unify_decided(sequences: Iterable[Sequence_], rank: Rank | None = None) -> Pattern | None:
    """The pattern by which every sequence parses; where there is one, one whose loops run as often as their place says.

    A shorter pattern may cover all sequences by loops that run now twice and now five times: where another one says
    why, that one holds elsewhere, too.

    Args:
        sequences: tokens of each sender, of all nodes and scales.
        rank: decides between ways to cut a job into rounds.

    Returns:
        The pattern, or None if the sequences do not follow one.
    """
    distinct = sorted(set(sequences), key=lambda s: (len(s), repr(s)))
    proposals = proposed(distinct)
    plain = best_of(proposals, distinct)
    if plain is not None and _is_decided(plain, distinct):
        return _shorter(plain, distinct, rank)
    for sequence in distinct[-_LOOKED_AT:]:
        for pattern in folds(sequence):
            proposals.update(_with_joined_rounds(pattern))
    if plain is not None:
        proposals |= {apart for pattern in proposals for apart in _with_a_round_apart(pattern)}
    decided = best_of((pattern for pattern in proposals if _is_decided(pattern, distinct)), distinct)
    if decided is not None:
        return _shorter(decided, distinct, rank)
    cut = _cut_into_rounds(distinct, rank)
    if cut is not None or plain is None:
        return cut
    return min(
        (each for each in (plain, induce(distinct)) if each is not None),
        key=lambda pattern: description_length(pattern, distinct),
    )


def _shorter(pattern: Pattern, sequences: Sequence[Sequence_], rank: Rank | None) -> Pattern:
    """A much shorter pattern, where some token has many places in this one: they may be unlike rounds of one loop."""
    places = Counter(Automaton(pattern).tokens)
    if len(sequences) < 2 or max(places.values(), default=0) < _MANY_PLACES:
        return pattern
    cut = _cut_into_rounds(sequences, rank)
    return pattern if cut is None or size_of(cut) > _MUCH_SHORTER * size_of(pattern) else cut


def _cut_into_rounds(sequences: Sequence[Sequence_], rank: Rank | None) -> Pattern | None:
    """A decided pattern of one loop whose rounds begin with some token: where several periods meet, nothing repeats.

    What some rounds have more may stand before what all have, or after it: the calls say which.

    Args:
        sequences: each once, shortest first.
        rank: of patterns that suit as well.
    """
    if not sequences or len(sequences[-1]) > _LONGEST_CUT:
        return None
    shortest = Counter(sequences[0])
    for token, times in Counter(sequences[-1]).items():
        if times >= FEWEST_ROUNDS and shortest[token] > 1:
            pieces = [[fold(piece) for piece in _cut_at(sequence, token)] for sequence in sequences]
            found = [_first_decided(pieces, sequences, late=late) for late in (False, True)]
            decided = [pattern for pattern in found if pattern is not None]
            if decided:
                return min(decided, key=rank) if rank is not None else decided[0]
    return None


def _first_decided(
    pieces: Sequence[Sequence[Pattern]], sequences: Sequence[Sequence_], *, late: bool
) -> Pattern | None:
    """The decided pattern with the fewest early rounds written out."""
    tried = (p for early in range(1, _MOST_EARLY + 1) for p in _with_tails(pieces, early, late=late))
    return next((pattern for pattern in tried if _is_decided(pattern, sequences)), None)


def _cut_at(items: Pattern, token: Hashable) -> list[Pattern]:
    """What comes before the first such token, then each round from one to the next."""
    bounds = [0, *(at for at, item in enumerate(items) if item == token), len(items)]
    return [items[begin:end] for begin, end in pairwise(bounds)]


def _with_tails(pieces: Sequence[Sequence[Pattern]], early: int, *, late: bool) -> Iterator[Pattern]:
    """Patterns of a beginning, with so many pieces written out, a loop, and what may come after its last round."""
    beginnings = {tuple(item for piece in listed[:early] for item in piece) for listed in pieces}
    lasts = [listed[-1] for listed in pieces]
    if len(beginnings) > 1 or early >= min(map(len, pieces)):
        return
    (beginning,) = beginnings
    whole = {piece for listed in pieces for piece in listed[early:-1]}
    for after in range(min(map(len, lasts))):
        tails = {last[len(last) - after :] for last in lasts}
        if len(tails) > 1:
            return
        rounds = whole | {last[: len(last) - after] for last in lasts}
        body = merge_all(map(backwards, rounds) if late else rounds)
        if body is not None:
            yield (*beginning, Loop(backwards(body) if late else body), *tails.pop())


def _with_a_round_apart(pattern: Pattern) -> Iterator[Pattern]:
    """The pattern with the first or the last round of one of its loops written out: what it does once is no loop's."""
    for at, item in enumerate(pattern):
        if isinstance(item, Loop) and len(item.body) > 1:
            loop = Loop(item.body)
            yield (*pattern[:at], *item.body, loop, *pattern[at + 1 :])
            yield (*pattern[:at], loop, *item.body, *pattern[at + 1 :])


def _with_joined_rounds(pattern: Pattern) -> Iterator[Pattern]:
    """The pattern with the unlike rounds within one of its loops joined, and as many of those that follow it."""
    for at, item in enumerate(pattern):
        if not isinstance(item, Loop) or len(item.body) > _LONGEST_ROUND:
            continue
        for cut, token in enumerate(item.body):
            # A round may begin anywhere in the loop that was found: what stands before it is of the round before.
            body = item.body[cut:] + item.body[:cut]
            joined = _joined(body, token)
            if joined is None:
                continue
            before = pattern[:at] + item.body[:cut]
            after = (body if cut else ()) + pattern[at + 1 :]
            yield (*before, Loop(joined), *after)
            yield from ((*before, loop, *after[end:]) for end, loop in copies(Loop(joined), after, 0))


def _joined(body: Pattern, first: Hashable) -> Pattern | None:
    """The rounds of a body as one, each from where the token stands with which it begins; None for fewer than two."""
    _, *rounds = _cut_at(body, first)
    return None if len(rounds) < 2 or isinstance(first, Loop) else merge_all(rounds)


def _is_decided(pattern: Pattern, sequences: Sequence[Sequence_]) -> bool:
    """Whether every sequence parses, and each loop within another runs alike in all its rounds or by their number."""
    automaton = Automaton(pattern)
    runs: dict[int, list[tuple[Mapping[str, int], int]]] = {loop: [] for loop in range(automaton.loops)}
    alike = dict.fromkeys(runs, True)
    for sequence in sequences:
        parse = automaton.parse(sequence, exact=True)
        if parse is None:
            return False
        times_of: dict[int, set[int]] = {loop: set() for loop in runs}
        for (loop, place), times in automaton.every_round(parse).items():
            names = map(str, automaton.around(loop))
            runs[loop].append((dict(zip(names, place, strict=True)), times))
            times_of[loop].add(times)
        alike = {loop: alike[loop] and len(times) < 2 for loop, times in times_of.items()}
    return all(alike[loop] or fit_rounds(points) is not None for loop, points in runs.items())
