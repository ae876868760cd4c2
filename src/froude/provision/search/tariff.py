"""T(n), what n pieces of a thing cost: owned ones, discounts by quantity, spares, a charge for each type in use.

The optimiser takes prices per piece only. `Tariff.line` gives it one: a line that T does not undercut anywhere in
an interval of counts, as close to T as can be near a given count.

Source: ours; defined in docs/design/2026-11-21-provisioning-features.md.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """constant + slope * n."""

    slope: float
    """Dollars per piece, 0 or above."""
    constant: float
    """Dollars, of either sign."""

    def at(self, count: int) -> float:
        """Its value."""
        return self.constant + self.slope * count


@dataclass(frozen=True, slots=True)
class Tariff:
    """What pieces of one thing cost."""

    steps: tuple[tuple[int, float], ...]
    """(from so many pieces that are bought, price of every one), ascending; the list price from 1."""
    energy: float = 0.0
    """Dollars of each that is used."""
    owned: int = 0
    """So many cost their energy only."""
    fixed: float = 0.0
    """Dollars when there is any piece at all."""
    most: int | None = None
    """Pieces that can be had, owned and spare ones included; None for any number."""

    @property
    def linear(self) -> bool:
        """Whether every piece costs the same."""
        return len(self.steps) == 1 and not self.owned and not self.fixed

    def cost(self, count: int, *, charged: bool = True) -> float:
        """Dollars of so many pieces that are used; never falls.

        Args:
            count: n, 0 or above.
        """
        fixed = self.fixed if charged and count else 0.0
        return fixed + self.energy * count + self._bought(max(0, count - self.owned))[0]

    def spares(self, count: int) -> int:
        """Pieces beyond those that are used, bought because a step makes more cost less."""
        return self._bought(max(0, count - self.owned))[1]

    def _bought(self, needed: int) -> tuple[float, int]:
        """(dollars, spares) of the cheapest way to buy at least so many."""
        if not needed:
            return 0.0, 0
        ways = [
            (max(needed, least) * price, max(0, least - needed)) for least, price in self._open_steps(needed)
        ]
        return min(ways)

    def _open_steps(self, needed: int) -> list[tuple[int, float]]:
        most = math.inf if self.most is None else self.most - self.owned
        return [(least, price) for least, price in self.steps if least <= max(needed, most)]

    def line(self, low: int, high: int | None, near: int, slope: float | None = None) -> Line:
        """A line that T does not undercut for low <= n <= high.

        From 0 on, the fixed charge is left out: it is for whoever counts the types in use.

        Args:
            high: largest count; None for no end.
            near: count at which it is to be close to T; the nearest in the interval is taken.
            slope: of the line, where it is wanted; at most the last price without an end.
        """
        points = [(n, self.cost(n, charged=low > 0)) for n in self._corners(low, high)]
        last = self.energy + self.steps[-1][1]
        if slope is None:
            slope = self._slope(_hull(points), near, None if high is not None else last)
        elif high is None:
            slope = min(slope, last)
        slope = max(0.0, slope)  # T may fall beyond what can be had, where no step is open for spares
        return Line(slope, min(cost - slope * n for n, cost in points))

    def touched(self, low: int, high: int | None, slope: float) -> tuple[int, float]:
        """(least, largest) count of an interval at which T meets the line of a slope; possibly without end.

        Args:
            low: least count of the interval, 0 or more.
            high: largest count; None for any number.
            slope: dollars per piece.
        """
        points = [(n, self.cost(n, charged=low > 0) - slope * n) for n in self._corners(low, high)]
        least = min(cost for _, cost in points)
        met = [n for n, cost in points if cost <= least + 1e-9 * max(1.0, abs(least))]
        endless = high is None and met[-1] == points[-1][0]
        return met[0], math.inf if endless else met[-1]

    @staticmethod
    def _slope(hull: list[tuple[int, float]], near: int, last: float | None) -> float:
        """Of the hull's edge at a count; `last` of the ray at its end."""
        for (n, cost), (m, dearer) in itertools.pairwise(hull):
            slope = (dearer - cost) / (m - n)
            if last is not None and slope > last:
                return last
            if near <= m:
                return slope
        if last is not None:
            return last
        return (hull[-1][1] - hull[-2][1]) / (hull[-1][0] - hull[-2][0]) if len(hull) > 1 else 0.0

    def _corners(self, low: int, high: int | None) -> list[int]:
        """Counts of an interval between which T is linear; beyond the last it is too."""
        flats = (
            flat + offset
            for (_, dear), (least, price) in itertools.combinations(self.steps, 2)
            for flat in [int(least * price / dear) if dear else 0]
            for offset in (-1, 0, 1, 2)
        )
        steps = (least + offset for least, _ in self.steps for offset in (-1, 0))
        counts = {0, 1, self.owned, *(self.owned + n for n in (*flats, *steps))}
        end = max(counts) + 1 if high is None else high
        return sorted({low, max(low, end), *(n for n in counts if low <= n <= end)})


def _hull(points: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """Lower convex hull of points by ascending count (Andrew, 1979)."""
    kept: list[tuple[int, float]] = []
    for n, cost in points:
        while len(kept) > 1:
            (a, low), (b, high) = kept[-2:]
            if (high - low) * (n - a) < (cost - low) * (b - a):
                break
            kept.pop()
        kept.append((n, cost))
    return kept
