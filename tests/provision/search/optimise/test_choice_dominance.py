"""Choices that are left out are never missed: another one's units stand in the same places, for no more."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import replace
from typing import Any

import pytest

from froude.provision.model.instance import Choice, Copy, DatasetNeed, Instance, Path, UnitType
from froude.provision.search.optimise.choice_dominance import undominated_choices
from froude.provision.types import CacheMedia, Placement
from tests.support.provision.search.optimise.cuts import packed
from tests.support.provision.search.optimise.examples import FEATURES, built, featured, photoshare, small
from tests.support.provision.search.optimise.hand import BOX, DISK, DRAM, ON_DISKS, SERVE, hand

CHEAP = UnitType("cheap", 90.0, 0, 1e12)
PLACES = Copy(0, 2.5, 3, (50.0,), (60.0,), accesses=(20.0,))


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
