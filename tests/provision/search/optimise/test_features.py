"""Every feature beyond the paper, against programs that share nothing with the optimiser."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from froude.base.clock import RealClock
from froude.provision.model.instance import Choice, DatasetNeed, Instance
from froude.provision.search.optimise.benders import BendersSearch
from froude.provision.search.optimise.highs import solve as solved
from froude.provision.search.optimise.master import Master
from froude.provision.search.optimise.presolve import breaks_latency, presolve
from froude.provision.search.optimise.solving import solve
from froude.provision.search.optimise.subproblem import subproblem
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types import Placement
from froude.provision.types.plan import Status
from tests.support.provision.search.optimise.examples import FEATURES, built, featured, photoshare
from tests.support.provision.search.optimise.reference import enumerated_uniform, joint_weighted, violations


def _searched(instance: Instance) -> BendersSearch:
    """A finished search whose cluster breaks no rule."""
    search = BendersSearch(instance, SolveLimits(1e-4, 20), RealClock())
    search.run()
    assert math.isfinite(search.best.cost)
    assert violations(instance, search.best.choices, search.best.groups()) == []
    return search


def _servers(search: BendersSearch) -> int:
    return sum(group.count for group in search.best.groups())


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("feature", FEATURES)
def test_one_feature_equals_the_optimum_of_single_servers(feature: str, seed: int) -> None:
    """Each feature alone costs what enumerated choices cost, packed server by server by another solver."""
    instance = featured(seed, only=feature)
    search = _searched(instance)
    optimum = joint_weighted(instance, most=max(1, _servers(search)))
    assert search.lower <= optimum * (1 + 1e-6)
    assert search.best.cost == pytest.approx(optimum, rel=2e-4)
    assert search.closed


@pytest.mark.parametrize("seed", [0, 1, 3, 7, 9, 12, 14, 16])
def test_features_together_equal_the_optimum_of_single_servers(seed: int) -> None:
    """Two to all of them at once."""
    instance = featured(seed)
    search = _searched(instance)
    optimum = joint_weighted(instance, most=max(1, _servers(search)))
    assert search.lower <= optimum * (1 + 1e-6)
    assert search.best.cost == pytest.approx(optimum, rel=2e-4)


@pytest.mark.parametrize("feature", [name for name in FEATURES if name != "local"])
def test_uniform_placement_equals_enumeration(feature: str) -> None:
    """Whole units and instances, counted through without a solver."""
    instance = featured(1, only=feature, placement=Placement.UNIFORM)
    search = _searched(instance)
    optimum = enumerated_uniform(instance, most=min(_servers(search), 2))
    assert search.lower <= optimum + 1e-6
    if _servers(search) <= 2:
        assert search.best.cost == pytest.approx(optimum, rel=2e-4)


def _replicated(times: int) -> Instance:
    """PhotoShare whose copies stand on so many servers each."""
    instance = built(photoshare(100))
    datasets = []
    for dataset in instance.datasets:
        choices = []
        for choice in dataset.choices:
            copies = (
                replace(c, most_share=1 / times, min_units=max(c.min_units, times)) for c in choice.copies
            )
            choices.append(replace(choice, copies=tuple(copies)))
        datasets.append(replace(dataset, choices=tuple(choices)))
    return replace(instance, datasets=tuple(datasets))


@pytest.mark.parametrize("times", [3, 7])
def test_replicas_force_servers_in_the_master(times: int) -> None:
    """Before any packing, r replicas cost r hosts."""
    sub = subproblem(_replicated(times))
    master = Master(sub)
    counts = master.counts_at(solved(master.program).x)
    assert sum(n for n, kind in zip(counts, sub.kinds, strict=True) if kind.host) >= times - 1e-6


def test_replicas_stand_on_different_servers() -> None:
    """No host has more than a third of a copy that is kept three times."""
    plan = solve(_replicated(3), SolveLimits(0.02))
    shares = [held.share for group in plan.groups for held in group.held]
    assert max(shares) <= 1 / 3 + 1e-6
    assert plan.gap <= 0.02


def test_choices_that_are_too_late_are_closed() -> None:
    """By themselves before the search, together by the run time's variable."""
    instance = featured(2, only="latency")
    assert any(task.latency for task in instance.tasks)
    search = _searched(instance)
    assert not breaks_latency(instance, search.best.choices)
    for dataset, (kept, need) in enumerate(zip(presolve(instance), instance.datasets, strict=True)):
        for choice in set(range(len(need.choices))) - set(kept):
            forced = [
                (choice,) if d == dataset else range(len(o.choices)) for d, o in enumerate(instance.datasets)
            ]
            assert solve(instance, allowed=forced).status is Status.INFEASIBLE


def test_a_core_type_that_no_server_has_is_not_chosen() -> None:
    """A plan says on which core type each task runs, and what is not there is no choice."""
    instance = featured(0, only="cpus")
    plan = solve(instance)
    assert plan.cpus.keys() == {task.name for task in instance.tasks}
    assert plan.choices.keys() == {d.name for d in instance.datasets if d.cpu_of is None}
    slow = replace(instance, servers=tuple(replace(s, cpu=0) for s in instance.servers))
    assert set(solve(slow).cpus.values()) == {"slow"}


def _services(instance: Instance) -> Instance:
    """Every dataset kept by a provider at 100 dollars."""
    kept = Choice("S3", cost=100.0, names=("S3",))
    datasets = tuple(DatasetNeed(d.name, (kept,)) for d in instance.datasets)
    tasks = tuple(
        replace(t, paths=tuple(replace(p, io_s=tuple((d, (0.02,)) for d, _ in p.io_s)) for p in t.paths))
        for t in instance.tasks
    )
    return replace(instance, datasets=datasets, tasks=tasks)


def test_services_alone_need_no_server() -> None:
    """Without work to do a cluster on services is no server at all, and has its cost."""
    instance = _services(built(photoshare(0)))
    idle = replace(instance, tasks=tuple(replace(t, rate=0.0, floors=()) for t in instance.tasks))
    plan = solve(idle)
    assert (plan.status, plan.servers, plan.upper) == (Status.PROVED, 0, 300.0)
    assert plan.lower == pytest.approx(300.0)


@pytest.mark.parametrize("isolation", [True, False])
def test_services_and_tasks_need_workers_only(isolation: bool) -> None:
    """Hosts hold nothing, so there are none."""
    instance = _services(built(photoshare(100, isolation=isolation)))
    plan = solve(instance)
    assert plan.status is Status.PROVED
    assert not any(group.held for group in plan.groups)
    assert plan.upper == pytest.approx(joint_weighted(instance, most=plan.servers), rel=0.011)


def test_tasks_without_datasets() -> None:
    """Compute alone is a problem too."""
    instance = built(photoshare(100))
    tasks = tuple(
        replace(t, paths=tuple(replace(p, io_s=()) for p in t.paths), floors=()) for t in instance.tasks
    )
    bare = replace(instance, datasets=(), tasks=tasks)
    plan = solve(bare)
    assert plan.status is Status.PROVED
    assert plan.upper == pytest.approx(joint_weighted(bare, most=plan.servers), rel=0.011)


def test_nothing_at_all_costs_nothing() -> None:
    """No datasets, no tasks: an empty plan, proved."""
    plan = solve(replace(built(photoshare(100)), datasets=(), tasks=()))
    assert (plan.status, plan.upper, plan.servers) == (Status.PROVED, 0.0, 0)


def test_no_gap_means_the_optimum() -> None:
    """A gap of zero is reached when the bounds meet but for rounding."""
    plan = solve(built(photoshare(100)), SolveLimits(0.0))
    assert plan.status is Status.PROVED
    assert plan.gap <= 1e-6
