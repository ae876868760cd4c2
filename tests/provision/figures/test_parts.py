"""What the pages of provisioning share: axes, bands, verdicts."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.provision.figures.parts import (
    HAIR,
    OTHERS,
    between,
    bounded,
    dollars_axis,
    lower,
    sla_axis,
    spread,
    storage_colours,
    strip,
    upper,
    verdict,
)
from froude.provision.types.plan import Status
from tests.support.provision.clusters import photoshare
from tests.support.provision.figures.pages import NONE, PLAN


@pytest.mark.parametrize(
    ("values", "log"),
    [([1, 10], False), ([1, 10.1], True), ([0, 5, 10], False), ([0.1, math.inf, 0.2], False), ([], False)],
)
def test_spread_values_have_a_logarithmic_axis(values: list[float], log: bool) -> None:
    """More than ten times apart, zeros and the endless left out."""
    assert spread(values) is log
    assert sla_axis(values).log is log
    assert dollars_axis([*values, None]).log is log


def test_a_plan_without_a_cluster_has_no_cost() -> None:
    """Neither bound is drawn."""
    assert (upper(PLAN), lower(PLAN)) == (PLAN.upper, PLAN.lower)
    assert (upper(NONE), lower(NONE)) == (None, None)


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=8, unique=True).map(sorted))
def test_parts_of_factors_meet(factors: list[float]) -> None:
    """From the first factor to the last, each in its part, each part beginning where the one before ends."""
    parts = between(factors)
    assert (parts[0][0], parts[-1][1]) == (factors[0], factors[-1])
    assert all(one[1] == other[0] for one, other in pairwise(parts))
    for factor, (low, high) in zip(factors, parts, strict=True):
        assert low <= factor * (1 + 1e-9)
        assert factor <= high * (1 + 1e-9)


def test_parts_end_at_geometric_means() -> None:
    """Between 1 and 4 that is 2."""
    assert between([1.0, 4.0, 16.0]) == [(1.0, 2.0), (2.0, 8.0), (8.0, 16.0)]


def test_a_strip_has_a_band_for_each_storage() -> None:
    """Of every dataset one panel; a hair lies between neighbours, none at a point."""
    bands = [
        (1.0, 2.0, {"a": ("SSD",), "b": ("disk", "DRAM")}),
        (2.0, 4.0, {"a": ("disk",), "b": ("disk", "DRAM")}),
        (8.0, 8.0, {"a": ("SSD",), "b": ("disk", "DRAM")}),
    ]
    colours = {"disk": 0, "SSD": 1, "disk + DRAM": 3}
    chart = strip("storage", bands, colours)
    assert {line.name: line.colour for line in chart.series} == colours
    shares = {(line.panel, line.name): list(line.ys) for line in chart.series}
    assert shares == {
        ("a", "SSD"): [1, 1, 0, 0, 1, 1],
        ("a", "disk"): [0, 0, 1, 1, 0, 0],
        ("b", "disk + DRAM"): [1] * 6,
    }
    few = strip("storage", bands, {"disk": 0})
    assert {line.name for line in few.series} == {"disk", OTHERS}
    xs = list(chart.series[0].xs)
    assert xs == pytest.approx([1, 2, 2, 4, 8, 8], rel=2 * HAIR)
    assert xs[1] < 2 < xs[2]
    assert xs[4:] == [8.0, 8.0]


def test_a_kind_of_storage_has_one_colour() -> None:
    """Units in the catalog's order, shown or not, then pairs; of a catalog beyond the colours, those shown alone."""
    problem = photoshare()
    units = [unit.name for unit in problem.catalog.units]
    colours = storage_colours(problem, [("SSD",), ("7.2KDisk", "DRAM")])
    assert colours == {**{name: number for number, name in enumerate(units)}, "7.2KDisk + DRAM": len(units)}
    many = tuple(replace(problem.catalog.units[0], name=f"unit{number}") for number in range(20))
    large = replace(problem, catalog=replace(problem.catalog, units=many))
    assert storage_colours(large, [("unit9",), ("unit3",)]) == {"unit3": 0, "unit9": 1}


def test_a_cost_beside_its_bound() -> None:
    """Two series, the bound dashed; a gap where there is no cluster."""
    cost, bound = bounded("cost", [1.0, 2.0], [PLAN, NONE])
    assert (list(cost.ys), list(bound.ys)) == ([PLAN.upper, None], [PLAN.lower, None])
    assert (cost.dashed, bound.dashed) == (False, True)


def test_verdicts() -> None:
    """Proved, with a gap, none at all, none in time."""
    proved = replace(PLAN, lower=7300.0, upper=7400.0)
    assert verdict(proved) == "**$7,400.00**, proved to be within 1.4\u202f% of the cheapest."
    assert verdict(replace(proved, lower=7400.0)) == "**$7,400.00**, proved to be the cheapest."
    assert "**$7,400.00**; the cheapest may cost up to 1.4% less" in verdict(
        replace(proved, status=Status.GAP)
    )
    assert "No cluster of this catalog" in verdict(NONE)
    assert "time was over" in verdict(replace(NONE, status=Status.GAP))
