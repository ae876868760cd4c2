"""The joint program: its optimum by hand, below that of single servers, and exact where it is about single servers."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from froude.provision.model.instance import Choice, Copy, DatasetNeed, Instance, LocalUnits, Path
from froude.provision.search.optimise.cuts import Cut
from froude.provision.search.optimise.highs import SolveOutcome, SolverOptions, solve
from froude.provision.search.optimise.master import Master, Placed
from froude.provision.search.optimise.server_rows import PENALTY
from froude.provision.search.optimise.subproblem import ServerKind, subproblem
from tests.support.provision.search.optimise.examples import built, featured, photoshare
from tests.support.provision.search.optimise.hand import (
    BOX,
    DATA,
    GB,
    ON_DISKS,
    ON_SSD,
    SERVE,
    disks_only,
    every_choice,
    hand,
)
from tests.support.provision.search.optimise.reference import joint_weighted

HOST, WORKER = ServerKind(0, host=True, tasks=False), ServerKind(0, host=False, tasks=True)


def cost(master: Master) -> float:
    """Of its cheapest point, with the counts of servers, their contents and the choices; infinite without one."""
    outcome = solved(master)
    return outcome.objective if outcome.found else math.inf


def solved(master: Master) -> SolveOutcome:
    """The cheapest point; without presolve, which is seen wrong at times."""
    return solve(master.program, SolverOptions(presolve=False))


def with_copy(copy: Copy, **changes: Any) -> Instance:
    """The hand-made instance with the data on disks in another way."""
    return hand(datasets=(DatasetNeed("data", (Choice("disk", (copy,)),)),), **changes)


def test_the_cheapest_cluster_by_hand() -> None:
    """A host with an SSD and a worker; on disks 50 dollars more; without isolation a single box."""
    master = Master(subproblem(hand()))
    outcome = solved(master)
    assert outcome.objective == pytest.approx(2450.0)
    assert master.choices_at(outcome.x) == (1,)
    assert master.counts_at(outcome.x) == pytest.approx([1, 1])
    assert cost(Master(disks_only())) == pytest.approx(2500.0)
    assert cost(Master(subproblem(hand(isolation=False)))) == pytest.approx(1450.0)
    assert cost(Master(disks_only(isolation=False))) == pytest.approx(1500.0)


def test_parts_of_servers_by_hand() -> None:
    """Three quarters of a host for three slots, three eighths of a worker for cores and memory."""
    master = Master(disks_only(), whole=False)
    outcome = solved(master)
    assert master.counts_at(outcome.x) == pytest.approx([0.75, 0.375])
    assert outcome.objective == pytest.approx(0.75 * 1060 + 300 + 0.375 * 1000 + 1.5 * 50 + 1.5 * 2 * 10)


@pytest.mark.parametrize("seed", [1, 2, 5, 6, 7, 9])
def test_it_is_a_relaxation_of_single_servers(seed: int) -> None:
    """With all features it costs no more than the optimum of enumerated choices packed by another solver."""
    instance = featured(seed)
    optimum = joint_weighted(instance, most=3)
    assert 0 < cost(Master(subproblem(instance))) <= optimum * (1 + 1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_of_single_servers_it_is_exact(seed: int) -> None:
    """For a few choices it costs what another solver finds for three servers of any kinds, which are enough."""
    instance = featured(seed, only=("cost", "share", "cores", "bundle", "service", "local")[seed % 6])
    for choices in every_choice(instance)[::4]:
        sub = subproblem(_chosen(instance, choices))
        single = cost(Master(sub, slots=[kind for kind in sub.kinds for _ in range(3)]))
        assert single == pytest.approx(joint_weighted(sub.instance, most=3), rel=1e-5)


def _chosen(instance: Instance, choices: tuple[int, ...]) -> Instance:
    """The instance with these choices alone."""
    pairs = list(zip(instance.datasets, choices, strict=True))
    tasks = tuple(
        replace(
            task,
            paths=tuple(
                replace(path, io_s=tuple((d, (per[choices[d]],)) for d, per in path.io_s))
                for path in task.paths
            ),
            floors=tuple((d, (per[choices[d]],)) for d, per in task.floors),
        )
        for task in instance.tasks
    )
    datasets = tuple(replace(dataset, choices=(dataset.choices[choice],)) for dataset, choice in pairs)
    return replace(instance, datasets=datasets, tasks=tasks)


def test_the_master_relaxes_the_packing() -> None:
    """Contents summed per kind cost no more than on single servers, and as much at the paper's point."""
    instance = built(photoshare(100))
    have = [[choice.label for choice in d.choices] for d in instance.datasets]
    papers = ("15KDisk", "SSD", "7.2KDisk + DRAM")
    sub = subproblem(instance, [(h.index(label),) for h, label in zip(have, papers, strict=True)])
    summed = solve(Master(sub).program).objective
    single = solve(Master(sub, slots=[HOST, HOST, WORKER]).program).objective
    assert summed <= single + 1e-6
    assert single == pytest.approx(7329.10, abs=0.01)


def test_as_many_single_servers_as_are_needed() -> None:
    """A host without a worker runs nothing; more servers than are needed stand empty and cost nothing."""
    sub = disks_only()
    assert cost(Master(sub, slots=[HOST])) == math.inf
    assert cost(Master(sub, slots=[WORKER, WORKER])) == math.inf
    for slots in ([HOST, WORKER], [HOST, HOST, WORKER, WORKER, WORKER]):
        master = Master(sub, slots=slots)
        outcome = solved(master)
        assert outcome.objective == pytest.approx(2500.0)
        assert sum(master.counts_at(outcome.x)) == pytest.approx(2)
        assert [variables.kind for variables in master.kinds] == slots


def test_of_servers_of_a_kind_the_dearer_comes_first() -> None:
    """Seven disks on two hosts, four and three: in this order only."""
    seven = replace(ON_DISKS, need=6.5, min_units=7)
    master = Master(subproblem(with_copy(seven)), slots=[HOST, HOST, WORKER])
    outcome = solved(master)
    units = [outcome.x[variables.units[0]] for variables in master.kinds if variables.units]
    assert units == pytest.approx([4, 3])
    assert outcome.objective == pytest.approx(2 * 1060 + 700 + 1140)
    first, second = (variables.units[0] for variables in master.kinds if variables.units)
    for few, more in ((first, 100.0), (second, 0.0)):
        again = Master(subproblem(with_copy(seven)), slots=[HOST, HOST, WORKER])
        again.program.row("three", [(few, 1.0)], upper=3.0)
        # something useless has to make it the dearer one
        assert solved(again).objective == pytest.approx(outcome.objective + more)


def test_packed_choices_are_not_proposed_again() -> None:
    """The next best ones are, at no less; of two choices none is left after both."""
    sub = subproblem(hand())
    assert cost(Master(sub, never=[(1,)])) == pytest.approx(2500.0)
    assert cost(Master(sub, never=[(0,), (1,)])) == math.inf
    two = subproblem(hand(datasets=(DATA, replace(DATA, name="logs")), tasks=(SERVE,)))
    for choices in every_choice(two.instance):
        master = Master(two, never=[choices])
        assert master.choices_at(solved(master).x) != choices


def test_a_bound_of_a_tier_is_a_row() -> None:
    """Parts of hosts at 1095 on disks and 886 on an SSD, of workers at 480 and 472, are raised to what a cut says."""
    sub = subproblem(hand())
    for cuts, expected in (
        ([], 886.0 + 472.0),
        ([Cut((HOST,), 1500.0, ({0: 0.0, 1: 100.0},))], 1500.0 + 480.0),
        ([Cut((HOST,), 1500.0, ({0: 0.0, 1: 0.0},))], 1500.0 + 472.0),
        ([Cut((HOST,), 1000.0, ({0: 0.0, 1: 0.0},))], 1000.0 + 472.0),
        ([Cut((HOST,), 500.0, ({0: 0.0, 1: 0.0},))], 886.0 + 472.0),
        ([Cut((WORKER,), 2000.0, ({0: 0.0, 1: 0.0},))], 886.0 + 2000.0),
        ([Cut((kind,), 2000.0, ({0: 0.0, 1: 0.0},)) for kind in (HOST, WORKER)], 4000.0),
        ([Cut((HOST, WORKER), 2000.0, ({0: 0.0, 1: 500.0},))], 2000.0),
    ):
        assert cost(Master(sub, whole=False, cuts=cuts)) == pytest.approx(expected)


def test_a_bound_says_nothing_of_other_choices() -> None:
    """Where it is about disks alone the SSD costs what it costs; and so where it is about another dataset's."""
    assert cost(Master(subproblem(hand()), cuts=[Cut((HOST,), 9000.0, ({0: 0.0},))])) == pytest.approx(2450.0)
    two = subproblem(hand(datasets=(DATA, replace(DATA, name="logs"))), [(0, 1), (0, 1)])
    plain = Master(two)
    best = plain.choices_at(solved(plain).x)
    other = 1 - best[1]
    cut = Cut((HOST,), 9000.0, ({0: 0.0, 1: 0.0}, {other: 0.0}))
    assert cost(Master(two, cuts=[cut])) == pytest.approx(cost(plain))
    cut = Cut((HOST,), 9000.0, ({0: 0.0, 1: 0.0}, {best[1]: 0.0}))
    assert cost(Master(two, cuts=[cut])) > cost(plain) + 1


def test_a_budget_bounds_the_counts() -> None:
    """Of hosts at 1050 dollars 2100 buy two, of workers at 1000 three; scarce servers are no more than there are."""
    uppers = []
    for sub in (disks_only(), disks_only(servers=(replace(BOX, max_count=1),))):
        master = Master(sub, budget=2100.0)
        arrays = master.program.arrays()
        uppers.append([arrays.upper[variables.count] for variables in master.kinds])
    assert uppers == [[2.0, 3.0], [1.0, 1.0]]
    assert cost(Master(disks_only(), budget=2500.0)) == pytest.approx(2500.0)


def test_scarce_servers_are_counted_over_both_roles() -> None:
    """One box cannot be host and worker; two can."""
    assert cost(Master(disks_only(servers=(replace(BOX, max_count=1),)))) == math.inf
    assert cost(Master(disks_only(servers=(replace(BOX, max_count=2),)))) == pytest.approx(2500.0)
    single = disks_only(servers=(replace(BOX, max_count=1),))
    assert cost(Master(single, slots=[HOST, WORKER])) == math.inf


def test_what_stands_elsewhere_need_not_be_bought() -> None:
    """With half of all placed: one host with two disks for the rest, one worker with an instance on one core."""
    half = Placed({0: 1.25}, {0: 2}, {0: 0.75}, {0: 1}, {})
    for options in ({}, {"slots": [HOST, WORKER]}):
        master = Master(disks_only(), placed=half, **options)
        assert cost(master) == pytest.approx(1060 + 200 + 1000 + 50 + 20)
    everything = Placed({0: 2.5}, {0: 3}, {0: 1.5}, {0: 2}, {0: 2})
    assert cost(Master(disks_only(), placed=everything)) == pytest.approx(0.0)


def test_units_placed_elsewhere_count_towards_the_least() -> None:
    """Of five units, of which the data needs one, three stand: two are missing, though all data is placed."""
    five = replace(ON_DISKS, need=1.0, min_units=5)
    sub = subproblem(with_copy(five))
    placed = Placed({0: 1.0}, {0: 3}, {0: 1.5}, {0: 2}, {})
    assert cost(Master(sub, placed=placed)) == pytest.approx(1060 + 200)


def test_placed_servers_count_against_how_many_can_be_had() -> None:
    """Of two boxes one stands, which leaves too few for host and worker."""
    sub = disks_only(servers=(replace(BOX, max_count=2),))
    for standing, expected in ((0, 2500.0), (1, math.inf)):
        placed = Placed({}, {}, {}, {}, {0: standing})
        assert cost(Master(sub, placed=placed)) == pytest.approx(expected)


def test_replicas_force_servers_before_any_packing() -> None:
    """A third of a copy at most is three hosts, even of parts; a task of which each has half is two workers."""
    third = replace(ON_DISKS, need=0.3, most_share=1 / 3)
    sub = subproblem(with_copy(third, tasks=(replace(SERVE, most_share=0.5),)))
    for whole in (True, False):
        master = Master(sub, whole=whole)
        assert master.counts_at(solved(master).x) == pytest.approx([3, 2])


def test_servers_for_replicas_follow_the_choice() -> None:
    """Three hosts for disks, one for an SSD; where half of each is open in the relaxation two of both."""
    third = replace(ON_DISKS, need=0.3, most_share=1 / 3)
    data = replace(DATA, choices=(Choice("disk", (third,)), Choice("ssd", (ON_SSD,))))
    pair = replace(data, choices=(Choice("both", (third, replace(ON_SSD, most_share=0.5))), data.choices[1]))
    for dataset in (data, pair):
        sub = subproblem(hand(datasets=(dataset,)))
        for choice, hosts in ((0, 3.0), (1, 0.6)):
            master = Master(sub, whole=False)
            master.program.fix(master.choice[0, choice], 1.0)
            assert master.counts_at(solved(master).x)[0] == pytest.approx(hosts)
        half = Master(sub, whole=False)
        half.program.fix(half.choice[0, 0], 0.5)
        arrays = half.program.arrays()
        outcome = solve(arrays, SolverOptions(presolve=False), relaxed=True)
        assert half.counts_at(outcome.x)[0] >= 1.5 - 1e-6


@pytest.mark.parametrize("times", [3, 7])
def test_replicas_force_servers_in_the_master(times: int) -> None:
    """PhotoShare whose copies stand on so many servers each: r replicas cost r hosts."""
    instance = built(photoshare(100))

    def spread(copy: Copy) -> Copy:
        return replace(copy, most_share=1 / times, min_units=max(copy.min_units, times))

    datasets = tuple(
        replace(d, choices=tuple(replace(c, copies=tuple(map(spread, c.copies))) for c in d.choices))
        for d in instance.datasets
    )
    sub = subproblem(replace(instance, datasets=datasets))
    master = Master(sub)
    counts = master.counts_at(solve(master.program).x)
    assert sum(n for n, kind in zip(counts, sub.kinds, strict=True) if kind.host) >= times - 1e-6


def test_instances_follow_the_run_time_of_open_choices() -> None:
    """At 18 a second 2.7 instances on disks and 1.98 on an SSD: three or two, with two units of memory each."""
    instance = hand(tasks=(replace(SERVE, rate=18.0),))
    sub = subproblem(instance)
    assert cost(Master(sub)) == pytest.approx(2450.0)
    assert cost(Master(sub, never=[(1,)])) == pytest.approx(2520.0)
    assert cost(Master(subproblem(instance, [(0,)]))) == pytest.approx(2520.0)
    rare = subproblem(hand(tasks=(replace(SERVE, rate=0.018),)))
    assert cost(Master(rare)) == pytest.approx(2430.0)


def test_a_path_without_data_may_be_the_longest() -> None:
    """At 10 a second a path of 0.21 s asks for three instances, whatever holds the data."""
    instance = hand(tasks=(replace(SERVE, paths=(*SERVE.paths, Path(0.21))),))
    assert cost(Master(subproblem(instance))) == pytest.approx(2470.0)


def _scratch() -> Instance:
    """With one or two disks beside each instance, of which at least four or three are needed."""
    choices = tuple(
        Choice(f"{n} x disk", local=LocalUnits(0, n, (0.0,)), names=("disk",), cost=paid)
        for n, paid in ((1, 30.0), (2, 0.0))
    )
    scratch = DatasetNeed("scratch", choices, local_to=0)
    task = replace(SERVE, floors=((1, (3.4, 2.2)),), memory=1 * GB)
    box = replace(BOX, slots=(8, 8))
    return hand(datasets=(replace(DATA, choices=DATA.choices[:1]), scratch), tasks=(task,), servers=(box,))


def test_local_choices_set_the_least_instances() -> None:
    """Four with a disk each and 30 dollars, or three with two disks each: 470 or 630 beside host, worker and cores."""
    instance = _scratch()
    common = 1360 + 1000 + 100
    for choices, more in (((0, 0), 4 * 110 + 30), ((0, 1), 3 * 210)):
        closed = [(choice,) for choice in choices]
        assert cost(Master(subproblem(instance, closed))) == pytest.approx(common + more)
        never = [other for other in every_choice(instance) if other != choices]
        assert cost(Master(subproblem(instance), never=never)) == pytest.approx(common + more)


def test_instances_placed_elsewhere_count_towards_the_least_of_a_local_choice() -> None:
    """Of three instances with disks one stands, with a third of the work."""
    sub = subproblem(_scratch(), [(0,), (1,)])
    placed = Placed({0: 2.5}, {0: 3}, {0: sub.task_scale[0] / 3}, {0: 1}, {})
    assert cost(Master(sub, placed=placed)) == pytest.approx(1000 + 50 + 2 * 210)


def test_what_choices_cost_is_paid_unless_left_out() -> None:
    """70 dollars for the choice of disks."""
    paid = replace(DATA, choices=(replace(DATA.choices[0], cost=70.0),))
    sub = subproblem(hand(datasets=(paid,)))
    assert cost(Master(sub)) == pytest.approx(2570.0)
    assert cost(Master(replace(sub, choices_paid=False))) == pytest.approx(2500.0)


def test_a_task_runs_on_the_chosen_core_type() -> None:
    """Quick cores are half as many at three times the price: dearer alone, cheaper where slow ones fill two boxes."""
    types = DatasetNeed("core type of serve", (Choice("slow"), Choice("fast")), cpu_of=0)
    quick = replace(BOX, name="quick", cpu=1, core_cost=150.0)
    task = replace(SERVE, cores=(1.5, 0.75))
    for used, slow, fast in ((1.5, 100.0, 150.0), (4.5, 1250.0, 450.0)):
        tasks = (replace(task, cores=(used, used / 2)),)
        instance = hand(datasets=(DATA, types), cpus=("slow", "fast"), servers=(BOX, quick), tasks=tasks)
        sub, base = subproblem(instance), 1310 + 1040
        assert cost(Master(sub)) == pytest.approx(base + min(slow, fast))
        for kept, expected in ((0, slow), (1, fast)):
            never = [choices for choices in every_choice(instance) if choices[1] != kept]
            assert cost(Master(sub, never=never)) == pytest.approx(base + expected)
            assert cost(Master(subproblem(instance, [(0, 1), (kept,)]))) == pytest.approx(base + expected)


def test_an_elastic_program_says_how_many_servers_are_missing() -> None:
    """One box where two are needed: one too many, and all else as it is."""
    master = Master(disks_only(servers=(replace(BOX, max_count=1),)), elastic=True)
    outcome = solved(master)
    assert outcome.objective == pytest.approx(2500.0 + PENALTY)
    assert master.elastic is not None
    number = next(excess for excess in master.elastic if excess.constraint == "number of box")
    assert outcome.x[number.variable] == pytest.approx(1)
    assert (number.capacity, number.count, number.unit) == (1.0, None, "")
    assert Master(disks_only()).elastic is None


def test_variables_worth_deciding_first() -> None:
    """Choices, one of each dataset's, then counts."""
    master = Master(subproblem(hand(datasets=(DATA, replace(DATA, name="logs"))), [(0, 1), (0,)]))
    choices = [master.choice[pair] for pair in ((0, 0), (0, 1), (1, 0))]
    assert master.one_of() == [choices[:2], choices[2:]]
    assert master.branch_first() == (choices, [variables.count for variables in master.kinds])
