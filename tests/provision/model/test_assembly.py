"""What the optimiser is given: copies, bundles, services, latencies."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from froude.provision.model.build import build
from froude.provision.model.instance import Choice, Instance
from froude.provision.types import Bundle, Cpu, Options, Placement, Problem, RateTarget, Server
from tests.support.provision.small import BOX, DATA, DISK, DRAM, STORE, small

ALL = (DISK, STORE, DRAM)


def _built(problem: Problem) -> Instance:
    built = build(problem)
    assert isinstance(built, Instance)
    return built


def _choice(instance: Instance, *names: str) -> Choice:
    return next(choice for choice in instance.datasets[0].choices if choice.names == names)


def test_what_a_servers_price_includes() -> None:
    """Cores, and pieces by unit in the order of the catalog; nothing where there is no bundle."""
    server = replace(BOX, name="all in", cpu="new", bundle=Bundle(2, (("dram", 4),)))
    cpus = (Cpu(85, name="old"), Cpu(150, 10, name="new"))
    problem = small(units=ALL, servers=(BOX, server), cpus=cpus)
    bare, bundled = _built(problem).servers
    assert (bare.included_cores, bare.included_units, bare.cpu) == (0, (), 0)
    assert (bundled.included_cores, bundled.included_units, bundled.cpu) == (2, (0, 0, 4), 1)
    assert bundled.core_cost == problem.catalog.cost(cpus[1])


def test_a_service_has_no_copy_and_no_bus() -> None:
    """Alone it is a choice without copies; in a pair only the cache stands on servers, and says so."""
    instance = _built(small(units=ALL))
    assert [unit.bus for unit in instance.units] == [0, -1, 1]
    assert instance.buses == ("SAS", "DIMM")
    alone, pair, disks = (_choice(instance, *n) for n in (("store",), ("store", "dram"), ("disk", "dram")))
    assert (alone.copies, alone.label) == ((), "store")
    assert alone.cost == pytest.approx(600e-9 * 72 + 10 * 1.1e-5 * 3600 * 730 * 36)
    assert [(copy.unit, copy.cache) for copy in pair.copies] == [(2, True)]
    assert [(copy.unit, copy.cache) for copy in disks.copies] == [(0, False), (2, True)]
    assert pair.cost == pytest.approx(600e-9 * 72 + 10 * 1e-5 * 3600 * 730 * 36)


def test_replicas_and_fragments_stand_apart() -> None:
    """No server has more than its part of a copy; a cache may stand on one."""
    replicated = _built(small(data=replace(DATA, replication=3)))
    coded = _built(small(data=replace(DATA, erasure=(2, 2))))
    assert _choice(replicated, "disk").copies[0].most_share == pytest.approx(1 / 3)
    assert _choice(coded, "disk").copies[0].most_share == pytest.approx(1 / 4)
    assert [copy.most_share for copy in _choice(replicated, "disk", "dram").copies] == [
        pytest.approx(1 / 3),
        1,
    ]
    assert replicated.tasks[0].nic_bytes == pytest.approx((200,))
    assert coded.tasks[0].nic_bytes == pytest.approx((100 + 200,))


def test_one_replica_is_none() -> None:
    """Nor is a fill of all, host time of zero or a lone core type anything."""
    plain = _built(small())
    assert (
        _built(small(data=replace(DATA, replication=1, host_time=0.0), options=Options(peak_fill=1.0)))
        == plain
    )


def test_a_quantile_is_of_an_exponential_tail() -> None:
    """99 % within 4.6 s is a mean of 1 s; of several the strictest counts; no target, no latency."""
    problem = small(target=RateTarget("serve", 10.0, latency=math.log(100), quantile=0.99))
    assert _built(problem).tasks[0].latency == pytest.approx(1.0)
    targets = (*problem.sla.targets, RateTarget("serve", 1.0, latency=0.99))
    both = replace(problem, sla=replace(problem.sla, targets=targets))
    assert _built(both).tasks[0].latency == 0.99
    assert _built(small()).tasks[0].latency is None


def test_levels_are_choices_with_their_numbers() -> None:
    """Labels tell them apart, names do not; run times fall from level to level."""
    instance = _built(small(target=RateTarget("serve", 10.0, latency=5.0)))
    levels = [number for number, c in enumerate(instance.datasets[0].choices) if c.names == ("disk",)]
    labels = [instance.datasets[0].choices[number].label for number in levels]
    assert labels[:2] == ["disk (4)", "disk (5)"]
    times = [instance.run_times([number])[0] for number in levels]
    assert times == sorted(times, reverse=True)
    assert times[-1] > 0.5 + 0.11 + 0.22


def test_uniform_copies_have_units_for_the_network() -> None:
    """200 bytes a second through servers of 30: seven, although four are kept busy."""
    narrow: Server = replace(BOX, bandwidth=30.0)
    copy = _choice(
        _built(small(servers=(narrow,), options=Options(placement=Placement.UNIFORM))), "disk"
    ).copies[0]
    assert (copy.need, copy.min_units) == pytest.approx((3.3, 7))
