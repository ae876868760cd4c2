"""Into which equal pieces the local storage of a family divides, when a table gives totals only."""

from __future__ import annotations

from collections.abc import Iterable

TOLERANCE = 0.01
"""Totals are rounded (468, 937, 1875 GB): a total is a multiple when it is one within this share of itself."""
_MOST_PARTS = 16


def piece_of(totals: Iterable[float]) -> float | None:
    """The greatest piece that every total of a family is a multiple of, within `TOLERANCE`.

    Args:
        totals: bytes, above 0.

    Returns:
        Bytes, so that `count` pieces never exceed a total; None when the least total would need more than 16.
    """
    sizes = sorted(set(totals))
    if not sizes:
        return None
    for parts in range(1, _MOST_PARTS + 1):
        about = sizes[0] / parts
        counts = [round(size / about) for size in sizes]
        if all(abs(n * about - size) <= TOLERANCE * size for n, size in zip(counts, sizes, strict=True)):
            return min(size / n for n, size in zip(counts, sizes, strict=True))
    return None


def count_of(total: float, piece: float) -> int:
    """How many pieces a total holds.

    Args:
        total: bytes, 0 or more.
        piece: bytes of one, above 0.
    """
    return int(total / piece * (1 + 1e-9))
