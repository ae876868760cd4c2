"""The natural split of a shared cache, against a shared cache."""

from __future__ import annotations

import math
import random
from collections import OrderedDict

import pytest

from froude.cache.curves import MissRatioCurve, Shards
from froude.cache.solve.sharing import natural_split
from tests.support.cache.solve.made import vm


def test_who_misses_more_holds_more() -> None:
    """Of two scans without end, by their speed; one whose reads all hit stays at what it needs."""
    scan = MissRatioCurve((0,), (1.0,), 1)
    small = MissRatioCurve((0, 100), (1.0, 0.0), 1)
    fast, slow = vm("a", curve=scan, reads_per_s=30), vm("b", curve=scan, reads_per_s=10)
    assert natural_split([fast, slow], 1000) == pytest.approx([750, 250])
    assert natural_split([fast, vm("c", curve=small)], 1000) == pytest.approx([900, 100])
    assert natural_split([vm("c", curve=small)], 1000) == pytest.approx([100])
    assert natural_split([vm("d", curve=small, reads_per_s=0)], 1000) == [0]


def test_it_is_what_an_lru_cache_for_both_does() -> None:
    """Two power laws at different speeds: each VM's misses in a shared cache, as its own curve has them."""
    rng, chunks, reads, size = random.Random(4), 600, 60_000, 300
    weights = [[1 / (rank + 1) ** power for rank in range(chunks)] for power in (0.6, 1.1)]
    drawn = [iter(rng.choices(range(chunks), weight, k=reads)) for weight in weights]
    own, cache = [Shards(), Shards()], OrderedDict[tuple[int, int], None]()
    counts, misses = [0, 0], [0, 0]
    for number in range(reads):
        who = 0 if rng.random() < 0.25 else 1
        chunk = next(drawn[who])
        own[who].access(chunk)
        if number > reads // 4:
            counts[who] += 1
            misses[who] += (who, chunk) not in cache
        cache[who, chunk] = None
        cache.move_to_end((who, chunk))
        if len(cache) > size:
            cache.popitem(last=False)
    vms = [
        vm(name, curve=shards.curve(1), reads_per_s=speed, chunk_bytes=1)
        for name, shards, speed in zip("ab", own, (25, 75), strict=True)
    ]
    parts = natural_split(vms, size)
    assert sum(parts) == pytest.approx(size)
    for each, part, missed, count in zip(vms, parts, misses, counts, strict=True):
        assert math.isclose(each.misses.at(part), missed / count, abs_tol=0.03)
