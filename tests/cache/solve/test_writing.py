"""What a cache writes."""

from __future__ import annotations

from froude.cache.curves import MissRatioCurve
from froude.cache.solve.writing import written
from tests.support.cache.solve.made import vm


def test_misses_and_writes_are_written() -> None:
    """A chunk for each miss; without a cache nothing."""
    curve = MissRatioCurve((0, 10), (1.0, 0.2), 1)
    each = vm("a", curve=curve, chunk_bytes=7, writes_bytes_per_s=9)
    assert written(each, 10) == 100 * 0.2 * 7 + 9
    assert written(each, 5) == 100 * 7 + 9
    assert written(each, 0) == 0
