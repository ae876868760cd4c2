"""A miss-ratio curve measured while a cache works, from the few chunks whose number falls below a threshold.

An LRU cache of c chunks hits a read exactly if fewer than c other chunks were touched since the last one (Mattson's
stack distance). SHARDS keeps the stack of a sample only: chunks whose hash is below a threshold, a fixed part R of all;
distances in the sample, divided by R, are those of all. Both forms are here: R as given, and R lowered whenever the
sample outgrows its bound, which makes memory and time fixed. At R = 1 without a bound the curve is exact.

Three things change a cache: a *read* is counted and brings the chunk to the top; a *touch* (a write that stays in the
cache) brings it there uncounted, for a write-through cache gains nothing by hitting it; a *drop* (trim) leaves a hole
that the next chunk from below fills, as a freed slot is filled.

Source: Waldspurger et al., Efficient MRC Construction with SHARDS, FAST 2015 (with their adjustment by the number of
samples expected); holes are ours.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left, insort
from collections import OrderedDict

from froude.cache.curves.curve import POINTS, MissRatioCurve

SAMPLES = 4096
"""Chunks in a sample, by default: up to that many are measured exactly, more with an error of one or two hundredths."""
CAUTIOUS = 2.0
"""Standard deviations by which sizes are shown larger: enough for 39 of 40 cliffs."""
_ALL = 1 << 64
_MASK = _ALL - 1
_MIX, _MIX_AGAIN = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
"""Odd numbers without pattern: the golden ratio's, and Rapoport's for mixing 64 bits."""
_BINS = 4096
"""Distances told apart: when a larger one comes, pairs of neighbours become one."""


class Shards:
    """The reads of one cache, sampled; its calls are cheap enough for every read."""

    __slots__ = (
        "_accesses",
        "_bins",
        "_clock",
        "_counts",
        "_deepest",
        "_holes",
        "_horizon",
        "_offset",
        "_sampled",
        "_samples",
        "_seen",
        "_stamps",
        "_threshold",
        "_width",
    )

    def __init__(
        self,
        rate: float = 1.0,
        *,
        samples: int | None = SAMPLES,
        horizon: int | None = None,
        bins: int | None = _BINS,
        seed: int = 0,
    ) -> None:
        """An empty stack.

        Args:
            rate: part of all chunks that is sampled at first, above 0 to 1.
            samples: most chunks to keep, 16 or more; beyond, the rate falls by a sixteenth. None for no bound.
            horizon: largest cache of interest in chunks: what lies deeper is forgotten, so that one scan of a large disk
                does not lower the rate for ever. None to forget nothing.
            bins: most distances to tell apart; None for all, with memory for all.
            seed: of the hash; any integer. Caches of the same seed sample the same chunks.
        """
        if (
            not 0 < rate <= 1
            or (samples is not None and samples < 16)
            or (horizon is not None and horizon < 1)
        ):
            raise ValueError("a rate above 0 to 1, 16 samples or more, a horizon of a chunk or more")
        self._threshold = round(rate * _ALL)
        self._offset = (seed * 0xA0761D6478BD642F + 0xE7037ED1A0B428DB) & _MASK
        self._samples, self._horizon, self._bins = samples, horizon, bins
        self._deepest = self._depth()
        self._accesses = 0.0  # reads, sampled or not
        self._sampled = 0.0  # weight of those sampled: an estimate of the same
        self._counts: dict[int, float] = {}  # weight by distance in bins; reads of nothing known are in none
        self._width = 1  # chunks of a bin
        self._clock = itertools.count()
        self._seen: OrderedDict[int, int] = (
            OrderedDict()
        )  # chunk -> when it was last touched; the oldest first
        self._stamps: list[int] = []  # of chunks and holes, ascending: the stack, its top last
        self._holes: list[int] = []  # their stamps, ascending

    @property
    def rate(self) -> float:
        """Part of the chunks that is sampled now, 0 to 1."""
        return self._threshold / _ALL

    @property
    def accesses(self) -> float:
        """Reads counted; fewer than there were where they have been decayed."""
        return self._accesses

    def access(self, chunk: int) -> None:
        """A read of a chunk; most of them only cost the hash.

        Args:
            chunk: its number, 0 or more.
        """
        self._accesses += 1
        mixed = (chunk * _MIX + self._offset) & _MASK
        if ((mixed ^ (mixed >> 32)) * _MIX_AGAIN) & _MASK >= self._threshold:
            return
        weight = _ALL / self._threshold
        self._sampled += weight
        above = self._to_top(chunk)
        if above is not None:
            distance = -(-int(above * weight + 1) // self._width)
            self._counts[distance] = self._counts.get(distance, 0.0) + weight
            if self._bins is not None and distance > self._bins:
                self._fold()

    def touch(self, chunk: int) -> None:
        """A write of a chunk that is in the cache from then on."""
        if self._hash(chunk) < self._threshold:
            self._to_top(chunk)

    def drop(self, chunk: int) -> None:
        """A chunk that has left the cache for another reason than age: trimmed, or zeroed."""
        stamp = self._seen.pop(chunk, None)
        if stamp is not None:
            insort(self._holes, stamp)

    def decay(self, factor: float) -> None:
        """Let what was counted count less from now on; the stack, and so the next distances, stay.

        Args:
            factor: 0 to 1; 0 begins a new window.
        """
        self._accesses *= factor
        self._sampled *= factor
        self._counts = {distance: n * factor for distance, n in self._counts.items()} if factor else {}

    def curve(self, chunk_bytes: int, points: int = POINTS, cautious: float = CAUTIOUS) -> MissRatioCurve:
        """What was measured so far; n log n in the number of distances told apart.

        Args:
            chunk_bytes: size of a chunk; 1 or more.
            cautious: standard deviations of the sampling error by which sizes are shown larger. A loop's curve is a
                cliff, and a cache that ends a little before it hits nothing. 0 for the likeliest curve.
        """
        if not self._accesses:
            return MissRatioCurve.unknown()
        # The sample's reads are more or fewer than expected, mostly for hot chunks that are in it or not: these hit in
        # every cache, so what is missing is added, and what is too much taken off, at the smallest distance.
        hits = self._accesses - self._sampled
        sizes, ratios = [0], [1.0]
        unsampled = (1 - self.rate) / self.rate  # variance of a distance for each chunk of it
        for distance in sorted(self._counts):
            hits += self._counts[distance]
            chunks = distance * self._width
            sizes.append(math.ceil(chunks + cautious * math.sqrt(chunks * unsampled)) * chunk_bytes)
            ratios.append(1 - hits / self._accesses)
        return MissRatioCurve.of_points(sizes, ratios, self._accesses, points)

    def _hash(self, chunk: int) -> int:
        mixed = (chunk * _MIX + self._offset) & _MASK
        return ((mixed ^ (mixed >> 32)) * _MIX_AGAIN) & _MASK

    def _to_top(self, chunk: int) -> int | None:
        """Bring a sampled chunk to the top; how many lay above it, None where it was not in the stack."""
        stamps, stamp, above = self._stamps, self._seen.get(chunk), None
        if stamp is not None:
            at = bisect_left(stamps, stamp)
            above = len(stamps) - at - 1
            self._seen.move_to_end(chunk)
        if self._holes and (stamp is None or self._holes[-1] > stamp):
            # the highest hole above it is filled, and its own place becomes the hole
            hole = self._holes.pop()
            del stamps[bisect_left(stamps, hole)]
            if stamp is not None:
                insort(self._holes, stamp)
        elif stamp is not None:
            del stamps[at]
        self._seen[chunk] = now = next(self._clock)
        stamps.append(now)
        self._bound()
        return above

    def _bound(self) -> None:
        """Keep the sample within what it may be; it has no holes where it is larger, for a new chunk fills one."""
        while self._deepest is not None and len(self._stamps) > self._deepest:
            self._stamps.pop(0)
            self._seen.popitem(last=False)
        if self._samples is not None and len(self._stamps) > self._samples:
            self._lower()
            self._bound()  # fewer of the sampled chunks are within the horizon now

    def _lower(self) -> None:
        """Sample a sixteenth less, with the stack as if it had been so from the start."""
        assert self._samples is not None
        while len(self._seen) > self._samples:
            self._threshold -= self._threshold // 16
            kept = (
                (chunk, stamp) for chunk, stamp in self._seen.items() if self._hash(chunk) < self._threshold
            )
            self._seen = OrderedDict(kept)
        self._stamps = list(self._seen.values())
        self._deepest = self._depth()

    def _depth(self) -> int | None:
        """Sampled chunks within the horizon."""
        return None if self._horizon is None else self._horizon * self._threshold // _ALL + 1

    def _fold(self) -> None:
        """Make bins twice as wide, until the largest distance has one."""
        assert self._bins is not None
        while max(self._counts) > self._bins:
            self._width *= 2
            folded: dict[int, float] = {}
            for distance, count in self._counts.items():
                wide = (distance + 1) // 2
                folded[wide] = folded.get(wide, 0.0) + count
            self._counts = folded
