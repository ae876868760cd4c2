"""What one server sends out of its rack, by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.provision.check.demand import Demand
from froude.provision.check.rack_flow import rack_bytes, racks_of
from froude.provision.types import Dependency, Duplex, Io, Op, Rack, Task
from froude.provision.types.plan import Group, Held, ProvisionPlan, Running, Status
from tests.support.provision.small import DATA, SERVE, small

_GROUP = Group("box", 5, (Held("data", "disk", 2, 0.2),), running=(Running("serve", 3, 0.2),))


def _demand(*operations: Io, replication: int = 3, duplex: Duplex = Duplex.FULL) -> Demand:
    task = replace(SERVE, operations=operations) if operations else SERVE
    problem = small(data=replace(DATA, replication=replication), task=task)
    catalog = replace(problem.catalog, rack=Rack(2, 1e4))
    problem = replace(problem, catalog=catalog, options=replace(problem.options, duplex=duplex))
    return Demand(problem, ProvisionPlan(Status.GAP, (_GROUP,), {"data": ("disk",)}))


def test_servers_fill_racks() -> None:
    """Five servers two by two are three racks; those of lost servers still stand there."""
    demand = _demand()
    assert (racks_of(demand), racks_of(demand, 2)) == (3, 4)
    without = replace(demand.problem, catalog=replace(demand.problem.catalog, rack=None))
    assert racks_of(Demand(without, demand.plan)) == 0


def test_reads_and_the_pipeline() -> None:
    """A fifth of 100 bytes a second read and 100 written, half of which cross; and one crossing a block."""
    flow = rack_bytes(_demand(), _GROUP, "p", 2)
    # host: half of its reads out and of first replicas in, each block on to another rack; task: its reads, its writes
    assert flow == pytest.approx({"in": 20 * (0.5 + 1 + 0.5), "out": 20 * (0.5 + 1 + 0.5)})
    assert rack_bytes(_demand(duplex=Duplex.HALF), _GROUP, "p", 2) == pytest.approx({"both": 80})


def test_one_rack_sends_nothing() -> None:
    """Whatever the replication."""
    assert rack_bytes(_demand(), _GROUP, "p", 1) == {"in": 0, "out": 0}


def test_reads_in_the_rack() -> None:
    """A task whose records are all near crosses nothing."""
    near = Io(Op.READ, "data", 1, 10.0, rack_local=1.0)
    assert rack_bytes(_demand(near), _GROUP, "p", 4) == {"in": 0, "out": 0}


def test_calls() -> None:
    """Their bytes at both ends, three of four of them across."""
    problem = _demand().problem
    caller = Task("serve", "p", 1.0, (Dependency("called", 1, bytes=8.0),))
    application = replace(problem.application, tasks=(caller, Task("called", "p", 1.0, ())))
    group = replace(_GROUP, running=(Running("serve", 1, 0.5), Running("called", 1, 0.25)))
    plan = ProvisionPlan(Status.GAP, (group,), {"data": ("disk",)})
    demand = Demand(replace(problem, application=application), plan)
    assert rack_bytes(demand, group, "p", 4)["in"] == pytest.approx(10 * 8 * 0.75 * 0.75)
