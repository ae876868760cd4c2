"""Greedy on convex hulls: the next part of the SSD to who gains most by it, as if curves were convex. A warning.

It is what most published splitters do, and right where curves are convex, or where a cache is split inside so that they
become so. Under plain LRU a grant that ends on a cliff buys nothing: `exact` is what to use; this shows why.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from froude.cache.solve.choices import Choices


def greedy(each: Sequence[Choices], steps: int) -> list[int]:
    """Steps of each VM; n log n in the points of all hulls.

    Args:
        each: choices of every VM.
        steps: of the SSD above all floors.
    """
    given = [0] * len(each)
    left = steps
    slopes = []
    for number, choice in enumerate(each):
        corners = _hull(choice)
        for (units, cost), (more, less) in pairwise(corners):
            slopes.append(((cost - less) / (more - units), number, more - units))
    # a VM's own slopes fall, so that the steepest of all are each VM's first ones
    for gain, number, units in sorted(slopes, key=lambda slope: -slope[0]):
        if gain <= 0 or left <= 0:
            break
        taken = min(units, left)
        given[number] += taken
        left -= taken
    return given


def _hull(choice: Choices) -> list[tuple[int, float]]:
    """The corners of the lower convex hull of a VM's costs."""
    corners: list[tuple[int, float]] = []
    for point in zip(choice.units.tolist(), choice.costs.tolist(), strict=True):
        while len(corners) > 1 and _bends_up(corners[-2], corners[-1], point):
            corners.pop()
        corners.append(point)
    return corners


def _bends_up(a: tuple[int, float], b: tuple[int, float], c: tuple[int, float]) -> bool:
    """Whether b lies on or above the line from a to c."""
    return (b[1] - a[1]) * (c[0] - a[0]) >= (c[1] - a[1]) * (b[0] - a[0])
