"""The checker enforces every feature beyond the paper: a plan that does is sound, one that lacks a little is not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from froude.provision.check.checker import check, cost_of
from froude.provision.check.violation import Violation
from froude.provision.types import Compute, Cpu, Growth, Op, Options, Problem, RateTarget, Scope, Sla
from froude.provision.types.plan import Group, Held, LocalHeld, ProvisionPlan, Running, Status
from tests.support.provision.clusters import BOX, DISK, small, small_plan


def _rules(problem: Problem, plan: ProvisionPlan) -> set[str]:
    return {violation.rule for violation in check(problem, plan).violations}


def _sound(problem: Problem, plan: ProvisionPlan) -> bool:
    return [str(violation) for violation in check(problem, plan).violations] == []


def _catalog(problem: Problem, **changes: Any) -> Problem:
    return replace(problem, catalog=replace(problem.catalog, **changes))


def _paid(problem: Problem, plan: ProvisionPlan) -> ProvisionPlan:
    return replace(plan, upper=cost_of(problem, plan))


def test_the_small_plan() -> None:
    """Without any feature it is sound: 0.63 disks kept busy, 0.59 instances."""
    problem = small()
    assert _sound(problem, small_plan(problem))


def test_fill() -> None:
    """Sixty gigabytes fill a disk of 100, unless it may be filled by half."""
    problem = replace(small(), options=Options(peak_fill=0.5))
    assert "units of d" in _rules(problem, small_plan(problem, 1))
    assert _sound(problem, small_plan(problem, 2))


def test_replication() -> None:
    """Three replicas: three servers that hold a third each, 1.8 disks full; two servers are refused."""
    problem = small(replication=3)
    assert _sound(problem, small_plan(problem, 3))
    two = small_plan(problem, 2)
    assert {"units", "largest share", "units of d"} - _rules(problem, two) == {"units of d"}
    double = replace(two.groups[0], held=(Held("d", "disk", 2, 0.5),))
    assert "largest share" in _rules(problem, _paid(problem, replace(two, groups=(double, two.groups[1]))))


def test_erasure() -> None:
    """Two data and one parity: three servers at least."""
    problem = small(erasure=(2, 1))
    assert _sound(problem, small_plan(problem, 3))
    assert "largest share" in _rules(problem, small_plan(problem, 2))


def test_redundancy_on_the_wires() -> None:
    """Replicas cross the hosts' network again and again, so a slow one is too slow for them alone."""
    slow = replace(BOX, bandwidth=2e6)
    for dataset, sound in (({}, True), ({"replication": 3}, False)):
        problem = _catalog(small(**dataset), servers=(slow,))
        assert ("network (both) in p" not in _rules(problem, small_plan(problem))) is sound


def test_host_time() -> None:
    """Ten milliseconds of a core per access: 60 a second need 0.6 cores of the hosts beside their own."""
    problem = small(host_time=0.01)
    plan = small_plan(problem, 1)
    assert _rules(problem, plan) == {"cores in p"}
    more = replace(plan, groups=(replace(plan.groups[0], cores=2), plan.groups[1]))
    assert _sound(problem, _paid(problem, more))


def test_services() -> None:
    """A service has a choice, no units, no hosts and any rate; nothing is held on it."""
    problem = small()
    workers = replace(small_plan(problem).groups[1], running=(Running("t", 2, 0.5),))
    plan = ProvisionPlan(Status.GAP, (workers,), {"d": ("store",)})
    assert _sound(problem, _paid(problem, plan))
    held = Group("box", 1, held=(Held("d", "store", 1, 1.0),), cores=1, dimms=1)
    assert "names and numbers" in _rules(problem, replace(plan, groups=(workers, held)))
    cached = replace(plan, choices={"d": ("ssd", "store")})
    assert "cache on such a unit" in _rules(problem, cached)


def test_core_types() -> None:
    """A task runs on servers of its type, twice as fast there, and a plan says on which."""
    problem = small()
    task = problem.application.tasks[0]
    assert isinstance(task.operations[0], Compute)
    path = (replace(task.operations[0], times=(("fast", 0.001),)), *task.operations[1:])
    application = replace(problem.application, tasks=(replace(task, operations=path),))
    problem = _catalog(problem, cpus=(Cpu(100), Cpu(300, name="fast")))
    quick = replace(BOX, name="quick", cpu="fast")
    problem = replace(_catalog(problem, servers=(BOX, quick)), application=application)
    plan = small_plan(problem)
    assert _rules(problem, plan) == {"missing core type"}
    assert _sound(problem, replace(plan, cpus={"t": "core"}))
    assert (
        Violation("core type", "task t", 1, 0) in check(problem, replace(plan, cpus={"t": "fast"})).violations
    )
    assert "unknown core type" in _rules(problem, replace(plan, cpus={"t": "slow"}))
    workers = replace(plan.groups[1], server="quick")
    moved = replace(plan, groups=(plan.groups[0], workers), cpus={"t": "fast"})
    assert _sound(problem, _paid(problem, moved))
    assert cost_of(problem, moved) - plan.upper == pytest.approx(2 * 200)


def test_latency() -> None:
    """Mean and tail, with waits: 40 reads and 20 writes of 10.5 ms at one disk wait 9 ms, at three disks 1.4 ms."""
    for latency, quantile, hosts, sound in (
        (0.06, None, 1, True),
        (0.035, None, 1, False),
        (0.035, None, 3, True),
        (0.06, 0.9, 3, False),
        (0.07, 0.9, 3, True),
    ):
        problem = replace(small(), sla=Sla((RateTarget("t", 40.0, latency, quantile),)))
        plan = small_plan(problem, hosts)
        plan = replace(plan, groups=(plan.groups[0], replace(plan.groups[1], cores=4)))
        assert ("latency" not in _rules(problem, plan)) is sound


def test_waits_take_instances() -> None:
    """Where accesses wait, executions take 39 ms and not 26, so more than four instances run at once."""
    problem = replace(small(), sla=Sla((RateTarget("t", 120.0),)))
    plan = small_plan(problem, 3)
    assert "instances" not in _rules(problem, plan)
    assert "instances" in _rules(replace(problem, sla=Sla((RateTarget("t", 120.0, 10.0),))), plan)


def test_survival() -> None:
    """One of three may fail: shares of a third, loads by half more, and enough replicas."""
    problem = replace(small(replication=2), options=Options(survive_hosts=1))
    plan = small_plan(problem, 3, spread=3)
    three = replace(plan.groups[1], count=3, running=(Running("t", 1, 1 / 3),))
    plan = _paid(problem, replace(plan, groups=(plan.groups[0], three)))
    assert _sound(problem, plan)
    assert "spread" in _rules(problem, replace(plan, spread=None))
    assert "spread" in _rules(problem, replace(plan, spread=1))
    assert "largest share" in _rules(problem, replace(plan, spread=4))
    two = replace(plan, groups=(plan.groups[0], replace(three, count=2, running=(Running("t", 2, 0.5),))))
    assert "largest share" in _rules(problem, two)
    alone = replace(small(), options=Options(survive_hosts=1))
    assert "data that failing servers take along" in _rules(alone, plan)
    heavy = replace(problem, sla=problem.sla.scaled(2.6))
    assert "units of d" in _rules(heavy, plan)  # 0.73 of a disk each, by half more
    assert "units of d" not in _rules(replace(heavy, options=Options()), plan)


def test_local_data_that_would_be_lost() -> None:
    """A share of a partitioned dataset goes with its server; a whole copy does not."""
    for scope, lost in ((Scope.PARTITIONED, True), (Scope.REPLICATED, False)):
        problem = replace(small(remote=False, scope=scope), options=Options(survive_hosts=1))
        workers = Group("box", 2, (), (LocalHeld("d", "disk", 2),), (Running("t", 2, 0.5),), 2, 1)
        plan = ProvisionPlan(Status.GAP, (workers,), {"d": ("disk",)}, spread=2)
        rules = _rules(problem, _paid(problem, plan))
        assert ("data that failing servers take along" in rules) is lost


def test_growth() -> None:
    """The plan has to do at the end of the lead time; the demand of today is not enough."""
    problem = small()
    plan = small_plan(problem, 1)
    assert _sound(problem, plan)
    later = replace(problem, sla=replace(problem.sla, growth=Growth(0.0, 1.0, 365 * 86400.0)))
    assert {"units", "units of d"} <= _rules(later, plan)
    busier = replace(problem, sla=replace(problem.sla, growth=Growth(1.0, 0.0, 365 * 86400.0)))
    assert {"units", "units of d"} <= _rules(busier, plan)


def test_stock_and_spares() -> None:
    """Spare servers count towards what can be had; spares of nothing are refused."""
    problem = _catalog(small(), servers=(replace(BOX, max_count=5),))
    plan = small_plan(problem)
    assert _sound(problem, plan)
    assert _rules(problem, _paid(problem, replace(plan, spares={"box": 1}))) == {"count"}
    assert "unknown spares" in _rules(problem, replace(plan, spares={"tape": 1}))
    assert "unknown spares" in _rules(problem, replace(plan, spares={"disk": -1}))


def test_a_cost_below_any_clusters() -> None:
    """A plan that claims to cost less than its cores and bytes must is wrong whatever it says."""
    problem = small(size=60e12)
    plan = ProvisionPlan(Status.GAP, (), {"d": ("disk",)}, upper=10.0)
    assert "cost below what any cluster costs" in _rules(problem, plan)


def test_accesses_of_each_kind() -> None:
    """A write of three replicas keeps three disks busy where a read keeps one."""
    problem = small(replication=3)
    plan = small_plan(problem, 3)
    path = problem.application.tasks[0].operations
    assert [op.op for op in path[1:]] == [Op.READ, Op.WRITE]  # type: ignore[union-attr]
    from froude.provision.check.demand import Demand

    filled, busy = Demand(problem, plan).need_parts("d", cache=False)
    assert filled == pytest.approx(3 * 60e9 / DISK.capacity)
    assert busy == pytest.approx((40 + 3 * 20) * 0.0105)
