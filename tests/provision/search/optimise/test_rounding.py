"""Points become clusters: shares that add up to one, whole counts that carry them, and what those cost."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest

from froude.provision.model.instance import Choice, Copy, DatasetNeed, Instance, LocalUnits, NetworkRow
from froude.provision.search.optimise.highs import Program
from froude.provision.search.optimise.rounding import (
    NEGLIGIBLE,
    Content,
    Servers,
    content_at,
    cost_of,
    groups_of,
    round_servers,
)
from froude.provision.search.optimise.server_rows import ServerRows
from froude.provision.search.optimise.subproblem import ServerKind, Subproblem, subproblem
from froude.provision.types import Placement
from froude.provision.types.plan import Group, Held, LocalHeld, Running
from tests.support.provision.search.optimise.examples import built, featured, fixed, photoshare
from tests.support.provision.search.optimise.fillings import random_filling, random_scope
from tests.support.provision.search.optimise.hand import (
    BOX,
    DATA,
    GB,
    ON_DISKS,
    SERVE,
    Filling,
    disks_only,
    dollars,
    hand,
)
from tests.support.provision.search.optimise.reference import violations

HOST, WORKER = ServerKind(0, host=True, tasks=False), ServerKind(0, host=False, tasks=True)
UNIFORM = Placement.UNIFORM
OF = disks_only()
STORED = Content(HOST, {0: 1.0}, {0: 3}, {}, {})
AT_WORK = Content(WORKER, {}, {}, {0: 1.0}, {0: 2})


def test_a_content_is_empty_without_units_and_work() -> None:
    """Shares alone are nothing that stands anywhere."""
    assert Content(HOST).empty
    assert Content(HOST, units={0: 0}).empty
    assert not STORED.empty
    assert not AT_WORK.empty


def test_a_content_is_read_off_a_point() -> None:
    """Shares of the whole, counts brought to whole numbers, crumbs left out."""
    sub = disks_only(isolation=False)
    program = Program()
    variables = ServerRows(program, sub, sub.kinds[0]).add()
    x = np.zeros(len(program.variable_names))
    x[variables.load[0]], x[variables.units[0]] = 0.4 * 2.5, 0.9999999
    x[variables.work[0]], x[variables.instances[0]] = 0.5 * 1.5, 1.0000001
    content = content_at(sub, variables, x)
    assert content.kind == sub.kinds[0]
    assert content.shares == pytest.approx({0: 0.4})
    assert content.work == pytest.approx({0: 0.5})
    assert (content.units, content.instances) == ({0: 1}, {0: 1})
    x[variables.load[0]], x[variables.units[0]] = 0.9 * NEGLIGIBLE * 2.5, 1e-8
    x[variables.work[0]], x[variables.instances[0]] = 0.9 * NEGLIGIBLE * 1.5, 1e-8
    nothing = content_at(sub, variables, x)
    assert (nothing.shares, nothing.units, nothing.work, nothing.instances) == ({}, {}, {}, {})


def test_a_share_of_a_hundred_millionth_is_one_where_there_are_as_many_servers() -> None:
    """What is left out is a part of a server's worth, however little of the whole that is."""
    needs = replace(ON_DISKS, need=1e9, min_units=10**9)
    sub = disks_only(datasets=(DatasetNeed("data", (Choice("disk", (needs,)),)),))
    program = Program()
    variables = ServerRows(program, sub, sub.kinds[0]).add()
    x = np.zeros(len(program.variable_names))
    x[variables.load[0]], x[variables.units[0]] = 3.0, 3.0
    assert content_at(sub, variables, x).shares == pytest.approx({0: 3e-9})


def test_settling_takes_away_what_is_too_much() -> None:
    """Shares are brought to one, and counts follow."""
    sub = fixed()
    whole = dict.fromkeys(range(len(sub.items)), 0.52)
    hosts = Content(HOST, whole, dict.fromkeys(whole, 9), {}, {})
    tasks = Content(WORKER, {}, {}, dict.fromkeys(sub.tasks, 1.01), dict.fromkeys(sub.tasks, 9))
    rounded = round_servers(sub, [(hosts, 2), (tasks, 1)])
    assert all(share == pytest.approx(0.5) for share in rounded[0][0].shares.values())
    assert rounded[0][0].units == {0: 2, 1: 1, 2: 1, 3: 1}
    assert rounded[1][0].instances == {0: 3, 1: 4, 2: 1}


def test_settling_uniform_placement_leaves_exact_units() -> None:
    """Superfluous whole units go, and shares follow from those left."""
    sub = fixed(placement=UNIFORM)
    wanted = sub.items[0].copy.min_units
    rounded = round_servers(sub, [(Content(HOST, {}, {0: wanted}, {}, {}), 3)])
    assert sum(c.units.get(0, 0) * n for c, n in rounded) == wanted
    assert sum(c.shares.get(0, 0.0) * n for c, n in rounded) == pytest.approx(1)


def test_a_share_wants_a_unit_however_small() -> None:
    """A tenth of data that needs half a unit stands on one."""
    half = replace(ON_DISKS, need=0.5, min_units=1)
    sub = disks_only(datasets=(DatasetNeed("data", (Choice("disk", (half,)),)),))
    servers = [(Content(HOST, {0: share}, {0: 1}, {}, {}), 1) for share in (0.1, 0.9)]
    assert [content.units for content, _ in round_servers(sub, servers)] == [{0: 1}, {0: 1}]
    free = replace(half, need=0.0)
    sub = disks_only(datasets=(DatasetNeed("data", (Choice("disk", (free,)),)),))
    assert [content.units for content, _ in round_servers(sub, servers)] == [{0: 1}, {0: 1}]


def test_replicas_come_back_where_fewer_than_the_least_would_be_left() -> None:
    """Half a unit's need, but three replicas: the three units that were placed stay; so does a copy that has enough."""
    three = replace(ON_DISKS, need=0.5, min_units=3)
    dataset = replace(ON_DISKS, need=0.5, min_units=1)
    sets = (
        DatasetNeed("data", (Choice("disk", (three,)),)),
        DatasetNeed("logs", (Choice("disk", (dataset,)),)),
    )
    sub = subproblem(hand(datasets=sets), [(0,), (0,)])
    rounded = round_servers(sub, [(Content(HOST, {0: 1.0, 1: 1.0}, {0: 3, 1: 3}, {}, {}), 1)])
    assert rounded[0][0].units == {0: 3, 1: 1}


def test_contents_left_with_nothing_go() -> None:
    """With uniform placement a server whose units were all too much is none."""
    sub = disks_only(placement=UNIFORM)
    rounded = round_servers(sub, [(STORED, 1), (Content(HOST, {}, {0: 2}, {}, {}), 2), (AT_WORK, 1)])
    assert [(content.units, content.instances, count) for content, count in rounded] == [
        ({0: 3}, {}, 1),
        ({}, {0: 2}, 1),
    ]


def _replicated(times: int) -> Instance:
    """PhotoShare whose copies stand on so many servers each."""
    instance = built(photoshare(100))

    def spread(copy: Copy) -> Copy:
        return replace(copy, most_share=1 / times, min_units=max(copy.min_units, times))

    datasets = tuple(
        replace(d, choices=tuple(replace(c, copies=tuple(map(spread, c.copies))) for c in d.choices))
        for d in instance.datasets
    )
    return replace(instance, datasets=datasets)


def test_settling_levels_what_a_tolerance_left_above_the_largest_share() -> None:
    """A share that is a little too large goes to a server with room; one that has to be exact is left."""
    sub = subproblem(_replicated(3), [(0,), (0,), (0,)])
    shares = (1 / 3 + 2e-6, 1 / 3 - 1e-6, 1 / 3 - 1e-6)
    content = [Content(sub.kinds[0], dict.fromkeys(range(len(sub.items)), s), {}, {}, {}) for s in shares]
    rounded = round_servers(sub, [(each, 1) for each in content])
    assert max(one.shares[0] for one, _ in rounded) <= 1 / 3 * (1 + 1e-9)
    assert sum(one.shares[0] for one, _ in rounded) == pytest.approx(1)


def test_levelled_work_fills_the_room_there_is_in_proportion() -> None:
    """Half the work at most: of 0.6, 0.3 and 0.1 the tenth too much goes to the others by their room; copies alike."""
    half = replace(ON_DISKS, most_share=0.5)
    sub = disks_only(
        isolation=False,
        tasks=(replace(SERVE, most_share=0.5),),
        datasets=(DatasetNeed("data", (Choice("disk", (half,)),)),),
    )
    kind = sub.kinds[0]
    servers = [(Content(kind, {0: part}, {0: 3}, {0: part}, {0: 2}), 1) for part in (0.6, 0.3, 0.1)]
    # rooms of 0.2 and 0.4: a third and two thirds of the tenth
    expected = [0.5, 0.3 + 0.1 / 3, 0.1 + 0.2 / 3]
    rounded = round_servers(sub, servers)
    assert [content.work[0] for content, _ in rounded] == pytest.approx(expected)
    assert [content.shares[0] for content, _ in rounded] == pytest.approx(expected)
    # servers without any of it have no room
    alone = Content(kind, {}, {}, {}, {})
    two = [
        (replace(servers[0][0]), 1),
        (replace(servers[1][0], work={0: 0.4}, shares={0: 0.4}), 1),
        (alone, 1),
    ]
    rounded = round_servers(sub, two)
    assert [content.work[0] for content, _ in rounded] == pytest.approx([0.5, 0.5])
    assert len(rounded) == 2


def test_groups_of_servers_are_levelled_as_so_many_servers() -> None:
    """Two with 0.05 too much each, four with room for 0.15: a tenth over six tenths, 0.025 for each."""
    sub = disks_only(tasks=(replace(SERVE, most_share=0.25),))
    servers = [(Content(WORKER, {}, {}, {0: part}, {0: 1}), n) for part, n in ((0.3, 2), (0.1, 4))]
    assert [content.work[0] for content, _ in round_servers(sub, servers)] == pytest.approx([0.25, 0.125])


def test_where_room_is_short_it_is_filled() -> None:
    """Of 0.15 too much 0.05 finds room, and no server gets more than its largest share for the rest."""
    sub = disks_only(tasks=(replace(SERVE, most_share=0.45),))
    servers = [(Content(WORKER, {}, {}, {0: part}, {0: 1}), 1) for part in (0.6, 0.4)]
    assert [content.work[0] for content, _ in round_servers(sub, servers)] == pytest.approx([0.45, 0.45])


def test_a_share_above_the_largest_without_room_elsewhere_is_left() -> None:
    """Then the cluster has too few servers, and the check says so."""
    sub = disks_only(tasks=(replace(SERVE, most_share=0.4),))
    rounded = round_servers(sub, [(Content(WORKER, {}, {}, {0: 0.5}, {0: 1}), 2)])
    assert rounded[0][0].work == {0: 0.5}


def test_settled_covers_keep_every_rule_of_shares_and_counts() -> None:
    """Random covers of random scopes: shares sum to one, none grew, and units and instances are the least that do."""
    dice = random.Random("settled")
    for _ in range(150):
        sub = random_scope(dice, Placement.WEIGHTED)
        servers = _cover(sub, dice)
        rounded = round_servers(sub, servers)
        assert all(count > 0 and not content.empty for content, count in rounded)
        for at, item in enumerate(sub.items):
            held = [
                (content.shares[at], content.units[at], n) for content, n in rounded if at in content.shares
            ]
            assert sum(share * n for share, _, n in held) == pytest.approx(1)
            assert sum(units * n for _, units, n in held) >= item.copy.min_units
            assert all(units >= max(1, math.ceil(item.copy.need * share - 1e-6)) for share, units, _ in held)
            if item.most < 1 and sum(n for _, _, n in held) * item.most >= 1:
                assert max(share for share, _, _ in held) <= item.most * (1 + 1e-6)
        for task in sub.tasks:
            run = [
                (content.work[task], content.instances[task], n)
                for content, n in rounded
                if task in content.work
            ]
            assert sum(share * n for share, _, n in run) == pytest.approx(1)
            wanted = [math.ceil(sub.parallelism[task] * share - 1e-6) for share, _, _ in run]
            assert [instances for _, instances, _ in run] == wanted


def test_settled_whole_units_are_exact_and_none_is_added() -> None:
    """With uniform placement, from random clusters that have enough of everything."""
    dice = random.Random("whole")
    for _ in range(150):
        sub = random_scope(dice, UNIFORM)
        servers = _cover(sub, dice)
        rounded = round_servers(sub, servers)
        for at, item in enumerate(sub.items):
            assert sum(content.units.get(at, 0) * n for content, n in rounded) == item.copy.min_units
            assert all(
                content.shares.get(at, 0.0) == pytest.approx(content.units.get(at, 0) / item.copy.min_units)
                for content, _ in rounded
            )
        for task in sub.tasks:
            assert sum(content.instances.get(task, 0) * n for content, n in rounded) == sub.instances(task)
            assert all(
                content.work.get(task, 0.0)
                == pytest.approx(content.instances.get(task, 0) / sub.instances(task))
                for content, _ in rounded
            )
        assert sum(n for _, n in rounded) <= sum(n for _, n in servers)


def _cover(sub: Subproblem, dice: random.Random) -> Servers:
    """Contents that have a little more than all of every copy and task."""
    servers: Servers = []
    for at, item in enumerate(sub.items):
        number = dice.randint(1, 4)
        each = math.ceil(max(item.need, item.copy.min_units) / number)
        share = (1 + dice.choice([0.0, 1e-7, 0.1])) / number
        servers.append((Content(sub.kinds[0], {at: share}, {at: each}, {}, {}), number))
    for task in sub.tasks:
        number = dice.randint(1, 4)
        each = math.ceil(sub.instances(task) / number) + dice.randint(0, 1)
        share = (1 + dice.choice([0.0, 1e-7, 0.1])) / number
        servers.append((Content(sub.kinds[-1], {}, {}, {task: share}, {task: each}), number))
    dice.shuffle(servers)
    return servers


def test_surplus_units_are_taken_from_the_last_servers_that_have_them() -> None:
    """Five units of nine are wanted: one of the last three goes, one loses one of its three, the rest stay."""
    five = replace(ON_DISKS, need=4.5, min_units=5)
    sub = disks_only(datasets=(DatasetNeed("data", (Choice("disk", (five,)),)),), placement=UNIFORM)
    rounded = round_servers(sub, [(Content(HOST, {}, {0: 3}, {}, {}), 3)])
    assert [(content.units, count) for content, count in rounded] == [({0: 3}, 1), ({0: 2}, 1)]
    assert [content.shares for content, _ in rounded] == [{0: 3 / 5}, {0: 2 / 5}]
    apart = round_servers(sub, [(Content(HOST, {}, {0: units}, {}, {}), 1) for units in (1, 3, 3, 2)])
    assert [(content.units, count) for content, count in apart] == [({0: 1}, 1), ({0: 3}, 1), ({0: 1}, 1)]


def test_groups_have_names_and_what_is_bought() -> None:
    """The hand-made cluster: hosts first, with the storage system's core and memory; then workers."""
    groups = groups_of(OF, [(AT_WORK, 1), (STORED, 1)])
    assert groups == (
        Group("box", 1, (Held("data", "disk", 3, 1.0),), cores=1, dimms=1),
        Group("box", 1, running=(Running("serve", 2, 1.0),), cores=2, dimms=4),
    )
    assert cost_of(OF, groups) == 2500.0


def test_groups_come_in_the_order_of_the_catalog() -> None:
    """A server type after the other, hosts of each first."""
    wide = replace(BOX, name="wide", cost=2000.0, nic=500.0)
    sub = disks_only(servers=(BOX, wide))
    kinds = [ServerKind(1, host=False, tasks=True), ServerKind(1, host=True, tasks=False), WORKER]
    contents = [replace(AT_WORK, kind=kinds[0]), replace(STORED, kind=kinds[1]), AT_WORK]
    groups = groups_of(sub, [(content, at + 1) for at, content in enumerate(contents)])
    assert [(group.server, group.count, bool(group.held)) for group in groups] == [
        ("box", 3, False),
        ("wide", 2, True),
        ("wide", 1, False),
    ]


def test_units_beside_instances_are_in_the_group_and_paid() -> None:
    """Two instances with two disks each, and 7 dollars for each instance."""
    beside = Choice("2 x disk", local=LocalUnits(0, 2, (0.0,), 7.0), names=("disk",))
    sub = subproblem(hand(datasets=(DATA, DatasetNeed("scratch", (beside,), local_to=0))), [(0,), (0,)])
    groups = groups_of(sub, [(AT_WORK, 3)])
    assert groups[0].local == (LocalHeld("scratch", "disk", 4),)
    assert cost_of(sub, groups) == 3 * (1140.0 + 400 + 14)


def test_a_pair_names_its_cache() -> None:
    """Of the two copies of a choice one is the cache."""
    pair = Choice("disk + ssd", (ON_DISKS, replace(ON_DISKS, unit=1, cache=True)))
    sub = disks_only(datasets=(DatasetNeed("data", (pair,)),))
    groups = groups_of(sub, [(Content(HOST, {0: 0.5, 1: 1.0}, {0: 2, 1: 3}, {}, {}), 1)])
    assert groups[0].held == (Held("data", "disk", 2, 0.5), Held("data", "ssd", 3, 1.0, cache=True))


def test_cores_and_memory_are_those_of_the_fullest_phase() -> None:
    """Two tasks one after the other share cores and memory; hosting adds to each phase."""
    late = replace(SERVE, name="sort", phase=1, cores=(3.2,), memory=1 * GB, nic_bytes=(0.0, 30.0))
    copy = replace(ON_DISKS, cores=(0.4, 0.9), bus_bytes=(0.0, 0.0), nic_bytes=(0.0, 0.0))
    sub = disks_only(
        phases=("serve", "sort"),
        network_rows=(NetworkRow(0, "both"), NetworkRow(1, "both")),
        tasks=(replace(SERVE, nic_bytes=(30.0, 0.0)), late),
        datasets=(DatasetNeed("data", (Choice("disk", (copy,)),)),),
        isolation=False,
    )
    content = Content(sub.kinds[0], {0: 1.0}, {0: 3}, {0: 1.0, 1: 1.0}, {0: 2, 1: 5})
    group = groups_of(sub, [(content, 1)])[0]
    # 1.5 + 0.4 and 3.2 + 0.9 cores and one of the storage system; 4 GB and 5 GB and one of it
    assert (group.cores, group.dimms) == (6, 6)


def test_groups_cost_what_the_rules_say() -> None:
    """Random contents with every feature, bundles too: what their groups cost is what is in them."""
    dice = random.Random("cost")
    priced = 0
    while priced < 120:
        sub = random_scope(dice)
        kind = dice.choice(sub.kinds)
        filling = random_filling(sub, kind, dice, 1.0)
        expected = dollars(sub.instance, sub.choices, kind.server, kind.host, filling)
        content = _content(sub, kind, filling)
        # a host that holds nothing is none, and has not its storage system
        if math.isinf(expected) or (kind.host and not content.units):
            continue
        priced += 1
        assert cost_of(sub, groups_of(sub, [(content, 2)])) == pytest.approx(2 * expected)


def _content(sub: Subproblem, kind: ServerKind, filling: Filling) -> Content:
    places = {
        (
            item.dataset,
            sub.instance.datasets[item.dataset].choices[item.choices[0]].copies.index(item.copy),
        ): at
        for at, item in enumerate(sub.items)
    }
    copies = {places[key]: held for key, held in filling.copies.items() if held[0]}
    tasks = {task: run for task, run in filling.tasks.items() if run[0]}
    return Content(
        kind,
        {at: share for at, (_, share) in copies.items()},
        {at: units for at, (units, _) in copies.items()},
        {task: share for task, (_, share) in tasks.items()},
        {task: number for task, (number, _) in tasks.items()},
    )


@pytest.mark.parametrize("seed", range(4))
def test_settled_servers_break_no_rule(seed: int) -> None:
    """One server per copy and per task of an instance with large servers, settled and named, passes the rules."""
    instance = featured(seed, only="service")
    huge = tuple(
        replace(server, cores=64, nic=1e12, slots=(99, 99), bus_bandwidth=(1e12, 1e12), included_units=())
        for server in instance.servers
    )
    sub = subproblem(replace(instance, servers=huge), [(0,)] * len(instance.datasets))
    hosts = [(Content(sub.kinds[0], {at: 1.02}, {at: 99}, {}, {}), 1) for at in range(len(sub.items))]
    workers = [(Content(sub.kinds[-1], {}, {}, {task: 1.02}, {task: 99}), 1) for task in sub.tasks]
    groups = groups_of(sub, round_servers(sub, [*hosts, *workers]))
    assert violations(sub.instance, sub.choices, groups) == []
