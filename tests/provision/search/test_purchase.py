"""Prices by quantity, against a world of clusters small enough to be enumerated."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from froude.provision.check.checker import check
from froude.provision.search.compile import compile_plan
from froude.provision.search.purchase import Restriction, _Part, best_purchase, by_quantity, tariffs
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types import (
    Application,
    Bundle,
    Bus,
    Catalog,
    Cpu,
    Dataset,
    Discount,
    Persistence,
    Problem,
    Server,
    Sla,
    StorageUnit,
)
from froude.provision.types.plan import Conflict, Group, Held, ProvisionPlan, Status
from testbed.virtual_clock import VirtualClock
from tests.support.provision.clusters import photoshare

_DRAM = StorageUnit("dram", 1e9, "DIMM", 1e10, 0, 1e10, 0, True, 30)
_BUSES = (Bus("SAS", 8, 1e9), Bus("DIMM", 8, 1e10))


def _unit(name: str, price: float, owned: int = 0, discounts: tuple[Discount, ...] = ()) -> StorageUnit:
    return StorageUnit(name, 1e9, "SAS", 1e8, 0, 1e8, 0, False, price, 10, owned=owned, discounts=discounts)


def _server(name: str, price: float, owned: int = 0, discounts: tuple[Discount, ...] = ()) -> Server:
    return Server(name, price, 4, 1e9, _BUSES, owned=owned, discounts=discounts)


_DISCOUNTS = st.sampled_from(
    [(), (), (Discount(3, 70),), (Discount(2, 90), Discount(5, 60)), (Discount(4, 0),)]
)
_UNITS = st.builds(_unit, st.just("u"), st.sampled_from([100, 150]), st.sampled_from([0, 0, 2]), _DISCOUNTS)
_SERVERS = st.builds(_server, st.just("s"), st.sampled_from([100, 400]), st.sampled_from([0, 2]), _DISCOUNTS)
_GROUPS = st.builds(
    lambda name, count, unit, units, cores, dimms: Group(
        name, count, (Held("d", unit, units, 1.0),), (), (), cores, dimms
    ),
    st.sampled_from(["s", "t"]),
    st.integers(1, 4),
    st.sampled_from(["u", "v"]),
    st.integers(1, 3),
    st.integers(0, 3),
    st.integers(0, 2),
)
_WORLDS = st.lists(st.lists(_GROUPS, min_size=1, max_size=2).map(tuple), min_size=1, max_size=6)


def _problem(
    units: tuple[StorageUnit, ...], servers: tuple[Server, ...], cpu: Cpu, diversity: float
) -> Problem:
    catalog = Catalog((*units, _DRAM), (cpu,), servers, diversity=diversity)
    datasets = (Dataset("d", 1e9, Persistence.REQUIRED, remote=True),)
    return Problem(catalog, Application(datasets, ()), Sla())


_PROBLEMS = st.builds(
    lambda unit, server, bundle, discounts, diversity: _problem(
        (unit, _unit("v", 110)),
        (server, replace(_server("t", 250), bundle=bundle)),
        Cpu(100, discounts=discounts),
        diversity,
    ),
    _UNITS,
    _SERVERS,
    st.sampled_from([None, Bundle(1, (("u", 1), ("dram", 1)))]),
    _DISCOUNTS,
    st.sampled_from([0, 0, 130]),
)


def _true_cost(problem: Problem, groups: tuple[Group, ...]) -> float:
    """By the definition, tariff by tariff."""
    counts: Counter[tuple[str, str]] = Counter()
    for group in groups:
        bundle = problem.catalog.server(group.server).bundle or Bundle()
        included = dict(bundle.units)
        counts["server", group.server] += group.count
        counts["core", "core"] += group.count * max(0, group.cores - bundle.cores)
        used = Counter({"dram": group.dimms}) + Counter({h.unit: h.units for h in group.held})
        for name, count in used.items():
            counts["unit", name] += group.count * max(0, count - included.get(name, 0))
    by_name = {(key[0].value, key[1]): tariff for key, tariff in tariffs(problem.catalog).items()}
    return sum(by_name[key].cost(count) for key, count in counts.items())


def _choice(groups: tuple[Group, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(held.unit for group in groups for held in group.held))


class _World:
    """A solver that knows every cluster there is."""

    def __init__(self, clusters: list[tuple[Group, ...]]) -> None:
        self.clusters = clusters
        self.solved = 0

    def __call__(
        self, problem: Problem, restriction: Restriction, gap: float, seconds: float
    ) -> ProvisionPlan:
        assert not by_quantity(problem)
        assert gap >= 0
        assert seconds > 0
        self.solved += 1
        here = [
            groups
            for groups in self.clusters
            if self._can(problem, groups) and restriction.allows("d", _choice(groups))
        ]
        if not here:
            return ProvisionPlan(Status.INFEASIBLE, conflict=(Conflict("none"),))
        best = min(here, key=lambda groups: _true_cost(problem, groups))
        cost = _true_cost(problem, best)
        return ProvisionPlan(Status.PROVED, best, {"d": _choice(best)}, lower=cost, upper=cost)

    def _can(self, problem: Problem, groups: tuple[Group, ...]) -> bool:
        most = {server.name: server.max_count for server in problem.catalog.servers}
        units = {unit.name for unit in problem.catalog.units}
        servers: Counter[str] = Counter()
        for group in groups:
            servers[group.server] += group.count
        had = all(
            name in most and (most[name] is None or n <= (most[name] or 0)) for name, n in servers.items()
        )
        return had and all(held.unit in units for group in groups for held in group.held)


@settings(deadline=None, max_examples=100)
@given(_WORLDS, _PROBLEMS)
def test_bounds_hold_and_proofs_are_right(world: list[tuple[Group, ...]], problem: Problem) -> None:
    """The cheapest cluster of the world lies between the bounds; a plan costs what the definition says."""
    optimum = min(_true_cost(problem, groups) for groups in world)
    solve = _World(world)
    plan = best_purchase(problem, solve, SolveLimits(0.001, 1000), clock=VirtualClock())
    assert plan.lower <= optimum + 1e-6
    assert plan.upper >= optimum - 1e-6
    assert plan.upper == pytest.approx(_true_cost(problem, plan.groups))
    if plan.status is Status.PROVED:
        assert plan.upper <= optimum * 1.001 + 1e-6
    assert solve.solved < 2000


def _first(*clusters: Group) -> list[tuple[Group, ...]]:
    return [(group,) for group in clusters]


def test_a_discount_is_reached_by_spares() -> None:
    """Nine disks at the price of ten, of which one lies in store."""
    disk = _unit("u", 100, discounts=(Discount(10, 80),))
    problem = _problem((disk,), (_server("s", 10),), Cpu(1), 0)
    world = _World(_first(Group("s", 9, (Held("d", "u", 1, 1 / 9),))))
    plan = best_purchase(problem, world, SolveLimits(1e-9, 100), clock=VirtualClock())
    assert plan.status is Status.PROVED
    assert plan.spares == {"u": 1}
    assert plan.upper == pytest.approx(9 * 10 + 800 + 9 * problem.catalog.energy(disk))


def test_owned_servers_are_used_first() -> None:
    """Two old boxes and no new ones, where each alone would be the dearer type."""
    old, new = _server("s", 400, owned=2), _server("t", 150)
    problem = _problem((_unit("u", 100),), (old, new), Cpu(1), 0)
    held = (Held("d", "u", 1, 0.5),)
    world = _World(
        [(Group("t", 2, held),), (Group("s", 2, held),), (Group("s", 1, held), Group("t", 1, held))]
    )
    plan = best_purchase(problem, world, SolveLimits(1e-9, 100), clock=VirtualClock())
    assert plan.status is Status.PROVED
    assert [group.server for group in plan.groups] == ["s"]


def test_diversity_makes_one_type_of_two() -> None:
    """A mix that would be cheaper by less than the charge is not taken."""
    problem = _problem((_unit("u", 100), _unit("v", 60)), (_server("s", 100),), Cpu(1), 50)
    group = Group("s", 1, (Held("d", "u", 2, 1.0),))
    two = Group("s", 1, (Held("d", "u", 1, 0.5), Held("d", "v", 1, 0.5)))
    plan = best_purchase(problem, _World(_first(group, two)), SolveLimits(1e-9, 100), clock=VirtualClock())
    assert plan.status is Status.PROVED
    assert plan.groups == (group,)


def test_nothing_is_proved_without_time() -> None:
    """What is known when the time is over is said: a plan, and the first bound."""

    class Late(VirtualClock):
        def now(self) -> float:
            self.advance_to(super().now() + 3600)
            return super().now()

    problem = _problem((_unit("u", 100, discounts=(Discount(5, 10),)),), (_server("s", 10),), Cpu(1), 0)
    world = _World(_first(Group("s", 1, (Held("d", "u", 1, 1.0),))))
    plan = best_purchase(problem, world, SolveLimits(1e-9, 1), clock=Late())
    assert plan.groups
    assert plan.lower <= plan.upper


def test_nothing_by_quantity_costs_nothing() -> None:
    """The paper's catalog has one price a piece."""
    assert not by_quantity(photoshare())
    catalog = photoshare().catalog
    assert by_quantity(replace(photoshare(), catalog=replace(catalog, diversity=1.0)))


@pytest.mark.parametrize("change", ["discount", "owned", "diversity", "cores"])
def test_compiled_by_tariff(change: str) -> None:
    """Through the optimiser and the check: never dearer than the plan without, or by the diversity alone."""
    pytest.importorskip("highspy")
    problem = photoshare()
    catalog = problem.catalog
    disks = tuple(replace(u, discounts=(Discount(4, u.price * 0.8),)) for u in catalog.units)
    changed = {
        "discount": replace(catalog, units=disks),
        "owned": replace(catalog, servers=tuple(replace(s, owned=2) for s in catalog.servers)),
        "diversity": replace(catalog, diversity=40.0),
        "cores": replace(catalog, cpus=(replace(catalog.cpus[0], discounts=(Discount(8, 60.0),)),)),
    }
    plain = compile_plan(problem, SolveLimits(0.01, 20.0))
    plan = compile_plan(replace(problem, catalog=changed[change]), SolveLimits(0.01, 20.0))
    assert plan.status is Status.PROVED
    assert check(replace(problem, catalog=changed[change]), plan).sound
    if change == "diversity":
        assert plain.upper < plan.upper <= plain.upper + 6 * 40
    else:
        assert plan.upper < plain.upper


def test_architectures_are_parted_whole() -> None:
    """Every architecture that a part allows is in one of its parts, and in one only."""
    names = [("u",), ("v",), ("u", "dram")]
    architectures = [dict(zip("abc", chosen, strict=True)) for chosen in itertools.product(names, repeat=3)]
    parts = [_Part({}, Restriction())]
    for at in (0, 13, 26, 5):
        whole = next(part for part in parts if _allowed(part, architectures[at]))
        parts.remove(whole)
        parts.extend(whole.by_choices(architectures[at]) or [whole])
        for one in architectures:
            assert sum(_allowed(part, one) for part in parts) == 1


def _allowed(part: _Part, architecture: dict[str, tuple[str, ...]]) -> bool:
    return all(part.restriction.allows(*chosen) for chosen in architecture.items())
