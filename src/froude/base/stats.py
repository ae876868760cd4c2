"""Small statistics that several layers need; everything larger comes from a library."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """A fitted straight line `y = intercept + slope * x`."""

    intercept: float
    slope: float
    residual: float
    """Largest absolute distance of a point from the line; 0 when the line passes through all."""

    def at(self, x: float) -> float:
        """The line's value at `x`."""
        return self.intercept + self.slope * x


def fit_line(xs: Sequence[float], ys: Sequence[float]) -> Line:
    """Least squares through points; a single x gives a flat line through the mean.

    Args:
        xs: where the points are; at least one.
        ys: their values, as many as `xs`.

    Returns:
        The line, with the largest distance of a point from it.

    Raises:
        ValueError: no points, or lengths differ.
    """
    if not xs or len(xs) != len(ys):
        raise ValueError(f"need as many xs as ys, at least one; got {len(xs)} and {len(ys)}")
    mean_x, mean_y = math.fsum(xs) / len(xs), math.fsum(ys) / len(ys)
    spread = math.fsum((x - mean_x) ** 2 for x in xs)
    slope = (
        math.fsum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / spread
        if spread
        else 0.0
    )
    intercept = mean_y - slope * mean_x
    residual = max(abs(y - intercept - slope * x) for x, y in zip(xs, ys, strict=True))
    return Line(intercept, slope, residual)


def quantile(values: Sequence[float], q: float) -> float:
    """The q-quantile by linear interpolation between order statistics (Hyndman and Fan, type 7).

    Args:
        values: in any order; at least one.
        q: the part of the values that lies below, 0 to 1.

    Raises:
        ValueError: no values, or q outside 0 to 1.
    """
    if not values or not 0 <= q <= 1:
        raise ValueError(f"need values and 0 <= q <= 1; got {len(values)} values and q = {q}")
    ordered = sorted(values)
    position = q * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])
