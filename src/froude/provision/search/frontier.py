"""The open parts of a search outside the linear problem: which to look into next, and what is proved so far.

Splits of a batch job's time, hosts to spread over and quantities with discounts are each searched in parts
(intervals, boxes). A part has a bound that no plan in it undercuts; a plan found anywhere is offered; the part
with the least bound is taken next, until the best plan is within the gap of the least bound that is left.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Generic, TypeVar

from froude.base.clock import Clock, RealClock
from froude.provision.model.instance import Instance
from froude.provision.search.best_first import BestFirst
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types.plan import ProvisionPlan, Status

Adapt = Callable[[Instance], Instance]
"""A change of the numeric problem between its building and its solution."""

LEAST_S = 0.1
"""For a problem inside, even when the time is over."""
_OF_LEFT, _OF_ALL = 1 / 3, 1 / 8
"""Shares of the time left and of all the time, for one of the problems inside: a hard one must not starve the others."""
COARSE = 0.03
"""Gap of a first look: a bound that is this rough may do, and one that does not is looked at again."""

_Part = TypeVar("_Part")


def halves(start: int, end: int | None) -> tuple[tuple[int, int | None], tuple[int, int | None]]:
    """Both parts of an interval of whole numbers; of one without end the first is as long as what lies below it.

    Args:
        start: the first number, 1 or above.
        end: the last, above the first; None for no end.
    """
    middle = 2 * start - 1 if end is None else (start + end) // 2
    return (start, middle), (middle + 1, end)


class Frontier(Generic[_Part]):
    """A best-first search for plans: its parts, the best plan, and the time that is left."""

    def __init__(self, limits: SolveLimits, *, most: int, clock: Clock | None = None) -> None:
        """Begin.

        Args:
            limits: for all of it; watched before each part.
            most: parts that are taken at most.
        """
        self._gap = limits.gap
        self._clock = clock or RealClock()
        self._begin = self._clock.now()
        self._most_s = limits.time_limit_s * _OF_ALL
        self._end = self._begin + limits.time_limit_s
        self._left = most
        self._watch = limits.watch
        self._parts: BestFirst[_Part] = BestFirst()
        self._refused: ProvisionPlan | None = None
        self.best = ProvisionPlan(Status.UNDECIDED)
        """The cheapest plan offered."""

    @property
    def seconds(self) -> float:
        """For the next problem inside."""
        return max(LEAST_S, min(self._most_s, self.seconds_left * _OF_LEFT))

    @property
    def seconds_left(self) -> float:
        """For all that is still to come."""
        return max(0.0, self._end - self._clock.now())

    @property
    def seconds_close(self) -> float:
        """For a close look that nothing else can replace: all that is left, or half while other parts are open."""
        return max(LEAST_S, self.seconds_left / (2 if self._parts else 1))

    @property
    def lower(self) -> float:
        """No plan costs less, whether found or not."""
        return min(self._parts.lower, self.best.upper)

    @property
    def closed(self) -> bool:
        """Whether the gap is reached."""
        return math.isfinite(self.best.upper) and self.best.upper - self.lower <= self._gap * self.best.upper

    def offer(self, plan: ProvisionPlan) -> None:
        """A plan that holds; kept when it is the cheapest."""
        if plan.found and plan.upper < self.best.upper:
            self.best = plan

    def push(self, part: _Part, lower: float) -> None:
        """A part to be looked into, unless nothing in it can be cheaper than the best plan.

        Args:
            lower: dollars that everything in it costs at least.
        """
        if lower < self.best.upper:
            self._parts.push(part, lower)
        else:
            self.give_up(lower)

    def refuse(self, plan: ProvisionPlan) -> None:
        """A part without any plan, and why."""
        self._refused = plan

    def give_up(self, lower: float) -> None:
        """A part that is not looked into further; its bound stays."""
        self._parts.close(lower)

    def pop(self) -> tuple[_Part, float] | None:
        """The part with the least bound, and that; None when the search is over."""
        if self._watch is not None:
            self._watch(self.lower, self.best.upper)
        if not self._parts or self.closed or not self._left or self._clock.now() > self._end:
            return None
        self._left -= 1
        return self._parts.pop()

    def result(self, *notes: str) -> ProvisionPlan:
        """The best plan between its bounds; where there is none, why."""
        seconds = self._clock.now() - self._begin
        if not self.best.found:
            nothing_left = not math.isfinite(self._parts.lower)
            plan = (
                self._refused
                if nothing_left and self._refused
                else ProvisionPlan(Status.UNDECIDED, lower=self.lower)
            )
            return replace(plan, seconds=seconds)
        status = Status.PROVED if self.closed else Status.GAP
        kept = (*self.best.notes, *notes)
        return replace(self.best, status=status, lower=self.lower, seconds=seconds, notes=kept)
