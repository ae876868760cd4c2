"""Bounds from duals, whatever the duals are."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.provision.search.optimise.bounds import EPSILON, safe_bound
from froude.provision.search.optimise.highs import Arrays, Floats, Program, SolverOptions, solve
from tests.support.provision.search.optimise.highs import random_program


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


def exact_bound(program: Arrays, duals: Floats) -> Fraction:
    """What these duals prove, in rationals: the rows' ends, and each variable at the end where it costs least."""
    y = [Fraction(each) for each in duals.tolist()]
    ends = np.where(duals > 0, program.row_lower, program.row_upper)
    reduced = [Fraction(each) for each in program.cost.tolist()]
    for row, column, value in zip(program.row_of, program.index, program.value.tolist(), strict=True):
        reduced[column] -= Fraction(value) * y[row]
    costs = zip(reduced, program.lower.tolist(), program.upper.tolist(), strict=True)
    rows = sum(each * Fraction(end) for each, end in zip(y, ends.tolist(), strict=True) if each)
    return rows + sum(min(cost * Fraction(low), cost * Fraction(high)) for cost, low, high in costs)


def test_rounding_never_proves_too_much() -> None:
    """Near a vertex reduced costs are zero but for their rounding, which a wide variable multiplies."""
    chance = np.random.default_rng(1)
    for _ in range(300):
        matrix, cost = chance.uniform(-9, 9, (5, 7)), chance.uniform(1, 9, 7)
        program = Program()
        for j in range(7):
            program.variable(f"x{j}", cost=cost[j], lower=-1e6, upper=1e6)
        for i in range(5):
            low, high = sorted(chance.uniform(-50, 50, 2))
            program.row(f"r{i}", list(enumerate(matrix[i])), lower=low, upper=high)
        basis = chance.permutation(7)[:5]
        duals = np.linalg.solve(matrix[:, basis].T, cost[basis])
        arrays = program.arrays()
        assert Fraction(safe_bound(arrays, duals)) <= exact_bound(arrays, duals)


@pytest.mark.parametrize(("value", "dual"), [(1.0, 1.0), (2.0, 4.0), (0.5, 0.25)])
def test_how_much_rounding_is_allowed_for(value: float, dual: float) -> None:
    """As many units of rounding as a variable has terms, and two; then one for each sum of the whole."""
    program = Program()
    x = program.variable("x", cost=value * dual, upper=2.0**40)
    program.row("low", [(x, value)], lower=0.0)
    reduced = 3 * EPSILON * (2 * value * dual) * 2.0**40
    assert safe_bound(program.arrays(), np.array([dual])) == -reduced - 2 * EPSILON * reduced


def test_a_row_without_the_end_that_a_dual_asks_for_proves_nothing() -> None:
    """However small the dual; an unbounded variable that costs nothing spoils no bound."""
    program = Program()
    x = program.variable("x", cost=1.0, lower=-8.0, upper=8.0)
    program.variable("free", upper=np.inf)
    program.row("low", [(x, 1.0)], lower=2.0)
    arrays = program.arrays()
    for dual, proved in ((1.0, 2.0), (0.5, -3.0), (0.0, -8.0), (-0.5, -8.0), (-1.0, -8.0)):
        assert safe_bound(arrays, np.array([dual])) == pytest.approx(proved)
    program.variable("costly", cost=-1.0, upper=np.inf)
    assert safe_bound(program.arrays(), np.array([0.5])) == -np.inf
