"""The bound over all server types: it holds, it rises, and its parts tell the types that matter."""

from __future__ import annotations

import math

import pytest

from froude.provision.search.optimise import type_pricing as selecting
from froude.provision.search.optimise.highs import solve
from froude.provision.search.optimise.master import Master
from froude.provision.search.optimise.subproblem import subproblem
from froude.provision.search.optimise.type_branching import TypeBranching
from froude.provision.search.optimise.type_pricing import TypePricing, select_types
from tests.support.provision.search.optimise.type_pricing import many


def _type_pricing(seed: int, monkeypatch: pytest.MonkeyPatch, *, isolation: bool) -> TypePricing:
    monkeypatch.setattr(selecting, "MANY_TYPES", 4)
    instance = many(seed, isolation=isolation, types=10)
    selection = select_types(instance, [range(len(d.choices)) for d in instance.datasets])
    assert selection.type_pricing is not None
    return selection.type_pricing


@pytest.mark.parametrize("isolation", [True, False])
@pytest.mark.parametrize("seed", range(2))
def test_it_never_passes_the_optimum_over_all_types(
    seed: int, isolation: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cheapest cluster of whole servers, contents summed, with nothing pruned, costs no less."""
    type_pricing = _type_pricing(seed, monkeypatch, isolation=isolation)
    instance = many(seed, isolation=isolation, types=10)
    master = Master(subproblem(instance, servers=tuple(range(len(instance.servers)))), budget=5e4)
    optimum = solve(master.program).objective
    bound = TypeBranching(type_pricing).raise_bound(math.inf, parts=60).bound
    assert bound <= optimum * (1 + 1e-6)
    assert bound >= TypeBranching(type_pricing).raise_bound(0.0).bound


def test_more_parts_raise_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the linear program's optimum on, and no further than asked for."""
    type_pricing = _type_pricing(0, monkeypatch, isolation=False)
    root = TypeBranching(type_pricing).raise_bound(math.inf, parts=1)
    raised = TypeBranching(type_pricing).raise_bound(math.inf, parts=40)
    assert root.bound < raised.bound
    asked = TypeBranching(type_pricing).raise_bound(root.bound * 1.001)
    assert asked.bound >= root.bound * 1.001
    assert asked.parts < 40


def test_it_is_taken_up_where_it_was_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """In many short steps, some without any time, it shows what it shows in one."""
    whole = TypeBranching(_type_pricing(0, monkeypatch, isolation=False)).raise_bound(math.inf, parts=30)
    steps = TypeBranching(_type_pricing(0, monkeypatch, isolation=False))
    bounds = []
    for _ in range(10):
        assert steps.raise_bound(math.inf, parts=3, left_s=lambda: 0.0).parts == 0
        bounds.append(steps.raise_bound(math.inf, parts=3).bound)
    assert bounds == sorted(bounds)
    assert bounds[-1] == pytest.approx(whole.bound)


def test_types_of_its_parts_are_real(monkeypatch: pytest.MonkeyPatch) -> None:
    """Probes, which cannot be had, are not among them."""
    type_pricing = _type_pricing(1, monkeypatch, isolation=True)
    used = TypeBranching(type_pricing).raise_bound(math.inf, parts=20).used
    assert used
    assert set(used) <= set(type_pricing.needed)


def test_without_time_there_is_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing was priced, so nothing is claimed."""
    type_pricing = _type_pricing(0, monkeypatch, isolation=True)
    assert TypeBranching(type_pricing).raise_bound(math.inf, left_s=lambda: 0.0).bound == 0.0
