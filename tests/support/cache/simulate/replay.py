"""A block trace that loops over one range."""

from __future__ import annotations

from froude.cache.simulate.traces import BlockTrace, Request

CHUNK = 4096


def loops(sizes: dict[str, int], seconds: int = 40, *, per_s: int = 50) -> BlockTrace:
    """Volumes that read their chunks again and again, one chunk at a time."""
    requests = [
        Request(second + number / per_s, name, (second * per_s + number) % size * CHUNK, CHUNK, True)
        for second in range(seconds)
        for number in range(per_s)
        for name, size in sizes.items()
    ]
    return BlockTrace(tuple(requests), tuple(sizes))
