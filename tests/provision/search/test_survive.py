"""Clusters that survive the failure of hosts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from froude.provision.check.checker import check
from froude.provision.check.evaluate import evaluate
from froude.provision.model.build import build
from froude.provision.model.instance import Instance
from froude.provision.search.compile import compile_plan
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.search.survive import Losses, best_spread, spread_between, spread_over
from froude.provision.types import Placement, Problem
from froude.provision.types.plan import Conflict, Group, ProvisionPlan, Status
from testbed.problems import random_problem
from testbed.virtual_clock import VirtualClock
from tests.support.provision.clusters import photoshare


def _durable(problem: Problem, hosts: int) -> Problem:
    """With as many replicas of remote data as hosts may fail, and one more."""
    datasets = tuple(
        replace(dataset, replication=hosts + 1) if dataset.remote else dataset
        for dataset in problem.application.datasets
    )
    options = replace(problem.options, survive_hosts=hosts)
    application = replace(problem.application, datasets=datasets)
    return replace(problem, application=application, options=options)


def _instance(problem: Problem) -> Instance:
    built = build(problem)
    assert isinstance(built, Instance)
    return built


def test_loads_grow_and_times_do_not() -> None:
    """Rates, needs, bytes, cores by H / (H - f); shares at most 1 / H; run times as they were."""
    plain = _instance(photoshare())
    changed = spread_over(plain, spread=4, hosts=1)
    for one, other in zip(plain.tasks, changed.tasks, strict=True):
        assert other.rate == pytest.approx(one.rate * 4 / 3)
        assert other.cores == pytest.approx([cores * 4 / 3 for cores in one.cores])
        assert other.nic_bytes == pytest.approx([flow * 4 / 3 for flow in one.nic_bytes])
        assert (other.most_share, other.memory, other.latency) == (0.25, one.memory, one.latency)
        assert other.paths == one.paths
    for stored, spread in zip(plain.datasets, changed.datasets, strict=True):
        for before, after in zip(stored.choices, spread.choices, strict=True):
            for copy, larger in zip(before.copies, after.copies, strict=True):
                assert larger.need == pytest.approx(copy.need * 4 / 3)
                assert larger.min_units >= max(4, larger.need * (1 - 1e-6))
                assert larger.most_share == 0.25
                assert larger.accesses == pytest.approx([asked * 4 / 3 for asked in copy.accesses])
                assert larger.bus_bytes == pytest.approx([flow * 4 / 3 for flow in copy.bus_bytes])
    assert plain.run_times([0] * len(plain.datasets)) == changed.run_times([0] * len(plain.datasets))


def test_an_interval_asks_for_less() -> None:
    """Shares of its start and the factor of its end; none without an end. A single H is what it is."""
    plain = _instance(photoshare())
    between = spread_between(plain, start=4, end=8, hosts=2)
    assert between.tasks[0].rate == pytest.approx(plain.tasks[0].rate * 8 / 6)
    assert between.tasks[0].most_share == 0.25
    assert between.placement is Placement.WEIGHTED
    endless = spread_between(plain, start=4, end=None, hosts=2)
    assert endless.tasks[0].rate == plain.tasks[0].rate
    assert spread_between(plain, start=4, end=4, hosts=2) == spread_over(plain, spread=4, hosts=2)


def _solver(costs: Callable[[int, int | None], float]) -> Callable[..., ProvisionPlan]:
    """A stand-in that reads the interval off its argument."""

    def solve(adapt: partial[Instance], gap: float, seconds: float) -> ProvisionPlan:
        assert gap > 0
        assert seconds > 0
        if "spread" in adapt.keywords:
            cost = costs(adapt.keywords["spread"], adapt.keywords["spread"])
        else:
            cost = costs(adapt.keywords["start"], adapt.keywords["end"])
        if cost < 0:
            return ProvisionPlan(Status.INFEASIBLE, conflict=(Conflict("too many"),))
        return ProvisionPlan(Status.PROVED, (Group("s", 1),), lower=cost, upper=cost)

    return solve


@pytest.mark.parametrize(("base", "host"), [(100.0, 10.0), (1000.0, 1.0), (1.0, 50.0), (1e5, 0.5)])
@pytest.mark.parametrize("hosts", [1, 3])
def test_the_best_number_is_found(base: float, host: float, hosts: int) -> None:
    """Of a cost with spare load that falls and a number of hosts that rises; as by trying all."""

    def costs(start: int, end: int | None) -> float:
        return base * (1.0 if end is None else end / (end - hosts)) + host * start

    plan = best_spread(Losses(hosts, hosts), _solver(costs), SolveLimits(1e-6, 1e6), clock=VirtualClock())
    best = min(range(hosts + 1, 3000), key=lambda spread: costs(spread, spread))
    assert plan.status is Status.PROVED
    assert plan.upper == pytest.approx(costs(best, best))
    assert plan.spread is not None
    assert costs(plan.spread, plan.spread) == pytest.approx(plan.upper)


def test_nothing_feasible_says_why() -> None:
    """Where no number of hosts is, there is the conflict of one."""
    plan = best_spread(Losses(1, 1), _solver(lambda *_: -1), SolveLimits(0.01, 1), clock=VirtualClock())
    assert plan.status is Status.INFEASIBLE
    assert plan.conflict[0].constraint == "too many"

    def few(start: int, end: int | None) -> float:
        return -1 if start > 5 else 10.0 * start

    plan = best_spread(Losses(3, 3), _solver(few), SolveLimits(1e-9, 1), clock=VirtualClock())
    assert (plan.status, plan.spread, plan.lower) == (Status.PROVED, 4, 40)


@pytest.mark.parametrize("seed", range(2, 17))
def test_survivors_meet_the_sla(seed: int) -> None:
    """Through optimiser and check, and without the worst hosts the evaluation finds the SLA met."""
    pytest.importorskip("highspy")
    hosts = 1 + seed % 2
    problem = _durable(random_problem(seed, local=False), hosts)
    plan = compile_plan(problem, SolveLimits(0.1, 10.0))
    assert plan.status in {Status.PROVED, Status.GAP, Status.INFEASIBLE}
    if plan.groups:
        assert plan.spread is not None
        assert plan.spread > hosts
        assert check(problem, plan).sound
        assert evaluate(problem, plan).fraction >= 1 - 1e-6


@pytest.mark.parametrize("seed", [3, 8, 11])
def test_the_bound_holds_at_every_number(seed: int) -> None:
    """No plan at any H of a range costs less than the bound over all H."""
    pytest.importorskip("highspy")
    from froude.provision.search.optimise.solving import solve

    problem = _durable(random_problem(seed, local=False), 1)
    plan = compile_plan(problem, SolveLimits(0.05, 20.0))
    built = build(problem)
    assert isinstance(built, Instance)
    at = [solve(spread_over(built, spread=spread, hosts=1), SolveLimits(0.05, 2)) for spread in range(2, 9)]
    costs = [plan.upper for plan in at if plan.groups]
    if plan.status is Status.INFEASIBLE:
        assert not costs
    else:
        assert min(costs) >= plan.lower - 0.01
        assert plan.upper <= min(costs) / (1 - plan.gap) + 0.01


def test_a_large_cluster_is_spread_over_a_part_of_it_at_once() -> None:
    """There are far too many numbers of hosts to come to one by halving, however little time there is."""
    asked: list[int] = []

    def solve(adapt: partial[Instance], gap: float, seconds: float) -> ProvisionPlan:
        spread = adapt.keywords.get("spread")
        asked.extend([] if spread is None else [spread])
        return ProvisionPlan(Status.GAP, (Group("s", 1_000_000),), lower=90.0, upper=100.0)

    plan = best_spread(Losses(1, 1), solve, SolveLimits(0.01, 1e-9), clock=VirtualClock())
    assert asked[0] == 50_000
    assert plan.found
