"""Hypervisors in steps."""

from __future__ import annotations

from froude.cache.curves import MissRatioCurve
from froude.cache.solve.sites import sites
from tests.support.cache.solve.made import state, vm

CURVE = MissRatioCurve((0, 10, 20), (1.0, 0.5, 0.0), 1)


def test_steps_are_counted_above_all_floors() -> None:
    """A VM may have those up to its ceiling, or all."""
    low, free = vm("a", curve=CURVE, floor_bytes=7, ceiling_bytes=15), vm("b", curve=CURVE, floor_bytes=13)
    (site,) = sites(state([low, free], 100))
    assert (site.steps, site.step_bytes) == (80, 1)
    assert (site.most(low), site.most(free)) == (8, 80)
    assert site.choices(low, 10).units.tolist() == [0, 3]
    assert site.choices(low, 10, beyond=1).units.tolist() == [0, 2]
    assert site.choices(free, 10).costs.tolist() == [5, 0]


def test_large_ssds_have_coarser_steps() -> None:
    """Whole granules; each hypervisor by itself."""
    found = sites(state([vm("a"), vm("b", hypervisor="h2")], 10_000, granule_bytes=3), steps=100)
    assert [site.hypervisor.name for site in found] == ["h1", "h2"]
    assert found[0].step_bytes == 102
    assert found[0].steps == 98
