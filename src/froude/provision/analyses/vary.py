"""One number of the problem varied, all others as they are: how far an architecture stays the best, what it costs.

The number is an input or the multiple of the SLA (`Line`). An edge is looked for in steps away from where the number
is, then by halving between the last two. It is the nearest on that side as far as the steps can see: an architecture
that leaves and comes back between two steps is not noticed. At the edge stand the last value at which it stays and the
first at which something else is cheaper, so the width of what is not known is stated.

Source: scc 5.4, Table 3 (a), "robust": the same storage types per dataset, whatever their counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress

from froude.base.errors import InputError
from froude.base.parallel import Workers
from froude.base.parallel import map as parallel_map
from froude.provision.analyses.inputs import Input
from froude.provision.search.architecture import (
    Architecture,
    architecture_of,
    at_factor,
    held_cost,
    proved,
)
from froude.provision.search.compile import Only, compile_plan
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types import Problem
from froude.provision.types.plan import ProvisionPlan, Status

EQUAL = 1e-6
"""Relative; costs nearer than that are the same, and then nothing moves."""
_STEP = 1.1
"""Small, since whole numbers of units make an architecture leave and come back within short stretches."""


@dataclass(frozen=True, slots=True)
class Line:
    """A problem along one number; pickles, so that its solves go to workers."""

    problem: Problem
    limits: SolveLimits
    input: Input | None = None
    """None: the multiple of the SLA."""

    def at(self, value: float) -> Problem:
        """The problem at a value.

        Raises:
            ValueError: the input may not have that value.
        """
        return at_factor(self.problem, value) if self.input is None else self.input.set(self.problem, value)

    def allows(self, value: float) -> bool:
        """May the input have a value?"""
        try:
            self.at(value)
        except ValueError:
            return False
        return True

    def cheapest(self, value: float, only: Only | None = None) -> ProvisionPlan:
        """The cheapest cluster at a value.

        Args:
            value: of the number, in base units.

        Raises:
            ValueError: the input may not have that value.
        """
        return compile_plan(self.at(value), self.limits, only=only)


def cheapest_at(
    points: Iterable[tuple[Line, float]],
    workers: Workers = 1,
    done: Callable[[ProvisionPlan], None] | None = None,
) -> list[ProvisionPlan]:
    """The cheapest cluster at each point, in their order.

    Args:
        points: lines, each with a value that it allows.
        workers: see `froude.base.parallel`; points go apart.
        done: called with each plan as soon as it is compiled.
    """
    return parallel_map(_cheapest, list(points), workers, done)


def _cheapest(point: tuple[Line, float]) -> ProvisionPlan:
    line, value = point
    return line.cheapest(value)


# How far an architecture stays the best


@dataclass(frozen=True, slots=True)
class Here:
    """Whether an architecture is the best at one place, and what is."""

    stays: bool
    plan: ProvisionPlan
    """The cheapest cluster there; of the architecture itself where it stays."""
    proved: bool
    """Whether the bounds of every solve met."""
    why: str = ""
    """Of a place without a cluster or that is none: what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Edge:
    """Where an architecture ceases to be the best, on one side."""

    stays: float
    """Last value at which it is."""
    gone: float | None
    """First value at which it is not; None when the search ended before."""
    next: Architecture | None = None
    """What is the best there."""
    why: str = ""
    """`cheaper`, `no cluster: …`, `no such value: …`, `not looked further`."""
    proved: bool = True
    """Whether the bounds met on both sides."""


@dataclass(frozen=True, slots=True)
class Range:
    """One input and the edges of the architecture along it."""

    input: Input
    low: Edge
    high: Edge


@dataclass(frozen=True, slots=True)
class Robustness:
    """The optimum, and how far each input may move before it is built of other things."""

    plan: ProvisionPlan
    architecture: Architecture | None
    """None when no cluster meets the SLA; then there are no ranges."""
    ranges: tuple[Range, ...] = ()


def robustness(
    problem: Problem,
    inputs: Sequence[Input],
    limits: SolveLimits,
    *,
    span: float = 10.0,
    tolerance: float = 1e-3,
    workers: Workers = 1,
    done: Callable[[Edge], None] | None = None,
) -> Robustness:
    """The range of each input, all others as they are.

    Args:
        inputs: which to move; none of them 0, since ranges are looked for in ratio.
        limits: of each solve; about 60 an input. A gap far below 1 % tells neighbours apart.
        span: farthest factor up and down that is looked at, above 1.
        tolerance: relative width at which an edge is known well enough.
        workers: see `froude.base.parallel`; inputs go apart.
        done: called with each edge, two an input, as soon as it is known.

    Raises:
        InputError: an input is 0.
    """
    for entry in inputs:
        if not entry.value:
            raise InputError("is 0, and has no range in ratio", place="--input", found=entry.path)
    plan = compile_plan(problem, limits)
    held = architecture_of(plan)
    if held is None:
        return Robustness(plan, None)
    walks = [Walk(problem, entry, held, limits, tolerance) for entry in inputs]
    sides = [(walk, factor) for walk in walks for factor in (1 / span, span)]
    edges = parallel_map(_side, sides, workers, done)
    pairs = zip(inputs, edges[::2], edges[1::2], strict=True)
    return Robustness(plan, held, tuple(Range(entry, low, high) for entry, low, high in pairs))


def stays_best(problem: Problem, held: Architecture, limits: SolveLimits) -> Here:
    """Whether no other architecture is cheaper; ties go to the one held.

    Args:
        limits: per solve, of which there are one or two.
    """
    plan = compile_plan(problem, limits)
    if not plan.found:
        return Here(False, plan, proved(plan), "no cluster: " + "; ".join(map(str, plan.conflict)))
    if architecture_of(plan) == held:
        return Here(True, plan, proved(plan))
    # its bounds hold among its own clusters only; among all, those of the plan do
    own = replace(held_cost(problem, held, limits), lower=plan.lower)
    if not proved(plan):
        own = replace(own, status=plan.status)
    stays = own.found and own.upper <= plan.upper * (1 + EQUAL)
    return Here(stays, own if stays else plan, proved(own) and proved(plan), "" if stays else "cheaper")


@dataclass(frozen=True, slots=True)
class Walk:
    """How to look for the edges of an architecture along one input."""

    problem: Problem
    input: Input
    """Its value is above 0."""
    held: Architecture
    """The best where the input is."""
    limits: SolveLimits
    tolerance: float = 1e-3
    """Relative width of what is not known; of a count, the two sides of an edge are neighbours."""

    def edge(self, limit: float) -> Edge:
        """The edge between the input's value and a limit above 0, below the value to look downward."""
        stays = self.input.value
        for value in self._steps(limit):
            here = self._look(value)
            if not here.stays:
                return self._halved(stays, value, here)
            stays = value
        return Edge(stays, None, why="not looked further")

    def _look(self, value: float) -> Here:
        """`stays_best` at a value, which the input may refuse."""
        try:
            problem = self.input.set(self.problem, value)
        except ValueError as error:
            why = f"no such value: {str(error).partition(', got')[0]}"
            return Here(False, ProvisionPlan(Status.INFEASIBLE), True, why)
        return stays_best(problem, self.held, self.limits)

    def _steps(self, limit: float) -> Iterator[float]:
        """Values from beside the start to a limit, farther apart as they go."""
        value, up = self.input.value, limit > self.input.value
        while (value < limit) if up else (value > limit):
            after = value * _STEP if up else value / _STEP
            if self.input.whole:
                after = max(value + 1, round(after)) if up else min(value - 1, round(after))
            value = min(after, limit) if up else max(after, limit)
            yield value

    def _halved(self, stays: float, gone: float, there: Here) -> Edge:
        """Narrow the edge; geometric means, since inputs live on ratio scales."""
        sure, whole = there.proved, self.input.whole
        while abs(gone - stays) > (1 if whole else self.tolerance * max(gone, stays)):
            middle = round((stays + gone) / 2) if whole else (stays * gone) ** 0.5
            here = self._look(middle)
            if here.stays:
                stays = middle
            else:
                gone, there = middle, here
            sure = sure and here.proved
        return Edge(stays, gone, architecture_of(there.plan), there.why, sure)


def _side(side: tuple[Walk, float]) -> Edge:
    walk, factor = side
    limit = walk.input.value * factor
    return walk.edge(max(1, round(limit)) if walk.input.whole else limit)


# What each input does to the cost


@dataclass(frozen=True, slots=True)
class Swing:
    """One input, a share lower and higher: a row of a tornado chart."""

    input: Input
    low: float
    """The value tried below; the input's own where a lower one is refused."""
    high: float
    low_plan: ProvisionPlan | None
    """None: the input may not have that value."""
    high_plan: ProvisionPlan | None
    moves: bool
    """Whether the architecture changes at either end."""

    def change(self, plan: ProvisionPlan | None, cost: float) -> float | None:
        """Dollars more than a cost, at one end.

        Args:
            plan: the one at that end; None where the input may not have that value.
            cost: dollars to compare with, of the plan at the input's own value.

        Returns:
            Dollars, negative for less; None without a cluster.
        """
        return plan.upper - cost if plan is not None and plan.found else None

    def reach(self, cost: float) -> float:
        """The larger change of both, for ranking; infinite where no cluster is left."""
        ends = [end for end in (self.low_plan, self.high_plan) if end is not None]
        if any(not end.found for end in ends):
            return float("inf")
        return max((abs(end.upper - cost) for end in ends), default=0.0)


def tornado(
    problem: Problem,
    best: ProvisionPlan,
    inputs: Sequence[Input],
    limits: SolveLimits,
    *,
    share: float = 0.2,
    workers: Workers = 1,
    done: Callable[[ProvisionPlan], None] | None = None,
) -> tuple[Swing, ...]:
    """Swings of the cost, the largest first; counts move by at least one piece.

    Args:
        limits: of each solve; two an input.
        share: how far, relative, above 0 and below 1.
        done: called with each plan, at most two an input, as soon as it is compiled.
    """
    ends = [_ends(entry, share) for entry in inputs]
    lines = [Line(problem, limits, entry) for entry in inputs]
    points = [(line, value) for line, pair in zip(lines, ends, strict=True) for value in pair]
    allowed = [line.allows(value) for line, value in points]
    solved = iter(cheapest_at(compress(points, allowed), workers, done))
    plans, held = [next(solved) if each else None for each in allowed], architecture_of(best)
    swings = [
        Swing(entry, *pair, low, high, any(_moved(plan, held) for plan in (low, high)))
        for entry, pair, low, high in zip(inputs, ends, plans[::2], plans[1::2], strict=True)
    ]
    return tuple(sorted(swings, key=lambda swing: -swing.reach(best.upper)))


def _ends(entry: Input, share: float) -> tuple[float, float]:
    if entry.whole:
        step = max(1, round(entry.value * share))
        return max(0.0, entry.value - step), entry.value + step
    return entry.value * (1 - share), entry.value * (1 + share)


def _moved(plan: ProvisionPlan | None, held: Architecture | None) -> bool:
    if plan is None or plan.status is Status.UNDECIDED:
        return False
    return architecture_of(plan) != held
