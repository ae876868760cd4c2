"""Greedy on hulls: small cases; `test_exact` compares it with the best."""

from __future__ import annotations

import numpy as np

from froude.cache.solve.choices import Choices
from froude.cache.solve.hull import greedy


def test_the_steepest_part_of_any_hull_goes_first() -> None:
    """What gains nothing gets nothing."""
    steep = Choices(np.array([0, 2, 8]), np.array([10.0, 2.0, 1.0]))
    gentle = Choices(np.array([0, 5]), np.array([4.0, 0.0]))
    flat = Choices(np.array([0]), np.array([5.0]))
    assert greedy([steep, gentle, flat], 20) == [8, 5, 0]
    assert greedy([steep, gentle, flat], 2) == [2, 0, 0]
    assert greedy([steep, gentle, flat], 5) == [2, 3, 0]


def test_a_dent_in_the_curve_is_bridged() -> None:
    """The point above the line between its neighbours is no corner."""
    dented = Choices(np.array([0, 4, 5]), np.array([10.0, 9.0, 0.0]))
    other = Choices(np.array([0, 1]), np.array([1.9, 0.0]))
    assert greedy([dented, other], 5) == [5, 0]
