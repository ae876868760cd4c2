"""What each input does to the cost when it alone is a share lower or higher: the rows of a tornado chart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from froude.base.parallel import Workers
from froude.base.parallel import map as parallel_map
from froude.provision.analyses.inputs import Input
from froude.provision.search.architecture import Architecture, architecture_of
from froude.provision.search.compile import compile_plan
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types import Problem
from froude.provision.types.plan import ProvisionPlan, Status


@dataclass(frozen=True, slots=True)
class Swing:
    """One input, moved down and up."""

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
) -> tuple[Swing, ...]:
    """Swings of the cost, the largest first; counts move by at least one piece.

    Args:
        problem: the inputs.
        best: its cheapest plan.
        inputs: which to move.
        limits: of each solve; two an input.
        share: how far, relative, above 0 and below 1.
        workers: see `froude.base.parallel`.
    """
    values = [(entry, value) for entry in inputs for value in _ends(entry, share)]
    plans = parallel_map(partial(_at, problem, limits), values, workers)
    held = architecture_of(best)
    swings = []
    for number, entry in enumerate(inputs):
        low, high = plans[2 * number : 2 * number + 2]
        moves = any(_moved(plan, held) for plan in (low, high))
        swings.append(Swing(entry, *_ends(entry, share), low, high, moves))
    return tuple(sorted(swings, key=lambda swing: -swing.reach(best.upper)))


def _ends(entry: Input, share: float) -> tuple[float, float]:
    if entry.whole:
        step = max(1, round(entry.value * share))
        return max(0.0, entry.value - step), entry.value + step
    return entry.value * (1 - share), entry.value * (1 + share)


def _at(problem: Problem, limits: SolveLimits, pair: tuple[Input, float]) -> ProvisionPlan | None:
    entry, value = pair
    try:
        there = entry.set(problem, value)
    except ValueError:
        return None
    return compile_plan(there, limits)


def _moved(plan: ProvisionPlan | None, held: Architecture | None) -> bool:
    if plan is None or plan.status is Status.UNDECIDED:
        return False
    return architecture_of(plan) != held
