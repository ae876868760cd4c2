"""The proof tree against the solver it does not trust."""

from __future__ import annotations

import math
import random

import pytest

from froude.provision.search.optimise.branch_and_bound import prove
from froude.provision.search.optimise.highs import Program, solve
from tests.support.provision.search.optimise.highs import knapsack, random_program


@pytest.mark.parametrize("seed", range(20))
def test_proves_the_optimum(seed: int) -> None:
    """Asked for everything it proves the optimum, and no more than the solver's tolerance of rows above its."""
    program = random_program(seed)
    optimum = solve(program).objective
    proof = prove(program.arrays(), math.inf)
    assert proof.bound == pytest.approx(optimum, rel=1e-6)
    assert proof.bound <= optimum * (1 + 1e-7)
    assert proof.x is not None
    arrays = program.arrays()
    assert arrays.cost @ proof.x == pytest.approx(optimum, rel=1e-6)
    assert proof.x[arrays.integer] == pytest.approx(proof.x[arrays.integer].round(), abs=1e-6)


def test_stops_at_the_target_with_a_bound_that_holds() -> None:
    """Fewer nodes give a weaker bound, never a wrong one."""
    program = random_program(3, size=12)
    optimum = solve(program).objective
    bounds = [prove(program.arrays(), math.inf, nodes=nodes).bound for nodes in (1, 5, 2000)]
    assert bounds == sorted(bounds)
    assert bounds[-1] <= optimum + 1e-6
    assert prove(program.arrays(), bounds[0] * 0.5).nodes == 1


def test_proves_that_there_is_no_point() -> None:
    """2x = 1 has no whole solution; x >= 2 and x <= 1 none at all."""
    program = Program()
    x = program.variable("x", upper=5.0, integer=True)
    program.row("half", [(x, 2.0)], lower=1.0, upper=1.0)
    assert prove(program.arrays(), math.inf).bound == math.inf


def test_ends_that_are_not_whole_leave_no_gap() -> None:
    """X <= 2.4 is x <= 2: the branch x >= 3 is empty, though no linear program of it was solved."""
    program = Program()
    x = program.variable("x", cost=1.0, upper=2.4, integer=True)
    y = program.variable("y", cost=5.0, upper=9.0)
    program.row("cover", [(x, 1.0), (y, 1.0)], lower=3.3)
    assert prove(program.arrays(), math.inf).bound == pytest.approx(2 + 5 * 1.3)


@pytest.mark.parametrize("seed", range(8))
def test_halving_sets_proves_the_same(seed: int) -> None:
    """Of two sets one variable each is 1; the optimum is proved, and the point met has one of each."""
    dice = random.Random(seed)
    program = Program()
    sets = [
        [program.variable(f"{s}.{n}", cost=dice.uniform(1, 9), upper=1.0, integer=True) for n in range(40)]
        for s in range(2)
    ]
    for variables in sets:
        program.row("one", [(c, 1.0) for c in variables], lower=1.0, upper=1.0)
    worth = [(c, dice.uniform(0, 5)) for variables in sets for c in variables]
    program.row("enough", worth, lower=7.0)
    proof = prove(program.arrays(), math.inf, one_of=sets)
    solution = solve(program)
    assert proof.bound == pytest.approx(solution.objective if solution.found else math.inf)
    assert proof.x is None or all(proof.x[variables].max() == pytest.approx(1) for variables in sets)


def test_time_over_at_once_proves_nothing() -> None:
    """An expired proof is minus infinity, not an error."""
    assert prove(knapsack().arrays(), 0.0, expired=lambda: True).bound == -math.inf


def test_leaves_its_program_as_it_was() -> None:
    """Bounds are branched on in a copy."""
    arrays = knapsack().arrays()
    upper = arrays.upper.copy()
    prove(arrays, math.inf)
    assert (arrays.upper == upper).all()
