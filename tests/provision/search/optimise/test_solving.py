"""The optimiser against answers that share nothing with it; its unit of money, and why there is no plan."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from froude.provision.check.checker import check
from froude.provision.model.instance import Path
from froude.provision.search.optimise import benders, solving
from froude.provision.search.optimise.column_generation import ColumnPool
from froude.provision.search.optimise.highs import SolveOutcome
from froude.provision.search.optimise.highs import Status as HighsStatus
from froude.provision.search.optimise.solving import conflicts, in_money, money_unit, solve
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types import Placement, Problem
from froude.provision.types.plan import Conflict, Status
from tests.support.provision.search.optimise.examples import built, photoshare, small
from tests.support.provision.search.optimise.hand import BOX, GB, SERVE, hand, ten_disks
from tests.support.provision.search.optimise.reference import enumerated_uniform, joint_weighted

BARE = replace(BOX, slots=(0, 8))
UNIFORM = Placement.UNIFORM
NAMED: dict[str, tuple[dict[str, Any], Conflict]] = {
    "no server": ({"servers": ()}, Conflict("number of servers", 1, 0)),
    "cores": ({"host_cores": 9}, Conflict("cores of box", 9, 4, "per server")),
    "slots": ({"servers": (BARE,)}, Conflict("slots of SAS of box", 1, 0, "per server")),
    "number": ({"servers": (replace(BOX, max_count=1),)}, Conflict("number of box", 2, 1)),
    "latency": ({"tasks": (replace(SERVE, latency=0.1),)}, Conflict("latency of task serve", 0.11, 0.1, "seconds")),
    "network": (
        {"tasks": (replace(SERVE, nic_bytes=(300.0,)),), "placement": UNIFORM},
        Conflict("network of one instance of task serve", 150, 100, "bytes per second"),
    ),
}  # fmt: skip


def _sound(problem: Problem, limits: SolveLimits | None = None):
    plan = solve(built(problem), limits)
    verdict = check(problem, plan)
    assert verdict.sound, verdict.violations
    assert verdict.cost == pytest.approx(plan.upper, rel=1e-9)
    assert plan.lower <= plan.upper
    return plan


@pytest.mark.parametrize("seed", range(24))
def test_equals_the_optimum_of_single_servers(seed: int) -> None:
    """On random instances the cost is that of enumerated choices packed server by server by another solver."""
    problem = small(seed)
    plan = _sound(problem, SolveLimits(1e-4))
    optimum = joint_weighted(built(problem), most=plan.servers)
    assert plan.lower <= optimum * (1 + 1e-6)
    assert plan.upper == pytest.approx(optimum, rel=2e-4)
    assert plan.status is Status.PROVED


@pytest.mark.parametrize("seed", range(12))
def test_equals_enumeration_of_whole_units(seed: int) -> None:
    """With uniform placement every placement can be counted through, without any solver."""
    problem = small(seed, placement=Placement.UNIFORM)
    plan = _sound(problem, SolveLimits(1e-4))
    optimum = enumerated_uniform(built(problem), most=min(plan.servers, 3))
    assert plan.lower <= optimum + 1e-6
    if plan.servers <= 3:
        assert plan.upper >= optimum - 0.01
        if plan.status is Status.PROVED:
            assert plan.upper == pytest.approx(optimum, rel=2e-4)


def test_finds_the_papers_cluster() -> None:
    """PhotoShare at 100 uploads: a web server and two storage servers, $7,329.10, proved."""
    plan = _sound(photoshare(100))
    assert plan.status is Status.PROVED
    assert plan.upper == pytest.approx(7329.10, abs=0.01)
    assert plan.servers == 3
    assert plan.choices == {
        "photos": ("15KDisk",),
        "thumbs": ("SSD",),
        "tags": ("7.2KDisk", "DRAM"),
    }


def test_two_boxes_do_without_isolation() -> None:
    """Where tasks may share servers with storage two servers suffice."""
    plan = _sound(photoshare(100, isolation=False))
    assert (plan.servers, plan.status) == (2, Status.PROVED)


@pytest.mark.parametrize("rate", [0.0, 1.0, 700.0, 30_000.0, 1_000_000.0])
def test_bounds_hold_from_nothing_to_thousands_of_servers(rate: float) -> None:
    """Every plan passes the check, and its gap is that of its bounds."""
    plan = _sound(photoshare(rate), SolveLimits(0.03))
    assert 0 <= plan.gap <= 0.03


def test_uniform_placement_costs_no_less() -> None:
    """Whole units with equal traffic are a special case of shares."""
    weighted = _sound(photoshare(200))
    uniform = _sound(photoshare(200, placement=Placement.UNIFORM))
    assert uniform.upper >= weighted.lower


@pytest.mark.parametrize("rate", [100.0, 600.0, 50_000.0])
def test_the_same_twice(rate: float) -> None:
    """The same arguments give the same plan."""
    instance = built(photoshare(rate, servers=3))
    one, other = (solve(instance, SolveLimits(0.02, time_limit_s=600)) for _ in range(2))
    assert replace(one, seconds=0) == replace(other, seconds=0)


def test_a_pool_changes_no_bound() -> None:
    """Patterns kept from another SLA help and never mislead."""
    pool = ColumnPool()
    for rate in (500.0, 600.0):
        problem = photoshare(rate)
        plan = solve(built(problem), SolveLimits(0.03), pool=pool)
        assert check(problem, plan).sound
        alone = solve(built(problem), SolveLimits(0.03))
        assert plan.lower <= alone.upper
        assert alone.lower <= plan.upper


def test_too_few_servers_are_named() -> None:
    """A number of servers that cannot be bought is the conflict, with how many are needed."""
    instance = built(photoshare(300))
    scarce = replace(instance, servers=tuple(replace(s, max_count=3) for s in instance.servers))
    plan = solve(scarce)
    assert plan.status is Status.INFEASIBLE
    assert [c.constraint for c in plan.conflict] == ["number of Server1"]
    assert plan.conflict[0].needed is not None
    assert plan.conflict[0].needed > 3
    assert math.isinf(plan.upper)


def test_scarce_types_are_not_overdrawn() -> None:
    """What is placed by the fractional packing counts against the number that can be had."""
    for most in (9, 10, 11):
        problem = photoshare(700, servers=2)
        catalog = problem.catalog
        few = tuple(replace(s, max_count=most if s.name == "Server1" else 2) for s in catalog.servers)
        scarce = replace(problem, catalog=replace(catalog, servers=few))
        plan = solve(built(scarce), SolveLimits(0.03, 10))
        assert check(scarce, plan).sound


def test_forced_choices_cost_no_less() -> None:
    """Closing choices can only make a cluster dearer: what a why-not question asks."""
    problem = photoshare(100)
    instance = built(problem)
    free = solve(instance)
    labels = [choice.label for choice in instance.datasets[0].choices]
    forced = solve(
        instance, allowed=[(labels.index("SSD"),), *(range(len(d.choices)) for d in instance.datasets[1:])]
    )
    assert forced.choices["photos"] == ("SSD",)
    assert forced.upper >= free.lower
    assert check(problem, forced).sound


def test_refuses_impossible_efforts() -> None:
    """A gap of one or a limit of no time is a caller's mistake."""
    instance = built(photoshare(100))
    with pytest.raises(ValueError, match="gap"):
        solve(instance, SolveLimits(1.0))
    with pytest.raises(ValueError, match="time_limit_s"):
        solve(instance, SolveLimits(time_limit_s=0))


NOTHING = SolveOutcome(HighsStatus.LIMIT, np.empty(0), math.inf, -math.inf, np.empty(0))
"""What a solve gives that reached a limit without a point."""


def test_what_the_solver_could_not_do_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says neither that there is a cluster nor that there is none."""
    for module, name in ((benders, "solve"), (solving, "solve_program")):
        monkeypatch.setattr(module, name, lambda *_, **__: NOTHING)
    plan = solve(built(photoshare(100)))
    assert (plan.status, plan.conflict) == (Status.UNDECIDED, ())


def test_what_is_infeasible_is_so_without_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no time was left to look for what is in the way."""
    instance = built(photoshare(100))
    none = replace(instance, servers=tuple(replace(server, max_count=1) for server in instance.servers))
    assert solve(none).conflict
    monkeypatch.setattr(solving, "solve_program", lambda *_, **__: NOTHING)
    plan = solve(none)
    assert (plan.status, plan.conflict) == (Status.INFEASIBLE, ())


def test_a_server_costs_about_a_thousand() -> None:
    """Whatever it costs in dollars."""
    for dearer in (1.0, 1e-9, 1e9):
        instance = in_money(hand(), 1 / dearer)
        inside = in_money(instance, money_unit(instance))
        assert 700 < max(server.cost for server in inside.servers) < 1500
    free = replace(
        hand(), units=(), servers=tuple(replace(s, cost=0.0, core_cost=0.0) for s in hand().servers)
    )
    assert money_unit(free) == 1.0


@pytest.mark.parametrize("unit", [2.0**-40, 2.0**40])
def test_the_same_cluster_in_any_money(unit: float) -> None:
    """Between the same bounds, in that money."""
    plain, other = solve(hand(), SolveLimits(1e-4)), solve(in_money(hand(), unit), SolveLimits(1e-4))
    assert other.groups == plain.groups
    assert (other.lower * unit, other.upper * unit) == pytest.approx((plain.lower, plain.upper))


@pytest.mark.parametrize("name", NAMED)
def test_the_limit_in_the_way_is_named(name: str) -> None:
    """With what one server, or the cluster, needs of it and has."""
    changes, expected = NAMED[name]
    (conflict,) = conflicts(hand(**changes))
    assert (conflict.constraint, conflict.unit) == (expected.constraint, expected.unit)
    assert (conflict.needed, conflict.allowed) == pytest.approx((expected.needed, expected.allowed))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"host_cores": 4},
        {"servers": (replace(BOX, slots=(1, 8)),)},
        {"servers": (replace(BOX, max_count=2),)},
        {"servers": (replace(BOX, max_count=1),), "isolation": False},
        {"tasks": (replace(SERVE, latency=0.11),)},
        {"tasks": (replace(SERVE, nic_bytes=(200.0,)),), "placement": UNIFORM},
        {"tasks": (replace(SERVE, nic_bytes=(300.0,)),)},
    ],
)
def test_a_limit_that_is_just_met_is_in_nobodys_way(changes: dict[str, Any]) -> None:
    """As much as is needed is there; shares of any size may halve an instance's traffic."""
    assert conflicts(hand(**changes)) == ()


def test_closed_choices_count_as_not_there() -> None:
    """0.12 s can be kept on an SSD, not on disks."""
    instance = hand(tasks=(replace(SERVE, latency=0.12),))
    assert conflicts(instance) == conflicts(instance, [(1,)]) == ()
    (late,) = conflicts(instance, [(0,)])
    assert late.needed == pytest.approx(0.15)


def test_all_limits_that_are_in_the_way_are_named() -> None:
    """The furthest exceeded first, and neither where only the other is lifted."""
    both = conflicts(hand(servers=(BARE,), host_cores=9))
    assert [conflict.constraint for conflict in both] == ["cores of box", "slots of SAS of box"]
    assert [c.constraint for c in conflicts(hand(host_cores=9))] == ["cores of box"]
    assert [c.constraint for c in conflicts(hand(servers=(BARE,)))] == ["slots of SAS of box"]


def test_what_three_servers_exceed_is_said_of_one() -> None:
    """Each of them has nine host cores and four cores; not 19."""
    (conflict,) = conflicts(replace(ten_disks().instance, host_cores=9))
    assert conflict.needed == pytest.approx(9)


def test_a_limit_of_hosts_and_workers_is_named_once() -> None:
    """Both need memory, and there is no slot for it: the one that lacks more says how much."""
    (conflict,) = conflicts(hand(servers=(replace(BOX, slots=(4, 0)),)))
    assert (conflict.constraint, conflict.allowed) == ("slots of DIMM of box", 0)


def test_paths_are_weighed_against_each_other() -> None:
    """0.07 s could be kept on each of two paths alone; the same choice serves both, and takes 0.09 s at least."""
    paths = (Path(0.02, ((0, (0.05, 0.07)),)), Path(0.02, ((0, (0.09, 0.01)),)))
    (late,) = conflicts(hand(tasks=(replace(SERVE, paths=paths, latency=0.08),)))
    assert (late.constraint, late.needed) == ("latency of task serve", pytest.approx(0.09))


def test_two_types_share_no_limit() -> None:
    """Of a server without slots and one without cores only one is named: lifting it is enough."""
    idle = replace(BOX, name="idle", cores=0, cost=900.0)
    named = conflicts(hand(servers=(BARE, idle)))
    assert len(named) == 1


def test_too_little_memory_for_the_storage_system() -> None:
    """Nine units where eight slots are."""
    (conflict,) = conflicts(hand(host_memory=9 * GB))
    assert (conflict.constraint, conflict.needed, conflict.allowed) == ("slots of DIMM of box", 9, 8)


@pytest.mark.parametrize("changes", [{"host_cores": 9}, {"host_memory": 9 * GB}])
def test_as_much_as_is_needed_is_enough(changes: dict[str, Any]) -> None:
    """With the limit at what the conflict says there is none."""
    instance = hand(**changes)
    (conflict,) = conflicts(instance)
    assert conflict.needed is not None
    whole = round(conflict.needed)
    larger = replace(BOX, cores=whole) if "cores" in conflict.constraint else replace(BOX, slots=(4, whole))
    assert conflicts(replace(instance, servers=(larger,))) == ()


def test_photoshare_without_slots() -> None:
    """Nothing keeps persistent data."""
    instance = built(photoshare(10))
    bare = replace(instance, servers=tuple(replace(s, slots=(0, s.slots[1])) for s in instance.servers))
    assert [c.constraint for c in conflicts(bare)] == ["slots of SAS of Server1"]


def test_photoshare_on_a_storage_system_that_fits_no_server() -> None:
    """More host cores than any server has."""
    (conflict,) = conflicts(replace(built(photoshare(10)), host_cores=9))
    assert (conflict.constraint, conflict.needed, conflict.allowed) == ("cores of Server1", 9, 4)


def test_every_task_whose_instance_fits_no_network_is_named() -> None:
    """Uniform placement: one instance has all the traffic of a task."""
    instance = built(photoshare(10, placement=UNIFORM))
    tasks = tuple(replace(task, nic_bytes=(1e9,)) for task in instance.tasks)
    named = {c.constraint for c in conflicts(replace(instance, tasks=tasks))}
    assert named == {f"network of one instance of task {task.name}" for task in instance.tasks}


def test_a_latency_is_named_with_the_least_run_time_of_any_choices() -> None:
    """How quick the task can be at all."""
    instance = built(photoshare(100))
    tasks = (replace(instance.tasks[0], latency=0.01), *instance.tasks[1:])
    (conflict,) = conflicts(replace(instance, tasks=tasks))
    assert conflict.constraint == "latency of task photoupload"
    every = [range(len(d.choices)) for d in instance.datasets]
    least = min(instance.run_times((a, b, c))[0] for a in every[0] for b in every[1] for c in every[2])
    assert conflict.needed == pytest.approx(least, rel=1e-6)
    assert conflict.allowed == 0.01
