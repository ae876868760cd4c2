"""Who was the limit: told from lateness, CPU and waiting calls."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.emulation.run.bottleneck import CALL_QUEUE, CPU, LimitedBy, Load, Measured, judge


def _cpu(shares: list[float]) -> list[Measured]:
    total, out = 0.0, [Measured(0.0, {"process.cpu_seconds": 0.0})]
    for second, share in enumerate(shares, 1):
        total += share
        out.append(Measured(float(second), {"process.cpu_seconds": total}))
    return out


def test_verdicts() -> None:
    """A busy or late player is the limit; else a busy target; else neither."""
    idle = [Load(float(s), 0.2, 1, 1, 0) for s in range(6)]
    busy = [Load(float(s), 0.97, 1, 1, 0) for s in range(6)]
    assert judge(1.0, busy, [], 2).by is LimitedBy.PLAYER
    assert judge(80.0, idle, [], 2).by is LimitedBy.PLAYER
    assert judge(1.0, idle, _cpu([0.95] * 6), 2).by is LimitedBy.TARGET
    assert judge(1.0, idle, _cpu([0.1] * 6), 2).by is LimitedBy.NEITHER
    assert judge(1.0, idle, _cpu([0.1] * 5 + [1.0]), 2).by is LimitedBy.NEITHER
    assert judge(1.0, idle, [], 2).by is LimitedBy.UNKNOWN


def test_a_target_that_has_few_of_the_cores_is_busy_by_those() -> None:
    """On three of eight it can use three at most."""
    idle = [Load(float(s), 0.2, 1, 1, 0) for s in range(6)]
    assert judge(1.0, idle, _cpu([2.9] * 6), 8).by is LimitedBy.NEITHER
    assert judge(1.0, idle, _cpu([2.9] * 6), 8, target_cores=3).by is LimitedBy.TARGET
    assert judge(1.0, idle, _cpu([1.8] * 6), 3, target_cores=3).by is LimitedBy.TARGET


@pytest.mark.parametrize("shares", [[1.11, 0.3], [0.27, 1.11, 0.3], [0.2, 0.2, 1.11, 1.11]])
def test_a_busy_second_of_a_short_play_is_no_limit(shares: list[float]) -> None:
    """A play of four seconds at 39 calls/s has one in which the JVM compiles: the target is idle all the same."""
    idle = [Load(float(s), 0.2, 1, 1, 0) for s in range(4)]
    assert judge(1.0, idle, _cpu(shares), 2).by is LimitedBy.NEITHER
    assert judge(1.0, idle, _cpu([0.95] * len(shares)), 2).by is LimitedBy.TARGET


@pytest.mark.parametrize(("queued", "limit"), [(99.0, LimitedBy.UNKNOWN), (100.0, LimitedBy.TARGET)])
def test_a_target_with_calls_waiting_is_the_limit(queued: float, limit: LimitedBy) -> None:
    """Whatever its CPU: it may wait for a lock or a disk."""
    idle = [Load(float(s), 0.2, 1, 1, 0) for s in range(6)]
    assert judge(1.0, idle, [Measured(float(s), {CALL_QUEUE: queued}) for s in range(6)], 2).by is limit


@pytest.mark.parametrize(("lag_ms", "limit"), [(25.0, LimitedBy.UNKNOWN), (25.1, LimitedBy.PLAYER)])
def test_a_player_whose_timers_fire_late_is_the_limit(lag_ms: float, limit: LimitedBy) -> None:
    """25 ms is what one turn of a busy machine may take; more is a player that is behind."""
    assert judge(lag_ms, [Load(float(s), 0.2, 1, 1, 0) for s in range(6)], [], 2).by is limit


@pytest.mark.parametrize(("share", "limit"), [(0.84, LimitedBy.UNKNOWN), (0.86, LimitedBy.PLAYER)])
def test_a_player_that_uses_its_core_is_the_limit(share: float, limit: LimitedBy) -> None:
    """From 85 % of it on."""
    assert judge(1.0, [Load(float(s), share, 1, 1, 0) for s in range(6)], [], 2).by is limit


@pytest.mark.parametrize(("busiest", "limit"), [(0.84, LimitedBy.UNKNOWN), (0.86, LimitedBy.PLAYER)])
def test_of_several_players_the_busiest_is_the_limit(busiest: float, limit: LimitedBy) -> None:
    """Whatever they use together; what others use of the machine is without any of them."""
    load = [Load(float(s), 1.6, 1, 1, 0, 0.95, busiest) for s in range(6)]
    verdict = judge(1.0, load, [], 2)
    assert (verdict.by, verdict.player_share) == (limit, pytest.approx(busiest))
    assert "the busiest player" in verdict.reason
    shared = [Load(float(s), 1.6, 1, 1, 0, 1.0, 0.8) for s in range(6)]
    assert judge(1.0, shared, [], 2).by is LimitedBy.MACHINE


@pytest.mark.parametrize(
    ("cores", "players", "share", "namenode", "limit"),
    [
        (4, 3, 0.75, 1.7, LimitedBy.PLAYER),
        (8, 7, 0.7, 3.0, LimitedBy.PLAYER),
        (2, 3, 0.4, 0.8, LimitedBy.PLAYER),
        (4, 2, 0.8, 2.3, LimitedBy.TARGET),
    ],
)
def test_a_machine_that_players_and_target_fill_is_never_neither(
    cores: int, players: int, share: float, namenode: float, limit: LimitedBy
) -> None:
    """Whoever used more of it was the limit, though none had a core of its own."""
    load = [Load(float(s), players * share, 1, 1, 50, 0.99, share) for s in range(6)]
    verdict = judge(5.0, load, _cpu([namenode] * 6), cores)
    assert verdict.by is limit
    assert verdict.reason.startswith(
        f"all {cores} cores were in use, {players * share:.1f} of them by players;"
    )


def test_a_target_is_busy_by_the_cores_that_are_left_to_it() -> None:
    """Of two cores the player has one: 95 % of a core is all; of four it is little."""
    idle = [Load(float(s), 0.2, 1, 1, 0) for s in range(6)]
    assert judge(1.0, idle, _cpu([0.95] * 6), 4).by is LimitedBy.NEITHER
    assert judge(1.0, idle, _cpu([2.7] * 6), 4).by is LimitedBy.TARGET


@pytest.mark.parametrize(
    ("machine", "here", "limit"),
    [(1.0, True, LimitedBy.MACHINE), (0.8, True, LimitedBy.UNKNOWN), (None, True, LimitedBy.UNKNOWN)],
)
def test_other_work_on_the_machine_is_the_limit(machine: float | None, here: bool, limit: LimitedBy) -> None:
    """Where it left too little: all cores were busy, and most of it was neither player nor target."""
    load = [Load(float(s), 0.2, 1, 1, 0, machine) for s in range(6)]
    assert judge(60.0 if machine == 1.0 else 1.0, load, [], 2, here=here).by is limit


@pytest.mark.parametrize(
    ("player", "machine", "limit"),
    [
        (0.11, 0.8, LimitedBy.MACHINE),
        (0.11, 0.5, LimitedBy.PLAYER),  # nothing else is seen that made it late
        (0.6, 0.8, LimitedBy.PLAYER),  # by work of its own
        (0.11, None, LimitedBy.PLAYER),
    ],
)
def test_an_idle_player_that_is_late_on_a_busy_machine(
    player: float, machine: float | None, limit: LimitedBy
) -> None:
    """Has been kept waiting by others: it is not the player that was the limit."""
    load = [Load(float(s), player, 1, 1, 0, machine) for s in range(6)]
    found = judge(95.4, load, _cpu([0.2] * 6), 2)
    assert found.by is limit
    if limit is LimitedBy.MACHINE:
        assert found.reason.endswith("the player 11%; its timers fired up to 95.4 ms late")
    assert judge(1.0, load, _cpu([0.2] * 6), 2).by is LimitedBy.NEITHER


def test_a_full_machine_that_is_the_targets_is_the_target() -> None:
    """What the target uses here is not of others; a target elsewhere uses nothing here."""
    load = [Load(float(s), 0.5, 1, 1, 0, 1.0) for s in range(6)]
    assert judge(1.0, load, _cpu([1.5] * 6), 2).by is LimitedBy.TARGET
    assert judge(1.0, load, _cpu([1.5] * 6), 2, here=False).by is LimitedBy.MACHINE


def _both(**shares: float) -> list[Measured]:
    """Six seconds of a NameNode's and a ResourceManager's CPU."""
    names = {"namenode": "process.cpu_seconds", "resourcemanager": "RMprocess.cpu_seconds"}
    return [Measured(float(s), {names[each]: s * share for each, share in shares.items()}) for s in range(7)]


BOTH = ("resourcemanager", "namenode")


def test_each_daemon_has_its_own_share() -> None:
    """The busy one is the limit, and is named; what both used is no other work."""
    full = [Load(float(s), 0.2, 1, 1, 0, 1.0) for s in range(7)]
    busy = judge(1.0, full, _both(namenode=0.7, resourcemanager=0.9), 2, daemons=BOTH)
    assert (busy.by, busy.daemon, busy.target_share) == (
        LimitedBy.TARGET,
        "resourcemanager",
        pytest.approx(0.9),
    )
    assert (
        busy.reason
        == "the ResourceManager used 90% of a core, the NameNode used 70% of a core, the player 20%"
    )
    idle = judge(1.0, full, _both(namenode=0.1, resourcemanager=0.2), 2, daemons=BOTH)
    assert (idle.by, idle.daemon) == (LimitedBy.MACHINE, "")
    assert idle.reason.startswith(
        "other work used 1.5 of this machine's 2 cores; the ResourceManager used 20%"
    )


def test_daemons_are_those_that_were_sampled() -> None:
    """Where none are named."""
    player = [Load(float(s), 0.2, 1, 1, 0) for s in range(7)]
    found = judge(1.0, player, _both(resourcemanager=0.9), 2)
    assert (found.by, found.daemon, found.unseen) == (LimitedBy.TARGET, "resourcemanager", "")


def test_a_daemon_that_was_not_seen_may_be_the_limit() -> None:
    """However idle the other one is; it is named."""
    player = [Load(float(s), 0.2, 1, 1, 0) for s in range(7)]
    told = judge(1.0, player, _both(namenode=0.1), 2, daemons=BOTH)
    assert (told.by, told.unseen) == (LimitedBy.UNKNOWN, "the ResourceManager")
    assert "name the web address of the ResourceManager" in told.reason
    alone = judge(1.0, player, _both(resourcemanager=0.1), 2, daemons=BOTH[:1])
    assert (alone.by, alone.reason.count("NameNode")) == (LimitedBy.NEITHER, 0)


def test_calls_that_wait_at_a_resourcemanager() -> None:
    """Its queues are looked at, too."""
    player = [Load(float(s), 0.2, 1, 1, 0) for s in range(7)]
    waiting = [
        Measured(float(s), {"RMRpcActivity.CallQueueLength": 150.0, CALL_QUEUE: 3.0}) for s in range(7)
    ]
    told = judge(1.0, player, waiting, 2, daemons=BOTH)
    assert (told.by, told.daemon) == (LimitedBy.TARGET, "resourcemanager")
    assert told.reason.startswith("150 calls waited for a handler of the ResourceManager")


@given(st.lists(st.integers(0, 64), min_size=1, max_size=12))
def test_the_busiest_half_is_that_of_all_halves(sixteenths: list[int]) -> None:
    """By brute force in whole numbers; a half is of three samples at least, or of all there are."""
    count = len(sixteenths)
    length = next(n for n in range(1, count + 1) if n == count or (n >= 3 and 2 * n >= count))
    sums = [sum(sixteenths[at : at + length]) for at in range(count) if at + length <= count]
    load = [Load(float(s), share / 16, 1, 1, 0) for s, share in enumerate(sixteenths)]
    found = judge(1.0, load, _cpu([share / 16 for share in sixteenths]), 2)
    assert found.player_share == found.target_share == max(sums) / 16 / length


def test_shares_are_of_the_time_between_samples() -> None:
    """Which need not be a second, nor begin at zero; two samples of one moment have no time between them."""
    samples = [
        Measured(at, {CPU: used})
        for at, used in ((7.0, 3.0), (7.0, 3.0), (9.0, 4.0), (13.0, 6.0), (13.0, 9.0))
    ]
    assert judge(1.0, [Load(1.0, 0.2, 1, 1, 0)], samples, 2).target_share == 0.5


@pytest.mark.parametrize(
    ("player", "target", "machine", "cores", "limit"),
    [
        (0.85, 0.0, None, 2, LimitedBy.PLAYER),
        (0.85, 0.0, 1.0, 2, LimitedBy.PLAYER),
        (0.375, 0.0, 0.9, 1, LimitedBy.MACHINE),
        (0.375, 0.0, 0.89, 1, LimitedBy.NEITHER),
        (0.4, 0.2, 0.9, 1, LimitedBy.MACHINE),
        (0.4, 0.21, 0.9, 1, LimitedBy.NEITHER),
        (0.2, 0.85, None, 1, LimitedBy.TARGET),
        (0.2, 0.84, None, 1, LimitedBy.NEITHER),
        (0.2, 0.85, None, 2, LimitedBy.TARGET),
        (0.2, 1.7, None, 3, LimitedBy.TARGET),
        (0.2, 1.69, None, 3, LimitedBy.NEITHER),
    ],
)
def test_each_limit_counts_from_its_number_on(
    player: float, target: float, machine: float | None, cores: int, limit: LimitedBy
) -> None:
    """85 % of the player's core, 90 % of the machine with 30 % of a core of others, 85 % of the cores of the target."""
    load = [Load(1.0, player, 1, 1, 0, machine)]
    assert judge(1.0, load, _cpu([target]), cores).by is limit
