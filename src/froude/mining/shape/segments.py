"""Repeated segments of a sequence, with the meaning of PatternMiner's Algorithm 1, in near-linear time.

Algorithm 1 cuts the sequence into chunks of every size at every offset, records each row of equal neighbours,
drops duplicates with equal or smaller coverage, and picks without overlap by coverage (length times number),
then by shorter chunk. It costs O(n³). A row of equal chunks of size p is a stretch in which every element
equals the one p later, and a stretch of at least 2p has a pair (kp, kp+p) inside it; so looking at those
pairs alone, n/p of them, with the longest common extension to both sides, finds every row: n·ln n pairs in
all. Extensions come from ranks of substrings of length 2^k (prefix doubling), which are exact: there is no
hash to collide.

`fold` builds the nested pattern from it: bodies are folded again, and so is the sequence in which each loop
counts as one element.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

_BATCH = 1 << 19
"""Pairs looked at in one go: bounds memory to some 30 MB."""


@dataclass(frozen=True, slots=True, order=True)
class Segment:
    """A chunk that is repeated without a gap."""

    start: int
    """Where the first copy begins."""
    size: int
    """Elements of a copy."""
    times: int
    """Number of copies, at least 2."""

    @property
    def end(self) -> int:
        """Where the last copy ends."""
        return self.start + self.size * self.times

    @property
    def coverage(self) -> int:
        """Elements covered: what Algorithm 1 ranks by."""
        return self.size * self.times


def repeated_segments(sequence: Sequence[Hashable]) -> list[Segment]:
    """The segments that Algorithm 1 picks, in order of place; O(n log² n).

    Args:
        sequence: n elements, compared by equality.

    Returns:
        Segments that do not overlap; what lies between them is static.

    Source:
        PatternMiner, Algorithm 1; runs through extensions at multiples of the period after Main and Lorentz.
    """
    return choose(_rows(_numbers(sequence)))


def choose(candidates: Sequence[Segment]) -> list[Segment]:
    """Algorithm 1's greedy choice: by coverage, then shorter chunk, then place; none overlaps another."""
    starts: list[int] = []
    chosen: list[Segment] = []
    for segment in sorted(candidates, key=lambda c: (-c.coverage, c.size, c.start)):
        at = bisect_left(starts, segment.start)
        if at < len(chosen) and chosen[at].start < segment.end:
            continue
        if at > 0 and chosen[at - 1].end > segment.start:
            continue
        starts.insert(at, segment.start)
        chosen.insert(at, segment)
    return chosen


def _numbers(sequence: Sequence[Hashable]) -> Ints:
    names: dict[Hashable, int] = {}
    return np.fromiter((names.setdefault(item, len(names)) for item in sequence), np.int64, len(sequence))


def _rows(numbers: Ints) -> list[Segment]:
    """One segment for each maximal row of equal chunks: leftmost, so of greatest coverage for its size."""
    n = len(numbers)
    if n < 2:
        return []
    forward, backward = _Extension(numbers), _Extension(numbers[::-1].copy())
    repeats: set[tuple[int, int, int]] = set()
    first = 1
    while first <= n // 2:
        last = first
        pairs = 0
        while last <= n // 2 and (pairs < _BATCH or last == first):
            pairs += (n - 1) // last
            last += 1
        left = np.concatenate([np.arange(0, n - p, p, dtype=np.int64) for p in range(first, last)])
        size = np.concatenate(
            [np.full(len(range(0, n - p, p)), p, dtype=np.int64) for p in range(first, last)]
        )
        right = left + size
        # Most pairs agree neither here nor one before: they are dropped before any extension.
        near = (numbers[left] == numbers[right]) | ((left > 0) & (numbers[left - 1] == numbers[right - 1]))
        left, right, size = left[near], right[near], size[near]
        ahead = forward.length(left, right)
        behind = backward.length(n - left, n - right)  # elements before left and before right that agree
        wide = ahead + behind >= size
        begin, stop, step = (left - behind)[wide], (right + ahead)[wide], size[wide]
        repeats.update(zip(begin.tolist(), step.tolist(), ((stop - begin) // step).tolist(), strict=True))
        first = last
    return [Segment(*row) for row in repeats]


class _Extension:
    """How far two places of a sequence agree to the right, for many pairs at once."""

    def __init__(self, numbers: Ints) -> None:
        self._n = len(numbers)
        self._ranks = [numbers]
        while 1 << len(self._ranks) <= self._n // 2:
            self._ranks.append(_doubled(self._ranks[-1], 1 << (len(self._ranks) - 1)))

    def length(self, left: Ints, right: Ints) -> Ints:
        """Common elements from `left` and `right` on, capped where either ends; O(log n) steps."""
        a, b = left.copy(), right.copy()
        for level in range(len(self._ranks) - 1, -1, -1):
            ranks, width = self._ranks[level], 1 << level
            repeat = 2 if level == len(self._ranks) - 1 else 1
            for _ in range(repeat):
                fits = np.maximum(a, b) + width <= self._n
                same = np.zeros(len(a), dtype=bool)
                same[fits] = ranks[a[fits]] == ranks[b[fits]]
                if not same.any():
                    break
                a[same] += width
                b[same] += width
        return a - left


def _doubled(ranks: Ints, width: int) -> Ints:
    """Ranks of substrings twice as long."""
    pairs = ranks[:-width] * (int(ranks.max()) + 1) + ranks[width:]
    numbered: Ints = np.unique(pairs, return_inverse=True)[1].astype(np.int64)
    return numbered


# --- nested patterns --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Loop:
    """A body that is repeated, whatever the number of times."""

    body: tuple[Item, ...]
    times: int = field(default=0, compare=False, repr=False)
    """How often it ran where it was found; 0 where it was joined from several places. No part of its identity."""


Item = Loop | Hashable
Finder = Callable[[Sequence[Hashable]], list[Segment]]


def fold(sequence: Sequence[Item], find: Finder = repeated_segments) -> tuple[Item, ...]:
    """The sequence as a nested pattern: each repeated segment a `Loop`, its body folded again.

    Args:
        sequence: tokens, or items of an earlier fold.
        find: which segments to take at each level.
    """
    items = tuple(sequence)
    while True:
        segments = find(items)
        folded: list[Item] = []
        at = 0
        for segment in segments:
            folded.extend(items[at : segment.start])
            body = fold(items[segment.start : segment.start + segment.size], find)
            folded.append(_loop(body, segment.times))
            at = segment.end
        folded.extend(items[at:])
        folded = _absorbed(folded)
        if len(folded) == len(items):
            return tuple(folded)
        items = tuple(folded)


def shortest_first(sequence: Sequence[Hashable]) -> list[Segment]:
    """Only the segments of the smallest chunk: inner loops before outer ones, whose counts may differ."""
    rows = _rows(_numbers(sequence))
    smallest = min((row.size for row in rows), default=0)
    return choose([row for row in rows if row.size == smallest])


def _loop(body: tuple[Item, ...], times: int) -> Loop:
    return Loop(body[0].body) if len(body) == 1 and isinstance(body[0], Loop) else Loop(body, times)


def _absorbed(items: Sequence[Item]) -> list[Item]:
    """Loops joined with equal neighbours: another such loop, or one more copy of the body."""
    folded: list[Item] = []
    at = 0
    while at < len(items):
        item = items[at]
        at += 1
        if isinstance(item, Loop):
            width = len(item.body)
            before = (len(folded), at)
            while tuple(folded[-width:]) == item.body:
                del folded[-width:]
            if folded and folded[-1] == item:
                folded.pop()
            while at < len(items) and (items[at] == item or tuple(items[at : at + width]) == item.body):
                at += 1 if items[at] == item else width
            item = item if before == (len(folded), at) else Loop(item.body)
        folded.append(item)
    return folded


def size_of(items: Sequence[Item]) -> int:
    """Elements of a pattern written down once: what a shorter description minimises."""
    return sum(1 + size_of(item.body) if isinstance(item, Loop) else 1 for item in items)


def backwards(items: Sequence[Item]) -> tuple[Item, ...]:
    """The pattern of the reversed sequences."""
    return tuple(Loop(backwards(item.body)) if isinstance(item, Loop) else item for item in items[::-1])
