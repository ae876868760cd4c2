"""How much heap a NameNode needs for a namespace: a law by least squares from measured points.

Heap in use after a full collection is a constant, so much for each file or folder, so much for each block, and the hash
tables, which are as large as the heap that the JVM was given says. The points, with how and when they were measured, are
in `heap-points.json`, which `python -m benchmarks.heap_points` writes; the NameNode had references of 8 bytes, as every
JVM with more than 32 GB of heap has.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import linear_regression
from typing import Any, NamedTuple

import numpy as np

from froude.base.errors import InputError
from froude.hadoop.release.jvm import heap_bytes

POINTS = Path(__file__).parent / "heap-points.json"
MOST_TIMES = 1000
"""The law is refused beyond so many times the largest namespace that was measured."""
_REFERENCE_BYTES = 8
_TABLES = (2.0, 1.0, 0.25, 0.03)
"""Of the heap, per cent, before they are rounded to a power of two: tables of blocks, inodes, cached blocks, retries."""
_LEAST_HEAP, _MOST_EXPONENT = 16 << 20, 30
"""Bytes in which no NameNode starts; entries of a table, as a power of two."""


class HeapPoint(NamedTuple):
    """A measured namespace."""

    inodes: int
    blocks: int
    used_bytes: int
    """In use after a full collection."""
    heap_bytes: int = 0
    """Of the JVM, which says how large its hash tables are; 0 for none."""

    @property
    def without_tables(self) -> float:
        """Bytes in use beside its hash tables."""
        return self.used_bytes - tables_bytes(self.heap_bytes)


class Published(NamedTuple):
    """A cluster of which figures were published."""

    name: str
    objects: float
    memory_bytes: float
    what: str
    """What the memory is."""
    source: str


PUBLISHED = (
    Published(
        "eBay", 1.0e9, 180e9, "almost 90 % of a heap of 200 GB, with what was not yet collected",
        "Enabling HDFS Federation Having 1B File System Objects, eBay 2020",
    ),
    Published(
        "LinkedIn", 1.6e9, 380e9, "memory of the process, not heap in use",
        "The exabyte club: LinkedIn's journey of scaling HDFS, LinkedIn 2021",
    ),
)  # fmt: skip
"""Folders, blocks for each file, lengths of names and snapshots of them were not published."""
PUBLISHED_BLOCKS = 1.1
"""For each file and folder of those clusters, for which no number was published."""


@dataclass(frozen=True, slots=True)
class Need:
    """The heap that a namespace takes, bytes in use after a full collection."""

    inodes: int
    blocks: int
    used_bytes: float
    interval_bytes: tuple[float, float]
    """95 % of namespaces as different from each other as the measured profiles are, in a heap that is up to twice as
    large as what is in use: hash tables grow with it, in steps of two."""
    times_measured: float
    """How many times as many objects as the largest measured point has."""


@dataclass(frozen=True, slots=True)
class HeapLaw:
    """`used = base + inodes * per_inode + blocks * per_block + tables_bytes(heap)`, bytes."""

    points: tuple[HeapPoint, ...]
    measured: Mapping[str, str]
    """Command, date, release and heap of the measurement."""
    others: tuple[HeapPoint, ...] = ()
    """Of profiles that the law is not of: how far they are from it widens its interval."""

    @property
    def coefficients(self) -> tuple[float, float, float]:
        """Bytes: of an empty namespace without tables, for each inode, for each block."""
        base, inode, block = np.linalg.lstsq(self._design, self._used, rcond=None)[0]
        return float(base), float(inode), float(block)

    @property
    def ratios(self) -> tuple[float, float]:
        """The least and the most blocks for each inode that were measured."""
        ratios = [each.blocks / each.inodes for each in self.points]
        return min(ratios), max(ratios)

    @property
    def largest(self) -> int:
        """Objects of the largest namespace that was measured."""
        return max(each.inodes + each.blocks for each in self.points)

    @property
    def most_objects(self) -> int:
        """Up to which the law says something."""
        return MOST_TIMES * self.largest

    def need(self, objects: float, blocks: float) -> Need:
        """The heap of a namespace.

        Args:
            blocks: blocks for each inode.

        Raises:
            InputError: the law does not hold there.
        """
        low, high = self.ratios
        if not low <= blocks <= high:
            message = "is not what the law was measured for"
            allowed = f"{low:.2g} to {high:.2g} blocks for each file or folder"
            raise InputError(message, place="--blocks", found=f"{blocks:g}", allowed=allowed)
        if not 1 <= objects <= self.most_objects:
            allowed = (
                f"1 to {self.most_objects:,}, {MOST_TIMES:,} times the largest namespace that was measured"
            )
            raise InputError(
                "is outside the law", place="--objects", found=f"{objects:,.0f}", allowed=allowed
            )
        inodes = objects / (1 + blocks)
        place = np.array([1.0, inodes, objects - inodes])
        without, half = float(place @ np.array(self.coefficients)), self._half_width(place)
        least, most = (tables_bytes(times * without) for times in (1, 2))
        used, half = without + (least + most) / 2, half + (most - least) / 2
        return Need(
            round(inodes), round(objects - inodes), used, (used - half, used + half), objects / self.largest
        )

    @property
    def _design(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        return np.array([(1.0, each.inodes, each.blocks) for each in self.points])

    @property
    def _used(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        return np.array([each.without_tables for each in self.points])

    def _half_width(self, place: np.ndarray[Any, np.dtype[np.float64]]) -> float:
        """Of the 95 % interval at a place: the textbook's of a new measurement, and that of another profile.

        A profile's objects take up to so much more or less than the law's, in proportion to their number.
        """
        from scipy.stats import t

        design = self._design
        residuals = self._used - design @ np.array(self.coefficients)
        free = len(self.points) - design.shape[1]
        variance = float(residuals @ residuals) / free
        leverage = float(place @ np.linalg.inv(design.T @ design) @ place)
        half = float(t.ppf(0.975, free)) * math.sqrt(variance * (1 + leverage))
        spread = self._profiles()
        objects_bytes = float(place[1:] @ np.array(self.coefficients[1:]))
        other = float(t.ppf(0.975, len(spread) - 1)) * float(np.std(spread, ddof=1)) * objects_bytes
        return math.hypot(half, other)

    def _profiles(self) -> list[float]:
        """What an object of each profile takes, in the law's: two points or more of one number of blocks an inode."""
        profiles: dict[tuple[bool, float], list[tuple[float, float]]] = {}
        _, inode, block = self.coefficients
        for number, each in enumerate((*self.points, *self.others)):
            key = (number < len(self.points), round(each.blocks / each.inodes, 1))
            points = profiles.setdefault(key, [])
            points.append((inode * each.inodes + block * each.blocks, each.without_tables))
        measured = (points for points in profiles.values() if len(points) > 1)
        return [linear_regression(*zip(*points, strict=True)).slope for points in measured]


def tables_bytes(heap_bytes: float) -> float:
    """What the hash tables of a NameNode take, which it makes when it starts.

    Args:
        heap_bytes: of its JVM; 0 for none.

    Source: Hadoop's `LightWeightGSet.computeCapacity`, with references of 8 bytes.
    """
    if heap_bytes < _LEAST_HEAP:
        return 0.0
    exponents = (int(math.log2(heap_bytes * percent / 100) + 0.5) - 3 for percent in _TABLES)
    return float(sum(_REFERENCE_BYTES << min(_MOST_EXPONENT, exponent) for exponent in exponents))


def shipped_law() -> HeapLaw:
    """The law of the points that come with Froude."""
    return law_of(json.loads(POINTS.read_text(encoding="utf-8")))


def law_of(document: Mapping[str, Any]) -> HeapLaw:
    """The law of a document as `benchmarks.heap_points` writes it, of its points with references of 8 bytes."""
    points: Sequence[Mapping[str, int]] = document["points"]
    heap = heap_bytes(str(document["heap"]))
    rows = (
        HeapPoint(each["inodes"], each["blocks"], each["used_bytes"], heap)
        for each in points
        if each["references"] == _REFERENCE_BYTES
    )
    measured = {name: str(document[name]) for name in ("command", "date", "hadoop", "heap")}
    return HeapLaw(tuple(rows), measured)
