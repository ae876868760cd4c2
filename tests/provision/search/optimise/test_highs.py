"""Programs in, checked outcomes out."""

from __future__ import annotations

import math

import highspy
import numpy as np
import pytest

from froude.provision.search.optimise.highs import (
    Program,
    Solver,
    SolverError,
    SolverOptions,
    Status,
    solve,
)
from tests.support.provision.search.optimise.highs import knapsack


def test_solves_and_recomputes() -> None:
    """The optimum, its objective and a bound."""
    solution = solve(knapsack())
    assert solution.status is Status.OPTIMAL
    assert solution.x.tolist() == [1, 0, 3]
    assert solution.objective == -14
    assert solution.bound == pytest.approx(-14, abs=1e-5)


def test_relaxes() -> None:
    """Without integrality the relaxation is no dearer, and has duals."""
    solution = solve(knapsack(), relaxed=True)
    assert solution.objective <= -14
    assert len(solution.duals) == 1


def test_tells_infeasible_and_unbounded_apart() -> None:
    """Both are values, not errors."""
    program = Program()
    x = program.variable("x", cost=-1.0)
    assert solve(program, SolverOptions(presolve=False)).status is Status.UNBOUNDED
    program.row("up", [(x, 1.0)], upper=1.0)
    program.row("down", [(x, 1.0)], lower=2.0)
    solution = solve(program)
    assert solution.status is Status.INFEASIBLE
    assert not solution.found
    assert math.isinf(solution.objective)


def test_a_model_that_highs_refuses_is_an_error() -> None:
    """A row about a variable that there is not."""
    program = Program()
    program.row("bad", [(program.variable("x") + 1, 1.0)], lower=0.0)
    with pytest.raises(SolverError):
        solve(program)


def test_a_point_that_breaks_its_rows_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that claims what its own rows refute is asked once more, then not believed."""
    solver = Solver(knapsack().arrays())

    class Wrong:
        col_value = (3.0, 3.0, 3.0)
        row_dual = (0.0,)

    monkeypatch.setattr(solver, "_highs", _Lying(solver._highs, Wrong()))
    solution = solver.run()
    assert solution.status is Status.LIMIT
    assert not solution.found


class _Lying:
    def __init__(self, real: highspy.Highs, answer: object) -> None:
        self._real, self._answer = real, answer

    def getSolution(self) -> object:
        return self._answer

    def __getattr__(self, name: str) -> object:
        return getattr(self._real, name)


def test_bounds_and_prices_change_between_solves() -> None:
    """One solver, three programs."""
    solver = Solver(knapsack().arrays())
    assert solver.run().objective == -14
    solver.bound_variables([0], [0.0], [0.0])
    assert solver.run().objective == pytest.approx(-10)
    solver.set_costs([2], np.array([0.0]))
    assert solver.run().objective == -4


def test_large_numbers_are_counted_in_a_unit() -> None:
    """The point, the bound and the duals are those of the program as it was said."""
    for unit in (1.0, 1024.0):
        program = Program(unit)
        many, choice = program.variable("many", cost=3.0, upper=1e10), program.variable("choice", upper=1.0)
        program.row("place", [(many, 1.0), (choice, -5e9)], lower=0.0)
        program.row("choose", [(choice, 1.0)], lower=1.0)
        outcome = solve(program)
        assert outcome.x == pytest.approx([5e9, 1.0])
        assert (outcome.objective, outcome.bound) == pytest.approx((15e9, 15e9))
        assert outcome.duals == pytest.approx([3.0, 15e9])
        solver = Solver(program.arrays())
        solver.bound_variables([many], [6e9], [1e10])
        assert solver.run().x[many] == pytest.approx(6e9)
        solver.set_costs([many], np.array([-1.0]))
        assert solver.run().objective == pytest.approx(-1e10)
        solver.bound_rows(np.array([-math.inf, 1.0]), np.array([0.0, 1.0]))
        assert solver.run().status is Status.INFEASIBLE
