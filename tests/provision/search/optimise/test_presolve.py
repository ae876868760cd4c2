"""Choices that are closed are part of no feasible plan; those that each alone can tell are all closed."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import replace
from typing import Any

import pytest

from froude.provision.model.instance import Choice, Copy, DatasetNeed, Instance, Path, UnitType
from froude.provision.search.optimise.presolve import breaks_latency, presolve, standing, undominated_choices
from froude.provision.search.optimise.solving import solve
from froude.provision.types import CacheMedia, Placement
from froude.provision.types.plan import Status
from tests.support.provision.search.optimise.cuts import packed
from tests.support.provision.search.optimise.examples import FEATURES, built, featured, photoshare, small
from tests.support.provision.search.optimise.hand import (
    BOX,
    DATA,
    DISK,
    DRAM,
    ON_DISKS,
    SERVE,
    every_choice,
    hand,
    up,
)

CHEAP = UnitType("cheap", 90.0, 0, 1e12)
PLACES = Copy(0, 2.5, 3, (50.0,), (60.0,), accesses=(20.0,))
UNIFORM = Placement.UNIFORM


def every(instance: Instance) -> tuple[tuple[int, ...], ...]:
    """All choices per dataset."""
    return tuple(tuple(range(len(dataset.choices))) for dataset in instance.datasets)


def in_time(instance: Instance, choices: tuple[int, ...]) -> bool:
    """Does every task keep its latency?"""
    times = instance.run_times(choices)
    return all(t.latency is None or r <= t.latency for t, r in zip(instance.tasks, times, strict=True))


@pytest.mark.parametrize("seed", range(8))
def test_narrowing_keeps_every_choice_in_time(seed: int) -> None:
    """Whatever latency one of the tasks has, of all that the choices make possible."""
    instance = featured(seed)
    times = sorted({instance.run_times(choices)[0] for choices in every_choice(instance)})
    for latency in times[:: max(1, len(times) // 5)]:
        tasks = (replace(instance.tasks[0], latency=latency * 1.001), *instance.tasks[1:])
        bound = replace(instance, tasks=tasks)
        kept = presolve(bound)
        for choices in every_choice(bound):
            cpus = {server.cpu for server in bound.servers}
            had = all(d.cpu_of is None or c in cpus for d, c in zip(bound.datasets, choices, strict=True))
            if had and in_time(bound, choices):
                assert all(c in open_ for c, open_ in zip(choices, kept, strict=True))
            assert breaks_latency(bound, choices) == (not in_time(bound, choices))


def test_without_latency_and_scarcity_nothing_is_closed() -> None:
    """All choices are open, or those that were asked for."""
    instance = hand()
    assert presolve(instance) == ((0, 1),)
    assert presolve(instance, [[1]]) == ((1,),)
    assert presolve(instance, [[]]) == ((),)
    assert not breaks_latency(instance, (0,))


def test_what_no_server_takes_does_not_stand() -> None:
    """Of both choices those stay whose bus has a slot in some of the types."""
    ssds = replace(hand().units[1], bus=1)
    mixed = hand(units=(hand().units[0], ssds, hand().units[2]), servers=(BOX, replace(BOX, slots=(0, 8))))
    assert standing(mixed, mixed.every, (0,)) == ((0, 1),)
    assert standing(mixed, mixed.every, (1,)) == ((1,),)
    assert standing(mixed, ((0,),), (1,)) == ((),)


def test_what_one_choice_breaks_is_closed() -> None:
    """Disks make 0.15 s, an SSD 0.11: what is kept follows the latency, to a millionth."""
    for latency, kept in ((0.2, (0, 1)), (0.15, (0, 1)), (0.149, (1,)), (0.11, (1,))):
        instance = hand(tasks=(replace(SERVE, latency=latency),))
        assert presolve(instance) == (kept,)
        assert breaks_latency(instance, (0,)) == (0 not in kept)
        assert not breaks_latency(instance, (1,))
    # what is quickest stays: that nothing keeps the latency is a conflict, which wants a name
    hopeless = hand(tasks=(replace(SERVE, latency=0.1),))
    assert presolve(hopeless) == ((1,),)
    assert breaks_latency(hopeless, (1,))


def test_the_fit_of_counts_holds_for_latencies() -> None:
    """Less than a millionth too late is in time, more is not."""
    instance = hand(tasks=(replace(SERVE, latency=0.15 * (1 - 1e-7)),))
    assert presolve(instance) == ((0, 1),)
    assert not breaks_latency(instance, (0,))
    instance = hand(tasks=(replace(SERVE, latency=0.15 * (1 - 1e-6)),))
    assert presolve(instance) == ((1,),)
    assert breaks_latency(instance, (0,))


def test_only_the_paths_of_bound_tasks_close_choices() -> None:
    """The second dataset is on the path of a task without latency; the first has 0.05 s there."""
    bound = replace(SERVE, latency=0.13, paths=(Path(0.05), SERVE.paths[0]))
    free = replace(SERVE, name="free", paths=(Path(9.0, ((1, (3.0, 1.0)),)),))
    instance = hand(datasets=(DATA, replace(DATA, name="logs")), tasks=(free, bound))
    assert presolve(instance) == ((1,), (0, 1))
    assert breaks_latency(instance, (0, 1))
    assert not breaks_latency(instance, (1, 0))


def test_time_of_other_datasets_and_of_calls_is_their_quickest() -> None:
    """0.1 s, 0.01 of the other dataset, 0.2 of a call that is quickest at that: a disk of 0.05 s makes 0.36."""
    called = replace(SERVE, name="called", paths=(Path(0.09, ((1, (0.5, 0.11)),)),))
    path = Path(0.1, ((0, (0.05, 0.02)), (1, (0.03, 0.01))), ((1, 1.0),))
    for latency, kept in ((0.361, ((0, 1), (0, 1))), (0.359, ((1,), (0, 1))), (0.349, ((1,), (1,)))):
        instance = hand(
            datasets=(DATA, replace(DATA, name="logs")),
            tasks=(replace(SERVE, paths=(path,), latency=latency), called),
        )
        assert presolve(instance) == kept


def test_a_core_type_that_no_server_has_is_closed() -> None:
    """And no other dataset's choice of that number."""
    types = DatasetNeed("core type of serve", (Choice("slow"), Choice("fast")), cpu_of=0)
    instance = hand(datasets=(DATA, types), cpus=("slow", "fast"))
    assert presolve(instance) == ((0, 1), (0,))
    quick = replace(instance, servers=(BOX, replace(BOX, name="quick", cpu=1)))
    assert presolve(quick) == ((0, 1), (0, 1))
    assert presolve(instance, [(0, 1), (1,)]) == ((0, 1), ())


@pytest.mark.parametrize("placement", list(Placement))
@pytest.mark.parametrize("latency", [None, 0.149])
def test_nothing_is_closed_beside_a_dataset_that_cannot_be_kept(
    placement: Placement, latency: float | None
) -> None:
    """Where none of a dataset's choices is left, there is no cluster whatever the others are."""
    types = DatasetNeed("core type of serve", (Choice("slow"), Choice("fast")), cpu_of=0)
    path = Path(0.1, ((0, (0.05, 0.01)), (1, (0.0, 0.0))))
    task = replace(SERVE, latency=latency, paths=(path,), nic_bytes=(900.0,))
    instance = hand(datasets=(DATA, types), cpus=("slow", "fast"), tasks=(task,), placement=placement)
    assert presolve(instance, [(0, 1), ()]) == ((0, 1), ())
    assert presolve(instance, [(0, 1), (1,)]) == ((0, 1), ())


def test_choices_that_leave_one_instance_too_much_traffic_are_closed() -> None:
    """Only uniform placement closes any; what it closes, it closes for a reason."""
    instance = built(photoshare(100, placement=UNIFORM))
    assert presolve(instance) == every(instance)
    heavy = replace(instance, tasks=tuple(replace(t, nic_bytes=(1.2e9,)) for t in instance.tasks))
    kept = presolve(heavy)
    assert any(len(some) < len(all_) for some, all_ in zip(kept, every(instance), strict=True))
    assert presolve(replace(heavy, placement=Placement.WEIGHTED)) == every(instance)


def test_few_instances_have_much_traffic() -> None:
    """At 18 a second three instances on disks, two on an SSD; a network carries 100 bytes a second."""
    for flow, kept in ((200.0, (0, 1)), (201.0, (0,)), (300.0, (0,)), (301.0, ())):
        instance = hand(tasks=(replace(SERVE, rate=18.0, nic_bytes=(0.0, flow, 0.0)),), placement=UNIFORM)
        assert presolve(instance) == (kept,)
    third = replace(SERVE, rate=18.0, most_share=1 / 3, nic_bytes=(300.0,))
    assert presolve(hand(tasks=(third,), placement=UNIFORM)) == ((0, 1),)
    assert presolve(hand(tasks=(replace(third, nic_bytes=(301.0,)),), placement=UNIFORM)) == ((),)
    light = replace(SERVE, rate=5.0, nic_bytes=(100.0,))
    assert presolve(hand(tasks=(light,), placement=UNIFORM)) == ((0, 1),)
    single = replace(light, nic_bytes=(101.0,))
    for tasks in ((single,), (single, light), (light, single)):
        assert presolve(hand(tasks=tasks, placement=UNIFORM)) == ((),)
    wide = replace(BOX, name="wide", nic=151.0)
    heavy = replace(SERVE, rate=18.0, nic_bytes=(302.0,))
    assert presolve(hand(tasks=(heavy,), servers=(BOX, wide), placement=UNIFORM)) == ((0, 1),)
    assert presolve(hand(tasks=(heavy,), servers=(), placement=UNIFORM)) == ((0, 1),)
    assert presolve(hand(tasks=(replace(heavy, nic_bytes=()),), placement=UNIFORM)) == ((0, 1),)


def test_floors_of_local_choices_make_instances() -> None:
    """Four instances with one disk each carry what two with an SSD do not; with open choices the most counts."""
    choices = tuple(Choice(name) for name in ("disk", "ssd"))
    local = DatasetNeed("scratch", choices, local_to=0)
    task = replace(SERVE, floors=((1, (3.3, 0.0)),), nic_bytes=(350.0,))
    instance = hand(datasets=(DATA, local), tasks=(task,), placement=UNIFORM)
    assert presolve(instance) == ((0, 1), (0,))


@pytest.mark.parametrize("seed", range(6))
def test_narrowing_keeps_every_choice_whose_instances_fit_a_network(seed: int) -> None:
    """On random instances with uniform placement and heavy traffic."""
    dice = random.Random(seed)
    instance = featured(seed, only="local", placement=UNIFORM)
    widest = max(server.nic for server in instance.servers)
    heavy = tuple(replace(t, nic_bytes=(widest * dice.choice([0.9, 1.5, 2.5]),)) for t in instance.tasks)
    instance = replace(instance, tasks=heavy)
    kept = presolve(instance)
    for choices in every_choice(instance):
        wanted = [max(1, up(p)) for p in instance.parallelism(choices)]
        flows = [task.nic_bytes[0] / n for task, n in zip(instance.tasks, wanted, strict=True)]
        if max(flows) <= widest:
            assert all(c in open_ for c, open_ in zip(choices, kept, strict=True))


def test_choices_that_are_too_late_are_never_solved() -> None:
    """Each that is closed, forced on its own, has no cluster."""
    instance = featured(2, only="latency")
    assert any(task.latency for task in instance.tasks)
    for dataset, (kept, need) in enumerate(zip(presolve(instance), instance.datasets, strict=True)):
        for choice in set(range(len(need.choices))) - set(kept):
            forced = [(choice,) if d == dataset else open_ for d, open_ in enumerate(every(instance))]
            assert solve(instance, allowed=forced).status is Status.INFEASIBLE


def _two(second: Copy, unit: UnitType = CHEAP, **changes: Any) -> Instance:
    """A dataset on three disks, or on what is given of another unit on the same bus."""
    choices = (Choice("disk", (PLACES,), names=("disk",)), Choice("other", (second,), names=("other",)))
    fields: dict[str, Any] = {"units": (DISK, unit, DRAM), "datasets": (DatasetNeed("data", choices),)}
    return hand(**{**fields, **changes})


def _left(instance: Instance) -> tuple[int, ...]:
    return undominated_choices(instance, instance.every)[0]


OTHER = replace(PLACES, unit=1)
EVEN = (replace(SERVE, paths=(Path(0.1, ((0, (0.05, 0.05)),)),)),)


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({}, (1,)),
        ({"need": 2.0, "min_units": 2}, (1,)),
        ({"need": 2.6}, (0, 1)),
        ({"min_units": 4}, (0, 1)),
        ({"bus_bytes": (51.0,)}, (0, 1)),
        ({"nic_bytes": (61.0,)}, (0, 1)),
        ({"accesses": (21.0,)}, (0, 1)),
        ({"cores": (0.1,)}, (0, 1)),
        ({"most_share": 0.5}, (0, 1)),
        ({"unit": 2}, (0, 1)),
    ],
)
def test_one_copy_takes_the_place_of_another(change: dict[str, Any], kept: tuple[int, ...]) -> None:
    """On the same bus, where it asks for no more of anything and costs less."""
    assert _left(_two(replace(OTHER, **change), tasks=EVEN)) == kept


@pytest.mark.parametrize(("seconds", "kept"), [((0.05, 0.06), (0, 1)), ((0.05, 0.04), (1,))])
def test_operations_take_no_longer(seconds: tuple[float, float], kept: tuple[int, ...]) -> None:
    """A cheaper copy that is slower may want more instances."""
    slower = replace(SERVE, paths=(Path(0.1, ((0, seconds),)),))
    assert _left(_two(OTHER, tasks=(slower,))) == kept


def test_prices_decide() -> None:
    """Of equal ones the first stays; what some servers include is worth less than its price there."""
    assert _left(_two(OTHER, replace(CHEAP, cost=101.0), tasks=EVEN)) == (0,)
    assert _left(_two(OTHER, replace(CHEAP, cost=100.0), tasks=EVEN)) == (0,)
    for included, kept in (((2, 0, 0), (0, 1)), ((0, 2, 0), (1,))):
        assert _left(_two(OTHER, tasks=EVEN, servers=(replace(BOX, included_units=included),))) == kept
    paid = _two(OTHER, tasks=EVEN)
    choices = (paid.datasets[0].choices[0], replace(paid.datasets[0].choices[1], cost=1.0))
    assert _left(replace(paid, datasets=(replace(paid.datasets[0], choices=choices),))) == (0, 1)


def test_only_open_choices_count() -> None:
    """What is closed replaces nothing, and with uniform placement nothing does."""
    instance = _two(OTHER, tasks=EVEN)
    assert undominated_choices(instance, ((0,),)) == ((0,),)
    assert undominated_choices(instance, ((0, 1),)) == ((1,),)
    uniform = replace(instance, placement=Placement.UNIFORM)
    assert undominated_choices(uniform, uniform.every) == uniform.every


def test_a_pair_gives_way_to_one_of_its_copies() -> None:
    """In either of their places, as long as it is as fast."""
    pair = Choice("pair", (replace(ON_DISKS, unit=1), PLACES), names=("cheap", "disk"))
    alone = Choice("disk", (PLACES,), names=("disk",))
    task = replace(SERVE, paths=(Path(0.1, ((0, (0.05, 0.05)),)),))
    for choices, kept in (((pair, alone), (1,)), ((alone, pair), (0,))):
        assert _left(_two(OTHER, datasets=(DatasetNeed("data", choices),), tasks=(task,))) == kept


def _costs(instance: Instance) -> dict[tuple[int, ...], float]:
    """The cheapest cluster of few servers under each choice per dataset."""
    return {
        choices: sum(cost for _, cost in packed(instance, choices).values())
        + sum(d.choices[c].cost for d, c in zip(instance.datasets, choices, strict=True))
        for choices in itertools.product(*instance.every)
    }


def _never_missed(instance: Instance) -> int:
    """Whatever is chosen for the other datasets some choice that is left costs no more; how many were left out."""
    left, costs = undominated_choices(instance, instance.every), _costs(instance)
    for dataset, kept in enumerate(left):
        for choices, cost in costs.items():
            others = [costs[(*choices[:dataset], c, *choices[dataset + 1 :])] for c in kept]
            assert min(others) <= cost * (1 + 1e-5) or math.isinf(cost)
    return sum(len(d.choices) - len(kept) for d, kept in zip(instance.datasets, left, strict=True))


def test_no_choice_of_small_clusters_is_missed() -> None:
    """On random instances with choices that are a little worse or better; some are left out."""
    assert sum(_never_missed(_varied(built(small(seed)), random.Random(seed))) for seed in range(6)) > 10


@pytest.mark.parametrize("feature", FEATURES)
def test_no_choice_is_missed_with_features(feature: str) -> None:
    """Copies of several hosts, cores of copies, bundles, core types, services, local units."""
    for seed in (1, 2):
        _never_missed(_varied(featured(seed, only=feature), random.Random(seed)))


def test_caches_of_photoshare_are_not_missed() -> None:
    """Pairs of two of its datasets, all others as they were."""
    instance = built(photoshare(30, isolation=False, cache_media=CacheMedia.ANY))
    datasets = tuple(
        replace(dataset, choices=dataset.choices[:kept]) if dataset.cpu_of is None else dataset
        for dataset, kept in zip(instance.datasets, (1, 9, 4), strict=False)
    )
    _never_missed(replace(instance, datasets=datasets))


def _varied(instance: Instance, dice: random.Random) -> Instance:
    """With another of each remote dataset's first choices: other units of the bus, more or less of what they need."""
    tasks, datasets = instance.tasks, []
    for number, dataset in enumerate(instance.datasets):
        more = tuple(_variant(instance, choice, dice) for choice in dataset.choices[:2] if choice.copies)
        datasets.append(replace(dataset, choices=(*dataset.choices, *more)))
        slower = [dice.choice((0.8, 1.0, 1.3)) for _ in more]
        tasks = tuple(
            replace(task, paths=tuple(_longer(path, number, slower) for path in task.paths)) for task in tasks
        )
    return replace(instance, tasks=tasks, datasets=tuple(datasets))


def _variant(instance: Instance, choice: Choice, dice: random.Random) -> Choice:
    return replace(choice, copies=tuple(_other(instance, copy, dice) for copy in choice.copies))


def _other(instance: Instance, copy: Copy, dice: random.Random) -> Copy:
    bus = instance.units[copy.unit].bus
    like = [number for number, unit in enumerate(instance.units) if unit.bus == bus]
    need = copy.need * dice.choice((0.8, 1.0, 1.3))
    wide = dice.choice((0.8, 1.0, 1.3))
    return replace(
        copy,
        unit=dice.choice(like),
        need=need,
        min_units=max(copy.min_units, math.ceil(need)),
        bus_bytes=tuple(flow * wide for flow in copy.bus_bytes),
    )


def _longer(path: Path, dataset: int, slower: list[float]) -> Path:
    io = tuple(
        (d, (*per, *(per[c] * times for c, times in enumerate(slower)))) if d == dataset else (d, per)
        for d, per in path.io_s
    )
    return replace(path, io_s=io)
