"""Policies compared over seeds."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.seeds import Seeds
from froude.cache.simulate.compare import compare, gains, means
from froude.cache.simulate.scenario import read_scenario
from tests.support.cache.simulate.compare import outcome
from tests.support.cache.simulate.scenario import SMALL


def test_runs_are_the_same_for_every_policy(tmp_path: Path) -> None:
    """By run, then by policy; runs differ from one another."""
    file = tmp_path / "s.yaml"
    file.write_text(SMALL)
    found = compare(read_scenario(file).scenario, ["none", "equal"], Seeds(5), runs=2)
    assert [(each.policy, each.run) for each in found] == [
        ("none", 0),
        ("equal", 0),
        ("none", 1),
        ("equal", 1),
    ]
    assert found[0].reads == found[1].reads
    assert found[0].reads != found[2].reads


def test_gains_are_taken_in_pairs() -> None:
    """A run that is slow for all hides nothing."""
    found = [
        outcome(name, run, total_s * (run + 1))
        for run in range(3)
        for name, total_s in (("shared", 100.0), ("exact", 80.0 + run), ("none", 150.0))
    ]
    gained = gains(found, lambda each: each.total_s)
    assert set(gained) == {"exact", "none"}
    assert gained["exact"].mean == pytest.approx(0.19)
    low, high = gained["exact"].interval or (1, 0)
    assert low < 0.19 < high
    assert (gained["none"].mean, gained["none"].interval) == (
        pytest.approx(-0.5),
        pytest.approx((-0.5, -0.5)),
    )
    assert means(found, lambda each: each.total_s)["shared"] == 200
    assert gains(found[1:2], lambda each: each.total_s) == {}
    assert gains(found[:3], lambda each: each.total_s)["none"].interval is None  # one run shows no spread
