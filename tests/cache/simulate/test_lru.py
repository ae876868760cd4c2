"""The LRU cache; `tests/cache/curves/test_shards.py` has its definition."""

from __future__ import annotations

from froude.cache.simulate.lru import Lru


def test_the_oldest_leaves_first() -> None:
    """A read makes a chunk the youngest; a write brings one in, and makes no chunk that is held younger."""
    cache = Lru(2)
    assert [cache.read(chunk) for chunk in (1, 2, 1, 3, 2, 1)] == [False, False, True, False, False, False]
    assert not cache.write(2)
    assert cache.write(9)
    assert 2 not in cache
    assert cache.read(1)
    assert cache.read(9)
    assert not Lru(0).write(1)


def test_it_shrinks_by_the_oldest_and_grows_empty() -> None:
    """A cache of no chunks holds nothing."""
    cache = Lru(3)
    for chunk in (1, 2, 3):
        cache.read(chunk)
    cache.resize(1)
    assert len(cache) == 1
    assert cache.read(3)
    cache.resize(2)
    assert not cache.read(1)
    assert cache.read(3)
    cache.resize(0)
    assert not cache.read(3)
    assert len(cache) == 0
