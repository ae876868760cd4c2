"""The load of an SLA over a given cluster, as a linear program."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("scipy")

from froude.provision.check.demand import Demand
from froude.provision.check.load_lp import CAP, LoadLp
from froude.provision.types import Sla
from tests.support.provision.clusters import small, small_plan


def test_the_factor_and_its_bound() -> None:
    """Two workers with a core each do 200 executions of 10 ms, five times what is asked for."""
    problem = small()
    plan = small_plan(problem, 6)
    many = replace(plan.groups[1], running=(replace(plan.groups[1].running[0], instances=50),))
    plan = replace(plan, groups=(plan.groups[0], many))
    fraction, limits = LoadLp(Demand(problem, plan, actual_units=True)).solve()
    assert fraction == pytest.approx(5)
    assert [limit.constraint for limit in limits] == ["cores of group 2 (box)"]


def test_even_load() -> None:
    """Where no unit may have more than one of so many, three servers cannot be as one of four."""
    problem = small()
    plan = small_plan(problem, 3)
    demand = Demand(problem, plan, actual_units=True)
    fractions = [LoadLp(demand, equal_units={("d", False): units}).solve()[0] for units in (2.0, 3.0, 4.0)]
    assert fractions[0] == pytest.approx(fractions[1])
    assert fractions[2] == 0


def test_no_load() -> None:
    """Without load the factor is capped."""
    problem = replace(small(), sla=Sla(()))
    assert LoadLp(Demand(problem, small_plan(problem))).solve()[0] == CAP


def test_replicas_apart() -> None:
    """Two servers cannot hold three replicas, unless one has failed."""
    problem = small(replication=3, size=10e9)
    plan = small_plan(problem, 2)
    demand = Demand(problem, plan, actual_units=True)
    assert LoadLp(demand).solve()[0] == 0
    assert LoadLp(demand, lost=1).solve()[0] > 0.9


def test_without_a_core_nothing_computes() -> None:
    """Not even so little that no tolerance would notice."""
    problem = small()
    problem = replace(problem, sla=problem.sla.scaled(1e-12))
    plan = small_plan(problem)
    idle = replace(plan, groups=tuple(replace(g, cores=0) if g.running else g for g in plan.groups))
    assert LoadLp(Demand(problem, plan)).solve()[0] > 1
    assert LoadLp(Demand(problem, idle)).solve()[0] == 0
