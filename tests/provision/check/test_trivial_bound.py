"""A bound below any cluster: by hand where it is simple, and below random plans."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.provision.check.trivial_bound import trivial_bound
from froude.provision.types import Bundle, Discount, Growth, Problem
from tests.support.provision.clusters import BOX, DISK, DRAM, SSD, paper_plan, photoshare, small


def _plain(size: float = 60e12) -> Problem:
    """Sixty terabytes and 40 cores, without energy."""
    problem = small(size=size)
    problem = replace(problem, sla=problem.sla.scaled(100))
    return replace(problem, catalog=replace(problem.catalog, units=(DISK, SSD, DRAM), dollars_per_kwh=0.0))


def test_bytes_and_cores() -> None:
    """600 disks; 40 cores at a quarter of a full server with its cores."""
    assert trivial_bound(_plain()) == pytest.approx(600 * 200 + 40 * (500 + 4 * 100) / 4)


def test_what_runs_at_all_runs_on_a_core() -> None:
    """However seldom; without any load nothing is needed for it."""
    problem = _plain()
    seldom = replace(problem, sla=problem.sla.scaled(1e-12))
    assert trivial_bound(seldom) == pytest.approx(600 * 200 + 500 + 100)
    never = replace(problem, sla=problem.sla.scaled(0.0))
    assert trivial_bound(never) == pytest.approx(600 * 200)


def test_redundancy_growth_and_fill() -> None:
    """Stored bytes are multiplied; rates and sizes are those of then."""
    problem = _plain()
    half = replace(problem, options=replace(problem.options, peak_fill=0.5))
    assert trivial_bound(half) - trivial_bound(problem) == pytest.approx(600 * 200)
    data = replace(problem.application.datasets[0], replication=3)
    triple = replace(problem, application=replace(problem.application, datasets=(data,)))
    assert trivial_bound(triple) - trivial_bound(problem) == pytest.approx(2 * 600 * 200)
    grown = replace(problem, sla=replace(problem.sla, growth=Growth(1.0, 1.0, 365 * 86400.0)))
    assert trivial_bound(grown) == pytest.approx(2 * trivial_bound(problem))


def test_what_may_cost_less() -> None:
    """Discounts at their lowest, owned and included pieces for nothing, bundles with what they include."""
    problem = _plain()
    catalog = problem.catalog
    cheap = replace(DISK, discounts=(Discount(2, 120),))
    assert trivial_bound(replace(problem, catalog=replace(catalog, units=(cheap, DRAM)))) == pytest.approx(
        81000
    )
    owned = replace(DISK, owned=1)
    assert trivial_bound(replace(problem, catalog=replace(catalog, units=(owned, DRAM)))) == pytest.approx(
        9000
    )
    kit = replace(BOX, bundle=Bundle(4, (("disk", 1),)))
    assert trivial_bound(replace(problem, catalog=replace(catalog, servers=(kit,)))) == pytest.approx(5000)


def test_below_the_papers_cluster() -> None:
    """It costs more than this bound, and not ten times as much."""
    bound = trivial_bound(photoshare())
    assert paper_plan().upper / 10 < bound < paper_plan().upper
