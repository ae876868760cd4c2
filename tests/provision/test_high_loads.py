"""Loads of millions of servers: clusters are found, and what is called infeasible is."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("highspy")

from froude.provision.inputs.read import read_problem
from froude.provision.search.compile import compile_plan
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types.plan import Status


@pytest.mark.parametrize(("name", "factor"), [("photoshare-calibrated", 1e7), ("productsearch", 1e6)])
def test_an_application_of_millions_of_servers(name: str, factor: float) -> None:
    """Proved, at as much per load as a thousandth of it."""
    problem = read_problem([name])
    less = compile_plan(replace(problem, sla=problem.sla.scaled(factor / 1e3)), SolveLimits(0.01, 30))
    plan = compile_plan(replace(problem, sla=problem.sla.scaled(factor)), SolveLimits(0.01, 30))
    assert plan.status is Status.PROVED
    assert plan.servers > 1e6
    assert plan.upper == pytest.approx(less.upper * 1e3, rel=0.02)
