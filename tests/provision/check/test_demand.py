"""What the checker computes apart from the model: golden numbers, and what `evaluate` counts otherwise."""

from __future__ import annotations

import pytest

from froude.provision.check.demand import Demand
from froude.provision.inputs.read import read_problem
from froude.provision.types.plan import Group, LocalHeld, ProvisionPlan, Running, Status
from tests.support.provision.clusters import paper_plan, photoshare, with_thumbs


def test_golden_numbers() -> None:
    """Needs, instances and cores of the paper's cluster."""
    demand = Demand(photoshare(), paper_plan())
    assert demand.need("photos", cache=False) == pytest.approx(3.0333, abs=1e-4)
    assert demand.need_parts("thumbs", cache=False) == pytest.approx((0.625, 0.421), abs=1e-3)
    assert demand.need("tags", cache=True) == pytest.approx(1.0)
    instances = [demand.parallelism(name) for name in ("upload", "photoview", "tagview")]
    assert instances == pytest.approx([2.638, 3.800, 0.816], abs=1e-3)
    assert sum(map(demand.cores, demand.rates)) == pytest.approx(3.8)


def test_units_that_stand_there_speed_up_parallel_reads() -> None:
    """Ten thumbnails at once: the model counts on the fewest units, an evaluation on those there are."""
    plan = with_thumbs("SSD", 2)
    fewest, there = Demand(photoshare(), plan), Demand(photoshare(), plan, actual_units=True)
    assert fewest.run_times["tagview"] == pytest.approx(4e-3 + 4.16e-3, rel=1e-2)
    assert there.run_times["tagview"] == pytest.approx(4e-3 + 2.08e-3, rel=1e-2)


def test_units_beside_instances() -> None:
    """The fewest on any server that has instances."""
    problem = read_problem(["productsearch"])
    groups = tuple(
        Group(
            "Server1",
            1,
            local=(LocalHeld("hot_ratingsdata", "SSD", units),),
            running=(Running("queryprocessor", 2, 0.5),),
        )
        for units in (4, 6)
    )
    names = ("tables_repository", "hot_ratingsdata", "cold_ratingsdata")
    demand = Demand(problem, ProvisionPlan(Status.GAP, groups, dict.fromkeys(names, ("SSD",))))
    assert demand.beside("hot_ratingsdata") == 2
    assert demand.owner("hot_ratingsdata") == "queryprocessor"
    assert demand.owner("tables_repository") is None
    assert demand.local_load("hot_ratingsdata") == pytest.approx(0.2 * 0.8 * 40e3 * 0.416e-3)
