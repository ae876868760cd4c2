"""NameNodes whose heap was measured, as values."""

from __future__ import annotations

from froude.hadoop.cluster.heap_point import MeasuredHeap
from froude.hadoop.fsimage.heap import tables_bytes

GIB = 1 << 30


def point(inodes: int, blocks: int, noise: int = 0) -> MeasuredHeap:
    """Of 120 bytes an inode and 170 a block, in 4 GiB of heap."""
    used = int(26e6 + 120 * inodes + 170 * blocks + noise + tables_bytes(4 * GIB))
    return MeasuredHeap(inodes, blocks, used, 2 * used, 4 * GIB, 8, 3.5, 0.0002, 0.0009)


def points(inodes: int) -> list[MeasuredHeap]:
    """Of a size, half and a quarter of it; few and many blocks."""
    sizes = [(inodes // part, inodes // part * times // 2) for part in (4, 2, 1) for times in (1, 4)]
    return [point(*each, noise) for each, noise in zip(sizes, (9, -20, 30, 8, -15, -6), strict=True)]
