"""Algorithm 1 as the paper prints it: every chunk size, every offset, chunk by chunk. The reference."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from froude.mining.shape.segments import Segment, choose


def plain_algorithm_1(sequence: Sequence[Hashable]) -> list[Segment]:
    """Repeated segments by brute force, O(n^3)."""
    segments: list[Segment] = []
    for size in range(1, len(sequence) // 2 + 1):
        segments.extend(_without_duplicates(_rows(sequence, size)))
    return choose(segments)


def _rows(sequence: Sequence[Hashable], size: int) -> list[Segment]:
    """Rows of equal neighbouring chunks of a size, at every offset."""
    rows = []
    for offset in range(size):
        at = offset
        while at + size <= len(sequence):
            end = at
            while sequence[end : end + size] == sequence[
                end + size : end + 2 * size
            ] and end + 2 * size <= len(sequence):
                end += size
            if end > at:
                rows.append(Segment(at, size, (end - at) // size + 1))
            at = end + size
    return rows


def _without_duplicates(rows: list[Segment]) -> list[Segment]:
    """The same stretch seen from another offset is a duplicate: greatest coverage stays, then the leftmost."""
    kept: list[Segment] = []
    for row in sorted(rows, key=lambda r: (-r.coverage, r.start)):
        if all(min(row.end, other.end) - max(row.start, other.start) < row.size for other in kept):
            kept.append(row)
    return kept
