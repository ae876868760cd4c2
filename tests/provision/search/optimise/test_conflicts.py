"""What is named where no cluster meets an SLA: which limit, how much is needed of it, how much there is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from froude.provision.model.instance import Path
from froude.provision.search.optimise.conflicts import conflicts
from froude.provision.types import Placement
from froude.provision.types.plan import Conflict
from tests.support.provision.search.optimise.examples import built, photoshare
from tests.support.provision.search.optimise.hand import BOX, GB, SERVE, hand, ten_disks

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
