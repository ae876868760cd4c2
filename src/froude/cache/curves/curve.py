"""A miss-ratio curve: which part of a VM's reads a cache of each size would not hold.

A step function that never rises, for LRU has the inclusion property: what a cache holds, every larger one holds.
Between two measured sizes the smaller one's ratio stands: where a loop over a file makes a cliff, a cache that ends
half way up gains nothing, and a curve that slopes there would promise what no disk keeps.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from froude.base.errors import InputError

LARGEST = 10**18
"""Bytes that any cache may have: numbers in a solver's arrays have 63 bits."""
MOST_POINTS = 4096
"""Points of a curve; one from outside with more is refused."""
POINTS = 256
"""Points of a curve as it is handed on; what is left out makes a ratio at most 1/254 of its range too high."""


@dataclass(frozen=True, slots=True)
class MissRatioCurve:
    """Miss ratio by size of the cache."""

    sizes_bytes: tuple[int, ...]
    """Ascending from 0 to at most `LARGEST`; at most `MOST_POINTS`."""
    miss_ratio: tuple[float, ...]
    """From each size to the next, 0 to 1, never rising; the first is 1 unless nothing was read."""
    accesses: float
    """Reads that it stands for: how much it counts when curves are merged; 0 where nothing is known."""

    def __post_init__(self) -> None:
        sizes, ratios = self.sizes_bytes, self.miss_ratio
        if len(sizes) != len(ratios) or not 1 <= len(sizes) <= MOST_POINTS:
            raise ValueError(
                f"1 to {MOST_POINTS} sizes, each with a ratio; got {len(sizes)} and {len(ratios)}"
            )
        if sizes[0] != 0 or any(b <= a for a, b in itertools.pairwise(sizes)):
            raise ValueError("sizes ascend from 0")
        if sizes[-1] > LARGEST:
            raise ValueError(f"no cache has {sizes[-1]} bytes")
        if not all(0 <= ratio <= 1 for ratio in ratios):
            raise ValueError("a miss ratio is 0 to 1")
        if any(b > a for a, b in itertools.pairwise(ratios)):
            raise ValueError("a miss ratio never rises with the size")
        if not 0 <= self.accesses < math.inf:
            raise ValueError(f"accesses are 0 or more, got {self.accesses}")

    def at(self, size_bytes: float) -> float:
        """The miss ratio of a cache of a size, 0 to 1.

        Args:
            size_bytes: 0 or more; what lies between two measured sizes has the ratio of the smaller.
        """
        return self.miss_ratio[bisect_right(self.sizes_bytes, size_bytes) - 1]

    def size_for(self, miss_ratio: float) -> int | None:
        """The smallest size in bytes whose miss ratio is at most this one; None where no size reaches it.

        Args:
            miss_ratio: 0 to 1.
        """
        # The ratios descend: the first that is low enough, in log n steps.
        first = bisect_left(self.miss_ratio, True, key=lambda ratio: ratio <= miss_ratio)
        return self.sizes_bytes[first] if first < len(self.sizes_bytes) else None

    @property
    def floor(self) -> float:
        """The miss ratio that no size gets below: first reads of each chunk, as far as they were counted."""
        return self.miss_ratio[-1]

    def working_set_bytes(self, within: float = 0.01) -> int:
        """The smallest size that is as good as any, but for a small part of the reads.

        Args:
            within: that part, 0 to 1.
        """
        size = self.size_for(self.floor + within)
        assert size is not None  # the floor is reached
        return size

    def decayed(self, factor: float) -> Self:
        """The same curve, for a part of its accesses: how much the past counts beside what comes.

        Args:
            factor: 0 to 1; 0.5 after each window halves a window's say with each that follows.
        """
        return type(self)(self.sizes_bytes, self.miss_ratio, self.accesses * factor)

    def merged(self, other: Self) -> Self:
        """The curve of both one's reads, each by its accesses; at most `POINTS` points.

        It is what *one* cache of a size each would miss in both, as of two windows of one VM; two VMs that share a cache
        disturb each other, which no merging shows.
        """
        accesses = self.accesses + other.accesses
        if not accesses:
            return self
        mine = self.accesses / accesses
        sizes = sorted({*self.sizes_bytes, *other.sizes_bytes})
        ratios = [mine * self.at(size) + (1 - mine) * other.at(size) for size in sizes]
        return type(self).of_points(sizes, ratios, accesses)

    @classmethod
    def of_points(
        cls, sizes_bytes: Sequence[int], miss_ratio: Sequence[float], accesses: float, points: int = POINTS
    ) -> Self:
        """A curve of measured points: rounding smoothed, and thinned where there are too many.

        What is left out makes it too high between two points that stay, by less than `1/(points - 2)` of its range.

        Args:
            sizes_bytes: ascending from 0.
            miss_ratio: at each; one outside 0 to 1, or above one before it, is brought there.
            points: the most to keep, 3 or more.
        """
        ratios, lowest = [], 1.0
        for ratio in miss_ratio:
            lowest = min(lowest, max(ratio, 0.0))
            ratios.append(lowest)
        kept = _thinned(ratios, points)
        return cls(tuple(sizes_bytes[i] for i in kept), tuple(ratios[i] for i in kept), accesses)

    @classmethod
    def unknown(cls) -> Self:
        """The curve of a VM of which nothing is known: no cache helps, and any other curve outweighs it."""
        return cls((0,), (1.0,), 0.0)

    @classmethod
    def linear(cls, working_set_bytes: int, accesses: float = 1.0, points: int = POINTS) -> Self:
        """The model of who knows a working set only: each byte of it is read as often as any other.

        Args:
            working_set_bytes: where the last miss goes; 1 or more.
            points: steps from 0 to the working set.
        """
        steps = min(points, working_set_bytes)
        sizes = [working_set_bytes * step // steps for step in range(steps + 1)]
        return cls(tuple(sizes), tuple(1 - size / working_set_bytes for size in sizes), accesses)

    def plain(self) -> dict[str, Any]:
        """Its JSON form, which `of_plain` reads."""
        return {
            "sizes_bytes": list(self.sizes_bytes),
            "miss_ratio": [round(ratio, 6) for ratio in self.miss_ratio],
            "accesses": self.accesses,
        }

    @classmethod
    def of_plain(cls, value: object) -> Self:
        """A curve of its JSON form, as an agent, a cache or a file gives it.

        Args:
            value: what was read; nothing of it is trusted.

        Raises:
            InputError: it is no curve.
        """
        if not isinstance(value, Mapping) or set(value) != _FIELDS:
            found = ", ".join(map(str, value)) if isinstance(value, Mapping) else type(value).__name__
            raise InputError("is no miss-ratio curve", found=found, allowed=", ".join(sorted(_FIELDS)))
        sizes, ratios, accesses = value["sizes_bytes"], value["miss_ratio"], value["accesses"]
        if not (
            _numbers(sizes, (int,)) and _numbers(ratios, (int, float)) and _numbers([accesses], (int, float))
        ):
            raise InputError("has what is no number in a miss-ratio curve", allowed="numbers")
        try:
            return cls(tuple(sizes), tuple(map(float, ratios)), float(accesses))
        except (ValueError, OverflowError) as error:
            raise InputError(f"is no miss-ratio curve: {error}") from error


_FIELDS = frozenset({"sizes_bytes", "miss_ratio", "accesses"})


def _numbers(values: object, kinds: tuple[type, ...]) -> bool:
    return isinstance(values, list) and all(isinstance(v, kinds) and not isinstance(v, bool) for v in values)


def _thinned(ratios: Sequence[float], points: int) -> list[int]:
    """Which of descending ratios to keep: the first, the last drop, and each where enough has been lost since."""
    steps = [0, *(i for i, (a, b) in enumerate(itertools.pairwise(ratios), 1) if b < a)]
    if len(steps) <= points:
        return steps
    least, kept = (ratios[0] - ratios[-1]) / (points - 2), [0]
    for step in steps:
        if ratios[kept[-1]] - ratios[step] >= least:
            kept.append(step)
    return kept if kept[-1] == steps[-1] else [*kept, steps[-1]]
