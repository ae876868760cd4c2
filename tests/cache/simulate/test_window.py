"""The end of a window."""

from __future__ import annotations

import pytest

from froude.cache.curves import Shards
from froude.cache.simulate.lru import Lru
from froude.cache.simulate.window import FORGET, reads_per_s, resize


def test_caches_get_their_sizes_and_growth_is_counted() -> None:
    """In whole chunks; what shrinks is not."""
    caches = {"a": Lru(3), "b": Lru(1)}
    assert resize(caches, {"a": 4096, "b": 3 * 4096 + 5}, 4096) == 2
    assert [cache.capacity for cache in caches.values()] == [1, 3]


def test_the_rate_of_a_steady_load_is_its_rate() -> None:
    """Whatever windows there were before."""
    shards = Shards(samples=None)
    for _ in range(12):
        shards.decay(FORGET)
        for chunk in range(20):
            shards.access(chunk)
    assert reads_per_s(shards, 10.0) == pytest.approx(2.0, rel=0.01)
