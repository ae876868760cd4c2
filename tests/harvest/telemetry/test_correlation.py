"""How failures come together."""

from __future__ import annotations

import numpy as np
import pytest

from froude.harvest.telemetry.correlation import SSD_FAILURES, together


def test_by_rack_and_day() -> None:
    """A server that fails twice a day counts once; three at once are three pairs."""
    server = np.array([1, 1, 2, 3, 4, 5])
    rack = np.array([7, 7, 7, 7, 8, 8])
    day = np.array([1, 1, 1, 1, 1, 2])
    found = together(server, rack, day)
    assert (found.failures, found.pairs) == (5, 3)
    assert found.correlation.share == pytest.approx(3 / 5)
    assert found.correlation.sizes == ((3, 1),)
    # Of the ten pairs of days six are equal, and four pairs are of one rack.
    assert found.by_chance == pytest.approx(4 * 6 / 10)


def test_independent_failures_come_together_as_by_chance() -> None:
    """Whatever the racks."""
    draw = np.random.default_rng(1)
    rack = draw.integers(0, 20, 4000)
    found = together(np.arange(4000), rack, draw.integers(0, 300, 4000))
    assert found.pairs == pytest.approx(found.by_chance, rel=0.1)


def test_nothing_failed() -> None:
    """Then nothing came together."""
    none = np.zeros(0, np.int64)
    found = together(none, none, none)
    assert (found.failures, found.pairs, found.by_chance, found.correlation.share) == (0, 0, 0, 0)


def test_the_shipped_one_is_consistent() -> None:
    """Its sizes hold the share that it names."""
    assert sum(size * times for size, times in SSD_FAILURES.sizes) == round(SSD_FAILURES.share * 16642)
