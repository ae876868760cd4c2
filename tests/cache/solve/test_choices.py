"""Choices of a VM in steps."""

from __future__ import annotations

from froude.cache.curves import MissRatioCurve
from froude.cache.solve.choices import choices, step_of

CURVE = MissRatioCurve((0, 5, 10, 11, 35), (1.0, 0.8, 0.5, 0.4, 0.1), 1)


def test_only_steps_where_the_curve_falls_are_choices() -> None:
    """A size within a step is reached at its end, where the best of the step stands."""
    found = choices(CURVE, 100, 10, 0, 9)
    assert found.units.tolist() == [0, 1, 2, 4]
    assert found.costs.tolist() == [100, 50, 40, 10]


def test_they_begin_at_the_floor_and_end_at_the_ceiling() -> None:
    """Steps are counted above the floor, which need not be a multiple of one."""
    found = choices(CURVE, 1, 10, 7, 1)
    assert found.units.tolist() == [0, 1]
    assert found.costs.tolist() == [0.8, 0.4]
    assert choices(CURVE, 1, 10, 40, 5).costs.tolist() == [0.1]


def test_a_step_is_as_fine_as_the_granule_allows() -> None:
    """At most as many as asked for."""
    assert step_of(100, 1, 1024) == 1
    assert step_of(10_000, 10, 100) == 100
    assert step_of(10_001, 10, 100) == 110
    assert step_of(0, 64) == 64
