"""The dynamic program against every split there is."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.cache.solve.choices import Choices, choices
from froude.cache.solve.curve_policies import greedy
from froude.cache.solve.exact import table
from tests.support.cache.solve.made import curve


def cost(each: list[Choices], given: list[int]) -> float:
    """Of a split: what the last choice within each VM's steps costs."""
    found = zip(each, given, strict=True)
    return float(
        sum(choice.costs[np.searchsorted(choice.units, units, "right") - 1] for choice, units in found)
    )


def drawn(seed: int, vms: int, largest: int) -> list[Choices]:
    """Choices of random curves with cliffs, above floors of their own."""
    rng = random.Random(seed)
    return [
        choices(curve(rng, largest), rng.uniform(0, 10), 1, rng.randint(0, 3), rng.randint(5, 60))
        for _ in range(vms)
    ]


@given(st.integers(0, 10_000), st.integers(1, 3), st.integers(9, 24))
def test_no_split_is_better(seed: int, vms: int, steps: int) -> None:
    """Brute force over all of them, at every number of steps at once."""
    each = drawn(seed, vms, 20)
    found = table(each, steps)
    for space in (steps, steps // 2, 0):
        splits = itertools.product(*(choice.units.tolist() for choice in each))
        best = min(cost(each, list(split)) for split in splits if sum(split) <= space)
        assert found.values[space] == pytest.approx(best)
        assert sum(found.split(space)) <= space
        assert cost(each, found.split(space)) == pytest.approx(best)


def test_greedy_on_hulls_falls_off_cliffs() -> None:
    """It grants half a loop to each of two, which buys nothing; the exact split lets one have its loop."""
    loop = Choices(np.array([0, 10]), np.array([1.0, 0.0]))
    smooth = Choices(np.arange(13), 1 - np.arange(13) / 13)
    each = [loop, smooth]
    assert cost(each, greedy(each, 12)) == pytest.approx(0 + 1 - 2 / 13)
    assert greedy([smooth, loop], 6)[1] == 6
    assert cost([loop, smooth], table([loop, smooth], 6).split(6)) == pytest.approx(1 + 1 - 6 / 13)


@given(st.integers(0, 10_000))
def test_greedy_is_never_better_than_exact(seed: int) -> None:
    """And where curves are convex, it is as good."""
    each = drawn(seed, 4, 30)
    given_ = greedy(each, 40)
    assert sum(given_) <= 40
    assert cost(each, given_) >= cost(each, table(each, 40).split(40)) - 1e-9
    convex = [Choices(np.arange(20), weight * 0.8 ** np.arange(20)) for weight in (1.0, 2.0, 5.0)]
    assert cost(convex, greedy(convex, 25)) == pytest.approx(table(convex, 25).values[25])
