"""The bill of materials adds up to the plan's cost."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

from froude.provision.check.bill import Line, bill, bill_csv
from froude.provision.check.checker import cost_of
from froude.provision.types import Bundle, Discount, Options, Scope
from froude.provision.types.plan import Group, LocalHeld, ProvisionPlan, Running, Status
from tests.support.provision.clusters import (
    BOX,
    DISK,
    DRAM,
    SSD,
    STORE,
    paper_plan,
    photoshare,
    small,
    small_plan,
)

WORKERS = Group("box", 2, running=(Running("t", 2, 0.5),), cores=1, dimms=1)


def test_the_papers_cluster() -> None:
    """Three servers, four 15K, one SSD, one 7.2K, one DRAM for data, eight cores, four DRAM for memory."""
    lines = bill(photoshare(), paper_plan())
    quantities = {(line.kind, line.item): line.quantity for line in lines}
    assert quantities == {
        ("server", "Server1"): 3,
        ("storage", "7.2KDisk"): 1,
        ("storage", "15KDisk"): 4,
        ("storage", "SSD"): 1,
        ("storage", "DRAM"): 1,
        ("core", "CPU core"): 8,
        ("memory", "DRAM"): 4,
    }
    total = sum(line.total for line in lines)
    assert total == pytest.approx(7329.0948)
    assert total == pytest.approx(cost_of(photoshare(), paper_plan().groups))


def test_counts_multiply() -> None:
    """A group's contents are of one server."""
    plan = paper_plan()
    plan = replace(plan, groups=tuple(replace(group, count=10) for group in plan.groups))
    assert sum(line.total for line in bill(photoshare(), plan)) == pytest.approx(73290.948)


def test_as_csv() -> None:
    """Head, lines, total; a name that a spreadsheet would run is made text."""
    rows = list(csv.reader(io.StringIO(bill_csv((Line("server", "=1+1", 2, 100.0, 0.5),)))))
    assert rows[1] == ["server", "'=1+1", "2", "100.00", "0.50", "100.50", "201.00"]
    assert rows[2][0] == "total"
    assert rows[2][-1] == "201.00"


def test_what_is_paid_by_use() -> None:
    """Volumes are as large as what is to be stored over the fill, with replicas; requests over the term."""
    volume = replace(DISK, price_per_gb_month=0.05, price_per_read=1e-8, price_per_write=2e-8)
    problem = small(replication=2)
    catalog = replace(problem.catalog, units=(volume, SSD, DRAM), hours=7300, mean_load=0.5)
    problem = replace(problem, catalog=catalog, options=Options(peak_fill=0.8))
    lines = {(line.kind, line.item): line.total for line in bill(problem, small_plan(problem))}
    assert lines["bytes", "d on disk, 150.0 GB"] == pytest.approx(150 * 10 * 0.05)
    assert lines["requests", "d on disk"] == pytest.approx((40 * 1e-8 + 40 * 2e-8) * 3600 * 7300 * 0.5)


def test_services() -> None:
    """A service is paid by what it holds, whatever the fill, and keeps its own replicas; its type counts."""
    problem = small(replication=3)
    store = replace(STORE, price_per_gb_month=0.02, price_per_write=1e-6)
    catalog = replace(problem.catalog, units=(store, DRAM), hours=730, diversity=40.0)
    problem = replace(problem, catalog=catalog, options=Options(peak_fill=0.5))
    plan = small_plan(problem, groups=(WORKERS,), choices={"d": ("store",)})
    lines = {(line.kind, line.item): line.total for line in bill(problem, plan)}
    assert lines["bytes", "d on store, 60.0 GB"] == pytest.approx(60 * 0.02)
    assert lines["requests", "d on store"] == pytest.approx(20 * 1e-6 * 3600 * 730)
    assert lines["diversity", "type of service"] == 40


def test_local_copies_are_paid_each() -> None:
    """Every instance has all of a replicated dataset, and they share a partitioned one."""
    volume = replace(DISK, price_per_gb_month=0.05)
    for scope, stored in ((Scope.REPLICATED, 240), (Scope.PARTITIONED, 60)):
        problem = small(remote=False, scope=scope)
        problem = replace(problem, catalog=replace(problem.catalog, units=(volume, DRAM), hours=730))
        workers = replace(WORKERS, local=(LocalHeld("d", "disk", 2),))
        lines = bill(problem, ProvisionPlan(Status.GAP, (workers,), {"d": ("disk",)}))
        assert [line.total for line in lines if line.kind == "bytes"] == [pytest.approx(stored * 0.05)]


def test_included_owned_and_spare() -> None:
    """Parts that come with a server have no line; owned ones cost their energy, spares no energy."""
    problem = small()
    kit = replace(BOX, bundle=Bundle(1, (("dram", 1),)), owned=1, power=100.0)
    disk = replace(DISK, discounts=(Discount(4, 100),))
    catalog = replace(problem.catalog, servers=(kit,), units=(disk, DRAM))
    problem = replace(problem, catalog=catalog)
    quantities = {line.item: line for line in bill(problem, small_plan(problem, spares={"disk": 1}))}
    assert quantities.keys() == {"box (owned)", "box", "disk", "disk (spare)"}
    assert quantities["box (owned)"].price == 0 < quantities["box (owned)"].energy == quantities["box"].energy
    assert (quantities["disk"].quantity, quantities["disk"].price, quantities["disk (spare)"].total) == (
        3,
        100,
        100,
    )
    assert sum(line.total for line in quantities.values()) == pytest.approx(
        cost_of(problem, small_plan(problem, spares={"disk": 1}))
    )
