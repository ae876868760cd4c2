"""Whole plays on a virtual clock and network: nothing breaks an invariant, and a seed replays exactly."""

from __future__ import annotations

import pytest

from froude.hadoop.distribution import Hadoop
from tests.emulation.plans import plan
from tests.simulation.world import Trouble, World, broken


@pytest.mark.parametrize("first", range(0, 100, 10))
def test_no_seed_breaks_an_invariant(hadoop: Hadoop, first: int) -> None:
    """Every call is answered or reported, start rules are kept, and counts are equal, whatever goes wrong."""
    for seed in range(first, first + 10):
        world = World(plan(datanodes=8, clients=4, files=3), hadoop.schema(), seed)
        world.run()
        assert broken(world) == [], f"python -m tests.simulation.run --first {seed} --seeds 1"


@pytest.mark.parametrize("seed", [3, 17])
def test_a_seed_replays_exactly(hadoop: Hadoop, seed: int) -> None:
    """Two plays of one seed agree in every call, time and figure."""
    worlds = [World(plan(datanodes=4, clients=3, files=2), hadoop.schema(), seed) for _ in range(2)]
    for world in worlds:
        world.run()
    one, two = worlds
    assert one.digest.hexdigest() == two.digest.hexdigest()
    assert one.core.tally.rows == two.core.tally.rows
    assert one.core.tally.counts == two.core.tally.counts


def test_a_dead_target_ends_the_play_with_one_error(hadoop: Hadoop) -> None:
    """A target that falls silent is stated as hanging, and every call in flight is reported."""
    world = World(plan(), hadoop.schema(), 1, Trouble(death_s=0.02))
    world.run()
    assert "does not answer" in str(world.core.failure)
    assert broken(world) == []


def test_a_stall_shows_in_latency_from_intended_time(hadoop: Hadoop) -> None:
    """Five seconds of standing still are seen by clients that should have begun meanwhile."""
    world = World(plan(datanodes=4, clients=200, files=2), hadoop.schema(), 2, Trouble(stalls=[(1.0, 5.0)]))
    world.run()
    assert broken(world) == []
    creates = world.core.tally.series["create"].from_intended.percentiles()
    assert creates.max_ms > 1_000
