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
from functools import lru_cache
from itertools import groupby, pairwise

from froude.mining.shape.alignment import Pattern, Sequence_, merge_all
from froude.mining.shape.parse import Automaton
from froude.mining.shape.segments import Loop, backwards, size_of

_BITS = 4.0
"""Bits of an item: which of some sixteen tokens."""
_NUMBER = 0.5
"""Length of a loop's number that is the same in all rounds of a sequence."""
DRAWN = 0.06
"""Length of a number that differs from round to round beside its entropy, while patterns are looked for: what is drawn
is no prediction."""
_DEVIATION = 2.5
"""Length of a call that is missing or too many: where, and which."""
_DEEPEST = 3
"""Loops within each other that are looked for, beside those of one token."""
_MOST_WORK = 40_000
"""Calls of all parts that are looked at, with the work of merging them, before no more parts are cut."""
_MERGED_AT_ONCE = 64
"""Pairs of items that are merged in the time in which a call is looked at."""
_MOST_CALLS, _MOST_MERGED = 5000, 400
"""Calls of all sequences that are described by one pattern, and items of different parts that are merged."""

Parts = tuple[tuple[int, Sequence_], ...]
"""Each with the number of its sender, shortest first; one sender's parts may be equal."""
Pieces = tuple[int, list[Sequence_]]
"""A sender's number, and a part of it that is cut."""


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
        A length in items of a pattern, to a millionth; infinite where a sequence does not parse.
    """
    return _length(pattern, _parts(enumerate(sequences)), exact=exact, drawn=drawn)


def _length(pattern: Pattern, parts: Parts, *, exact: bool, drawn: float) -> float:
    automaton = Automaton(pattern)
    senders: dict[Sequence_, Counter[int]] = defaultdict(Counter)
    for sender, sequence in parts:
        senders[sequence][sender] += 1
    numbers: dict[int, dict[int, Counter[int]]] = defaultdict(lambda: defaultdict(Counter))
    """Of each loop, how often it ran how many times, by sender."""
    by_round: dict[int, list[tuple[int, ...]]] = defaultdict(list)
    """Of each loop, how often it ran, with the sequence and the round of the loops around it."""
    deviating = 0
    for place, (sequence, of) in enumerate(senders.items()):
        parse = automaton.parse(sequence, exact=exact)
        if parse is None:
            return math.inf
        others = len(parse.missing) + sum(match.element < 0 for match in parse.matches)
        deviating += others * of.total()
        for (loop, rounds), times in automaton.every_round(parse).items():
            by_round[loop].append((times, place, *rounds))
            for sender, often in of.items():
                numbers[loop][sender][times] += often
    # Loops that run equally often in every round have one number.
    own = {(automaton.around(loop), tuple(each)): loop for loop, each in by_round.items()}.values()
    left_open = sum(_open(list(numbers[loop].values()), drawn) for loop in own)
    left_open += _NUMBER * (len(numbers) - len(own))
    # Rounded: sums in another order must not decide between patterns of one length.
    return round(size_of(pattern) + left_open + _DEVIATION * deviating, 6)


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
    distinct = sorted(set(sequences), key=repr)
    if not distinct or sum(map(len, distinct)) > _MOST_CALLS:
        return None
    return _induced(_parts(enumerate(distinct)))


@lru_cache(maxsize=16)
def _induced(parts: Parts) -> Pattern | None:
    """The better of what is found from the beginnings of rounds, and from their ends."""
    reverse = _parts((sender, each[::-1]) for sender, each in parts)
    found = [_Induction(each).pattern(each, _DEEPEST) for each in (parts, reverse)]
    patterns = [] if found[0] is None else [found[0]]
    return _best(patterns if found[1] is None else [*patterns, backwards(found[1])], parts)


def _parts(parts: Iterable[tuple[int, Sequence_]]) -> Parts:
    return tuple(sorted(parts, key=lambda part: (len(part[1]), repr(part[1]), part[0])))


class _Induction:
    def __init__(self, parts: Parts) -> None:
        self._in_a_row = {b for _, each in parts for a, b in pairwise(each) if a == b}
        """Tokens that come several times in a row somewhere: a loop wherever they are."""
        self._known: dict[tuple[Parts, int], Pattern | None] = {}
        self._work = 0
        """Items of all parts for which a pattern was looked for."""

    def pattern(self, parts: Parts, depth: int) -> Pattern | None:
        """The best of all proposals.

        Args:
            parts: whole sequences, or their beginnings, rounds or ends.
            depth: how many loops may still be within each other.
        """
        key = parts, depth
        if key not in self._known:
            self._work += sum(len(part) for _, part in parts)
            self._known[key] = _best(self._proposals(parts, depth), parts)
        return self._known[key]

    def _proposals(self, parts: Parts, depth: int) -> Iterator[Pattern]:
        sequences = tuple(dict.fromkeys(sequence for _, sequence in parts))
        plain = [self._plain(each) for each in sequences]
        merged = sum(map(len, plain))
        if merged <= _MOST_MERGED:
            self._work += merged**2 // _MERGED_AT_ONCE
            whole = merge_all(plain)
            yield from () if whole is None else (whole,)
        for token in self._again(sequences) if depth and self._work < _MOST_WORK else ():
            pieces = [(sender, _cut_at(each, token)) for sender, each in parts]
            yield from self._with_equal_ends(pieces, depth - 1)
            yield from self._with_ends(pieces, depth - 1)

    def _again(self, sequences: tuple[Sequence_, ...]) -> list[Hashable]:
        """Tokens to which some sequence comes back."""
        counts = (Counter(row[0] for row in _rows(each)) for each in sequences)
        return sorted({token for each in counts for token, times in each.items() if times > 1}, key=repr)

    def _with_equal_ends(self, pieces: Sequence[Pieces], depth: int) -> Iterator[Pattern]:
        """Patterns of a beginning, a loop, and of ends that are equal in all sequences."""
        beginning = self._of(((sender, cut[0]) for sender, cut in pieces), depth)
        lasts = [(sender, cut[-1]) for sender, cut in pieces if len(cut) > 1]
        if beginning is None:
            return
        for after in range(1 if len(lasts) < len(pieces) else min(len(last) for _, last in lasts) + 1):
            ends = {last[len(last) - after :] for _, last in lasts}
            if len(ends) > 1:
                return
            rounds = ((sender, last[: len(last) - after]) for sender, last in lasts)
            body = self._of((*_inner(pieces), *rounds), depth)
            if body:
                yield (*beginning, Loop(body), *self._plain(ends.pop()))

    def _with_ends(self, pieces: Sequence[Pieces], depth: int) -> Iterator[Pattern]:
        """A pattern of a beginning, a loop, and of what is left of each last piece after a round."""
        whole = [(sender, cut) for sender, cut in pieces if len(cut) > 1]
        beginning = self._of(((sender, cut[0]) for sender, cut in whole), depth)
        body = self._of(_inner(pieces), depth)
        if beginning is None or not body:
            return
        ends = [(sender, _rest(cut[-1], body)) for sender, cut in whole]
        ends += [(sender, _rest(cut[0], beginning)) for sender, cut in pieces if len(cut) == 1]
        end = self._of(ends, depth)
        if end is not None:
            passed = end and any(not rest for _, rest in ends)
            yield (*beginning, Loop(body), *((Loop(end),) if passed else end))

    def _of(self, parts: Iterable[tuple[int, Sequence_]], depth: int) -> Pattern | None:
        """The best pattern of the parts that are not empty; empty where all are."""
        some = _parts((sender, part) for sender, part in parts if part)
        return self.pattern(some, depth) if some else ()

    def _plain(self, sequence: Sequence_) -> Pattern:
        """A sequence with rows of a token that comes in rows as loops."""
        return tuple(
            item
            for row in _rows(sequence)
            for item in ((Loop(row[:1]),) if row[0] in self._in_a_row else row)
        )


def _best(patterns: Iterable[Pattern], parts: Parts) -> Pattern | None:
    """The pattern with the shortest description by which every part parses; None for none."""
    lengths = {each: _length(each, parts, exact=True, drawn=DRAWN) for each in patterns}
    parsed = [each for each, length in lengths.items() if length < math.inf]
    return min(parsed, default=None, key=lambda each: (lengths[each], _begun(each), repr(each)))


def _rows(sequence: Sequence_) -> list[Sequence_]:
    """The sequence in pieces of one token each."""
    return [tuple(row) for _, row in groupby(sequence)]


def _cut_at(sequence: Sequence_, token: Hashable) -> list[Sequence_]:
    """What comes before the first such token, then each piece that begins with a row of it."""
    pieces: list[Sequence_] = [()]
    for row in _rows(sequence):
        if row[0] == token:
            pieces.append(row)
        else:
            pieces[-1] += row
    return pieces


def _inner(pieces: Iterable[Pieces]) -> list[tuple[int, Sequence_]]:
    """The pieces that are whole rounds, since another one follows."""
    return [(sender, piece) for sender, cut in pieces for piece in cut[1:-1]]


def _rest(sequence: Sequence_, pattern: Pattern) -> Sequence_:
    """What is left of a sequence after the longest part that parses; all of it where none does."""
    automaton = Automaton(pattern)
    ends = range(len(sequence), 0, -1)
    return sequence[next((at for at in ends if automaton.parse(sequence[:at], exact=True)), 0) :]


def _begun(pattern: Pattern) -> int:
    """Loops whose rounds begin with another loop: where all else is equal, a round begins with what it always has."""
    loops = [item for item in pattern if isinstance(item, Loop)]
    return sum(isinstance(loop.body[0], Loop) + _begun(loop.body) for loop in loops)
