"""Whole plays on a virtual clock and network: nothing breaks an invariant, and a seed replays exactly."""

from __future__ import annotations

from itertools import accumulate

import pytest

from froude.base.errors import GuardError
from froude.emulation.notes import REMOVED
from froude.emulation.programs import scripted
from froude.emulation.programs.requests import Requests
from froude.emulation.settings import Leftovers, Mode, Turnover
from froude.hadoop.release.distribution import Hadoop
from froude.workload.types import Moment
from testbed.plans import plan
from tests.support.emulation.interpreted import Interpreted
from tests.support.simulation.world import Trouble, World, broken


@pytest.mark.parametrize("first", range(0, 100, 10))
def test_no_seed_breaks_an_invariant(hadoop: Hadoop, first: int) -> None:
    """Every call is answered or reported, start rules are kept, and counts are equal, whatever goes wrong."""
    for seed in range(first, first + 10):
        world = World(plan(datanodes=8, clients=4, files=3), hadoop.schema(), seed)
        world.run()
        assert broken(world) == [], f"python -m tests.simulation.run --first {seed} --seeds 1"


def test_a_target_that_is_gone_before_it_has_answered_ends_the_play(hadoop: Hadoop) -> None:
    """It is taken for one that is not there; later it is waited for."""
    gone, back = (
        World(plan(), hadoop.schema(), 1, Trouble(service_s=0.1, outage=(at, 0.5))) for at in (0.01, 1.0)
    )
    for world in (gone, back):
        world.run()
        assert broken(world) == []
    assert (str(gone.core.failure), back.core.failure) == ("model:1: reset the connection", None)


@pytest.mark.parametrize("seed", range(4))
def test_one_plan_played_again_and_again_on_one_target(hadoop: Hadoop, seed: int) -> None:
    """It remembers the calls of the plays before: no call of a later one gets their answers, and counts are equal."""
    world, counts = None, []
    for nonce in ("first", "second", "third"):
        planned = plan(datanodes=4, clients=3, files=2)
        world = World(planned, hadoop.schema(), seed, Trouble(reset_s=1.0), nonce=nonce, after=world)
        for left in (world.namenode.files, world.namenode.blocks, world.namenode.received):
            left.clear()
        world.run()
        assert broken(world) == []
        told = world.core.tally.whole.counts
        counts.append({name: told[name] for name in ("registerDatanode", "create", "addBlock", "delete")})
    assert counts[0] == counts[1] == counts[2]
    repeated = World(planned, hadoop.schema(), seed, Trouble(), nonce="third", after=world)
    repeated.run()
    assert repeated.confused > 10


@pytest.mark.parametrize("seed", [3, 17])
def test_a_seed_replays_exactly(hadoop: Hadoop, seed: int) -> None:
    """Two plays of one seed agree in every call, time and figure."""
    worlds = [World(plan(datanodes=4, clients=3, files=2), hadoop.schema(), seed) for _ in range(2)]
    for world in worlds:
        world.run()
    first, second = worlds
    assert first.digest.hexdigest() == second.digest.hexdigest()
    assert first.core.tally.rows == second.core.tally.rows
    assert first.core.tally.whole.counts == second.core.tally.whole.counts


@pytest.mark.parametrize("seed", range(0, 40, 4))
def test_compiled_templates_play_as_the_evaluator_of_rules(
    hadoop: Hadoop, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every byte of a play, every time and every figure is the same, whatever goes wrong."""
    worlds = []
    for requests in (Requests, Interpreted):
        monkeypatch.setattr(scripted, "Requests", requests)
        worlds.append(World(plan(datanodes=4, clients=3, files=3), hadoop.schema(), seed))
        worlds[-1].run()
    compiled, interpreted = worlds
    assert compiled.digest.hexdigest() == interpreted.digest.hexdigest()
    assert compiled.core.tally.rows == interpreted.core.tally.rows
    assert compiled.core.tally.notes == interpreted.core.tally.notes


def test_a_dead_target_ends_the_play_with_one_error(hadoop: Hadoop) -> None:
    """A target that falls silent is stated as hanging, and every call in flight is reported."""
    world = World(plan(), hadoop.schema(), 1, Trouble(death_s=0.02))
    world.run()
    assert "model:1: " in str(world.core.failure)
    assert broken(world) == []


def test_a_lost_connection_is_made_again_and_its_calls_sent_again(hadoop: Hadoop) -> None:
    """Every client finishes its files although all connections broke and the target was gone for seconds."""
    world = World(plan(datanodes=4, clients=6, files=4), hadoop.schema(), 5, Trouble(outage=(0.12, 4.0)))
    world.run()
    assert broken(world) == []
    assert world.core.failure is None
    assert sum(series.resent for series in world.core.tally.whole.series.values()) > 0
    assert any(note.startswith("connection lost") for note in world.core.tally.notes)


def test_a_target_that_stays_away_ends_the_play(hadoop: Hadoop) -> None:
    """After as many attempts as Hadoop's clients make, with the address, and nothing is left in flight."""
    world = World(plan(datanodes=4, clients=6, files=4), hadoop.schema(), 5, Trouble(outage=(0.12, 1e9)))
    world.run()
    assert "model:1: " in str(world.core.failure)
    assert 8 < world.events.now < 20
    assert broken(world) == ["failed without a reason: " + str(world.core.failure)]


def test_another_namenode_at_the_address_is_sent_no_call(hadoop: Hadoop) -> None:
    """A tunnel that leads elsewhere after a reset: the play ends with the name of both, and nothing was done there."""
    world = World(plan(datanodes=4, clients=6, files=4), hadoop.schema(), 5, Trouble(impostor_s=0.12))
    world.run()
    assert isinstance(world.core.failure, GuardError)
    assert "found CID-impostor; allowed: CID-model" in str(world.core.failure)
    assert set(world.impostor.received) == {"versionRequest"}
    assert broken(world) == []


def test_a_stall_shows_in_latency_from_intended_time(hadoop: Hadoop) -> None:
    """Five seconds of standing still are seen by clients that should have begun meanwhile."""
    world = World(plan(datanodes=4, clients=200, files=2), hadoop.schema(), 2, Trouble(stalls=[(1.0, 5.0)]))
    world.run()
    assert broken(world) == []
    creates = world.core.tally.whole.series["create"].from_intended.percentiles()
    assert creates.max_ms > 1_000


def at_work(world: World) -> list[int]:
    """How many clients were at work after each start."""
    starts = [(at_s, 1) for at_s, node in world.nodes.begun if node.type == "client"]
    ends = [
        (at_s, -1)
        for at_s, node, moment in world.controller.moments
        if node.type == "client" and moment is Moment.FINISHED
    ]
    return list(accumulate(step for _, step in sorted([*starts, *ends])))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("turnover", [Turnover(Mode.POPULATION), Turnover(Mode.ARRIVALS, per_s=40.0)])
def test_a_sustained_load_goes_on_until_it_is_stopped(hadoop: Hadoop, turnover: Turnover, seed: int) -> None:
    """Clients have one number each, paths do not meet, and a population never has more at work than planned."""
    trouble = Trouble(stalls=[(0.5, 0.3)], reset_s=1.0)
    world = World(
        plan(datanodes=3, clients=4, files=2), hadoop.schema(), seed, trouble, turnover=turnover, until_s=3.0
    )
    world.run()
    numbers = [node.number for _, node in world.nodes.begun if node.type == "client"]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) > 20
    assert turnover.mode is Mode.ARRIVALS or max(at_work(world)) == 4
    assert (world.core.failure, world.core.done, world.events.now) == (None, False, 3.0)
    assert (world.genuine.violations, world.namenode.corrupt, world.confused) == ([], 0, 0)
    assert not {error for series in world.core.tally.series.values() for error in series.errors} - {
        "Unanswered"
    }
    assert world.core.tally.steady_from_s is None


def test_what_clients_left_is_deleted_by_others(hadoop: Hadoop) -> None:
    """However many there were, the files of those at work and of a few before them are there; each call is counted."""
    turnover = Turnover(Mode.POPULATION, leftovers=Leftovers.REMOVE)
    world = World(
        plan(datanodes=3, clients=4, files=3), hadoop.schema(), 2, Trouble(), turnover=turnover, until_s=1.5
    )
    world.run()
    clients = len([node for _, node in world.nodes.begun if node.type == "client"])
    removed = world.core.tally.notes[REMOVED]
    assert clients > 20
    assert (world.core.failure, world.genuine.violations) == (None, [])
    assert removed >= 2 * (clients - 12)
    assert len(world.genuine.files) < 40


def test_what_is_measured_of_a_sustained_load_begins_when_it_is_asked_for(hadoop: Hadoop) -> None:
    """What was sent before is apart, and a second wish changes nothing."""
    world = World(
        plan(datanodes=2, clients=2),
        hadoop.schema(),
        1,
        Trouble(),
        turnover=Turnover(Mode.POPULATION),
        until_s=2.0,
    )
    world.events.schedule(1.0, lambda: world.core.measure(1.0))
    world.events.schedule(1.5, lambda: world.core.measure(1.5))
    world.run()
    tally = world.core.tally
    assert tally.steady_from_s == 1.0
    whole = tally.whole.counts["create"][0]
    assert 0 < tally.counts["create"][0] < whole == tally.ramp.counts["create"][0] + tally.counts["create"][0]
