"""How far an architecture stays the best: steps away from where it is, then halving between the last two.

What is found is the nearest edge on that side as far as the steps can see: an architecture that leaves and comes
back between two steps is not noticed. At the edge stand the last value at which it stays and the first at which
something else is cheaper, so the width of what is not known is stated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from froude.provision.search.architecture import Architecture, architecture_of, held_cost, proved
from froude.provision.search.compile import compile_plan
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types import Problem
from froude.provision.types.plan import ProvisionPlan, Status

EQUAL = 1e-6
"""Relative; costs nearer than that are the same, and then nothing moves."""
_STEP = 1.1
"""Small, since whole numbers of units make an architecture leave and come back within short stretches."""


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


def stays_best(problem: Problem, held: Architecture, limits: SolveLimits) -> Here:
    """Whether no other architecture is cheaper; ties go to the one held.

    Args:
        problem: the inputs at the place in question.
        held: the architecture that is asked about.
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

    at: Callable[[float], Problem]
    """The problem at a value; raises ValueError for one that the input may not have."""
    held: Architecture
    """The best at `start`."""
    start: float
    """Above 0."""
    limits: SolveLimits
    """Of each solve."""
    tolerance: float = 1e-3
    """Relative width of what is not known."""
    whole: bool = False
    """The value is a count; then the two sides of an edge are neighbours."""

    def edge(self, limit: float) -> Edge:
        """The edge between the start and a limit above 0, below the start to look downward."""
        stays = self.start
        for value in self._steps(limit):
            here = self._look(value)
            if not here.stays:
                return self._halved(stays, value, here)
            stays = value
        return Edge(stays, None, why="not looked further")

    def _look(self, value: float) -> Here:
        """`stays_best` at a value, which the input may refuse."""
        try:
            problem = self.at(value)
        except ValueError as error:
            return Here(
                False,
                ProvisionPlan(Status.INFEASIBLE),
                True,
                f"no such value: {str(error).partition(', got')[0]}",
            )
        return stays_best(problem, self.held, self.limits)

    def _steps(self, limit: float) -> Iterator[float]:
        """Values from beside the start to a limit, farther apart as they go."""
        value, up = self.start, limit > self.start
        while (value < limit) if up else (value > limit):
            after = value * _STEP if up else value / _STEP
            if self.whole:
                after = max(value + 1, round(after)) if up else min(value - 1, round(after))
            value = min(after, limit) if up else max(after, limit)
            yield value

    def _halved(self, stays: float, gone: float, there: Here) -> Edge:
        """Narrow the edge; geometric means, since inputs live on ratio scales."""
        sure = there.proved
        while abs(gone - stays) > (1 if self.whole else self.tolerance * max(gone, stays)):
            middle = round((stays + gone) / 2) if self.whole else (stays * gone) ** 0.5
            here = self._look(middle)
            if here.stays:
                stays = middle
            else:
                gone, there = middle, here
            sure = sure and here.proved
        return Edge(stays, gone, architecture_of(there.plan), there.why, sure)
