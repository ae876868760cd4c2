"""A branch and bound of ours, small and plain: the proof of a lower bound that needs no word of the solver.

HiGHS solves the linear program of each node and is believed in nothing: the bound of a node is recomputed from
the duals it gives (`bounds.safe_bound`), and a node counts as empty only when its ray proves so. Where a claim
cannot be verified the node keeps its parent's bound. Best bound first, so that stopping early still leaves a
valid bound: the least of the open nodes. A tenth of a millisecond and more per node, hence for the bound of the
master and for small pricing problems, whose best point it finds on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from froude.provision.search.best_first import BestFirst
from froude.provision.search.optimise.bounds import safe_bound
from froude.provision.search.optimise.highs import (
    INFINITY,
    Arrays,
    Floats,
    Ints,
    Solver,
    SolverOptions,
    Status,
)

_WHOLE = 1e-6
_FEW = 24
"""Sets of up to so many variables are decided one by one: halving them takes more nodes."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What the tree showed."""

    bound: float
    """No integer point costs less; plus infinity when there is none at all."""
    nodes: int
    x: Floats | None = None
    """The best whole point met, by the linear program's own tolerance; None where none was."""


def prove(
    program: Arrays,
    target: float,
    *,
    first: Sequence[Sequence[int]] = (),
    one_of: Sequence[Sequence[int]] = (),
    nodes: int = 2000,
    expired: Callable[[], bool] = lambda: False,
) -> Proof:
    """Raise a lower bound of a mixed-integer program until it reaches the target.

    Args:
        program: what is minimised; variables with finite bounds give tight proofs.
        target: the bound wanted; plus infinity asks for the optimum.
        first: variables that are branched on before others, class by class.
        one_of: sets of whole variables of which exactly one is 1: large ones are halved rather than decided one by
            one, in their order, so that neighbours should be alike.
        nodes: most linear programs solved.

    Returns:
        The bound proved, at most a little above the target.
    """
    program = replace(program, lower=program.lower.copy(), upper=program.upper.copy())
    whole = np.flatnonzero(program.integer).astype(np.int32)
    rank = np.full(len(program.cost), len(first))
    for place, variables in enumerate(first):
        rank[list(variables)] = place
    at = {variable: place for place, variable in enumerate(whole.tolist())}
    sets = [np.array([at[variable] for variable in variables]) for variables in one_of]
    solver = Solver(program, SolverOptions(presolve=False), relaxed=True)
    best: Floats | None = None
    solved = 0
    open_: BestFirst[tuple[Floats, Floats]] = BestFirst()
    # whole ends: a ceiling beyond an end that is not whole would be a node that no ray tells to be empty
    least, most = np.ceil(program.lower[whole] - _WHOLE), np.floor(program.upper[whole] + _WHOLE)
    if (least <= most).all():
        open_.push((least, most), -INFINITY)
    for (low, high), inherited in open_.until(lambda: target, most=nodes, expired=expired):
        bound, x = _bound(solver, whole, low, high)
        bound, solved = max(bound, inherited), solved + 1
        if bound == INFINITY:
            continue
        split = _branch(x[whole], low, high, rank[whole], sets) if len(x) else None
        if split is None:
            if bound < open_.closed:
                best = x if len(x) else best
            open_.close(bound)
            continue
        for child in split:
            if (child[0] <= child[1]).all():
                open_.push(child, bound)
    return Proof(open_.lower, solved, best)


def _bound(solver: Solver, whole: Ints, low: Floats, high: Floats) -> tuple[float, Floats]:
    """The safe bound of one node, and its point where it has one."""
    solver.bound_variables(whole.tolist(), low.tolist(), high.tolist())
    outcome = solver.run()
    if outcome.status is Status.OPTIMAL:
        return safe_bound(solver.program, outcome.duals), outcome.x
    if outcome.status is Status.INFEASIBLE and proved_empty(solver):
        return INFINITY, outcome.x
    return -INFINITY, outcome.x


def proved_empty(solver: Solver) -> bool:
    """Does the ray of a program that was found infeasible prove that it has no point?"""
    ray = solver.ray()
    return ray is not None and max(safe_bound(solver.program, s * ray, ray=True) for s in (1, -1)) > 0


def _branch(
    x: Floats, low: Floats, high: Floats, rank: npt.NDArray[np.int_], sets: Sequence[npt.NDArray[np.int_]]
) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]] | None:
    """Two children that part the most fractional variable of the least rank, or its set; None when all are whole."""
    away = np.abs(x - np.round(x))
    if away.max(initial=0.0) < _WHOLE:
        return None
    at = int(np.argmax(np.where(away < _WHOLE, -np.inf, away - rank)))
    for variables in sets:
        open_ = variables[high[variables] > 0]
        if at in variables and len(open_) > _FEW:
            return _halved(x, low, high, open_)
    below, above = high.copy(), low.copy()
    below[at], above[at] = np.floor(x[at]), np.ceil(x[at])
    return (low, below), (above, high)


def _halved(
    x: Floats, low: Floats, high: Floats, variables: npt.NDArray[np.int_]
) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """The one of a set is in its first part, or in its second: each has about half of what the point has."""
    so_far = np.cumsum(x[variables])
    cut = int(np.searchsorted(so_far, 0.5)) + 1
    if cut >= len(variables) or so_far[cut - 1] > so_far[-1] - _WHOLE / 2:
        cut -= 1
    cut = max(cut, 1)
    first, second = high.copy(), high.copy()
    first[variables[cut:]] = 0.0
    second[variables[:cut]] = 0.0
    return (low, first), (low, second)
