"""How much of the SLA a given cluster meets."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("scipy")

from froude.provision.evaluate import evaluate
from froude.provision.plan import Held
from froude.provision.types import Sla, Target
from tests.provision.clusters import PHOTOS, SMALL, WEB, alternatives, paper_plan, photoshare


def test_the_papers_cluster_meets_it() -> None:
    """Slightly over-provisioned, as the paper says; the web tier's 3.8 of 4 cores hold it back."""
    found = evaluate(photoshare(), paper_plan())
    assert found.met
    assert found.fraction == pytest.approx(1 / 0.95, rel=1e-3)
    assert "photoview" in found.bottleneck or "cores" in found.bottleneck


@pytest.mark.parametrize(
    ("name", "fraction", "bottleneck"),
    [
        ("Alt1", 3 / 3.8, "cores"),
        ("Alt2", 1 / 3.5293, "thumbs"),
        ("Alt3", 3 / 3.0333, "photos"),
        ("Alt4", 2 / 8.0489, "thumbs"),
    ],
)
def test_the_alternatives_miss_it(name: str, fraction: float, bottleneck: str) -> None:
    """By how much, and for want of what; instances are given, since they cost nothing there."""
    plan = alternatives()[name]
    many = replace(WEB, cores=plan.groups[0].cores, dimms=12)
    many = replace(many, running=tuple(replace(r, instances=20) for r in many.running))
    found = evaluate(photoshare(), replace(plan, groups=(many, *plan.groups[1:])))
    assert not found.met
    assert found.fraction == pytest.approx(fraction, rel=1e-3)
    assert bottleneck in found.bottleneck


def test_load_is_spread_as_well_as_can_be() -> None:
    """Uneven groups carry uneven shares: three and one disk carry what four do."""
    groups = [replace(PHOTOS, held=(Held("photos", "15KDisk", n, 0.0),)) for n in (3, 1)]
    plan = replace(paper_plan(), groups=(WEB, *groups, SMALL))
    assert evaluate(photoshare(), plan).fraction == pytest.approx(
        evaluate(photoshare(), paper_plan()).fraction
    )


def test_a_cluster_without_a_part_meets_nothing() -> None:
    """What is not there at all is named."""
    found = evaluate(photoshare(), replace(paper_plan(), groups=(WEB, SMALL)))
    assert found.fraction == 0
    assert "15KDisk for dataset photos" in found.bottleneck
    found = evaluate(photoshare(), replace(paper_plan(), groups=(PHOTOS, SMALL)))
    assert "no instances of task upload" in found.bottleneck


def test_too_small_for_the_data() -> None:
    """Disks that do not hold the data meet nothing, and capacity is the reason."""
    small = replace(PHOTOS, held=(Held("photos", "15KDisk", 1, 1.0),))
    found = evaluate(photoshare(), replace(paper_plan(), groups=(WEB, small, SMALL)))
    assert found.fraction == pytest.approx(0)
    assert "capacity of 15KDisk of photos" in found.bottleneck


def test_no_load() -> None:
    """A cluster without load has no bottleneck but the cap."""
    problem = replace(photoshare(), sla=Sla((Target("upload", 0.0),)))
    found = evaluate(problem, paper_plan())
    assert found.met
    assert found.bottleneck == "none"
