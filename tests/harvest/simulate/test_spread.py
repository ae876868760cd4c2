"""Figures of repeated runs."""

from __future__ import annotations

import pytest

from froude.harvest.simulate.spread import runs_text, spread


def test_a_spread_has_mean_interval_least_and_most() -> None:
    """Student's t for two degrees of freedom: 4.303 standard errors."""
    found = spread([1, 2, 3])
    assert (found.mean, found.least, found.most) == (2, 1, 3)
    assert found.high - found.mean == pytest.approx(4.303 / 3**0.5, rel=1e-3)
    assert found.low == pytest.approx(4 - found.high)


def test_what_a_spread_is_over_names_the_datacenter() -> None:
    """Runs on one differ by chance alone; another datacenter may lose ten times as much."""
    assert [runs_text(runs) for runs in (1, 5)] == ["1 run on this datacenter", "5 runs on this datacenter"]


def test_of_one_run_nothing_is_known_but_itself() -> None:
    """An interval of no length."""
    assert spread([5]).low == spread([5]).high == 5
