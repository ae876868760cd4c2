"""Bounds that hold whatever the solver said, computed here from duals by weak duality.

For any row multipliers y the cost of every point of `row_lower <= A x <= row_upper, lower <= x <= upper` is at
least `sum_i y_i row_i + min_x (cost - A'y).x` over the box of x, taking the row's lower end where y_i > 0 and
its upper end where y_i < 0. That is true of wrong duals too (they only give a weak bound), so the bound needs
no trust in the solver, only care with rounding: every reduced cost is widened by the error its sum can have.

Source: Neumaier and Shcherbina, "Safe bounds in linear and mixed-integer linear programming" (2004).
"""

from __future__ import annotations

import numpy as np

from froude.provision.search.optimise.highs import Arrays, Floats

EPSILON = float(np.finfo(np.float64).eps)


def safe_bound(program: Arrays, duals: Floats, *, ray: bool = False) -> float:
    """The least cost that any point of the program can have, by these duals.

    Variables should have finite bounds: an unbounded one spoils the bound as soon as rounding leaves its reduced
    cost below zero.

    Args:
        duals: (rows) multipliers, positive for a row's lower end.
        ray: leave the costs out; a result above zero proves that the program has no point.

    Returns:
        A lower bound, minus infinity where these duals prove nothing.
    """
    ends = np.where(duals > 0, program.row_lower, program.row_upper)
    y = np.where(np.isfinite(ends), duals, 0.0)
    row_terms = _product(y, ends)
    cost = np.zeros_like(program.cost) if ray else program.cost
    reduced = cost - program.transposed_at(y)
    magnitude = np.abs(cost) + np.bincount(
        program.index, np.abs(program.value * y[program.row_of]), minlength=len(cost)
    )
    counts = np.bincount(program.index, minlength=len(cost)) + 2
    error = EPSILON * counts * magnitude
    variable_terms = np.minimum.reduce(
        [
            _product(each, end)
            for each in (reduced - error, reduced + error)
            for end in (program.lower, program.upper)
        ]
    )
    total = float(row_terms.sum() + variable_terms.sum())
    terms = np.abs(row_terms).sum() + np.abs(variable_terms).sum()
    return (
        total - float(EPSILON * (len(row_terms) + len(variable_terms)) * terms)
        if np.isfinite(total)
        else total
    )


def _product(left: Floats, right: Floats) -> Floats:
    """As `left * right`, where 0 times infinity is 0; `left` is finite."""
    with np.errstate(invalid="ignore"):
        product = left * right
    return np.where(left == 0.0, 0.0, product)
