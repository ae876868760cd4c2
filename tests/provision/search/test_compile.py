"""From inputs to checked plans; the optimiser is a stand-in except where it is the point."""

from __future__ import annotations

import builtins
import math
import sys
import types
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from froude.base.errors import MissingError
from froude.provision.check.bill import bill
from froude.provision.inputs.read import read_problem
from froude.provision.model.build import build
from froude.provision.model.instance import Instance
from froude.provision.search import compile as module
from froude.provision.search.compile import (
    MOST,
    UnsoundPlanError,
    compile_plan,
    countable,
    homogeneous,
    sweep,
)
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types import Growth, Problem, ReReplication
from froude.provision.types.plan import Conflict, ProvisionPlan, Status
from tests.support.provision import small as by_hand
from tests.support.provision.clusters import DISK, alternatives, paper_plan, photoshare, small


def test_the_papers_cluster_is_found() -> None:
    """Exactly the cluster of the paper at 100/300/100, proved to be the cheapest."""
    pytest.importorskip("highspy")
    problem = photoshare()
    plan = compile_plan(problem, SolveLimits(gap=1e-6))
    assert plan.status is Status.PROVED
    assert round(plan.upper, 2) == 7329.09
    assert plan.choices == paper_plan().choices
    quantities = {(line.kind, line.item): line.quantity for line in bill(problem, plan)}
    assert quantities == {(line.kind, line.item): line.quantity for line in bill(problem, paper_plan())}


@pytest.mark.parametrize(("name", "servers"), [("productsearch", 4), ("terasort", 6)])
def test_the_other_examples_compile(name: str, servers: int) -> None:
    """Checked, proved within a hundredth, of the paper's number of machines where the inputs say it."""
    pytest.importorskip("highspy")
    plan = compile_plan(read_problem([name]))
    assert plan.status is Status.PROVED
    assert plan.servers == servers


def _solver(monkeypatch: pytest.MonkeyPatch, solve: Callable[..., ProvisionPlan]) -> None:
    module = types.ModuleType("froude.provision.search.optimise.solving")
    module.solve = solve  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "froude.provision.search.optimise.solving", module)


def test_every_plan_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sound plan is handed on; an unsound one never is."""
    _solver(monkeypatch, lambda *_, **__: paper_plan())
    assert compile_plan(photoshare()) == paper_plan()
    _solver(monkeypatch, lambda *_, **__: alternatives()["Alt3"])
    with pytest.raises(UnsoundPlanError, match="photos"):
        compile_plan(photoshare())


def test_effort_reaches_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gap, time and seed as asked for."""
    seen: list[Any] = []

    def solve(_instance: Instance, limits: SolveLimits, allowed: Any) -> ProvisionPlan:
        seen.extend((limits, allowed))
        return ProvisionPlan(Status.INFEASIBLE)

    _solver(monkeypatch, solve)
    assert compile_plan(photoshare(), SolveLimits(0.05, 3.0, 7)).conflict
    assert seen == [SolveLimits(0.05, 3.0, 7), (tuple(range(6)),) * 3]


@pytest.mark.parametrize("name", ["photoshare-calibrated", "terasort", "hdfs-petabyte"])
def test_the_search_reports_its_bounds(name: str) -> None:
    """Of the whole problem, in dollars: they close in on those of the plan, and none of them was wrong."""
    seen: list[tuple[float, float]] = []
    limits = SolveLimits(0.05, 20.0, watch=lambda lower, upper: seen.append((lower, upper)))
    plan = compile_plan(read_problem([name]), limits)
    assert not seen or seen[-1] == pytest.approx((plan.lower, plan.upper))
    assert name != "hdfs-petabyte" or (
        seen[0][1] < math.inf and 0 < seen[1][0] < math.inf
    )  # before it has parts
    assert all(lower <= plan.upper * (1 + 1e-9) and upper >= plan.lower * (1 - 1e-9) for lower, upper in seen)


def test_a_plain_cluster_is_tried_where_the_search_leaves_a_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under the same bound, also where nothing was found; not where choices are closed."""
    undecided = ProvisionPlan(Status.UNDECIDED, lower=900.0)
    monkeypatch.setattr(module, "_solved", lambda *_: undecided)
    problem = by_hand.small()
    plan = compile_plan(problem)
    assert (plan.status, plan.lower, plan.servers) == (Status.GAP, 900.0, 2)
    assert "2 equal servers" in plan.notes[-1]
    seen: list[tuple[float, float]] = []
    compile_plan(problem, SolveLimits(watch=lambda *bounds: seen.append(bounds)))
    assert seen == [(0.0, plan.upper), (900.0, plan.upper)]
    assert compile_plan(problem, SolveLimits(gap=0.9)).status is Status.PROVED
    assert compile_plan(problem, only={"data": [("disk",)]}) == undecided


def test_a_time_to_re_replicate_asks_for_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever they are, and the cheapest type bounds what they cost; owned ones may cost nothing."""
    monkeypatch.setattr(module, "_solved", lambda *_: ProvisionPlan(Status.UNDECIDED))
    monkeypatch.setattr(module, "least_servers", lambda problem: 5)
    monkeypatch.setattr(module, "plain_cluster", lambda *_: None)
    problem = by_hand.small(data=replace(by_hand.DATA, replication=2))
    problem = replace(problem, sla=replace(problem.sla, re_replication=ReReplication(3600.0)))
    assert compile_plan(problem).lower == 5 * by_hand.BOX.price
    owned = replace(problem.catalog, servers=(replace(by_hand.BOX, owned=1),))
    assert compile_plan(replace(problem, catalog=owned)).lower == 0.0


def test_a_conflict_of_the_inputs_needs_no_solver() -> None:
    """What fits no server is known before."""
    problem = photoshare()
    tasks = tuple(replace(task, memory=1e15) for task in problem.application.tasks)
    plan = compile_plan(replace(problem, application=replace(problem.application, tasks=tasks)))
    assert plan.status is Status.INFEASIBLE
    assert plan.conflict[0].constraint == "memory of task upload"


def test_homogeneous_clusters_have_one_medium(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every dataset has the one choice open."""
    seen: list[set[str]] = []

    def solve(instance: Instance, _: SolveLimits, *, allowed: Sequence[Sequence[int]]) -> ProvisionPlan:
        pairs = zip(instance.datasets, allowed, strict=True)
        seen.append({dataset.choices[choice].label for dataset, open_ in pairs for choice in open_})
        return ProvisionPlan(Status.UNDECIDED)

    _solver(monkeypatch, solve)
    assert list(homogeneous(photoshare())) == ["7.2KDisk", "15KDisk", "SSD"]
    assert seen == [{"7.2KDisk"}, {"15KDisk"}, {"SSD"}]
    assert list(homogeneous(read_problem(["productsearch"]))) == ["7.2KDisk", "15KDisk", "SSD"]


def test_a_sweep_scales_the_sla(monkeypatch: pytest.MonkeyPatch) -> None:
    """All rates by the same factor, in the order asked for."""
    rates: list[float] = []

    def solve(instance: Instance, *_: Any, **__: Any) -> ProvisionPlan:
        rates.append(instance.tasks[1].rate)
        return ProvisionPlan(Status.UNDECIDED)

    _solver(monkeypatch, solve)
    points = sweep(photoshare(), [2.0, 0.5], baselines=False)
    assert [point.factor for point in points] == [2.0, 0.5]
    assert rates == [600, 150]


def test_baselines_with_every_layer() -> None:
    """Quantities, hosts to survive and growth: the homogeneous clusters are checked, and none is cheaper."""
    pytest.importorskip("highspy")
    problem = photoshare()
    datasets = tuple(replace(dataset, replication=2) for dataset in problem.application.datasets)
    servers = tuple(replace(server, owned=2) for server in problem.catalog.servers)
    problem = replace(
        problem,
        catalog=replace(problem.catalog, servers=servers, diversity=100.0),
        application=replace(problem.application, datasets=datasets),
        sla=replace(problem.sla, growth=Growth(0.2, 0.1, 180 * 86400.0)),
        options=replace(problem.options, survive_hosts=1),
    )
    (point,) = sweep(problem, [0.1], SolveLimits(0.1, 20.0))
    assert point.plan.spread is not None
    assert list(point.baselines) == ["7.2KDisk", "15KDisk", "SSD"]
    assert all(plan.upper >= point.plan.lower - 0.01 for plan in point.baselines.values())


def test_a_missing_solver_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the extra that brings it."""
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "froude.provision.search.optimise.solving":
            raise ModuleNotFoundError("no highspy", name="highspy")
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingError, match=r"froude\[provision\]"):
        compile_plan(photoshare())


def test_a_core_type_can_be_closed() -> None:
    """What is left open is what the tasks run on, and no cheaper than with all open."""
    problem = photoshare()
    slow = replace(problem.catalog.cpus[0], name="slow", price=80.0)
    server = problem.catalog.servers[0]
    catalog = replace(
        problem.catalog,
        cpus=(*problem.catalog.cpus, slow),
        servers=(server, replace(server, name="Slow1", cpu="slow")),
    )
    both = replace(problem, catalog=catalog)
    rows = {f"core type of {task.name}": [("core",)] for task in problem.application.tasks}
    closed = compile_plan(both, only=rows)
    assert set(closed.cpus.values()) == {"core"}
    assert set(compile_plan(both).cpus.values()) == {"slow"}
    assert compile_plan(both).upper < closed.upper


def _instance(problem: Problem) -> Instance:
    built = build(problem)
    assert isinstance(built, Instance)
    return built


def test_a_choice_of_too_many_pieces_is_none_while_there_are_others() -> None:
    """Grains of a tenth of a microbyte hold nothing."""
    problem = small()
    grain = replace(DISK, name="grain", capacity=1e-7)
    instance = _instance(
        replace(problem, catalog=replace(problem.catalog, units=(grain, *problem.catalog.units)))
    )
    kept = countable(instance, instance.every)
    assert not isinstance(kept, Conflict)
    names = [instance.datasets[0].choices[c].names for c in kept[0]]
    assert names
    assert all("grain" not in chosen for chosen in names)


def test_where_there_is_no_other_the_conflict_says_of_what() -> None:
    """Units of a dataset, or instances and cores of a task."""
    instance = _instance(small())
    assert countable(instance, instance.every) == instance.every
    problem = small()
    problem = replace(problem, sla=problem.sla.scaled(1e12))
    conflict = countable(_instance(problem), _instance(problem).every)
    assert isinstance(conflict, Conflict)
    assert conflict.constraint.startswith("number of ")
    assert conflict.needed > MOST == conflict.allowed
