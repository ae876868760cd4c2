"""What a plan leaves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.provision.analyses.slack import slack
from froude.provision.check.checker import check
from froude.provision.search.compile import compile_plan
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.search.split import decided
from testbed.problems import random_problem
from tests.support.provision.clusters import paper_plan, photoshare

pytest.importorskip("scipy")


def test_the_papers_cluster() -> None:
    """Its web server has no place for a core more; photo views' instances are what growth runs into first."""
    analysis = slack(photoshare(), paper_plan())
    web, photos, _small = analysis.groups
    used = {resource.name: (resource.used, resource.available) for resource in web.resources}
    assert list(used["places for cores"]) == [4, 4]
    assert [*used["time of the cores bought"], *used["network"]] == pytest.approx([3.8, 4, 98e6, 125e6])
    disks = {resource.name: resource.share for resource in photos.resources}
    assert disks["time of 15KDisk (photos)"] == pytest.approx(3.0333 / 4, rel=1e-4)
    assert disks["slots of SAS"] == 1
    assert web.tightest.binds
    assert analysis.growth.fraction == pytest.approx(1.0526, rel=1e-4)


def test_accesses_of_a_bus_that_has_a_limit() -> None:
    """The photos' disks are accessed 700 times a second."""
    problem = photoshare()
    server = problem.catalog.servers[0]
    limited = replace(server, buses=(replace(server.buses[0], iops=3000), server.buses[1]))
    problem = replace(problem, catalog=replace(problem.catalog, servers=(limited,)))
    _web, photos, _small = slack(problem, paper_plan()).groups
    (accesses,) = (resource for resource in photos.resources if resource.name == "IOPS of SAS")
    assert (accesses.used, accesses.available, accesses.unit) == (pytest.approx(700), 3000, "1/s")


@pytest.mark.parametrize("seed", range(5))
def test_a_sound_plan_uses_no_more_than_there_is(seed: int) -> None:
    """Whatever the check accepts has shares of at most one."""
    pytest.importorskip("highspy")
    problem = random_problem(seed)
    plan = compile_plan(problem, SolveLimits(0.05, 10.0, 0))
    assert not plan.groups or check(problem, plan).sound
    analysis = slack(decided(problem, plan), plan)
    for group in analysis.groups:
        assert all(resource.used <= resource.available * (1 + 1e-5) + 1e-9 for resource in group.resources)
        shares = [resource.share for resource in group.resources]
        assert shares == sorted(shares, reverse=True)
