"""Loads so low that hardly anything is kept busy: what runs at all still needs an instance and a core of a server."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.provision.check.checker import check
from froude.provision.search.compile import compile_plan
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types import Compute, Problem, RateTarget, Sla
from froude.provision.types.plan import Status
from tests.support.provision.clusters import photoshare, small

pytest.importorskip("highspy")


def _task(rate: float, seconds: float, memory: float) -> Problem:
    """One task that computes only, and no data."""
    problem = small()
    task = replace(problem.application.tasks[0], memory=memory, operations=(Compute(seconds),))
    application = replace(problem.application, datasets=(), tasks=(task,))
    return replace(problem, application=application, sla=Sla((RateTarget("t", rate),)))


@pytest.mark.parametrize("rate", [1 / 86400, 1e-4, 1e-9, 1e-13])
@pytest.mark.parametrize("memory", [0.0, 400e6])
def test_a_task_that_runs_now_and_then(rate: float, memory: float) -> None:
    """A millisecond at a time: one server with one core, proved."""
    problem = _task(rate, 1e-3, memory)
    plan = compile_plan(problem, SolveLimits(1e-4, 20))
    assert plan.status is Status.PROVED
    assert [(g.count, g.cores, g.running[0].instances) for g in plan.groups] == [(1, 1, 1)]
    idle = replace(plan, groups=(replace(plan.groups[0], running=(), cores=0),))
    assert not check(problem, idle).sound


@pytest.mark.parametrize("factor", [1e-4, 1e-8, 1e-12])
def test_an_application_that_hardly_runs(factor: float) -> None:
    """The cheapest cluster for its data is found, and proved, at any such load."""
    problem = photoshare()
    least = compile_plan(replace(problem, sla=problem.sla.scaled(1e-3)), SolveLimits(0.01, 20))
    plan = compile_plan(replace(problem, sla=problem.sla.scaled(factor)), SolveLimits(0.01, 20))
    assert plan.status is Status.PROVED
    assert plan.upper == pytest.approx(least.upper, rel=0.01)


@pytest.mark.parametrize("memory", [0.0, 10.0])
@pytest.mark.parametrize("factor", [1e-9, 1e-6, 1e-3, 1.0, 1e3, 1e6, 1e9])
def test_tasks_that_compute_nothing_run_at_any_load(factor: float, memory: float) -> None:
    """Each plan is sound, and costs what the load costs: per load as at a thousandth of it, or as at no load."""
    problem = photoshare()
    tasks = tuple(
        replace(
            task, memory=memory, operations=tuple(o for o in task.operations if not isinstance(o, Compute))
        )
        for task in problem.application.tasks
    )
    problem = replace(problem, application=replace(problem.application, tasks=tasks))
    at, below = (
        compile_plan(replace(problem, sla=problem.sla.scaled(each)), SolveLimits(0.02, 20))
        for each in (factor, factor / 1e3)
    )
    assert {r.task for g in at.groups for r in g.running} == {task.name for task in tasks}
    assert at.upper >= 0.98 * below.upper
    if factor > 1e3:
        assert at.upper == pytest.approx(1e3 * below.upper, rel=0.04)
    elif factor < 1:
        assert at.upper == pytest.approx(below.upper, rel=0.02)


def test_what_never_runs_keeps_any_latency() -> None:
    """In the model and in the check alike, whatever stands there."""
    problem = _task(0.0, 1.0, 0.0)
    problem = replace(problem, sla=Sla((RateTarget("t", 0.0, latency=1e-3),)))
    plan = compile_plan(problem, SolveLimits(1e-4, 20))
    assert plan.status is Status.PROVED
    assert check(problem, plan).sound
