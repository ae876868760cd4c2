"""Patterns of senders whose rounds differ: which calls come in every round, and which in some.

Folding finds rounds that are equal, and loops whose numbers alone differ. A program with a branch in its loop
(`mkdirs` at every third file, a `delete` after an attempt that failed) has neither. Here the sequences are cut
before each occurrence of one token, the pieces before the first cut and those after it are each described in the
same way, and what only some pieces have becomes a loop that may be passed by. Of all tokens the one is taken that
gives the shortest description: the pattern's own length, and what it leaves open (minimum description length, after
Rissanen).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise

from froude.mining.shape.alignment import Pattern, Sequence_, merge_all
from froude.mining.shape.parse import Automaton
from froude.mining.shape.segments import Loop, size_of

_BITS = 4.0
"""Bits of an item: which of some sixteen tokens."""
_NUMBER = 0.5
"""Length of a loop's number that is the same in all rounds of a sequence."""
_DRAWN = 0.12
"""Length of a number that differs from round to round beside its entropy, while patterns are looked for: what is drawn
is no prediction."""
_DEVIATION = 2.5
"""Length of a call that is missing or too many: where, and which."""
_DEEPEST = 3
"""Loops within each other that are looked for, beside those of one token."""
_MOST_CALLS, _MOST_MERGED = 5000, 60
"""Calls of all sequences, and different pieces, that are described by one pattern."""


def description_length(
    pattern: Pattern, sequences: Iterable[Sequence_], *, exact: bool = False, drawn: float = 0.0
) -> float:
    """How long a pattern is, with the numbers of its loops that it leaves open and the calls that deviate from it.

    A loop that runs equally often in all rounds of a sequence has one number for each sequence that differs.

    Args:
        pattern: items of each sequence, in order.
        sequences: each once.
        exact: whether no call may deviate.
        drawn: the length of a number that differs from round to round, beside its entropy.

    Returns:
        A length in items of a pattern; infinite where a sequence does not parse.
    """
    automaton = Automaton(pattern)
    numbers: dict[int, list[Counter[int]]] = defaultdict(list)
    """Of each loop, how often it ran how many times, by sequence."""
    deviating = 0
    for sequence in sequences:
        parse = automaton.parse(sequence, exact=exact)
        if parse is None:
            return math.inf
        deviating += len(parse.missing) + sum(match.element < 0 for match in parse.matches)
        here: dict[int, Counter[int]] = defaultdict(Counter)
        for (loop, _), times in automaton.every_round(parse).items():
            here[loop][times] += 1
        for loop, seen in here.items():
            numbers[loop].append(seen)
    return size_of(pattern) + sum(_open(seen, drawn) for seen in numbers.values()) + _DEVIATION * deviating


def _open(seen: Sequence[Counter[int]], drawn: float) -> float:
    """The length of a loop's numbers."""
    if all(len(each) == 1 for each in seen):
        return _NUMBER * len({times for each in seen for times in each})
    totals = sum(seen, Counter[int]())
    entropy = sum(often * math.log2(totals.total() / often) for often in totals.values())
    return entropy / _BITS + drawn * totals.total()


def induce(sequences: Iterable[Sequence_]) -> Pattern | None:
    """The shortest description of sequences by loops and by parts that some rounds lack.

    Args:
        sequences: tokens of each sender. The work grows with the square of their length, and with the number of
            different tokens.

    Returns:
        A pattern by which every sequence parses; None where they are too long, or too different.
    """
    distinct = _distinct(sequences)
    if not distinct or sum(map(len, distinct)) > _MOST_CALLS:
        return None
    return _Induction(distinct).pattern(distinct, _DEEPEST)


def _distinct(sequences: Iterable[Sequence_]) -> tuple[Sequence_, ...]:
    return tuple(sorted(set(sequences), key=lambda each: (len(each), repr(each))))


class _Induction:
    def __init__(self, sequences: Sequence[Sequence_]) -> None:
        self._in_a_row = {b for each in sequences for a, b in pairwise(each) if a == b}
        """Tokens that come several times in a row somewhere: a loop wherever they are."""
        self._known: dict[tuple[tuple[Sequence_, ...], int], Pattern | None] = {}

    def pattern(self, sequences: tuple[Sequence_, ...], depth: int) -> Pattern | None:
        """The best of all proposals.

        Args:
            sequences: each once, shortest first.
            depth: how many loops may still be within each other.
        """
        key = sequences, depth
        if key not in self._known:
            found = {
                pattern: description_length(pattern, sequences, exact=True, drawn=_DRAWN)
                for pattern in self._proposals(sequences, depth)
            }
            best = min(found, default=(), key=lambda each: (round(found[each], 6), _begun(each), repr(each)))
            self._known[key] = best if found.get(best, math.inf) < math.inf else None
        return self._known[key]

    def _proposals(self, sequences: tuple[Sequence_, ...], depth: int) -> Iterator[Pattern]:
        if len(sequences) <= _MOST_MERGED:
            plain = merge_all(map(self._plain, sequences))
            if plain is not None:
                yield plain
        for token in self._again(sequences) if depth else ():
            pieces = [_cut_at(each, token) for each in sequences]
            yield from self._with_equal_ends(pieces, depth - 1)
            yield from self._with_ends(pieces, depth - 1)

    def _again(self, sequences: tuple[Sequence_, ...]) -> list[Hashable]:
        """Tokens to which some sequence comes back."""
        counts = (Counter(row[0] for row in _rows(each)) for each in sequences)
        return sorted({token for each in counts for token, times in each.items() if times > 1}, key=repr)

    def _with_equal_ends(self, pieces: Sequence[Sequence[Sequence_]], depth: int) -> Iterator[Pattern]:
        """Patterns of a beginning, a loop, and of ends that are equal in all sequences."""
        beginning = self._of((piece[0] for piece in pieces), depth)
        lasts = [piece[-1] for piece in pieces if len(piece) > 1]
        if beginning is None:
            return
        for after in range(1 if len(lasts) < len(pieces) else min(map(len, lasts)) + 1):
            ends = {last[len(last) - after :] for last in lasts}
            if len(ends) > 1:
                return
            rounds = [*_inner(pieces), *(last[: len(last) - after] for last in lasts)]
            body = self._of(filter(None, rounds), depth)
            if body:
                yield (*beginning, Loop(body), *self._plain(ends.pop()))

    def _with_ends(self, pieces: Sequence[Sequence[Sequence_]], depth: int) -> Iterator[Pattern]:
        """A pattern of a beginning, a loop, and of what is left of each last piece after a round."""
        rounds = [piece for piece in pieces if len(piece) > 1]
        beginning, body = self._of((each[0] for each in rounds), depth), self._of(_inner(pieces), depth)
        if beginning is None or not body:
            return
        ends = {_rest(each[-1], body) for each in rounds}
        ends |= {_rest(each[0], beginning) for each in pieces if len(each) == 1}
        end = self._of(filter(None, ends), depth)
        if end is not None:
            yield (*beginning, Loop(body), *((Loop(end),) if end and () in ends else end))

    def _of(self, sequences: Iterable[Sequence_], depth: int) -> Pattern | None:
        """The best pattern of parts; empty where all are."""
        distinct = _distinct(sequences)
        return self.pattern(distinct, depth) if any(distinct) else ()

    def _plain(self, sequence: Sequence_) -> Pattern:
        """A sequence with rows of a token that comes in rows as loops."""
        return tuple(
            item
            for row in _rows(sequence)
            for item in ((Loop(row[:1]),) if row[0] in self._in_a_row else row)
        )


def _rows(sequence: Sequence_) -> list[Sequence_]:
    """The sequence in pieces of one token each."""
    bounds = [at for at in range(1, len(sequence)) if sequence[at] != sequence[at - 1]]
    return [sequence[a:b] for a, b in pairwise([0, *bounds, len(sequence)]) if a < b]


def _cut_at(sequence: Sequence_, token: Hashable) -> list[Sequence_]:
    """What comes before the first such token, then each piece that begins with a row of it."""
    pieces: list[Sequence_] = [()]
    for row in _rows(sequence):
        if row[0] == token:
            pieces.append(row)
        else:
            pieces[-1] += row
    return pieces


def _inner(pieces: Iterable[Sequence[Sequence_]]) -> list[Sequence_]:
    """The pieces that are whole rounds, since another one follows."""
    return [piece for each in pieces for piece in each[1:-1]]


def _rest(sequence: Sequence_, pattern: Pattern) -> Sequence_:
    """What is left of a sequence after the longest part that parses; all of it where none does."""
    automaton = Automaton(pattern)
    ends = range(len(sequence), 0, -1)
    return sequence[next((at for at in ends if automaton.parse(sequence[:at], exact=True)), 0) :]


def _begun(pattern: Pattern) -> int:
    """Loops whose rounds begin with another loop: where all else is equal, a round begins with what it always has."""
    loops = [item for item in pattern if isinstance(item, Loop)]
    return sum(isinstance(loop.body[0], Loop) + _begun(loop.body) for loop in loops)
