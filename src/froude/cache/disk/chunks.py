"""The chunk size that suits a disk, from the sizes of its reads.

A chunk larger than what is read at a time brings in data that nobody asked for, and a hot block then takes the place
of many; one that is much smaller makes work. So a chunk is as large as the median read, where reads that follow one
another are one, rounded down to a power of two.
"""

from __future__ import annotations

from collections import Counter

SMALLEST, LARGEST = 4 << 10, 256 << 10
"""Bytes of a chunk that is chosen."""
FIRST = 16 << 10
"""Bytes of a chunk before anything was measured."""
_SOON, _LATER = 1000, 10_000
"""Reads after which a size is chosen, first and from then on."""
_STREAMS = 8
"""Places at which a read would go on with an earlier one."""
_WORTH = 4
"""How many times larger or smaller another size must be: what is cached is given up for it."""


class ChunkChooser:
    """Chooses from the reads that it is told of.

    Args:
        chosen: whether that was chosen here before, so that it is not changed soon.
    """

    __slots__ = ("_chunk", "_goal", "_lengths", "_seen", "_streams")

    def __init__(self, chunk_bytes: int, *, chosen: bool) -> None:
        self._chunk = chunk_bytes
        self._goal = _LATER if chosen else _SOON
        self._lengths: Counter[int] = Counter()
        self._seen = 0
        self._streams: dict[int, int] = {}
        """By the place where a read would go on: how long it is so far; the longest unused first."""

    def saw(self, offset: int, length: int) -> int | None:
        """A read came.

        Returns:
            Another chunk size, where there is reason for one.
        """
        before = self._streams.pop(offset, 0)
        if before:
            self._lengths[before] -= 1
        self._seen += 1
        whole = min(before + length, LARGEST)
        self._lengths[whole] += 1
        self._streams[offset + length] = whole
        if len(self._streams) > _STREAMS:
            del self._streams[next(iter(self._streams))]
        return self._choose() if self._seen >= self._goal else None

    def _choose(self) -> int | None:
        half, size = sum(self._lengths.values()) / 2, SMALLEST
        lengths = sorted(self._lengths.items())
        counted = 0
        for length, count in lengths:
            counted += count
            if counted >= half:
                size = length
                break
        best = max(SMALLEST, min(LARGEST, 1 << (size.bit_length() - 1)))
        self._lengths.clear()
        self._streams.clear()
        self._seen, first = 0, self._goal == _SOON
        self._goal = _LATER
        larger, smaller = max(best, self._chunk), min(best, self._chunk)
        if larger == smaller or (not first and larger < _WORTH * smaller):
            return None
        self._chunk = best
        return best
