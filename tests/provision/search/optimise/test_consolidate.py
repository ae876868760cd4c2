"""Clusters of equal cost are given in their tidiest form."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("highspy")

from froude.provision.check.checker import check
from froude.provision.inputs.read import read_problem
from froude.provision.search.compile import compile_plan
from froude.provision.search.optimise.consolidate import merged
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types.plan import Group, Held, Running


def test_the_papers_cluster_comes_out_as_it_stands_there() -> None:
    """Photos on one server and the rest on another, though photos could be spread over both for the same cost."""
    plan = compile_plan(read_problem(["photoshare-calibrated"]), SolveLimits(1e-6))
    stored = sorted(sorted((h.dataset, h.unit, h.units) for h in group.held) for group in plan.groups)
    assert stored == [
        [],
        [("photos", "15KDisk", 4)],
        [("tags", "7.2KDisk", 1), ("tags", "DRAM", 1), ("thumbs", "SSD", 1)],
    ]


def test_what_being_tidy_spares_is_not_paid() -> None:
    """Far from the optimum a move can spare a piece of memory; cost and bounds are those of what is given."""
    problem = read_problem(["photoshare-calibrated"])
    scaled = replace(problem, sla=problem.sla.scaled(3.430105609109898))
    plan = compile_plan(scaled, SolveLimits(0.05), only={"photos": [("15KDisk",)]})
    assert plan.upper == pytest.approx(check(scaled, plan).cost, abs=0.01)
    assert plan.lower <= plan.upper


def test_servers_alike_share_alike() -> None:
    """Mean shares by count; other contents, cores or instances stay apart."""
    group = Group("box", 2, (Held("d", "disk", 3, 0.1),), running=(Running("t", 2, 0.2),), cores=4)
    two = Group("box", 1, (Held("d", "disk", 3, 0.4),), running=(Running("t", 2, 0.05),), cores=4)
    fewer = Group("box", 1, (Held("d", "disk", 3, 0.4),), running=(Running("t", 2, 0.55),), cores=3)
    joined, left = merged([group, two, fewer])
    assert left == fewer
    assert joined.count == 3
    assert joined.held[0].share == pytest.approx(0.2)
    assert joined.running[0].share == pytest.approx(0.15)
