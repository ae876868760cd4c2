"""Bounds from duals, whatever the duals are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.provision.search.optimise.bounds import safe_bound
from froude.provision.search.optimise.highs import Program, SolverOptions, solve
from tests.provision.search.optimise.test_highs import random_program


@given(st.integers(0, 200), st.lists(st.floats(-50, 50), min_size=5, max_size=5))
def test_wrong_duals_give_weak_bounds_never_wrong_ones(seed: int, duals: list[float]) -> None:
    """No multipliers whatever prove more than the optimum."""
    program = random_program(seed)
    optimum = solve(program, relaxed=True).objective
    assert safe_bound(program.arrays(), np.array(duals)) <= optimum + 1e-9 * abs(optimum)


@pytest.mark.parametrize("seed", range(10))
def test_the_solvers_duals_give_the_optimum(seed: int) -> None:
    """The bound is as good as the relaxation, less rounding."""
    program = random_program(seed)
    solution = solve(program, SolverOptions(presolve=False), relaxed=True)
    assert safe_bound(program.arrays(), solution.duals) == pytest.approx(solution.objective, rel=1e-7)


def test_a_ray_proves_that_there_is_no_point() -> None:
    """X >= 2 and x <= 1 cannot both be."""
    program = Program()
    x = program.variable("x", upper=10.0)
    program.row("low", [(x, 1.0)], lower=2.0)
    program.row("high", [(x, 1.0)], upper=1.0)
    assert safe_bound(program.arrays(), np.array([1.0, -1.0]), ray=True) > 0
    assert safe_bound(program.arrays(), np.array([1.0, 0.0]), ray=True) <= 0
