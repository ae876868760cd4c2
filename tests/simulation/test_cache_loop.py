"""The loop on a virtual clock, with faults that follow a seed: what fails replays exactly."""

from __future__ import annotations

import pytest

from froude.cache.control.rounds import Controller
from froude.cache.control.types import Outcome
from froude.cache.monitor.limits import Limits
from froude.cache.monitor.view import Monitor
from testbed.cache_world import (
    SPACE,
    Killed,
    RandomPolicy,
    SimulatedAgents,
    SimulatedJournal,
    World,
)

_SEEDS = range(40)
_ROUNDS = 25


def _controller(world: World, *, greedy: bool = False) -> Controller:
    monitor = Monitor(window_s=180, stale_s=150)
    agents, journal = SimulatedAgents(world), SimulatedJournal(world)
    return Controller(agents, journal, world.clock, monitor, RandomPolicy(world, greedy))


@pytest.mark.parametrize("cacheless", [False, True])
@pytest.mark.parametrize("seed", _SEEDS)
def test_no_ssd_is_promised_twice(seed: int, cacheless: bool) -> None:
    """Agents die, lie, lag and refuse, changes come late, the controller dies at any step and begins again.

    The world checks after every change; in the end, when all is well again, a plan is in force as a whole.
    """
    world = World(seed, mortal=True, cacheless=cacheless)
    controller = _controller(world)
    deaths = 0
    for _ in range(_ROUNDS):
        try:
            controller.round()
        except Killed:
            deaths += 1
            controller = _controller(world)
        world.clock.sleep(60)
        world.deliver_late()
    world.faults = world.mortal = False
    world.clock.sleep(1000)
    for _ in range(2):  # after what an agent lied about, one report is needed to compare with
        record = controller.round()
        world.clock.sleep(60)
    assert record.outcome is Outcome.APPLIED
    assert {
        vm: each for name in world.disks for vm, each in world.in_force(name).items()
    } == record.decision.limits


def test_the_simulation_kills_lies_and_delays() -> None:
    """Its faults do happen: else it would show nothing."""
    deaths = lies = late = failed = 0
    for seed in _SEEDS:
        world = World(seed, mortal=True)
        controller = _controller(world)
        for _ in range(_ROUNDS):
            try:
                controller.round()
            except Killed:
                deaths += 1
                controller = _controller(world)
            late += len(world.late)
            world.clock.sleep(60)
            world.deliver_late()
        lies += world.lies
        failed += sum(record.outcome in {Outcome.PARTLY, Outcome.FAILED} for record in world.kept)
    assert min(deaths, lies, late, failed) > 50


@pytest.mark.parametrize("seed", range(10))
def test_a_back_end_that_refuses_half_way(seed: int) -> None:
    """Its hypervisor goes back to the last whole plan; the other one gets the new one."""
    world = World(seed, faults=False)
    controller = _controller(world)
    controller.round()
    before = world.in_force("h0")
    world.disks["h0"]["h0v1"].refuses = True
    world.clock.sleep(60)
    record = controller.round()
    assert record.outcome is Outcome.PARTLY
    assert record.failures[0].startswith("h0: h0v1")
    assert world.in_force("h0") == before
    assert world.in_force("h1") == {vm: record.decision.limits[vm] for vm in world.disks["h1"]}


def test_a_plan_that_does_not_fit_is_not_carried_out() -> None:
    """A policy is not trusted with the size of an SSD."""
    world = World(1, faults=False)
    controller = _controller(world, greedy=True)
    before = world.in_force("h0")
    record = controller.round()
    assert record.outcome is Outcome.KEPT
    assert "left out" in record.decision.remarks[0]
    assert world.in_force("h0") == before


def test_an_agent_that_is_dead_keeps_what_it_has() -> None:
    """Its VMs stay as they are; when no agent answers, nothing is decided at all."""
    world = World(2, faults=False)
    controller = _controller(world)
    controller.round()
    world.dead_until["h0"] = world.clock.now() + 90
    before = world.in_force("h0")
    world.clock.sleep(60)
    record = controller.round()
    assert record.outcome is Outcome.APPLIED
    assert set(record.decision.limits) == set(world.disks["h1"])
    assert world.in_force("h0") == before
    world.dead_until = dict.fromkeys(world.disks, world.clock.now() + 9000)
    world.clock.sleep(300)
    assert controller.round().outcome is Outcome.BLIND


def test_a_dry_run_changes_nothing() -> None:
    """It says what it would do, and the history does not know of it."""
    world = World(3, faults=False)
    controller = _controller(world)
    before = world.in_force("h0")
    record = controller.round(dry=True)
    assert record.outcome is Outcome.DRY
    assert record.decision.limits
    assert (world.in_force("h0"), world.kept) == (before, [])


def test_going_back_to_an_earlier_round() -> None:
    """What was in force after it is in force again; a round that nobody remembers is an error."""
    world = World(4, faults=False)
    controller = _controller(world)
    first = controller.round()
    wanted = world.in_force("h0")
    world.clock.sleep(60)
    controller.round()
    assert world.in_force("h0") != wanted
    world.clock.sleep(60)
    record = controller.restore(first.number)
    assert (record.cause, record.outcome) == ("rollback", Outcome.APPLIED)
    assert world.in_force("h0") == wanted
    with pytest.raises(KeyError):
        controller.restore(99)


def test_numbers_go_on_after_a_restart() -> None:
    """Rounds are counted through, and a round that its controller did not survive is there as begun."""
    world = World(5, faults=False)
    controller = _controller(world)
    controller.round()
    world.random.random = lambda: 0.0  # type: ignore[method-assign] # the next moment is the last
    world.mortal = True
    with pytest.raises(Killed):
        controller.round()
    world.mortal = False
    assert _controller(world).round().number == 2
    assert world.given > 0


def test_a_lost_journal_is_not_the_end() -> None:
    """Numbers begin above what agents have seen."""
    world = World(6, faults=False)
    _controller(world).round()
    world.kept, world.given = [], 0
    world.clock.sleep(60)
    assert _controller(world).round().outcome is Outcome.APPLIED


def test_an_ssd_that_was_over_committed_by_hand() -> None:
    """It is said, and limits only shrink until they fit."""
    world = World(7, faults=False)
    for disk in world.disks["h0"].values():
        disk.limits = Limits(SPACE, disk.limits.iops)
    world.check = lambda: None  # type: ignore[method-assign] # it does not hold yet
    controller = _controller(world)
    record = controller.round()
    assert record.outcome is Outcome.APPLIED
    assert any("only shrink" in remark for remark in controller.view.remarks)
    assert sum(each.cache_bytes or 0 for each in world.in_force("h0").values()) <= SPACE
