"""What ends a window, for jobs and for block traces alike: what was measured counts half from then on, caches change."""

from __future__ import annotations

from collections.abc import Mapping

from froude.cache.curves import Shards
from froude.cache.simulate.lru import Lru

FORGET = 0.5
"""What a window counts beside the next."""
UNSPLIT = frozenset({"none", "shared", "equal"})
"""Policies that look at nothing that was measured, so that nothing changes between windows."""


def reads_per_s(shards: Shards, window_s: float) -> float:
    """Reads as the curve counts them: the last window most, those before by half and half again.

    Args:
        shards: that decays by `FORGET` after every window.
        window_s: how long each is, more than 0.
    """
    return shards.accesses * (1 - FORGET) / window_s


def resize(caches: Mapping[str, Lru], sizes: Mapping[str, int], chunk_bytes: int) -> int:
    """Give caches the sizes of a plan.

    Args:
        caches: by VM.
        sizes: in bytes, of each of them.

    Returns:
        By how many chunks caches grew.
    """
    grown = 0
    for name, cache in caches.items():
        capacity = sizes[name] // chunk_bytes
        grown += max(0, capacity - cache.capacity)
        cache.resize(capacity)
    return grown
