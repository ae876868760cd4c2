"""Other units, names and orders, and parts that nobody buys, change no plan."""

from __future__ import annotations

import pytest

pytest.importorskip("highspy")

from froude.provision.inputs.read import read_problem
from froude.provision.search.compile import compile_plan
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types import Problem
from froude.provision.types.plan import Status
from testbed.problems import random_problem
from testbed.variants import contradiction, variants

GAP = 1e-4


def _same(problem: Problem) -> None:
    plain = compile_plan(problem, SolveLimits(GAP, 20))
    assert plain.status is not Status.UNDECIDED
    for variant in variants(problem):
        other = compile_plan(variant.problem, SolveLimits(GAP, 20))
        assert not contradiction(plain, other, variant.money, GAP), variant.name


@pytest.mark.parametrize("name", ["photoshare-calibrated", "productsearch"])
def test_examples(name: str) -> None:
    """The shipped ones that are proved at once."""
    _same(read_problem([name]))


@pytest.mark.parametrize("seed", [3, 11])
def test_random_problems(seed: int) -> None:
    """With tasks that call, local data, phases and limited servers."""
    _same(random_problem(seed))
