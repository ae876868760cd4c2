"""HDFS asked plainly: what it asks for, which servers may be DataNodes, and what a plan has."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.provision.analyses.hdfs import (
    DATASET,
    DataNodeLimits,
    HdfsDemand,
    datanodes,
    facts,
    memory_unit,
    parts_of,
    too_few,
    within,
)
from froude.provision.search.plain import plain_cluster
from froude.provision.types import Bundle, Bus, Catalog, Cpu, Lost, RackLoss, Server, StorageUnit

MEMORY = StorageUnit("memory", 2.0**30, "memory", 1e10, 0.0, 1e10, 0.0, True, 0.0)
DISK = StorageUnit("hdd", 14e12, "hdd", 250e6, 0.01, 250e6, 0.01, True, 0.0)
VOLUME = StorageUnit("volume", 16e12, "volume", 200e6, 0.01, 200e6, 0.01, False, 100.0)
WANTED = HdfsDemand(400e12, 3, 5e9, 1e9, Lost.SERVER, 6 * 3600.0)
LIMITS = DataNodeLimits()


def server(name: str, disks: int, *, cpus: int = 8, slots: int = 0) -> Server:
    """With disks that its price includes, and slots for volumes, which come first."""
    buses = [Bus("volume", slots, 1e9)] * bool(slots) + [Bus("hdd", disks, 1e9)] * bool(disks)
    bundle = Bundle(cpus, (("memory", 32), *[("hdd", disks)] * bool(disks)))
    return Server(name, 1000.0 * disks + 500.0, cpus, 1.5e9, (Bus("memory", 32, 1e10), *buses), bundle=bundle)


def catalog(*servers: Server) -> Catalog:
    """Of these servers."""
    return Catalog((MEMORY, DISK, VOLUME), (Cpu(0.0),), servers)


def test_what_it_asks_for() -> None:
    """Rates of whole blocks, replicas on lasting disks, a host to lose, a time to re-replicate."""
    parts = parts_of(WANTED, LIMITS)
    assert parts.application is not None
    assert parts.sla is not None
    (dataset,) = parts.application.datasets
    assert (dataset.size, dataset.replication, parts.application.host_cores) == (400e12, 3, 4)
    assert {each.task: each.rate for each in parts.sla.targets} == {"read": 39.0625, "write": 7.8125}
    assert (parts.options.survive_hosts, parts.options.peak_fill) == (1, 0.8)
    again = parts.sla.re_replication
    assert again is not None
    assert (again.time, again.share, again.of) == (21600.0, 0.3, Lost.SERVER)
    none = parts_of(replace(WANTED, lost=None, rebuild=None), LIMITS)
    assert none.sla is not None
    assert (none.options.survive_hosts, none.sla.re_replication) == (0, None)
    assert parts_of(replace(WANTED, lost=Lost.RACK), LIMITS).options.survive_rack is RackLoss.SERVICE


@pytest.mark.parametrize(
    ("types", "slots", "why"),
    [
        (server("a", 7), {"hdd": 7}, ""),
        (server("a", 8), None, "disks of more than 100 TB"),
        (server("a", 3), None, "fewer than 4 disks"),
        (server("a", 4, cpus=2), None, "fewer than 4 cores"),
        (server("a", 0, slots=26), {"volume": 6}, "fewer slots"),
        (server("a", 5, slots=26), {"volume": 1, "hdd": 5}, "fewer slots"),
        (server("a", 0), None, "fewer than 4 disks"),
    ],
)
def test_limits_of_a_datanode(types: Server, slots: dict[str, int] | None, why: str) -> None:
    """Bytes, disks and cores; slots are counted as of the largest volume: two cores do not get 240 TB."""
    found, notes = within(catalog(types), MEMORY, LIMITS)
    left = [{bus.name: bus.slots for bus in each.buses if bus.name != "memory"} for each in found.servers]
    assert left == ([] if slots is None else [slots])
    assert why in str(notes)


def test_a_bound_on_disks() -> None:
    """Of small ones, too."""
    small = replace(catalog(server("a", 25), server("b", 24)), units=(MEMORY, replace(DISK, capacity=1e12)))
    found, _ = within(small, MEMORY, LIMITS)
    assert [each.name for each in found.servers] == ["b"]


def test_disks_of_instances_count_as_lasting() -> None:
    """Memory does not, and is not where data is kept."""
    found, notes = within(catalog(server("a", 4)), MEMORY, LIMITS)
    assert {unit.name: unit.volatile for unit in found.units} == {"memory": True, "hdd": False}
    assert "disks of instances count as lasting" in notes[-1]


def test_what_a_plan_has() -> None:
    """By hand: 28 servers of 56 TB hold 1,200 TB to 77 %, and lose 43 TB, which the streams of 27 send in 4.9 h."""
    parts = parts_of(WANTED, LIMITS)
    whole = catalog(server("a", 4))
    limited, _ = within(whole, memory_unit(parts, whole), LIMITS)
    problem = replace(parts, catalog=limited).problem("the inputs")
    plan = plain_cluster(problem, 1e12)
    assert plan is not None
    assert plan.choices == {DATASET: ("hdd",)}
    assert datanodes(problem, plan)[1][:5] == ("a", "28", "4 x hdd", "56.0", "77%")
    lines = list(facts(problem, plan, LIMITS))
    assert "1,200.0 TB on 1,568.0 TB of disks, 77% full; 79% with the largest DataNode lost" in lines[0]
    assert lines[1].startswith(
        "a lost server has its replicas again in 4.9 h of 6 h (slowest: streams of DataNodes"
    )
    assert too_few(problem, plan) == ""
    few = replace(plan, groups=(replace(plan.groups[0], count=3),))
    assert "takes 4 DataNodes or more, and the plan has 3" in too_few(problem, few)
    assert not any("again in" in line for line in facts(problem, few, LIMITS))
    assert lines[2] == f"${28 * 4500 / 36:,.2f} a month, over 36 months"
    assert lines[3].startswith("limits: at most 100 TB in a DataNode, with 4 to 24 volumes; 4 cores")
    assert "3.0 GB of heap for 2,980,232 blocks" in lines[4]
