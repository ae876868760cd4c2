"""How long clients act independently of each other."""

from __future__ import annotations

import numpy as np

from froude.experiment.replay.growth_times import independent_ms, middle


def test_clients_that_act_together_and_by_themselves() -> None:
    """Ten begin each minute, all within a second; ten call whenever they like."""
    rng = np.random.default_rng(1)
    minutes = 60_000 * np.arange(60)
    parts = [np.repeat(minutes, 5) + rng.integers(1000, size=300) for _ in range(10)]
    parts += [rng.integers(3_600_000, size=300) for _ in range(10)]
    times, groups = np.concatenate(parts), np.repeat(np.arange(20), 300)
    found = independent_ms(times, groups, rng)
    assert (found[:10] <= 1000).all()
    assert (found[10:] >= 10_000).sum() >= 8


def test_one_group_alone() -> None:
    """Nothing says that it may be moved."""
    assert independent_ms(np.arange(1000), np.zeros(1000, np.int64), np.random.default_rng(1)).tolist() == [0]


def test_the_middle_one() -> None:
    """By weight."""
    assert middle(np.array([5, 1, 9]), np.array([1, 1, 9])) == 9
