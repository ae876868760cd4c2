"""Server types that are left out are never missed: a better one takes all that may stand in them, for no more."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from froude.provision.model.instance import (
    Choice,
    Copy,
    DatasetNeed,
    Instance,
    NetworkRow,
    ServerType,
    UnitType,
)
from froude.provision.search.optimise.dominance import undominated
from froude.provision.search.optimise.solving import solve
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types import Placement
from tests.support.provision.search.optimise.examples import featured
from tests.support.seeds import examples

BUSES = ("SAS", "DDR", "unused")
UNITS = (UnitType("disk", 200, 0, 1e12), UnitType("DRAM", 30, 1, 1e9), UnitType("tape", 10, 2, 1e12))
PLAIN = ServerType(
    "plain", 1000, 8, 1e9, (4, 8, 2), (1e9, 1e9, 1e9), core_cost=50.0, included_units=(0, 0, 0)
)


def _instance(servers: Sequence[ServerType], units: tuple[UnitType, ...] = UNITS) -> Instance:
    """A dataset on disks, and memory; nothing is ever on the third bus."""
    copy = Copy(0, 1.0, 1, (0.0,), (0.0,))
    data = (DatasetNeed("data", (Choice("disk", (copy,), names=("disk",)),)),)
    rows = (NetworkRow(0, "both"),)
    cpus = ("x", "y")
    return Instance(
        ("serve",),
        rows,
        BUSES,
        units,
        tuple(servers),
        data,
        (),
        cpus,
        memory_unit=1,
        host_cores=0,
        host_memory=0.0,
        isolation=False,
        placement=Placement.WEIGHTED,
    )


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({}, (0,)),
        ({"cost": 999.0}, (1,)),
        ({"cost": 1001.0}, (0,)),
        ({"cores": 9}, (1,)),
        ({"cores": 7, "cost": 900.0}, (0, 1)),
        ({"nic": 2e9, "cost": 1100.0}, (0, 1)),
        ({"slots": (5, 8, 2)}, (1,)),
        ({"slots": (4, 8, 0)}, (0,)),
        ({"slots": (4, 8, 9), "bus_bandwidth": (1e9, 1e9, 9e9), "cost": 1001.0}, (0,)),
        ({"bus_bandwidth": (2e9, 1e9, 0.0), "cost": 1100.0}, (0, 1)),
        ({"bus_accesses": (500.0, math.inf, math.inf), "cost": 900.0}, (0, 1)),
        ({"bus_accesses": (500.0, math.inf, math.inf)}, (0,)),
        ({"bus_accesses": (math.inf, math.inf, 500.0), "cost": 900.0}, (1,)),
        ({"cost": 900.0, "max_count": 5}, (0, 1)),
        ({"cost": 900.0, "cpu": 1}, (0, 1)),
        ({"cost": 900.0, "core_cost": 60.0}, (1,)),
        ({"cost": 900.0, "core_cost": 63.0}, (0, 1)),
        ({"cost": 1100.0, "included_cores": 2}, (0,)),
        ({"cost": 1099.0, "included_cores": 2}, (0, 1)),
        ({"cost": 1000.0, "included_cores": 2}, (1,)),
        ({"cost": 1150.0, "included_units": (0, 9, 0)}, (0, 1)),
        ({"cost": 1240.0, "included_units": (0, 9, 0)}, (0,)),
        ({"included_units": (0, 0, 2)}, (0,)),
    ],
)
def test_beside_a_plain_server(change: dict[str, Any], kept: tuple[int, ...]) -> None:
    """What is cheaper, larger or includes more wins; what differs both ways stays; what cannot be used is ignored."""
    assert undominated(_instance([PLAIN, replace(PLAIN, name="other", **change)])) == kept


def test_what_costs_nothing_need_not_be_included() -> None:
    """In a cloud's bundles everything inside is paid with the server."""
    free = tuple(replace(unit, cost=0.0) for unit in UNITS)
    bundle = replace(PLAIN, core_cost=0.0, included_cores=8, included_units=(4, 8, 2))
    bare = replace(bundle, cost=900.0, included_cores=0, included_units=(0, 0, 0))
    assert undominated(_instance([bundle, bare], free)) == (1,)
    assert undominated(_instance([bundle, bare])) == (0, 1)


def test_a_width_without_slots_is_none() -> None:
    """A bus that takes no unit carries nothing."""
    wide = replace(PLAIN, cost=1001.0, slots=(0, 8, 0), bus_bandwidth=(9e9, 1e9, 0.0))
    assert undominated(_instance([PLAIN, wide])) == (0,)


_few = st.integers(0, 3)
_servers = st.lists(
    st.builds(
        ServerType,
        st.just("any"),
        st.integers(0, 12).map(lambda n: 25.0 * n),
        _few,
        _few.map(float),
        st.tuples(_few, _few, _few),
        st.tuples(*[_few.map(float)] * 3),
        st.none() | st.just(2),
        st.sampled_from([0.0, 25.0]),
        st.integers(0, 1),
        _few,
        st.just(()) | st.tuples(_few, _few, _few),
    ),
    min_size=1,
    max_size=6,
)


def _cost(server: ServerType, content: tuple[int, ...]) -> float | None:
    """Dollars of a server with (cores, disks, DIMMs, network, bandwidths) inside, or None where it has no room."""
    cores, disks, dimms, _, first, second = content
    room = (server.cores, server.slots[0], server.slots[1], server.nic)
    widths = (server.bus_bandwidth[0] if disks else first, server.bus_bandwidth[1] if dimms else second)
    if any(a > b for a, b in zip(content[:4], room, strict=True)) or first > widths[0] or second > widths[1]:
        return None
    free = server.included_units or (0, 0, 0)
    paid = server.core_cost * max(0, cores - server.included_cores)
    return server.cost + paid + 200.0 * max(0, disks - free[0]) + 30.0 * max(0, dimms - free[1])


@settings(max_examples=examples(200), deadline=None)
@given(_servers, st.lists(st.tuples(_few, _few, _few, _few, _few, _few), min_size=1, max_size=20))
def test_no_content_misses_what_is_left_out(
    servers: list[ServerType], contents: list[tuple[int, ...]]
) -> None:
    """Whatever may stand in a type that is left out may stand, for no more, in one that stays and is not scarce."""
    kept = undominated(_instance(servers))
    assert kept == tuple(sorted(set(kept)))
    assert kept
    for at in set(range(len(servers))) - set(kept):
        better = [
            servers[b] for b in kept if servers[b].max_count is None and servers[b].cpu == servers[at].cpu
        ]
        for content in contents:
            cost = _cost(servers[at], content)
            if cost is not None:
                costs = [_cost(other, content) for other in better]
                assert min(cost for cost in costs if cost is not None) <= cost


@pytest.mark.parametrize("seed", range(4))
def test_the_optimum_stays(seed: int) -> None:
    """Without the types that are left out the cheapest cluster costs the same."""
    instance = featured(seed)
    again = tuple(
        replace(server, name=f"{server.name} worse", cost=server.cost * factor)
        for factor, server in zip((1.0, 1.1, 1.3), instance.servers, strict=False)
    )
    more = replace(instance, servers=(*again, *instance.servers))
    kept = undominated(more)
    fewer = replace(more, servers=tuple(more.servers[at] for at in kept))
    assert len(kept) < len(more.servers)
    all_, left = solve(more, SolveLimits(1e-6, 30)), solve(fewer, SolveLimits(1e-6, 30))
    assert all_.upper == pytest.approx(left.upper, rel=2e-6)
