"""The genetic algorithm beside the closed form."""

from __future__ import annotations

import numpy as np
import pytest

from froude.cache.solve.genetic import PAPER, Breeding, Selection, evolve
from froude.cache.solve.paper import Weights, best_fitness, fitness
from tests.support.cache.solve.paper import drawn


def gap(count: int, breeding: Breeding, seed: int = 1) -> float:
    """Which part of the way from equal weights to the best ones is not gone; above 1, worse than equal."""
    known = drawn(count, seed)
    found = evolve(known, np.random.default_rng(seed), breeding)
    equal = fitness(Weights(np.full(count, 1 / count), np.full(count, 1 / count)), known)
    return (best_fitness(known) - fitness(found, known)) / (best_fitness(known) - equal)


def test_as_described_it_hardly_selects() -> None:
    """With fitnesses that all are near 4 n it stays far from the optimum; ranks and an elite bring it there."""
    short = Breeding(generations=100)
    mended = Breeding(generations=100, selection=Selection.RANKED, elite=2)
    assert gap(20, mended) < 0.1
    assert gap(20, short) > 5 * gap(20, mended)


def test_it_never_surpasses_the_closed_form() -> None:
    """What it finds sums to 1, and is no fitter than the identity allows."""
    known = drawn(5, 8)
    found = evolve(known, np.random.default_rng(8), Breeding(generations=40))
    assert found.storage.sum() == pytest.approx(1)
    assert found.iops.sum() == pytest.approx(1)
    assert fitness(found, known) <= best_fitness(known)


def test_the_same_seed_breeds_the_same() -> None:
    """And a longer search finds nothing worse: the fittest ever is kept."""
    known = drawn(4, 5)
    one, again = (evolve(known, np.random.default_rng(4), Breeding(generations=10)) for _ in range(2))
    assert one.storage.tolist() == again.storage.tolist()
    longer = evolve(known, np.random.default_rng(4), Breeding(generations=30))
    assert fitness(longer, known) >= fitness(one, known)
    assert PAPER.selection is Selection.ROULETTE
