"""Rates, growth and core types as the checker computes them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.provision.check.executions import core_type, core_types, cores_of, grown, rates_of
from froude.provision.types import Batch, BatchTarget, Compute, Cpu, Dependency, Growth, Problem, Sla, Task
from froude.provision.types.plan import Group, ProvisionPlan, Running, Status
from tests.support.provision.clusters import BOX, small

YEAR = 365 * 86400.0


def test_growth_compounds() -> None:
    """Two years at 10 % more load and 50 % more data; caches grow with what they cache; done once."""
    problem = small(cache_size=10e9)
    batch = Batch(100.0, (BatchTarget("t", 50.0),))
    sla = replace(problem.sla, growth=Growth(0.1, 0.5, 2 * YEAR), batch=batch)
    later = grown(replace(problem, sla=sla))
    assert later.sla.targets[0].rate == pytest.approx(40 * 1.21)
    assert later.sla.batch is not None
    assert later.sla.batch.targets[0].executions == pytest.approx(50 * 1.21)
    assert later.application.datasets[0].size == pytest.approx(60e9 * 2.25)
    assert later.application.datasets[0].cache_size == pytest.approx(10e9 * 2.25)
    assert grown(later) is later


def test_calls_in_a_loop() -> None:
    """Half of the executions run again: twice as many in all."""
    problem = small()
    task = Task("t", "p", 0.0, (Dependency("t", 1, probability=0.5),))
    problem = replace(problem, application=replace(problem.application, tasks=(task,)))
    assert rates_of(problem) == pytest.approx({"t": 80.0})
    assert rates_of(replace(problem, sla=Sla(()))) == {"t": 0.0}


def _two_types() -> Problem:
    problem = small()
    catalog = replace(
        problem.catalog,
        cpus=(Cpu(100), Cpu(300, name="fast")),
        servers=(BOX, replace(BOX, name="quick", cpu="fast")),
    )
    path = (Compute(0.01, times=(("fast", 0.001),)),)
    task = replace(problem.application.tasks[0], operations=path)
    return replace(problem, catalog=catalog, application=replace(problem.application, tasks=(task,)))


def test_core_types() -> None:
    """A server without a type takes the first; a task is on its plan's, or on the slowest of where it stands."""
    problem = _two_types()
    assert [cores_of(problem.catalog, server).name for server in problem.catalog.servers] == ["core", "fast"]
    assert core_type(problem, "quick").name == "fast"
    groups = tuple(Group(name, 1, running=(Running("t", 1, 0.5),)) for name in ("quick", "box"))
    assert core_types(problem, ProvisionPlan(Status.GAP, groups[:1])) == {"t": "fast"}
    assert core_types(problem, ProvisionPlan(Status.GAP, groups)) == {"t": "core"}
    assert core_types(problem, ProvisionPlan(Status.GAP, groups, cpus={"t": "fast"})) == {"t": "fast"}
    assert core_types(problem, ProvisionPlan(Status.GAP)) == {"t": "core"}
