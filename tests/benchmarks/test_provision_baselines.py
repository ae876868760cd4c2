"""The paper's methods, as baselines."""

from __future__ import annotations

import random

import pytest

from benchmarks.provision_baselines import SummedCost, gradient_descent
from tests.support.provision.search.optimise.examples import built, photoshare
from tests.support.provision.search.optimise.reference import assignments


def test_descent_ends_where_no_neighbour_is_better() -> None:
    """And with ten starts, on PhotoShare, at the best of all choices."""
    instance = built(photoshare(100))
    descent = gradient_descent(instance, random.Random(3))
    price = SummedCost(instance)
    assert descent.cost == pytest.approx(min(price(choices) for choices in assignments(instance)), rel=1e-3)
    assert descent.evaluations <= len(list(assignments(instance)))
    assert min(descent.ends) == descent.cost


def test_descent_is_repeatable() -> None:
    """The same generator gives the same walk."""
    instance = built(photoshare(50))
    one, other = (gradient_descent(instance, random.Random(5), restarts=2) for _ in range(2))
    assert one == other
