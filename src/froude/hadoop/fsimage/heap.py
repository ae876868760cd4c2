"""How much heap a NameNode needs for a namespace: a law by least squares from measured points.

Heap in use after a full collection is a constant, so much for each file or folder, and so much for each block. The
points, with how and when they were measured, are in `heap-points.json`, which `python -m benchmarks.heap_points` writes;
the NameNode had references of 8 bytes, as every JVM with more than 32 GB of heap has.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import linear_regression
from typing import Any

import numpy as np

from froude.base.errors import InputError

POINTS = Path(__file__).parent / "heap-points.json"
MOST_TIMES = 1000
"""The law is refused beyond so many times the largest namespace that was measured."""
_REFERENCE_BYTES = 8


@dataclass(frozen=True, slots=True)
class Need:
    """The heap that a namespace takes, bytes in use after a full collection."""

    inodes: int
    """Files and folders."""
    blocks: int
    used_bytes: float
    interval_bytes: tuple[float, float]
    """95 % of namespaces as different from each other as the measured profiles are."""
    times_measured: float
    """How many times as many objects as the largest measured point has."""


@dataclass(frozen=True, slots=True)
class HeapLaw:
    """`used = base + inodes * per_inode + blocks * per_block`, bytes."""

    points: tuple[tuple[int, int, int], ...]
    """Inodes, blocks and bytes in use of each."""
    measured: Mapping[str, str]
    """Command, date, release and heap of the measurement."""

    @property
    def coefficients(self) -> tuple[float, float, float]:
        """Bytes: of an empty namespace, for each inode, for each block."""
        base, inode, block = np.linalg.lstsq(self._design, self._used, rcond=None)[0]
        return float(base), float(inode), float(block)

    @property
    def ratios(self) -> tuple[float, float]:
        """The least and the most blocks for each inode that were measured."""
        ratios = [blocks / inodes for inodes, blocks, _ in self.points]
        return min(ratios), max(ratios)

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
        largest = max(inodes + blocks for inodes, blocks, _ in self.points)
        if not 1 <= objects <= MOST_TIMES * largest:
            allowed = (
                f"1 to {MOST_TIMES * largest:,}, {MOST_TIMES:,} times the largest namespace that was measured"
            )
            raise InputError(
                "is outside the law", place="--objects", found=f"{objects:,.0f}", allowed=allowed
            )
        inodes = objects / (1 + blocks)
        place = np.array([1.0, inodes, objects - inodes])
        used, half = float(place @ np.array(self.coefficients)), self._half_width(place)
        return Need(
            round(inodes), round(objects - inodes), used, (used - half, used + half), objects / largest
        )

    @property
    def _design(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        return np.array([(1.0, inodes, blocks) for inodes, blocks, _ in self.points])

    @property
    def _used(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        return np.array([float(used) for _, _, used in self.points])

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
        """What an object of each profile takes, in the law's: points of one number of blocks for each inode."""
        profiles: dict[float, list[tuple[float, float]]] = {}
        _, inode, block = self.coefficients
        for inodes, blocks, used in self.points:
            points = profiles.setdefault(round(blocks / inodes, 1), [])
            points.append((inode * inodes + block * blocks, used))
        return [linear_regression(*zip(*points, strict=True)).slope for points in profiles.values()]


def shipped_law() -> HeapLaw:
    """The law of the points that come with Froude."""
    return law_of(json.loads(POINTS.read_text(encoding="utf-8")))


def law_of(document: Mapping[str, Any]) -> HeapLaw:
    """The law of a document as `benchmarks.heap_points` writes it, of its points with references of 8 bytes."""
    points: Sequence[Mapping[str, int]] = document["points"]
    rows = (
        (each["inodes"], each["blocks"], each["used_bytes"])
        for each in points
        if each["references"] == _REFERENCE_BYTES
    )
    measured = {name: str(document[name]) for name in ("command", "date", "hadoop", "heap")}
    return HeapLaw(tuple(rows), measured)
