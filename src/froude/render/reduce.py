"""Fewer points that tell the same: each bucket keeps its lowest and its highest value.

Peaks survive, which is what a latency chart is read for; averaging would hide them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

LIMIT = 800
"""Points of a series that a page of 1,100 pixels can show apart."""


def reduce_series(
    xs: Sequence[float], ys: Sequence[float | None], limit: int = LIMIT
) -> tuple[list[float], list[float | None]]:
    """Thin a series to about `limit` points, keeping first, last, every bucket's extremes, and gaps.

    Args:
        xs: places, shape (n,), ascending.
        ys: values, shape (n,); None, NaN and infinities are gaps.
        limit: points wanted, at least 4; a series no longer than this is returned whole.

    Returns:
        The places and values kept, in order; values that are not finite have become None.
    """
    values = [y if y is not None and math.isfinite(y) else None for y in ys]
    count = len(values)
    if count <= limit:
        return list(xs), values
    keep = {0, count - 1}
    buckets = max(1, limit // 2 - 1)
    for bucket in range(buckets):
        keep |= _extremes(values, bucket * count // buckets, (bucket + 1) * count // buckets)
    chosen = sorted(keep)
    return [xs[i] for i in chosen], [values[i] for i in chosen]


def _extremes(values: Sequence[float | None], start: int, stop: int) -> set[int]:
    """Indices of the lowest and the highest value, or of one gap where there is nothing else."""
    present = [(value, i) for i in range(start, stop) if (value := values[i]) is not None]
    if not present:
        return {start} if start < stop else set()
    kept = {min(present)[1], max(present)[1]}
    if len(present) < stop - start:
        kept.add(next(i for i in range(start, stop) if values[i] is None))
    return kept
