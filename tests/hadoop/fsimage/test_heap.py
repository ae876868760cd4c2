"""The law of a NameNode's heap: coefficients, interval, and where it is refused."""

from __future__ import annotations

import pytest

from froude.base.errors import InputError
from froude.hadoop.fsimage.heap import HeapLaw, HeapPoint, law_of, shipped_law, tables_bytes

PLACES = [(1000, 500), (1000, 2000), (2000, 1000), (2000, 4000), (4000, 2000), (4000, 8000)]


def law(*noise: int) -> HeapLaw:
    """Of 50 bytes an inode and 20 a block on 9,000, and so much beside."""
    used = [9000 + 50 * i + 20 * b + n for (i, b), n in zip(PLACES, noise or [0] * 6, strict=True)]
    return HeapLaw(tuple(HeapPoint(i, b, u) for (i, b), u in zip(PLACES, used, strict=True)), {})


def test_coefficients_are_those_of_the_points() -> None:
    """An exact law has no interval."""
    assert law().coefficients == pytest.approx((9000, 50, 20))
    need = law().need(30_000, 2.0)
    assert (need.inodes, need.blocks, need.times_measured) == (10_000, 20_000, 2.5)
    assert need.used_bytes == pytest.approx(9000 + 500_000 + 400_000)
    assert need.interval_bytes == pytest.approx((need.used_bytes, need.used_bytes), rel=1e-6)


def test_the_interval_grows_with_the_distance() -> None:
    """Near the points it is little more than what they scatter by."""
    noisy = law(100, -100, -150, 120, 80, -60)
    near, far = (noisy.need(objects, 1.0) for objects in (5000, 5_000_000))
    widths = [each.interval_bytes[1] - each.interval_bytes[0] for each in (near, far)]
    assert widths[0] < 2000
    assert widths[1] > 100_000
    assert all(each.interval_bytes[0] < each.used_bytes < each.interval_bytes[1] for each in (near, far))


def test_the_interval_has_the_spread_between_profiles() -> None:
    """Of what is shipped, beyond what a further measurement scatters by."""
    near, far = (shipped_law().need(objects, 1.1) for objects in (1e6, 8e8))
    wide = [each.interval_bytes[1] / each.used_bytes - 1 for each in (near, far)]
    assert wide == pytest.approx([0.073, 0.055], abs=0.002)


@pytest.mark.parametrize(
    ("heap", "entries"),
    [
        (0, ()),
        (5e9, (24, 23, 21, 18)),
        (5.95e9, (24, 23, 21, 18)),
        (200e9, (29, 28, 26, 23)),
        (2e12, (30, 30, 29, 26)),
    ],
)
def test_hash_tables_are_as_large_as_the_heap_says(heap: float, entries: tuple[int, ...]) -> None:
    """In steps of two, as a NameNode's log has them: `2.0% max memory 5 GB = 100 MB, capacity = 2^24 entries`."""
    assert tables_bytes(heap) == sum(8 << each for each in entries)


def test_the_interval_holds_the_tables_of_a_larger_heap() -> None:
    """What is in use may be all of the heap, or half of it."""
    need = law().need(12_000_000, 1.0)
    low, high = need.interval_bytes
    without = 9000 + 35 * 12_000_000
    assert (low - without, high - without) == pytest.approx(
        (tables_bytes(without), tables_bytes(2 * without))
    )


def test_points_of_other_profiles_widen_the_interval() -> None:
    """And change nothing else."""
    other = tuple(
        each._replace(used_bytes=9000 + 55 * each.inodes + 22 * each.blocks) for each in law().points
    )
    one, both = (HeapLaw(law().points, {}, others).need(30_000, 1.0) for others in ((), other))
    assert one.used_bytes == both.used_bytes
    assert both.interval_bytes[1] > 1.1 * both.used_bytes > one.interval_bytes[1]


@pytest.mark.parametrize(
    ("objects", "blocks", "named"),
    [(1000, 0.4, "--blocks"), (1000, 2.1, "--blocks"), (0, 1, "--objects"), (12_000_001, 1, "--objects")],
)
def test_outside_the_law_is_refused(objects: float, blocks: float, named: str) -> None:
    """Blocks for each inode as measured, and at most a thousand times the largest namespace."""
    with pytest.raises(InputError) as error:
        law().need(objects, blocks)
    assert error.value.place == named


def test_compressed_references_are_left_out() -> None:
    """They are of heaps below 32 GB."""
    points = [
        {"inodes": i, "blocks": b, "used_bytes": 50 * i, "references": size}
        for (i, b), size in zip(PLACES, [8, 8, 4, 8, 8, 4], strict=True)
    ]
    document = {"points": points, "command": "c", "date": "d", "hadoop": "3.5.0", "heap": "5 GB"}
    assert len(law_of(document).points) == 4


def test_what_is_shipped() -> None:
    """Measured at several sizes and ratios; an object takes between 100 and 400 bytes."""
    shipped = shipped_law()
    assert len(shipped.points) >= 6
    _, inode, block = shipped.coefficients
    assert all(100 < each < 400 for each in (inode, block))
    assert shipped.measured["command"] == "python -m benchmarks.heap_points"
