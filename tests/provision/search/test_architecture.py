"""Architectures: what is compared by the analyses."""

from __future__ import annotations

from dataclasses import replace

from froude.provision.search.architecture import (
    Architecture,
    architecture_of,
    architectures,
    choices_of,
    cost_at,
)
from froude.provision.types import Cpu
from froude.provision.types.plan import ProvisionPlan, Status
from tests.support.provision.clusters import CHOICES, paper_plan, photoshare, with_thumbs


def test_counts_are_not_part_of_it() -> None:
    """Two plans with the same storage types are one architecture; none without a cluster."""
    plan = paper_plan()
    more = replace(plan, groups=(*plan.groups, plan.groups[0]))
    assert architectures([plan, more, with_thumbs("15KDisk", 4)]) == (
        architecture_of(plan),
        architecture_of(with_thumbs("15KDisk", 4)),
    )
    assert architecture_of(ProvisionPlan(Status.INFEASIBLE)) is None


def test_changes_are_named() -> None:
    """By dataset, from and to."""
    before, after = architecture_of(paper_plan()), architecture_of(with_thumbs("15KDisk", 4))
    assert before is not None
    assert after is not None
    assert before.changes(after) == ("thumbs: SSD → 15KDisk",)
    assert before.of("tags") == "7.2KDisk + DRAM"


def test_core_types_are_told_and_not_compared() -> None:
    """Each solve picks them anew; their changes are named."""
    architecture = Architecture(tuple(CHOICES.items()), (("upload", "fast"),))
    other = replace(architecture, cpus=(("upload", "slow"),))
    assert architecture == other
    assert set(architecture.only) == set(CHOICES)
    assert architecture.changes(other) == ("upload: fast → slow",)


def test_the_cost_follows_the_prices() -> None:
    """A dearer SSD costs a plan with one of it as much more."""
    problem = photoshare()
    units = tuple(replace(u, price=u.price + 50 * (u.name == "SSD")) for u in problem.catalog.units)
    dearer = replace(problem, catalog=replace(problem.catalog, units=units))
    assert round(cost_at(dearer, paper_plan()) - cost_at(problem, paper_plan()), 6) == 50


def test_choices_by_name() -> None:
    """Those of each dataset, and no core types."""
    problem = photoshare()
    chosen = choices_of(problem, paper_plan())
    assert set(chosen) == {"photos", "thumbs", "tags"}
    assert ("SSD", "DRAM") in chosen["photos"]
    two = replace(problem, catalog=replace(problem.catalog, cpus=(*problem.catalog.cpus, Cpu(50, 5, "slow"))))
    assert choices_of(two, paper_plan()) == chosen
