"""What a program is about: kinds of servers, copies with their scales, tasks, and run times from both sides."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.provision.model.instance import Choice, Copy, DatasetNeed, LocalUnits, Path
from froude.provision.search.optimise.highs import solve
from froude.provision.search.optimise.master import Master
from froude.provision.search.optimise.subproblem import (
    FIT,
    Beside,
    ServerKind,
    flow_of_one,
    subproblem,
    whole_up,
)
from froude.provision.types import Placement
from tests.support.provision.search.optimise.examples import built, featured, photoshare
from tests.support.provision.search.optimise.hand import (
    BOX,
    DATA,
    ON_DISKS,
    ON_SSD,
    SERVE,
    disks_only,
    every_choice,
    hand,
)

HOST, WORKER = ServerKind(0, host=True, tasks=False), ServerKind(0, host=False, tasks=True)
UNIFORM = Placement.UNIFORM


def test_whole_up_forgives_rounding() -> None:
    """3.0000001 units are 3, 3.001 are 4, anything is at least 1."""
    assert [whole_up(a) for a in (0.0, 1e-9, 1.0, 3.0000001, 3.001)] == [0, 1, 1, 3, 4]


@given(st.integers(1, 10**5), st.floats(0.0, 0.9))
def test_whole_up_forgives_the_fit_and_no_more(whole: int, part: float) -> None:
    """What exceeds a whole number by less than its fit is that number, twice the fit is the next one."""
    assert whole_up(whole * (1 + FIT * part)) == whole
    assert whole_up(whole * (1 + 2.1 * FIT)) == whole + 1
    assert whole_up(-part) == 0


def test_hosts_and_workers_are_apart_with_isolation() -> None:
    """A server type is a host without tasks, or a worker without data."""
    assert subproblem(hand()).kinds == (HOST, WORKER)


def test_a_worker_without_isolation_is_worth_it_only_where_a_host_costs_more() -> None:
    """A host runs tasks too; where the storage system takes nothing, a worker is the same."""
    both = ServerKind(0, host=True, tasks=True)
    assert subproblem(hand(isolation=False)).kinds == (both, WORKER)
    assert subproblem(hand(isolation=False, host_cores=0)).kinds == (both, WORKER)
    assert subproblem(hand(isolation=False, host_memory=0.0)).kinds == (both, WORKER)
    assert subproblem(hand(isolation=False, host_cores=0, host_memory=0.0)).kinds == (both,)


def test_nobody_hosts_where_nothing_is_remote() -> None:
    """Without copies there are workers only, isolated or not; one choice with a copy is enough for hosts."""
    served = DatasetNeed("data", (Choice("store"), Choice("depot")))
    assert subproblem(hand(datasets=(served,))).kinds == (WORKER,)
    alone = hand(datasets=(served,), isolation=False, host_cores=0, host_memory=0.0)
    assert subproblem(alone).kinds == (WORKER,)
    some = replace(DATA, choices=(Choice("store"), DATA.choices[1]))
    assert subproblem(hand(datasets=(some,))).kinds == (HOST, WORKER)


def test_types_without_a_use_are_left_out() -> None:
    """Those of which there is none, those that another replaces, and hosts too small for the storage system."""
    none, dear = replace(BOX, name="none", cost=9.0, max_count=0), replace(BOX, name="dear", cost=1100.0)
    tiny = replace(BOX, name="tiny", cost=100.0, cores=0)
    assert {kind.server for kind in subproblem(hand(servers=(none, dear, BOX))).kinds} == {2}
    assert subproblem(hand(servers=(BOX, tiny))).kinds == (HOST, WORKER, replace(WORKER, server=1))
    assert subproblem(hand(servers=(BOX, replace(tiny, cores=1)))).kinds[2] == replace(HOST, server=1)
    only_tiny = subproblem(hand(servers=(tiny,)))
    assert only_tiny.kinds == (HOST, WORKER)  # then the conflict names it
    assert subproblem(hand(servers=(none,))).kinds == (HOST, WORKER)


def test_server_types_may_be_given() -> None:
    """Also those that would be left out."""
    dear = replace(BOX, name="dear", cost=1100.0)
    assert {kind.server for kind in subproblem(hand(servers=(BOX, dear)), servers=(1,)).kinds} == {1}


def test_items_are_the_copies_of_open_choices() -> None:
    """Each with the choice that it belongs to."""
    sub = subproblem(hand())
    assert [(i.dataset, i.choices, i.copy, i.need) for i in sub.items] == [
        (0, (0,), ON_DISKS, 2.5),
        (0, (1,), ON_SSD, 1.0),
    ]
    assert [item.choices for item in subproblem(hand(), [(1,)]).items] == [(1,)]


def test_a_copy_stands_once_for_all_choices_that_have_it() -> None:
    """Pairs of two disks with one cache are three items, not four."""
    cache = replace(ON_SSD, cache=True)
    kept = (ON_DISKS, replace(ON_DISKS, need=3.5, min_units=4))
    pairs = tuple(Choice(f"pair {at}", (copy, cache), names=("disk", "ssd")) for at, copy in enumerate(kept))
    sub = subproblem(hand(datasets=(DatasetNeed("data", pairs),)))
    assert [(item.choices, item.copy) for item in sub.items] == [
        ((0,), kept[0]),
        ((0, 1), cache),
        ((1,), kept[1]),
    ]
    costs = [
        solve(Master(subproblem(sub.instance, [open_])).program).objective for open_ in ((0,), (1,), (0, 1))
    ]
    assert costs[2] == pytest.approx(min(costs[:2]))


@pytest.mark.parametrize(("most_share", "need"), [(1.0, 1.0), (0.25, 4.0)])
def test_a_copy_that_is_never_busy_needs_a_whole_unit(most_share: float, need: float) -> None:
    """For the largest share that a server may have; else shares of it would need no unit beside them."""
    idle = replace(ON_DISKS, need=0.0, min_units=1, most_share=most_share)
    sub = subproblem(hand(datasets=(DatasetNeed("data", (Choice("disk", (idle,)),)),)))
    assert sub.items[0].need == need


def test_uniform_placement_needs_exact_units() -> None:
    """Three disks for 2.5; the largest share is as many whole units as fit into it."""
    third = replace(ON_DISKS, min_units=5, most_share=0.5)
    data = (DatasetNeed("data", (Choice("disk", (third,)),)),)
    item = subproblem(hand(datasets=data, placement=UNIFORM)).items[0]
    assert (item.need, item.most) == (5.0, 2 / 5)
    assert subproblem(hand(datasets=data)).items[0].most == 0.5


@pytest.mark.parametrize(
    ("copy", "scale"),
    [
        (Copy(0, 0.3, 1, (), ()), 1.0),
        (ON_DISKS, 2.5),
        (replace(ON_DISKS, nic_bytes=(430.0,)), 4.3),
        (replace(ON_DISKS, bus_bytes=(7000.0,)), 7.0),
        (replace(ON_DISKS, cores=(6.0,)), 6.0),
        (replace(ON_DISKS, nic_bytes=(0.0, 430.0, 0.0)), 4.3),
        (replace(ON_DISKS, bus_bytes=(0.0, 7000.0, 0.0)), 7.0),
        (replace(ON_DISKS, cores=(0.0, 6.0, 0.0)), 6.0),
        (replace(ON_DISKS, most_share=0.2), 5.0),
        (replace(ON_DISKS, most_share=0.2, cores=(6.0,)), 6.0),
    ],
)
def test_a_load_is_about_a_servers_worth(copy, scale: float) -> None:
    """It is counted in units, networks, buses, cores or servers to be spread over: whichever makes most of it."""
    assert (
        subproblem(hand(datasets=(DatasetNeed("data", (Choice("disk", (copy,)),)),))).items[0].scale == scale
    )


def test_the_widest_server_sets_the_scale() -> None:
    """Of several types, so that nothing is more than one server's worth of the best."""
    copy = replace(ON_DISKS, nic_bytes=(800.0,), bus_bytes=(0.0,))
    wide = replace(BOX, name="wide", cost=2000.0, nic=200.0)
    data = (DatasetNeed("data", (Choice("disk", (copy,)),)),)
    assert subproblem(hand(datasets=data, servers=(BOX, wide))).items[0].scale == 4.0


@pytest.mark.parametrize(
    ("task", "scale"),
    [
        (SERVE, 1.5),
        (replace(SERVE, cores=(2.5,)), 2.5),
        (replace(SERVE, nic_bytes=(330.0,)), 3.3),
        (replace(SERVE, nic_bytes=(0.0, 330.0, 0.0)), 3.3),
        (replace(SERVE, rate=2.0, cores=(0.0,)), 1.0),
        (replace(SERVE, most_share=0.25), 4.0),
        (replace(SERVE, rate=0.0, cores=(0.0,), nic_bytes=(0.0,)), 1.0),
    ],
)
def test_work_is_about_a_servers_worth(task, scale: float) -> None:
    """Counted in instances, cores, networks or servers to be spread over."""
    assert disks_only(tasks=(task,)).task_scale == pytest.approx((scale,))


def test_tasks_without_work_are_left_out() -> None:
    """A rate of 0 is no work, unless a local dataset asks for instances."""
    idle = replace(SERVE, rate=0.0)
    assert subproblem(hand(tasks=(SERVE, idle))).tasks == (0,)
    beside = Choice("1 x disk", local=LocalUnits(0, 1, (0.0,)))
    local = DatasetNeed("scratch", (beside,), local_to=1)
    kept = replace(idle, floors=((1, (0.5,)),))
    sub = subproblem(hand(datasets=(DATA, local), tasks=(replace(SERVE, rate=0.1), kept)))
    assert sub.tasks == (0, 1)
    assert sub.beside == ((), (Beside(1, 0, LocalUnits(0, 1, (0.0,))),))
    assert sub.parallelism[1] == 0.5


def test_instances_follow_the_choices() -> None:
    """The published calibration: 2.64, 3.80 and 0.82 instances run at once."""
    instance = built(photoshare(100))
    have = [[choice.label for choice in d.choices] for d in instance.datasets]
    papers = ("15KDisk", "SSD", "7.2KDisk + DRAM")
    sub = subproblem(instance, [(h.index(label),) for h, label in zip(have, papers, strict=True)])
    assert sub.parallelism == pytest.approx((2.64, 3.80, 0.82), abs=0.05)
    assert sub.fixed


def test_open_choices_bound_the_instances_from_both_sides() -> None:
    """1.5 instances on disks and 1.1 on an SSD."""
    sub = subproblem(hand())
    assert sub.parallelism == pytest.approx((1.1,))
    assert sub.most_parallel == pytest.approx((1.5,))
    assert not sub.fixed
    assert sub.pairs == [(0, 0), (0, 1)]
    fixed = disks_only()
    assert fixed.parallelism == fixed.most_parallel == pytest.approx((1.5,))
    assert fixed.fixed
    assert fixed.choices == (0,)
    half = subproblem(hand(datasets=(DATA, DATA)), [(0,), (0, 1)])
    assert not half.fixed
    assert half.pairs == [(0, 0), (1, 0), (1, 1)]


@pytest.mark.parametrize("seed", range(12))
def test_run_times_of_open_choices_bracket_those_of_each(seed: int) -> None:
    """With every feature; where each path has one dataset the bounds are reached."""
    instance = featured(seed)
    every = [range(len(dataset.choices)) for dataset in instance.datasets]
    low, high = instance.run_times_among(every), instance.run_times_among(every, max)
    times = [instance.run_times(choices) for choices in every_choice(instance)]
    for task in range(len(instance.tasks)):
        assert low[task] <= min(t[task] for t in times) * (1 + 1e-12)
        assert high[task] >= max(t[task] for t in times) * (1 - 1e-12)
    assert instance.run_times_among([(0,)] * len(every)) == instance.run_times([0] * len(every))


def test_the_longest_path_is_the_run_time() -> None:
    """Quickest choice 0.11 s, slowest 0.15 s, and a path without data of 0.12 s."""
    instance = hand(tasks=(replace(SERVE, paths=(*SERVE.paths, Path(0.12))),))
    assert instance.run_times_among([(0, 1)]) == pytest.approx((0.12,))
    assert instance.run_times_among([(0, 1)], max) == pytest.approx((0.15,))


def test_calls_in_a_loop_settle() -> None:
    """R = 0.1 + 0.01 + 0.5 R is 0.22 s on an SSD; a task beside it is done at once."""
    loop = replace(SERVE, paths=(Path(0.1, ((0, (0.05, 0.01)),), ((0, 0.5),)),))
    instance = hand(tasks=(loop, replace(SERVE, paths=(Path(0.4),))))
    assert instance.run_times_among([(0, 1)]) == pytest.approx((0.22, 0.4), rel=1e-9)
    assert instance.run_times_among([(0, 1)], max) == pytest.approx((0.3, 0.4), rel=1e-9)
    assert instance.run_times_among([(1,)]) == pytest.approx((0.22, 0.4), rel=1e-9)


def test_one_open_dataset_is_enough_to_bracket() -> None:
    """The other has one choice only: 0.05 s of it, and 0.05 or 0.01 s of the first."""
    both = replace(SERVE, paths=(Path(0.0, ((0, (0.05, 0.01)), (1, (0.05, 0.01)))),))
    instance = hand(datasets=(DATA, DATA), tasks=(both,))
    assert instance.run_times_among([(0, 1), (0,)]) == pytest.approx((0.06,))
    assert instance.run_times_among([(0, 1), (0,)], max) == pytest.approx((0.1,))


def test_uniform_instances_are_whole_and_enough_to_be_spread() -> None:
    """1.5 instances are 2; no more than a third on one server makes 3; nothing to do makes 1."""
    assert disks_only().instances(0) == pytest.approx(1.5)
    assert disks_only(placement=UNIFORM).instances(0) == 2.0
    third = replace(SERVE, most_share=1 / 3)
    sub = disks_only(tasks=(third,), placement=UNIFORM)
    assert (sub.instances(0), sub.least_servers(0), sub.most_work(0)) == (3.0, 3, pytest.approx(1 / 3))
    assert subproblem(hand(tasks=(third,), placement=UNIFORM)).instances(0) == pytest.approx(1.1)
    assert disks_only(tasks=(replace(SERVE, rate=0.0),), placement=UNIFORM).instances(0) == 1.0


def test_the_largest_work_is_in_whole_instances() -> None:
    """Of three instances half a task is one; divisible work is halved as it is."""
    half = replace(SERVE, rate=18.0, most_share=0.5)
    assert disks_only(tasks=(half,)).most_work(0) == 0.5
    assert disks_only(tasks=(half,), placement=UNIFORM).most_work(0) == pytest.approx(1 / 3)
    assert disks_only(placement=UNIFORM).most_work(0) == 1.0


def test_an_empty_server_costs_its_price_and_the_cores_of_the_storage_system() -> None:
    """Of which a bundle may include some; what is left of those is for tasks."""
    sub = disks_only(host_cores=3)
    assert (sub.base_cost(HOST), sub.base_cost(WORKER)) == (1150.0, 1000.0)
    assert (sub.spare_cores(HOST), sub.spare_cores(WORKER)) == (0, 0)
    kit = disks_only(host_cores=3, servers=(replace(BOX, included_cores=2),))
    assert (kit.base_cost(HOST), kit.base_cost(WORKER)) == (1050.0, 1000.0)
    assert (kit.spare_cores(HOST), kit.spare_cores(WORKER)) == (0, 2)
    roomy = disks_only(host_cores=1, servers=(replace(BOX, included_cores=3),))
    assert (roomy.base_cost(HOST), roomy.spare_cores(HOST)) == (1000.0, 2)
    assert roomy.server(HOST).name == "box"


def test_what_choices_cost_besides() -> None:
    """Dollars of the choices that were made, summed."""
    paid = replace(DATA, choices=(replace(DATA.choices[0], cost=70.0), DATA.choices[1]))
    assert subproblem(hand(datasets=(paid, paid)), [(0,), (0,)]).constant == 140.0
    assert subproblem(hand(datasets=(paid, paid)), [(0,), (1,)]).constant == 70.0


def test_tasks_run_on_the_core_types_open_to_them() -> None:
    """All of them, or the one that was chosen."""
    types = DatasetNeed("core type of serve", (Choice("slow"), Choice("fast")), cpu_of=0)
    quick = replace(BOX, name="quick", cpu=1)
    instance = hand(datasets=(DATA, types), cpus=("slow", "fast"), servers=(BOX, quick))
    both = subproblem(instance)
    assert [kind for kind in both.kinds if both.runs(0, kind)] == [WORKER, replace(WORKER, server=1)]
    fast = subproblem(instance, [(0,), (1,)])
    assert fast.cpus == ((1,),)
    assert [kind for kind in fast.kinds if fast.runs(0, kind)] == [replace(WORKER, server=1)]


def test_one_uniform_instance_has_its_part_of_the_traffic() -> None:
    """30 bytes a second over the two instances that the slowest choice asks for, or those it is spread over."""
    assert flow_of_one(subproblem(hand(placement=UNIFORM)), 0) == 15.0
    third = replace(SERVE, most_share=1 / 3)
    assert flow_of_one(subproblem(hand(tasks=(third,), placement=UNIFORM)), 0) == 10.0
    late = replace(SERVE, nic_bytes=(0.0, 30.0, 0.0))
    assert flow_of_one(subproblem(hand(tasks=(late,), placement=UNIFORM)), 0) == 15.0
    idle = replace(SERVE, rate=0.0)
    assert flow_of_one(subproblem(hand(tasks=(SERVE, idle), placement=UNIFORM)), 1) == 30.0
    idle = replace(idle, nic_bytes=())
    assert flow_of_one(subproblem(hand(tasks=(SERVE, idle), placement=UNIFORM)), 1) == 0.0


@given(st.integers(1, 40), st.floats(0.01, 1.0))
def test_a_whole_share_is_the_largest_that_whole_pieces_make(pieces: int, most: float) -> None:
    """One piece more would be more than the largest share."""
    copy = replace(ON_DISKS, min_units=pieces, most_share=most)
    data = (DatasetNeed("data", (Choice("disk", (copy,)),)),)
    share = subproblem(hand(datasets=data, placement=UNIFORM)).items[0].most
    count = round(share * pieces)
    assert math.isclose(share, count / pieces)
    assert share <= most * (1 + 2 * FIT)
    assert most >= 1 or (count + 1) / pieces > most
