"""The paper's methods, as baselines."""

from __future__ import annotations

import random

import pytest
from benchmarks.provision_baselines import SummedCost, gradient_descent, per_server

from tests.provision.search.optimise.examples import built, photoshare
from tests.provision.search.optimise.reference import assignments


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


def test_the_per_server_program_prices_the_papers_choice() -> None:
    """15K disks, an SSD and a cached disk cost $7,329.10 on three servers."""
    instance = built(photoshare(100))
    labels = [[choice.label for choice in d.choices] for d in instance.datasets]
    choices = tuple(
        have.index(label) for have, label in zip(labels, ("15KDisk", "SSD", "7.2KDisk + DRAM"), strict=True)
    )
    assert per_server(instance, choices, 3).cost == pytest.approx(7329.10, abs=0.01)
    assert per_server(instance, choices, 1).groups == ()


def test_refuses_no_start() -> None:
    """A descent begins somewhere."""
    with pytest.raises(ValueError, match="restarts"):
        gradient_descent(built(photoshare(1)), random.Random(1), restarts=0)
