"""The checker accepts the paper's cluster at its cost, and refuses every planted violation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from froude.provision.check.checker import check, cost_of
from froude.provision.inputs.read import read_problem
from froude.provision.types import Isolation, Placement, Problem
from froude.provision.types.plan import Group, Held, LocalHeld, ProvisionPlan, Running, Status
from tests.support.provision.clusters import (
    CHOICES,
    PHOTOS,
    SMALL,
    TAGS,
    WEB,
    alternatives,
    paper_plan,
    photoshare,
)


def test_the_papers_cluster() -> None:
    """Sound, and $7,329.09."""
    verdict = check(photoshare(), paper_plan())
    assert [str(v) for v in verdict.violations] == []
    assert round(verdict.cost, 2) == 7329.09


@pytest.mark.parametrize("name", ["Alt1", "Alt2", "Alt3", "Alt4"])
def test_the_alternatives_miss_the_sla(name: str) -> None:
    """One core, disk or medium less than the paper's cluster is refused for that."""
    plan = alternatives()[name]
    rules = {v.rule for v in check(photoshare(), plan).violations if v.rule != "cost"}
    expected = {
        "Alt1": {"cores in serve"},
        "Alt2": {"units", "units of thumbs"},
        "Alt3": {"units", "units of photos"},
        "Alt4": {"units", "units of thumbs"},
    }
    assert expected[name] <= rules


Planted = tuple[str, Callable[[ProvisionPlan], ProvisionPlan]]


def _groups(*groups: Group) -> Callable[[ProvisionPlan], ProvisionPlan]:
    return lambda plan: replace(plan, groups=groups)


def _chosen(**choices: tuple[str, ...]) -> Callable[[ProvisionPlan], ProvisionPlan]:
    return lambda plan: replace(plan, choices={**CHOICES, **choices})


PLANTED: dict[str, Planted] = {
    "too many disks": (
        "slots of SAS",
        _groups(WEB, replace(PHOTOS, held=(Held("photos", "15KDisk", 5, 1.0),)), SMALL),
    ),
    "too many cores": ("cores of server", _groups(replace(WEB, cores=5), PHOTOS, SMALL)),
    "no memory": ("memory in serve", _groups(replace(WEB, dimms=1), PHOTOS, SMALL)),
    "no host core": ("cores in serve", _groups(WEB, replace(PHOTOS, cores=1), SMALL)),
    "no host memory": ("memory in serve", _groups(WEB, replace(PHOTOS, dimms=0), SMALL)),
    "too many DIMMs": ("slots of DDR3-1333", _groups(replace(WEB, dimms=13), PHOTOS, SMALL)),
    "too few instances": (
        "instances",
        _groups(replace(WEB, running=(Running("upload", 2, 1.0), *WEB.running[1:])), PHOTOS, SMALL),
    ),
    "a task left out": ("share", _groups(replace(WEB, running=WEB.running[1:]), PHOTOS, SMALL)),
    "part of a dataset": (
        "share",
        _groups(WEB, replace(PHOTOS, held=(Held("photos", "15KDisk", 4, 0.9),)), SMALL),
    ),
    "no cache": ("units", _groups(WEB, PHOTOS, replace(SMALL, held=SMALL.held[:2]))),
    "tasks beside storage": (
        "isolation: tasks beside remote storage",
        _groups(replace(WEB, held=(Held("thumbs", "SSD", 1, 0.0),)), PHOTOS, SMALL),
    ),
    "another unit": (
        "units of another type",
        _groups(WEB, PHOTOS, replace(SMALL, held=(Held("thumbs", "15KDisk", 1, 1.0), *TAGS))),
    ),
    "an unknown server": ("names and numbers", _groups(replace(WEB, server="Server9"), PHOTOS, SMALL)),
    "negative units": (
        "names and numbers",
        _groups(WEB, PHOTOS, replace(SMALL, held=(Held("thumbs", "SSD", -1, 1.0), *TAGS))),
    ),
    "a missing choice": (
        "missing choice",
        lambda plan: replace(plan, choices={"photos": ("15KDisk",), "thumbs": ("SSD",)}),
    ),
    "an unknown unit": ("unknown choice", _chosen(photos=("Tape",))),
    "persistent in memory": ("persistent data on a volatile unit", _chosen(thumbs=("DRAM",))),
    "a cache that may not be": ("cache on such a unit", _chosen(thumbs=("7.2KDisk", "SSD"))),
    "a cache before itself": ("cache before such a unit", _chosen(thumbs=("SSD", "SSD"))),
    "another cost": (
        "cost of $7,328.00, where its parts add up to $7,329.09",
        lambda plan: replace(plan, upper=7328.0),
    ),
    "a bound above the cost": ("lower bound", lambda plan: replace(plan, lower=7400.0)),
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_violations(name: str) -> None:
    """Each is found, by its name."""
    rule, plant = PLANTED[name]
    rules = {violation.rule for violation in check(photoshare(), plant(paper_plan())).violations}
    assert rule in rules


def test_the_network_is_a_limit() -> None:
    """At twice the load two web servers' work does not pass one network, whatever its cores."""
    problem = photoshare()
    twice = replace(problem, sla=problem.sla.scaled(1.5))
    rules = {violation.rule for violation in check(twice, paper_plan()).violations}
    assert "network (both) in serve" in rules


def test_a_bus_is_a_limit() -> None:
    """Device traffic beyond the controller's bandwidth is refused."""
    problem = photoshare()
    server = problem.catalog.servers[0]
    slow = replace(server, buses=(replace(server.buses[0], bandwidth=100e6), server.buses[1]))
    problem = replace(problem, catalog=replace(problem.catalog, servers=(slow,)))
    rules = {violation.rule for violation in check(problem, paper_plan()).violations}
    assert "bus SAS in serve" in rules


def test_accesses_of_a_bus_are_a_limit() -> None:
    """As of the volumes of a cloud's server."""
    problem = photoshare()
    server = problem.catalog.servers[0]
    slow = replace(server, buses=(replace(server.buses[0], iops=300), server.buses[1]))
    problem = replace(problem, catalog=replace(problem.catalog, servers=(slow,)))
    rules = {violation.rule for violation in check(problem, paper_plan()).violations}
    assert "IOPS of SAS in serve" in rules


def test_a_stock_is_a_limit() -> None:
    """No more servers than can be had."""
    problem = photoshare()
    few = replace(problem.catalog.servers[0], max_count=2)
    problem = replace(problem, catalog=replace(problem.catalog, servers=(few,)))
    assert {v.rule for v in check(problem, paper_plan()).violations} == {"count"}


def test_uniform_placement_asks_for_equal_shares() -> None:
    """A weighted split of a copy is refused; without isolation the web tier may share."""
    problem = photoshare()
    options = replace(problem.options, placement=Placement.UNIFORM, isolation=Isolation.NONE)
    problem = replace(problem, options=options)
    assert check(problem, paper_plan()).sound
    halves = [replace(PHOTOS, held=(Held("photos", "15KDisk", 2, share),)) for share in (0.4, 0.6)]
    plan = replace(paper_plan(), groups=(WEB, *halves, SMALL))
    assert "equal share" in {v.rule for v in check(problem, plan).violations}


def _search() -> tuple[Problem, ProvisionPlan]:
    problem = read_problem(["productsearch"])
    disks = Group("Server1", 2, held=(Held("tables_repository", "7.2KDisk", 1, 0.5),), cores=1, dimms=1)
    workers = Group(
        "Server1",
        2,
        local=(LocalHeld("hot_ratingsdata", "SSD", 2), LocalHeld("cold_ratingsdata", "SSD", 2)),
        running=(Running("worker", 2, 0.5), Running("queryprocessor", 2, 0.5)),
        cores=1,
        dimms=3,
    )
    choices: dict[str, tuple[str, ...]] = {
        "tables_repository": ("7.2KDisk",),
        "hot_ratingsdata": ("SSD",),
        "cold_ratingsdata": ("SSD",),
    }
    groups = (disks, workers)
    cost = cost_of(problem, groups)
    return problem, ProvisionPlan(Status.PROVED, groups, choices, lower=0.0, upper=cost)


def test_local_units() -> None:
    """Beside every instance stand units that hold and carry its data; one less is refused."""
    problem, plan = _search()
    assert [str(v) for v in check(problem, plan).violations] == []
    disks, workers = plan.groups
    changed = replace(workers, local=(LocalHeld("hot_ratingsdata", "SSD", 1), workers.local[1]))
    rules = {v.rule for v in check(problem, replace(plan, groups=(disks, changed))).violations}
    assert "local units of hot_ratingsdata, capacity" in rules
