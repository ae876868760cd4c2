"""What the paper does, to compare with: gradient descent over choices.

The paper fixes a storage type per dataset, prices that with an integer program over candidate servers, and
walks to the best neighbour (one dataset changed) until none is better, from several random starts (4.4, 5.3).
Neither gives a bound over all choices. The evaluator of the descent is ours (the master with fixed choices),
so that both sides compare the same figure.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from froude.provision.model.instance import Instance
from froude.provision.search.optimise.highs import INFINITY, SolverOptions, solve
from froude.provision.search.optimise.master import Master
from froude.provision.search.optimise.subproblem import subproblem


@dataclass(frozen=True, slots=True)
class Descent:
    """Where gradient descent ended."""

    cost: float
    """Of the best start, contents summed per kind of server; infinite when no start found a cluster."""
    choices: tuple[int, ...]
    ends: tuple[float, ...]
    """Cost at the end of each start."""
    evaluations: int
    """Choices priced; none twice."""


class SummedCost:
    """The least cost of given choices, contents summed per kind of server; remembers what it was asked."""

    def __init__(self, instance: Instance, gap: float = 1e-4) -> None:
        """Price choices of one instance, each within a relative gap.

        Args:
            instance: the numeric problem.
            gap: relative distance of cost and lower bound at which a solve may stop.
        """
        self._instance, self._gap = instance, gap
        self.known: dict[tuple[int, ...], float] = {}

    def __call__(self, choices: tuple[int, ...]) -> float:
        """Dollars, infinite where no cluster holds them."""
        if choices not in self.known:
            sub = subproblem(self._instance, [(choice,) for choice in choices])
            relaxed = solve(Master(sub, whole=False).program, relaxed=True)
            cost = INFINITY
            if relaxed.found:
                base = max(sub.base_cost(kind) for kind in sub.kinds)
                program = Master(sub, budget=3 * relaxed.objective + 12 * base).program
                cost = solve(program, SolverOptions(gap=self._gap, time_s=20.0)).objective
            self.known[choices] = cost
        return self.known[choices]


def gradient_descent(instance: Instance, rng: random.Random, *, restarts: int = 10) -> Descent:
    """The paper's search: from random choices to the best neighbour until there is no better one.

    Args:
        instance: the numeric problem.
        rng: of the starts.
        restarts: how many starts; the paper calls 10 typically sufficient.

    Raises:
        ValueError: fewer than one start.

    Source: scc 4.4 and 5.3.
    """
    if restarts < 1:
        raise ValueError(f"restarts must be at least 1, got {restarts}")
    price = SummedCost(instance)
    sizes = [len(dataset.choices) for dataset in instance.datasets]
    ended = [_descend(price, sizes, tuple(rng.randrange(n) for n in sizes)) for _ in range(restarts)]
    cost, choices = min(ended)
    return Descent(cost, choices, tuple(end for end, _ in ended), len(price.known))


def _descend(price: SummedCost, sizes: list[int], choices: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
    best = (price(choices), choices)
    while True:
        around = [
            (*choices[:d], other, *choices[d + 1 :])
            for d, size in enumerate(sizes)
            for other in range(size)
            if other != choices[d]
        ]
        cost, nearest = min(((price(near), near) for near in around), default=best)
        if not cost < best[0] * (1 - 1e-9):
            return best
        best, choices = (cost, nearest), nearest
