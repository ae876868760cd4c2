"""The rows of one server against the rules of an instance, read without a solver; and those of many against one."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace
from typing import Any

import pytest

from froude.provision.model.instance import Choice, DatasetNeed, LocalUnits
from froude.provision.search.optimise.highs import Program, SolveOutcome, solve
from froude.provision.search.optimise.server_rows import PENALTY, Excess, ServerRows, ServerVariables
from froude.provision.search.optimise.subproblem import ServerKind, Subproblem, subproblem
from froude.provision.types import Placement
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

HOST, WORKER = ServerKind(0, host=True, tasks=False), ServerKind(0, host=False, tasks=True)
BOTH = ServerKind(0, host=True, tasks=True)


@dataclass
class Held:
    """A program about some servers of one kind, whose contents can be said."""

    sub: Subproblem
    kind: ServerKind
    servers: int | None = None
    """None is one server without a variable for how many."""
    most: int | None = None
    """How many servers there might be; None is as many as there are."""
    whole: bool = True
    elastic: bool = False

    def __post_init__(self) -> None:
        self.program = Program()
        self.excesses: list[Excess] = []
        count, price = None, self.sub.base_cost(self.kind)
        if self.servers is not None:
            number = float(self.servers)
            count = self.program.variable("count", cost=price, lower=number, upper=number)
        contents = ServerRows(
            self.program,
            self.sub,
            self.kind,
            count=count,
            most=float(self.most or self.servers or 1),
            whole=self.whole,
            elastic=self.excesses if self.elastic else None,
        )
        self.variables: ServerVariables = contents.add()
        self.empty = 0.0 if self.servers is not None else price

    def fill(self, filling: Filling, times: int = 1) -> bool:
        """Hold that so many times; false where a variable for some of it is missing."""
        places = {}
        for at, item in enumerate(self.sub.items):
            kept = self.sub.instance.datasets[item.dataset].choices[item.choices[0]]
            places[item.dataset, kept.copies.index(item.copy)] = at
        values = []
        for key, (units, share) in filling.copies.items():
            at = places[key]
            values += [
                (self.variables.units.get(at), units),
                (self.variables.load.get(at), share * self.sub.items[at].scale),
            ]
        for task, (instances, share) in filling.tasks.items():
            values += [
                (self.variables.instances.get(task), instances),
                (self.variables.work.get(task), share * self.sub.task_scale[task]),
            ]
        for variable, value in values:
            if variable is not None:
                self.program.row("held", [(variable, 1.0)], lower=value * times, upper=value * times)
            elif value:
                return False
        return True

    def solve(self) -> SolveOutcome:
        """The cheapest contents."""
        return solve(self.program)

    def dollars(self) -> float:
        """What the cheapest contents cost with the servers."""
        outcome = self.solve()
        return self.empty + outcome.objective if outcome.found else math.inf


def _drawn(dice: random.Random, servers: int | None) -> tuple[Held, Filling, float]:
    """A random kind of a random fixed subproblem, something to fill it with, and what the rules say that costs."""
    sub = random_scope(dice)
    kind = dice.choice(sub.kinds)
    filling = random_filling(sub, kind, dice, 1 / (servers or 1))
    expected = dollars(sub.instance, sub.choices, kind.server, kind.host, filling)
    return Held(sub, kind, servers, most=3 if servers else None), filling, expected


@pytest.mark.parametrize("servers", [None, 1])
def test_a_server_holds_what_the_rules_allow(servers: int | None) -> None:
    """Its program has a point with a given content just where no rule is broken, at what is in it; with all features."""
    dice = random.Random(f"rules {servers}")
    refused = 0
    for _ in range(300):
        held, filling, expected = _drawn(dice, servers)
        refused += math.isinf(expected)
        if held.fill(filling):
            assert held.dollars() == pytest.approx(expected), filling
        else:
            assert expected == math.inf, filling
    assert 100 < refused < 250


def test_two_servers_hold_twice_what_one_does() -> None:
    """A content that one has room for fits twice, one that it has not does not; for twice the dollars at most."""
    dice = random.Random("twice")
    for _ in range(200):
        held, filling, expected = _drawn(dice, 2)
        if held.fill(filling, times=2):
            assert math.isinf(held.dollars()) == math.isinf(expected), filling
            # of two servers together a core and a unit of memory may serve both
            assert math.isinf(expected) or held.dollars() <= 2 * expected + 1e-6
        else:
            assert expected == math.inf, filling


def test_different_contents_sum_up() -> None:
    """Two servers of a kind may hold what one and another hold, for no more: the program of a kind is a relaxation."""
    dice = random.Random("sums")
    summed = 0
    while summed < 60:
        held, filling, expected = _drawn(dice, 2)
        other = random_filling(held.sub, held.kind, dice, 0.5)
        second = dollars(held.sub.instance, held.sub.choices, held.kind.server, held.kind.host, other)
        if math.isinf(expected + second):
            continue
        both = Filling(_added(filling.copies, other.copies), _added(filling.tasks, other.tasks))
        assert held.fill(both)
        assert held.dollars() <= expected + second + 1e-6
        summed += 1


def _added(one: dict, other: dict) -> dict:
    return {key: tuple(map(sum, zip(value, other[key], strict=True))) for key, value in one.items()}


def test_counts_end_at_whole_numbers() -> None:
    """HiGHS takes some programs for empty where an integer variable ends between two: here 1.5 + 1 instances."""
    for whole in (True, False):
        held = Held(disks_only(), WORKER, whole=whole)
        arrays = held.program.arrays()
        ends = arrays.upper[list(held.variables.instances.values())]
        assert ends.tolist() == pytest.approx([2.0 if whole else 2.5])
        assert (arrays.upper[arrays.integer] % 1 == 0).all()
        assert arrays.integer.any() == whole


def test_a_program_of_parts_is_no_dearer() -> None:
    """Without whole counts half a disk is enough for a fifth of the data: 100 * 2.5 / 5 dollars."""
    data = Filling({(0, 0): (0, 0.2)}, {})
    parts = Held(disks_only(), HOST, whole=False)
    load = parts.variables.load[0]
    parts.program.row("held", [(load, 1.0)], lower=0.2 * 2.5, upper=0.2 * 2.5)
    assert parts.dollars() == pytest.approx(1000 + 50 + 10 + 50)
    whole = Held(disks_only(), HOST)
    whole.fill(replace(data, copies={(0, 0): (1, 0.2)}))
    assert whole.dollars() == pytest.approx(1000 + 50 + 10 + 100)


def test_an_instance_without_room_is_not_taken_in_parts() -> None:
    """Nine units of memory into eight slots, five disks beside an instance into four: not even a tenth of one runs."""
    large = replace(SERVE, memory=9 * GB)
    host_and_task = {"isolation": False, "host_memory": 2 * GB}
    for sub, kind, runs in (
        (disks_only(), WORKER, True),
        (disks_only(tasks=(large,)), WORKER, False),
        (disks_only(tasks=(replace(SERVE, memory=7 * GB),), **host_and_task), WORKER, True),
        (disks_only(tasks=(replace(SERVE, memory=7 * GB),), **host_and_task), BOTH, False),
        (_beside(5), WORKER, False),
        (_beside(4), WORKER, True),
        (disks_only(tasks=(replace(SERVE, nic_bytes=(150.0,)),), placement=Placement.UNIFORM), WORKER, True),
        (disks_only(tasks=(replace(SERVE, nic_bytes=(200.0,)),), placement=Placement.UNIFORM), WORKER, True),
        (disks_only(tasks=(replace(SERVE, nic_bytes=(201.0,)),), placement=Placement.UNIFORM), WORKER, False),
        (disks_only(tasks=(replace(SERVE, nic_bytes=(250.0,)),), placement=Placement.UNIFORM), WORKER, False),
        (disks_only(tasks=(replace(SERVE, nic_bytes=(250.0,)),)), WORKER, True),
    ):
        held = Held(sub, kind, whole=False)
        upper = held.program.arrays().upper
        assert (upper[held.variables.instances[0]] > 0) == runs


def _beside(*numbers: int, width: float = 0.0, **changes: Any) -> Subproblem:
    """The hand-made instance with one to several numbers of disks beside each instance of its task."""
    choices = tuple(
        Choice(f"{n} x disk", local=LocalUnits(0, n, (width,), 7.0), names=("disk",)) for n in numbers
    )
    sets = (DATA, DatasetNeed("scratch", choices, local_to=0))
    return subproblem(hand(datasets=sets, **changes), [(0,), range(len(numbers))])


def test_instances_of_open_local_choices_are_parted() -> None:
    """Of two instances one has one disk beside it, the other two: three disks, two times 7 dollars, all the work."""
    held = Held(_beside(1, 2), WORKER)
    assert held.fill(Filling({}, {0: (2, 1.0)}))
    one, two = (held.variables.beside[1, choice] for choice in (0, 1))
    held.program.row("parted", [(two[0], 1.0)], lower=1.0, upper=1.0)
    outcome = held.solve()
    assert held.empty + outcome.objective == pytest.approx(1000 + 2 * 50 + 4 * 10 + 3 * 100 + 2 * 7)
    assert outcome.x[[one[0], two[0]]].tolist() == [1.0, 1.0]
    assert outcome.x[one[1]] + outcome.x[two[1]] == pytest.approx(1.5)
    assert {*one, *two} <= set(held.variables.every())


def test_slots_and_bandwidth_of_local_units() -> None:
    """Of four slots two instances with two disks each take all; all the work may fill the bus just so."""
    for number, slots, width, fits in (
        (2, 4, 1000.0, True),
        (2, 4, 1001.0, False),
        (3, 5, 0.0, False),
        (3, 6, 0.0, True),
    ):
        sub = _beside(number, width=width, servers=(replace(BOX, slots=(slots, 8)),))
        held = Held(sub, WORKER)
        held.fill(Filling({}, {0: (2, 1.0)}))
        assert held.solve().found == fits


def test_every_variable_is_named_once() -> None:
    """Those of contents and of the count, with what is paid beyond a bundle."""
    kit = replace(BOX, included_cores=1, included_units=(1, 0, 1))
    held = Held(disks_only(servers=(kit,), isolation=False), BOTH, 2)
    variables = held.variables
    assert variables.every() == list(range(len(held.program.variable_names)))
    # a bundle's one core is the storage system's: what tasks use is paid as it is
    assert len(variables.paid) == 2
    assert held.program.variable_names[variables.cores] == "box/host:cores"
    assert Held(disks_only(), WORKER).program.variable_names[0].startswith("box/worker:serve")


def test_no_count_passes_what_so_many_servers_may_hold() -> None:
    """Two servers have eight slots, and at most two halves of a copy; one has all of what is not spread."""
    half = replace(ON_DISKS, most_share=0.4)
    sub = subproblem(hand(datasets=(DatasetNeed("data", (Choice("disk", (half,)),)),)))
    for servers, share in ((1, 0.4), (2, 0.8), (3, 1.0)):
        held = Held(sub, HOST, servers)
        upper = held.program.arrays().upper
        assert upper[held.variables.load[0]] == pytest.approx(share * 2.5)
        assert upper[held.variables.units[0]] == 4.0 * servers
        assert upper[held.variables.cores] == 4.0 * servers
        assert upper[held.variables.dimms] == 8.0 * servers


def test_the_largest_share_is_kept_by_each_server() -> None:
    """At 0.4 each three servers are needed for a copy, and three for a task."""
    half = replace(ON_DISKS, most_share=0.4)
    instance = hand(
        datasets=(DatasetNeed("data", (Choice("disk", (half,)),)),),
        tasks=(replace(SERVE, most_share=0.4),),
        isolation=False,
    )
    for servers, fits in ((1, False), (2, False), (3, True)):
        for filling in (Filling({(0, 0): (3, 1.0)}, {}), Filling({}, {0: (3, 1.0)})):
            held = Held(subproblem(instance), BOTH, servers, most=9)
            held.fill(filling)
            assert held.solve().found == fits


def test_what_hardly_runs_wants_an_instance_and_a_core() -> None:
    """A billionth of a core and of an instance are one of each; what never computes needs no core."""
    seldom = replace(SERVE, rate=1e-9, cores=(1e-9,), nic_bytes=(0.0,))
    for cores, wanted in ((1e-9, 1), (0.0, 0)):
        instance = hand(tasks=(replace(seldom, cores=(cores,)),))
        for instances, there in ((1, wanted), (0, wanted), (1, wanted - 1)):
            if there < 0:
                continue
            held = Held(subproblem(instance), WORKER, 1, most=9)
            held.fill(Filling({}, {0: (instances, 1.0)}))
            held.program.fix(held.variables.cores, there)
            assert held.solve().found == (instances == 1 and there == wanted)


def test_limits_of_an_elastic_program_are_exceeded_at_a_penalty() -> None:
    """Five disks in four slots: one slot too many, named, with what a server has."""
    sub = disks_only(
        datasets=(DatasetNeed("data", (Choice("disk", (replace(ON_DISKS, need=5.0, min_units=5),)),)),)
    )
    held = Held(sub, HOST, 1, elastic=True)
    held.fill(Filling({(0, 0): (5, 1.0)}, {}))
    assert held.dollars() == pytest.approx(1000 + 50 + 10 + 5 * 100 + PENALTY)
    outcome = held.solve()
    excesses = {excess.constraint: excess for excess in held.excesses}
    slots = excesses["slots of SAS of box"]
    assert outcome.x[slots.variable] == pytest.approx(1.0)
    assert (slots.capacity, slots.count, slots.taken) == (4.0, held.variables.count, 0.0)
    assert (excesses["cores of box"].capacity, excesses["cores of box"].taken) == (3.0, 1.0)
    assert sum(outcome.x[excess.variable] for excess in held.excesses) == pytest.approx(1.0)
    assert set(excesses) == {
        "slots of SAS of box",
        "slots of DIMM of box",
        "bandwidth of SAS in serve of box",
        "network (both) in serve of box",
        "cores of box",
    }


def test_an_elastic_program_takes_what_has_no_slot_at_all() -> None:
    """A server without a disk slot has a variable for disks only there."""
    sub = disks_only(servers=(replace(BOX, slots=(0, 8), bus_bandwidth=(0.0, 1e4)),))
    assert Held(sub, HOST, 1).variables.units == {}
    held = Held(sub, HOST, 1, elastic=True)
    held.fill(Filling({(0, 0): (3, 1.0)}, {}))
    assert held.dollars() == pytest.approx(1060 + 300 + 3 * PENALTY)


def test_nothing_is_held_by_no_server() -> None:
    """However far limits may be exceeded."""
    for filling in (Filling({(0, 0): (1, 0.2)}, {}), Filling({}, {0: (1, 0.2)})):
        sub = disks_only(isolation=False)
        held = Held(sub, BOTH, 0, elastic=True)
        held.fill(filling)
        assert not held.solve().found
        held = Held(sub, BOTH, 1, elastic=True)
        held.fill(filling)
        assert held.solve().found


def test_what_a_bundle_includes_is_not_paid() -> None:
    """Two cores, one disk and one unit of memory of a host: the rest at its price, on one server and on two."""
    kit = replace(BOX, included_cores=2, included_units=(1, 0, 1))
    sub = disks_only(servers=(kit,), isolation=False)
    filling = Filling({(0, 0): (3, 1.0)}, {0: (2, 1.0)})
    one = Held(sub, BOTH)
    one.fill(filling)
    # cores 2 + 1, of which 2; disks 3, of which 1; memory 4 + 1, of which 1
    assert one.dollars() == pytest.approx(1000 + 50 + 200 + 40)
    two = Held(sub, BOTH, 2)
    two.fill(filling)
    # cores 2 + 2, of which 4; disks 3, of which 2; memory 4 + 2, of which 2
    assert two.dollars() == pytest.approx(2000 + 100 + 40)


def test_what_exceeds_a_bundle_is_paid_in_an_elastic_program_too() -> None:
    """Nine disks in four slots: one included, eight paid, five slots too many."""
    nine = replace(ON_DISKS, need=9.0, min_units=9)
    kit = replace(BOX, included_units=(1, 0, 0))
    sub = disks_only(datasets=(DatasetNeed("data", (Choice("disk", (nine,)),)),), servers=(kit,))
    held = Held(sub, HOST, 1, elastic=True)
    held.fill(Filling({(0, 0): (9, 1.0)}, {}))
    assert held.dollars() == pytest.approx(1060 + 8 * 100 + 5 * PENALTY)


def test_uniform_units_and_instances_carry_exactly_their_part() -> None:
    """Of three units one has a third, of two instances one has a half; no more of them, and no fewer."""
    sub = disks_only(placement=Placement.UNIFORM)
    for filling, kind, fits in (
        (Filling({(0, 0): (1, 1 / 3)}, {}), HOST, True),
        (Filling({(0, 0): (2, 1 / 3)}, {}), HOST, False),
        (Filling({(0, 0): (1, 2 / 3)}, {}), HOST, False),
        (Filling({}, {0: (1, 1 / 2)}), WORKER, True),
        (Filling({}, {0: (2, 1 / 2)}), WORKER, False),
        (Filling({}, {0: (1, 1.0)}), WORKER, False),
    ):
        held = Held(sub, kind)
        held.fill(filling)
        assert held.solve().found == fits


def test_two_local_datasets_beside_one_task() -> None:
    """Each instance has a disk of both; their bytes share the bus."""
    choice = Choice("1 x disk", local=LocalUnits(0, 1, (400.0,)), names=("disk",))
    scratch = DatasetNeed("scratch", (choice,), local_to=0)
    for width, instances, fits in ((1000.0, 2, True), (790.0, 2, False)):
        box = replace(BOX, bus_bandwidth=(width, 1e4))
        sub = subproblem(hand(datasets=(DATA, scratch, scratch), servers=(box,)), [(0,), (0,), (0,)])
        held = Held(sub, WORKER)
        held.fill(Filling({}, {0: (instances, 1.0)}))
        assert held.solve().found == fits
        assert not fits or held.dollars() == pytest.approx(1000 + 2 * 50 + 4 * 10 + 4 * 100)


def test_a_program_of_one_server_needs_no_more_than_its_kind() -> None:
    """Whole counts of one server are what is meant where nothing else is said."""
    program = Program()
    variables = ServerRows(program, disks_only(), HOST).add()
    arrays = program.arrays()
    assert arrays.upper[variables.units[0]] == 4.0
    assert arrays.integer[variables.units[0]]
    assert not arrays.integer[variables.load[0]]
    assert variables.count is None
