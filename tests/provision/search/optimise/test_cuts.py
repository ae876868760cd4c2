"""Bounds of packed tiers, carried over to other choices."""

from __future__ import annotations

import itertools
import math

import pytest

from froude.provision.model.instance import Instance
from froude.provision.search.optimise.cuts import Cut, lifted, quickest
from froude.provision.search.optimise.highs import solve
from froude.provision.search.optimise.master import Master
from froude.provision.search.optimise.subproblem import subproblem
from froude.provision.types import CacheMedia, Placement
from tests.support.provision.search.optimise.cuts import Tiers, least, packed
from tests.support.provision.search.optimise.examples import FEATURES, built, featured, photoshare, small

Optima = dict[tuple[int, ...], "Tiers"]


def check(instance: Instance, open_: list[tuple[int, ...]]) -> int:
    """Carry every tier's optimum to every other choice; returns how many choices were told something."""
    optima = {choices: packed(instance, choices) for choices in itertools.product(*open_)}
    excluded = 0
    for choices, optimum in optima.items():
        for kinds, (tier, cost) in optimum.items():
            if not math.isfinite(cost):
                continue
            cuts = [lifted(tier, cost)]
            assert cuts[0].at(choices) == cost
            easier = quickest(tier)
            if easier is not None:
                cuts.append(Cut(kinds, least(easier[0]), easier[1]))
            excluded += sum(holds(cut, choices, optima) for cut in cuts)
    return excluded


def holds(cut: Cut, choices: tuple[int, ...], optima: Optima) -> int:
    """No choice's optimum is less than what the cut says; returns of how many others it says anything."""
    excluding = 0
    for other, optimum in optima.items():
        _, cost = optimum.get(cut.kinds, (None, math.inf))
        assert cut.at(other) <= cost * (1 + 1e-5), (choices, other)
        excluding += other != choices and cut.at(other) > 0
    return excluding


def every(instance: Instance) -> list[tuple[int, ...]]:
    """All choices per dataset."""
    return [tuple(range(len(d.choices))) for d in instance.datasets]


@pytest.mark.parametrize("isolation", [True, False])
def test_caches_and_disks_may_be_exchanged(isolation: bool) -> None:
    """Over choices of two of PhotoShare's datasets no bound passes an optimum, and many are told something."""
    instance = built(photoshare(30, isolation=isolation, cache_media=CacheMedia.ANY))
    open_ = [every(instance)[0][:1], every(instance)[1], (0, 1, 5, 7, 8)]
    assert check(instance, open_) > 50


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("placement", list(Placement))
def test_bounds_hold_for_other_choices(seed: int, placement: Placement) -> None:
    """On random instances too, with both placements."""
    instance = built(small(seed, placement=placement))
    check(instance, every(instance))


@pytest.mark.parametrize("feature", FEATURES)
def test_bounds_hold_with_features(feature: str) -> None:
    """Copies of several hosts, cores of copies, bundles, core types, services, local units."""
    for seed in (1, 2):
        instance = featured(seed, only=feature)
        check(instance, every(instance))


def test_a_cut_says_nothing_where_it_does_not_hold() -> None:
    """And adds up what it says of each dataset where it does."""
    cut = Cut((), 100.0, ({0: 0.0, 2: 7.0}, {1: 0.0, 3: 5.0}))
    assert [cut.at(c) for c in ((0, 1), (2, 3), (1, 1), (0, 0))] == [100, 112, 0, 0]
    assert cut.most == 112


@pytest.mark.parametrize("seed", range(4))
def test_rows_of_the_master_leave_the_optimum(seed: int) -> None:
    """With a cut for each tier of every choice its bound is at least as high, and the best cluster still fits."""
    instance = built(small(seed))
    costs: dict[tuple[int, ...], float] = {}
    cuts = []
    for choices in itertools.product(*every(instance)):
        optima = packed(instance, choices).values()
        costs[choices] = sum(cost for _, cost in optima)
        cuts += [lifted(tier, cost) for tier, cost in optima if math.isfinite(cost)]
    sub = subproblem(instance)
    plain, raised = solve(Master(sub).program), solve(Master(sub, cuts=cuts).program)
    assert plain.objective * (1 - 1e-6) <= raised.objective <= min(costs.values()) * (1 + 1e-6)
    assert raised.objective >= min(costs.values()) * (1 - 1e-6)
