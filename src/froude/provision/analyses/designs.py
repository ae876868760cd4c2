"""Two designs of an application beside each other over a range of the SLA (paper 6.2: one dataset, or hot and cold).

Both are compiled at the same multiples of their SLAs. One beats the other for certain where it costs less than
the other's lower bound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from froude.base.parallel import Workers
from froude.provision.analyses.vary import Line, cheapest_at
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types import Problem
from froude.provision.types.plan import ProvisionPlan


class Winner(Enum):
    """Which design costs less at a point."""

    FIRST = "first"
    SECOND = "second"
    OPEN = "open"
    """The bounds overlap, the costs are equal, or neither can be built."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Both designs at one factor."""

    factor: float
    first: ProvisionPlan
    second: ProvisionPlan

    @property
    def winner(self) -> Winner:
        """For certain: the bounds do not overlap. A design that can be built beats one that cannot."""
        first, second = self.first.found, self.second.found
        if first and (self.first.upper < self.second.lower or not second):
            return Winner.FIRST
        if second and (self.second.upper < self.first.lower or not first):
            return Winner.SECOND
        return Winner.OPEN

    @property
    def saved(self) -> float | None:
        """Share of the second's cost that the first saves, negative where it costs more; None without both."""
        if not (self.first.found and self.second.found and self.second.upper):
            return None
        return 1 - self.first.upper / self.second.upper

    @property
    def saved_bounds(self) -> tuple[float, float] | None:
        """(least, most) that it can be, by the bounds of both optima."""
        if self.saved is None or not self.second.lower:
            return None
        return 1 - self.first.upper / self.second.lower, 1 - self.first.lower / self.second.upper


@dataclass(frozen=True, slots=True)
class Stretch:
    """Neighbouring points with one winner."""

    winner: Winner
    first: float
    last: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two designs over a range."""

    pairs: tuple[Pair, ...]

    @property
    def stretches(self) -> tuple[Stretch, ...]:
        """Where which design wins."""
        stretches: list[Stretch] = []
        for pair in self.pairs:
            if stretches and stretches[-1].winner is pair.winner:
                stretches[-1] = Stretch(pair.winner, stretches[-1].first, pair.factor)
            else:
                stretches.append(Stretch(pair.winner, pair.factor, pair.factor))
        return tuple(stretches)

    @property
    def saved(self) -> tuple[float, float, float] | None:
        """(least, mean, most) share saved by the first over the points where both can be built."""
        shares = [pair.saved for pair in self.pairs if pair.saved is not None]
        return (min(shares), sum(shares) / len(shares), max(shares)) if shares else None


def compare(
    first: Problem,
    second: Problem,
    factors: Sequence[float],
    limits: SolveLimits,
    *,
    workers: Workers = 1,
    done: Callable[[ProvisionPlan], None] | None = None,
) -> Comparison:
    """Compile both at every factor.

    Args:
        first: one design, with its own resources and SLA.
        factors: multiples of the SLA, ascending.
        limits: of each solve; where the designs differ by less than its gap, nobody wins.
        done: called with each plan, two a factor, as soon as it is compiled.
    """
    lines = (Line(first, limits), Line(second, limits))
    plans = cheapest_at([(line, factor) for factor in factors for line in lines], workers, done)
    return Comparison(tuple(map(Pair, factors, plans[::2], plans[1::2])))
