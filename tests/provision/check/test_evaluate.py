"""How much of the SLA a given cluster meets."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("scipy")

from froude.provision.check.checker import Verdict, cost_of
from froude.provision.check.demand import Demand
from froude.provision.check.evaluate import Evaluation, _fullest, _local_part, _losses, evaluate, judge, meets
from froude.provision.check.violation import Violation
from froude.provision.types import Compute, Cpu, Growth, Options, Problem, RateTarget, Sla
from froude.provision.types.plan import Group, Held, LocalHeld, ProvisionPlan, Running, Status
from tests.support.provision.clusters import (
    BOX,
    PHOTOS,
    SMALL,
    WEB,
    alternatives,
    paper_plan,
    photoshare,
    small_plan,
)
from tests.support.provision.clusters import small as with_small_memory


def small(**dataset: Any) -> Problem:
    """With memory for any number of instances: they are not what is missing here."""
    problem = with_small_memory(**dataset)
    units = (replace(u, capacity=1e12) if u.volatile else u for u in problem.catalog.units)
    return replace(problem, catalog=replace(problem.catalog, units=tuple(units)))


def test_the_papers_cluster_meets_it() -> None:
    """Slightly over-provisioned, as the paper says; the web tier's 3.8 of 4 cores hold it back."""
    evaluation = evaluate(photoshare(), paper_plan())
    assert evaluation.met
    assert evaluation.fraction == pytest.approx(1 / 0.95, rel=1e-3)
    assert "photoview" in evaluation.bottleneck or "cores" in evaluation.bottleneck


@pytest.mark.parametrize(
    ("name", "fraction", "bottleneck"),
    [
        ("Alt1", 3 / 3.8, "cores"),
        ("Alt2", 1 / 3.5293, "thumbs"),
        ("Alt3", 3 / 3.0333, "photos"),
        ("Alt4", 2 / 8.0489, "thumbs"),
    ],
)
def test_the_alternatives_miss_it(name: str, fraction: float, bottleneck: str) -> None:
    """By how much, and for want of what; instances are given, since they cost nothing there."""
    plan = alternatives()[name]
    many = replace(WEB, cores=plan.groups[0].cores, dimms=12)
    many = replace(many, running=tuple(replace(r, instances=20) for r in many.running))
    evaluation = evaluate(photoshare(), replace(plan, groups=(many, *plan.groups[1:])))
    assert not evaluation.met
    assert evaluation.fraction == pytest.approx(fraction, rel=1e-3)
    assert bottleneck in evaluation.bottleneck


def test_accesses_of_a_bus_hold_it_back() -> None:
    """Of the server that holds thumbnails and tags, which are asked for 2,100 times a second."""
    problem = photoshare()
    server = problem.catalog.servers[0]
    slow = replace(server, buses=(replace(server.buses[0], iops=300), server.buses[1]))
    evaluation = evaluate(replace(problem, catalog=replace(problem.catalog, servers=(slow,))), paper_plan())
    assert evaluation.fraction == pytest.approx(300 / 2100)
    assert evaluation.bottleneck == "IOPS of SAS of group 3 (Server1)"


def test_load_is_spread_as_well_as_can_be() -> None:
    """Uneven groups carry uneven shares: three and one disk carry what four do."""
    groups = [replace(PHOTOS, held=(Held("photos", "15KDisk", n, 0.0),)) for n in (3, 1)]
    plan = replace(paper_plan(), groups=(WEB, *groups, SMALL))
    assert evaluate(photoshare(), plan).fraction == pytest.approx(
        evaluate(photoshare(), paper_plan()).fraction
    )


def test_a_cluster_without_a_part_meets_nothing() -> None:
    """What is not there at all is named."""
    evaluation = evaluate(photoshare(), replace(paper_plan(), groups=(WEB, SMALL)))
    assert evaluation.fraction == 0
    assert "15KDisk for dataset photos" in evaluation.bottleneck
    evaluation = evaluate(photoshare(), replace(paper_plan(), groups=(PHOTOS, SMALL)))
    assert "no instances of task upload" in evaluation.bottleneck


def test_too_small_for_the_data() -> None:
    """Disks that do not hold the data meet nothing, and capacity is the reason."""
    small = replace(PHOTOS, held=(Held("photos", "15KDisk", 1, 1.0),))
    evaluation = evaluate(photoshare(), replace(paper_plan(), groups=(WEB, small, SMALL)))
    assert evaluation.fraction == pytest.approx(0)
    assert "capacity of 15KDisk of photos" in evaluation.bottleneck


def test_no_load() -> None:
    """A cluster without load has no bottleneck but the cap."""
    problem = replace(photoshare(), sla=Sla((RateTarget("upload", 0.0),)))
    evaluation = evaluate(problem, paper_plan())
    assert evaluation.met
    assert evaluation.bottleneck == "none"


def _many(plan: ProvisionPlan) -> ProvisionPlan:
    """With as many instances as anybody could want, so that storage holds it back."""
    workers = plan.groups[-1]
    running = tuple(replace(task, instances=90) for task in workers.running)
    return replace(plan, groups=(*plan.groups[:-1], replace(workers, cores=4, running=running)))


@pytest.mark.parametrize(
    ("dataset", "hosts", "fraction"),
    [
        ({}, 1, 1 / 0.63),
        ({}, 3, 3 / 0.63),
        ({"replication": 3}, 3, 3 / 1.05),
        ({"erasure": (2, 1)}, 3, 3 / ((80 + 60) * 0.01025)),
        ({"host_time": 0.02}, 3, 3 / 0.63),
    ],
)
def test_redundancy_takes_its_part(dataset: dict[str, Any], hosts: int, fraction: float) -> None:
    """The disks' time goes into replicas and fragments; hosts with three more cores have them to spare."""
    problem = small(**dataset)
    plan = _many(small_plan(problem, hosts))
    plan = replace(plan, groups=(replace(plan.groups[0], cores=4), *plan.groups[1:]))
    assert evaluate(problem, plan).fraction == pytest.approx(fraction)


def test_cores_of_hosts() -> None:
    """Two of the three hosts' cores are left for 1.2 core-seconds a second of accesses."""
    problem = small(host_time=0.02)
    plan = _many(small_plan(problem, 1))
    plan = replace(plan, groups=(replace(plan.groups[0], cores=2), *plan.groups[1:]))
    evaluation = evaluate(problem, plan)
    assert evaluation.fraction == pytest.approx(1 / 1.2)
    assert evaluation.bottleneck == "cores of group 1 (box)"


def test_a_service_needs_nothing() -> None:
    """Only the workers bound what is kept on a service."""
    problem = small()
    workers = _many(small_plan(problem)).groups[1]
    evaluation = evaluate(problem, ProvisionPlan(Status.GAP, (workers,), {"d": ("store",)}))
    assert evaluation.bottleneck == "cores of group 1 (box)"
    assert evaluation.fraction == pytest.approx(8 / 0.4)


def test_the_fraction_at_which_the_latency_holds() -> None:
    """At one disk: 0.0258 s and 1.5 waits are 0.035 s where rho is 0.54."""
    problem = replace(small(), sla=Sla((RateTarget("t", 40.0, 0.035),)))
    plan = _many(small_plan(problem, 1))
    evaluation = evaluate(problem, plan)
    waited = (0.035 - 0.02575) / 1.5
    rho = 2 * waited / (0.0105 + 2 * waited)
    assert evaluation.fraction == pytest.approx(rho / 0.63, rel=1e-4)
    assert "latency" in evaluation.bottleneck
    assert not meets(problem, plan)
    assert meets(replace(problem, sla=problem.sla.scaled(evaluation.fraction * 0.9999)), plan)
    relaxed = replace(problem, sla=Sla((RateTarget("t", 40.0, 100.0),)))
    assert evaluate(relaxed, plan).fraction == pytest.approx(1 / 0.63, rel=0.01)


def test_waits_with_uneven_servers() -> None:
    """Shares that the plan gives are one of the ways to spread the load that are tried."""
    problem = replace(small(), sla=Sla((RateTarget("t", 40.0, 0.045),)))
    plan = _many(small_plan(problem, 1))
    slow = replace(plan.groups[0], held=(Held("d", "disk", 3, 0.75),))
    plan = replace(
        plan, groups=(slow, replace(plan.groups[0], held=(Held("d", "disk", 1, 0.25),)), plan.groups[1])
    )
    assert evaluate(problem, plan).met


def test_the_worst_servers_fail() -> None:
    """Of three hosts two are left with 1.5 times the load; of one none."""
    problem = replace(small(replication=2), options=Options(survive_hosts=1))
    plan = _many(small_plan(problem, 3))
    assert evaluate(problem, plan).fraction == pytest.approx(2 / 0.84)
    assert evaluate(replace(problem, options=Options()), plan).fraction == pytest.approx(3 / 0.84)
    two = replace(problem, options=Options(survive_hosts=2))
    assert "dataset d: data that failing servers take along" in evaluate(two, plan).bottleneck
    alone = replace(plan, groups=(plan.groups[0], replace(plan.groups[1], count=1)))
    evaluation = evaluate(problem, alone)
    assert evaluation.fraction == 0
    assert evaluation.bottleneck == "no instances of task t"


def test_failures_by_groups() -> None:
    """The larger of two unequal hosts is the worse loss."""
    problem = replace(small(replication=2, size=10e9), options=Options(survive_hosts=1))
    plan = _many(small_plan(problem, 2))
    large = replace(plan.groups[0], count=1, held=(Held("d", "disk", 4, 0.5),))
    plan = replace(plan, groups=(large, replace(plan.groups[0], count=1), plan.groups[1]))
    assert evaluate(problem, plan).fraction == pytest.approx(1 / 0.84)


def test_replicas_of_all_that_is_stored_are_on_different_servers() -> None:
    """Where none fails, too: of two servers each has one replica of everything, however much faster one of them is."""
    problem = replace(small(replication=2, size=10e9), options=Options())
    plan = _many(small_plan(problem, 2))
    large = replace(plan.groups[0], count=1, held=(Held("d", "disk", 4, 0.5),))
    plan = replace(plan, groups=(large, replace(plan.groups[0], count=1), plan.groups[1]))
    assert evaluate(problem, plan).fraction == pytest.approx(2 / 0.84)


def test_core_types_of_a_given_cluster() -> None:
    """Told by where the instances stand; of two types the slowest counts, and that is said."""
    problem = small()
    task = problem.application.tasks[0]
    assert isinstance(task.operations[0], Compute)
    path = (replace(task.operations[0], times=(("fast", 0.002),)), *task.operations[1:])
    application = replace(problem.application, tasks=(replace(task, operations=path),))
    quick = replace(BOX, name="quick", cpu="fast")
    catalog = replace(problem.catalog, cpus=(Cpu(100), Cpu(300, name="fast")), servers=(BOX, quick))
    problem = replace(problem, catalog=catalog, application=application)
    plan = _many(small_plan(problem, 6))
    workers = replace(plan.groups[1], cores=1)
    slow = replace(plan, groups=(plan.groups[0], workers))
    fast = replace(plan, groups=(plan.groups[0], replace(workers, server="quick")))
    assert evaluate(problem, slow).fraction == pytest.approx(2 / 0.4)
    assert evaluate(problem, fast).fraction == pytest.approx(6 / 0.63)
    mixed = replace(plan, groups=(plan.groups[0], workers, replace(workers, server="quick")))
    evaluation = evaluate(problem, mixed)
    assert evaluation.fraction == pytest.approx(6 / 0.63)
    assert any("slowest" in note for note in evaluation.notes)


def test_growth_is_not_counted() -> None:
    """The fraction is of today's demand, and says so."""
    problem = small()
    plan = small_plan(problem)
    growing = replace(problem, sla=replace(problem.sla, growth=Growth(1.0, 1.0, 1e8)))
    assert evaluate(growing, plan).fraction == evaluate(problem, plan).fraction
    assert any("growth" in note for note in evaluate(growing, plan).notes)


def test_instances_without_units_of_their_own() -> None:
    """Local data stands beside each instance: what shares another's units does not count."""
    problem = small(remote=False, size=10e9)
    workers = Group("box", 2, (), (LocalHeld("d", "disk", 1),), (Running("t", 3, 0.5),), 4, 2)
    evaluation = evaluate(problem, ProvisionPlan(Status.GAP, (workers,), {"d": ("disk",)}))
    assert evaluation.fraction == pytest.approx(2 / (40 * 0.02575))
    assert evaluation.bottleneck == "units of local d beside instances in group 1 (box)"


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(0, 6))
def test_every_way_to_lose_servers(counts: list[int], failures: int) -> None:
    """By brute force: as many as may fail, or all there are; each way once."""
    every = product(*(range(count + 1) for count in counts))
    lost = [ways for ways in every if sum(ways) == min(failures, sum(counts))]
    assert sorted(_losses(counts, failures)) == sorted(lost)


def test_what_a_cluster_is_refused_for() -> None:
    """For what it cannot be built for; for its shares, where it has some; else for the part of the SLA it misses."""
    problem = small()
    plan = small_plan(problem, 1)
    verdict = judge(problem, replace(plan, groups=(replace(plan.groups[0], cores=5), plan.groups[1])))
    assert verdict.violations == (Violation("cores of server", "group 1 (1 x box)", 5, 4),)
    assert math.isnan(verdict.cost)
    for upper in (plan.upper, math.inf):
        assert judge(problem, replace(plan, upper=upper)) == Verdict((), plan.upper)
    (wrong,) = judge(problem, replace(plan, upper=1.0)).violations
    assert wrong.rule.startswith("cost of $1.00")
    left_open = _shareless(_many(plan))
    assert judge(problem, left_open) == Verdict((), cost_of(problem, left_open))
    (flaw,) = judge(replace(problem, sla=problem.sla.scaled(2.0)), left_open).violations
    assert (flaw.rule, flaw.where, flaw.needed) == (
        "share of the SLA",
        "speed of disk of d in group 1 (box)",
        1.0,
    )
    assert flaw.allowed == pytest.approx(1 / 1.26)


def test_all_of_the_sla_is_met_but_for_rounding() -> None:
    """A fraction of one, less a billionth; what was not counted is named, and only that."""
    assert [Evaluation(fraction, ()).met for fraction in (1.0, 1 - 1e-9, 1 - 2e-9)] == [True, True, False]
    problem = small()
    assert evaluate(problem, small_plan(problem)).notes == ()


def _shareless(plan: ProvisionPlan) -> ProvisionPlan:
    return replace(
        plan,
        groups=tuple(
            replace(
                group,
                held=tuple(replace(h, share=0.0) for h in group.held),
                running=tuple(replace(r, share=0.0) for r in group.running),
            )
            for group in plan.groups
        ),
    )


@pytest.mark.parametrize("count", [1, 2])
def test_load_that_waits_is_spread_less_evenly_where_a_server_can_do_less(count: int) -> None:
    """Where one half of the hosts has a network for less than a third of the load, the other half has the rest."""
    problem = replace(small(), sla=Sla((RateTarget("t", 40.0, 0.06),)))
    thin = replace(BOX, name="thin", bandwidth=0.9e6 / count)
    problem = replace(problem, catalog=replace(problem.catalog, servers=(BOX, thin)))
    hosts, workers = _many(small_plan(problem, count)).groups
    plan = ProvisionPlan(Status.GAP, (hosts, replace(hosts, server="thin"), workers), {"d": ("disk",)})
    assert evaluate(problem, _shareless(plan)).met
    assert meets(problem, _shareless(plan))
    hurried = replace(problem, sla=Sla((RateTarget("t", 40.0, 0.027),)))
    assert not meets(hurried, _shareless(plan))


def test_what_cannot_hold_the_data_is_not_late() -> None:
    """Of a cluster that reaches nothing without waits, that is the reason, whatever latency is asked for."""
    problem = replace(small(size=1e12), sla=Sla((RateTarget("t", 40.0, 0.06),)))
    evaluation = evaluate(problem, _many(small_plan(problem, 1)))
    assert evaluation.fraction == pytest.approx(0)
    assert "capacity" in evaluation.bottleneck
    two = replace(small_plan(problem).groups[1], cores=9, dimms=9)
    limits = evaluate(problem, ProvisionPlan(Status.GAP, (two,), {"d": ("disk",)})).limits
    assert [limit.weight for limit in limits] == [1 / len(limits)] * len(limits)
    assert len(limits) > 1


def test_a_latency_that_is_just_kept() -> None:
    """A service has no queue, so that a run time is known to the last digit."""
    problem = small()
    workers = _many(small_plan(problem)).groups[1]
    plan = ProvisionPlan(Status.GAP, (workers,), {"d": ("store",)})
    took = Demand(problem, plan).run_times["t"]
    for latency, met in ((took, True), (took * (1 + 1e-12), True), (took * (1 - 1e-6), False)):
        late = replace(problem, sla=Sla((RateTarget("t", 40.0, latency),)))
        assert meets(late, plan) is met


@pytest.mark.parametrize(("latency", "met"), [(0.0273, True), (0.0271, False)])
def test_accesses_of_local_data_wait_at_the_units_of_their_server(latency: float, *, met: bool) -> None:
    """Four units share 60 accesses of 10.5 ms a second: 0.0258 s and 1.5 waits of 0.98 ms are 0.0272 s."""
    problem = replace(small(remote=False, size=10e9), sla=Sla((RateTarget("t", 40.0, latency),)))
    workers = Group("box", 2, (), (LocalHeld("d", "disk", 2),), (Running("t", 2, 0.5),), 4, 2)
    plan = ProvisionPlan(Status.GAP, (workers,), {"d": ("disk",)})
    assert meets(problem, plan) is met
    assert evaluate(problem, plan).met is met


def test_local_data_has_the_share_of_its_task() -> None:
    """On each server of a group, with its own units; other tasks and other data there do not count."""
    local = (LocalHeld("d", "disk", 2), LocalHeld("e", "disk", 7))
    group = Group("box", 3, (), local, (Running("t", 2, 0.5), Running("u", 1, 0.25)), 4, 2)
    assert _local_part(group, "d", "t") == (0.5, 2, 3)
    assert _local_part(group, "d", None) == (0.0, 2, 3)


def test_how_many_equal_units_the_shares_amount_to() -> None:
    """As many as have the load of the fullest; what failed is taken over, and what has no share does not count."""
    for parts, units in (
        ([(0.5, 2, 1), (0.25, 1, 2)], 4.0),
        ([(0.5, 1, 1), (0.25, 1, 2)], 2.0),
        ([(0.25, 1, 1)], 1.0),
        ([(1.0, 2, 1), (0.0, 0, 3)], 2.0),
        ([(0.5, 0, 1), (0.5, 1, 1)], 0.0),
        ([(0.0, 1, 1)], 0.0),
        ([], 0.0),
    ):
        assert _fullest(parts) == units


@pytest.mark.parametrize("rate", [0.0, 0.5])
def test_a_task_without_work_needs_no_instance(rate: float) -> None:
    """With any it does."""
    problem = replace(small(), sla=Sla((RateTarget("t", rate),)))
    plan = small_plan(problem)
    evaluation = evaluate(problem, replace(plan, groups=plan.groups[:1]))
    assert (evaluation.bottleneck == "no instances of task t") is (rate > 0)


def test_a_latency_holds_at_a_part_of_what_is_met_without() -> None:
    """Of a cluster that misses the rates, too, and to a millionth of a small part."""
    problem = replace(small(), sla=Sla((RateTarget("t", 40.0, 0.035),)))
    plan = _many(small_plan(problem, 1))
    fraction = evaluate(problem, plan).fraction
    for times in (2.0, 1000.0):
        more = replace(problem, sla=problem.sla.scaled(times))
        evaluation = evaluate(more, plan)
        assert evaluation.fraction == pytest.approx(fraction / times, rel=1e-5)
        assert "latency" in evaluation.bottleneck


def test_a_latency_that_is_just_kept_is_met() -> None:
    """Though the cluster could do more without it."""
    plan = _many(small_plan(small(), 1))
    took = Demand(small(), plan, actual_units=True).run_times["t"]
    waits = replace(small(), sla=Sla((RateTarget("t", 40.0, took),)))
    took = Demand(waits, plan, actual_units=True, equal_units={("d", False): 1.0}).run_times["t"]
    kept = replace(small(), sla=Sla((RateTarget("t", 40.0, took * (1 + 5e-10)),)))
    assert meets(kept, plan)
    assert evaluate(kept, plan).met
