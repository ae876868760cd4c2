"""A second opinion on a plan: one program over single servers with choices open, and other solvers' optima.

For a few servers the exact joint program is small enough: its bound, proved by our own tree, has neither the
master's summed contents nor the packing's fractions in it. And the master is solved again without presolve and
by the older HiGHS inside scipy, both of which must find nothing below the bound that we proved.

Source: spec 2.4 (a'), solver policy in 5.
"""

from __future__ import annotations

import math

import numpy as np

from froude.provision.search.optimise.benders import BendersSearch
from froude.provision.search.optimise.branch_and_bound import prove
from froude.provision.search.optimise.highs import INFINITY, Arrays, SolverError, SolverOptions, solve
from froude.provision.search.optimise.master import Master
from froude.provision.search.optimise.subproblem import Subproblem, subproblem

MOST_SLOTS = 10
"""Candidate servers up to which the joint program is tried."""
_NODES = 20_000
_AGREE = 1e-6
"""Relative tolerance with which another solver may undercut a proved bound."""


def certify(search: BendersSearch) -> None:
    """Raise a finished search's lower bound by the joint program, and ask other solvers about the master.

    Args:
        search: has found a cluster; its bound, cluster and notes are improved within its time limit.

    Raises:
        SolverError: another solver undercuts what we proved: a bug of ours or of a solver.
    """
    if not math.isfinite(search.best.cost):
        return
    sub = subproblem(search.instance, search.allowed, search.servers)
    _ask_others(search, sub)
    bases = [sub.base_cost(kind) for kind in sub.kinds]
    # a cheaper cluster has no more servers of a kind than its cost pays for, empty
    counts = [math.floor(search.best.cost / base) if base > 0 else MOST_SLOTS + 1 for base in bases]
    if sum(counts) > MOST_SLOTS:
        search.notes.append(f"no joint certificate: {sum(counts)} candidate servers, at most {MOST_SLOTS}")
        return
    slots = [kind for kind, n in zip(sub.kinds, counts, strict=True) for _ in range(n)]
    joint = Master(sub, slots=slots)
    outcome = solve(joint.program, SolverOptions(search.left_s() / 2, 1e-4, seed=search.limits.seed))
    if outcome.found and outcome.objective < search.best.cost * (1 - 1e-6):
        search.pack(joint.choices_at(outcome.x), {}, deep=True)
    target = search.best.cost * (1 - _AGREE)
    proof = prove(
        joint.program.arrays(), target, first=joint.branch_first(), nodes=_NODES, expired=search.expired
    )
    search.lower = max(search.lower, min(proof.bound, search.best.cost, search.outside))
    search.notes.append(f"joint program of {len(slots)} single servers: {proof.nodes} nodes of our own tree")


def _ask_others(search: BendersSearch, sub: Subproblem) -> None:
    """The master's optimum without presolve, and by scipy's HiGHS, against a bound that we prove for it."""
    relaxed = solve(Master(sub, whole=False).program, relaxed=True)
    budget = 3 * relaxed.objective + 12 * max((sub.base_cost(kind) for kind in sub.kinds), default=0.0)
    master = Master(sub, budget=budget)
    arrays = master.program.arrays()
    seconds = min(10.0, max(0.1, search.left_s() / 4))
    bare = solve(arrays, SolverOptions(seconds, 1e-4, presolve=False))
    optima = {"HiGHS without presolve": bare.objective, "scipy's HiGHS": _scipy(arrays, seconds)}
    proved = prove(arrays, bare.objective, first=master.branch_first(), expired=search.expired).bound
    for name, optimum in optima.items():
        if optimum < proved * (1 - _AGREE):
            raise SolverError(f"{name} finds {optimum:.6f} below the proved bound {proved:.6f}")
    asked = [name for name, optimum in optima.items() if math.isfinite(optimum)]
    search.notes.append(f"bound of the master not undercut by {' nor '.join(asked) or 'any (none answered)'}")


def _scipy(program: Arrays, seconds: float) -> float:
    """The objective that scipy finds; infinite where it is not installed or finds none."""
    try:
        from scipy import optimize, sparse
    except ModuleNotFoundError:
        return INFINITY
    shape = (len(program.row_lower), len(program.cost))
    matrix = sparse.csr_array((program.value, program.index, program.start), shape=shape)
    outcome = optimize.milp(
        program.cost,
        integrality=program.integer.astype(np.int64),
        bounds=optimize.Bounds(program.lower, program.upper),
        constraints=optimize.LinearConstraint(matrix, program.row_lower, program.row_upper),
        options={"time_limit": seconds, "mip_rel_gap": 1e-4},
    )
    return float(outcome.fun) if outcome.x is not None else INFINITY
