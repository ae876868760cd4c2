"""Many server types: the few that can win, and a bound for the others."""

from __future__ import annotations

import math

import pytest

from froude.provision.model.instance import Instance
from froude.provision.search.optimise import type_pricing
from froude.provision.search.optimise.dominance import undominated
from froude.provision.search.optimise.highs import solve as solved
from froude.provision.search.optimise.master import Master
from froude.provision.search.optimise.solving import solve
from froude.provision.search.optimise.subproblem import subproblem
from froude.provision.search.optimise.tightening import tighten
from froude.provision.search.optimise.type_pricing import select_types
from froude.provision.search.solve_limits import SolveLimits
from tests.support.provision.search.optimise.examples import built, photoshare
from tests.support.provision.search.optimise.type_pricing import many


def _relaxed(instance: Instance, servers: tuple[int, ...], forced: int | None = None) -> float:
    """The master over some types, nothing whole, with at least one server of one type."""
    every = [range(len(d.choices)) for d in instance.datasets]
    master = Master(subproblem(instance, every, servers), whole=False)
    tighten(master)
    if forced is not None:
        terms = [(c.count, 1.0) for c in master.kinds if c.kind.server == forced and c.count is not None]
        master.program.row("forced", terms, lower=1.0)
    return solved(master.program, relaxed=True).objective


@pytest.mark.parametrize("isolation", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_the_bound_outside_holds_for_every_type_left_out(
    seed: int, isolation: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is at least the linear optimum over all types, and a type left out brings nothing to that."""
    monkeypatch.setattr(type_pricing, "MANY_TYPES", 4)
    instance = many(seed, isolation=isolation)
    every = [range(len(d.choices)) for d in instance.datasets]
    chosen = select_types(instance, every)
    assert 0 < len(chosen.servers) < len(instance.servers)
    all_types = _relaxed(instance, tuple(range(len(instance.servers))))
    assert _relaxed(instance, chosen.servers) == pytest.approx(all_types, rel=1e-6)
    assert chosen.outside >= all_types * (1 - 1e-5)
    for server in set(undominated(instance)) - set(chosen.servers):
        assert _relaxed(instance, tuple(range(len(instance.servers))), server) >= chosen.outside * (1 - 1e-9)


def test_bounds_agree_with_a_search_over_all_types(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is proved over few types holds for the best cluster of all."""
    instance = many(0, types=10)
    every = solve(instance, SolveLimits(0.02, 20))
    monkeypatch.setattr(type_pricing, "MANY_TYPES", 4)
    few = solve(instance, SolveLimits(0.02, 20))
    assert few.lower <= every.upper
    assert every.lower <= few.upper
    assert math.isfinite(few.upper)


def test_few_types_are_all_searched() -> None:
    """Nothing is left out, and nothing stands outside."""
    instance = built(photoshare(100, servers=3))
    assert select_types(instance, [range(len(d.choices)) for d in instance.datasets]).outside == math.inf
