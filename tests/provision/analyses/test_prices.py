"""Prices at which the optimum changes, exactly."""

from __future__ import annotations

import pytest

from froude.provision.analyses.inputs import find_input
from froude.provision.analyses.prices import price_range, price_sensitivity
from froude.provision.search.architecture import architecture_of
from froude.provision.search.compile import compile_plan
from froude.provision.search.solve_limits import SolveLimits
from tests.support.provision.clusters import paper_plan, photoshare

pytest.importorskip("highspy")
LIMITS = SolveLimits(1e-6, 10.0, 0)


def test_drops_are_those_of_the_paper() -> None:
    """Table 3 (b): tags to the 15K disk at 31 % (28.6 % with energy), thumbnails to DRAM at 92 % (88.5 %)."""
    sensitivity = price_sensitivity(photoshare(), LIMITS)
    drops = {(drop.dataset, drop.unit): drop for drop in sensitivity.drops}
    tags, thumbs = drops["tags", "15KDisk"], drops["thumbs", "DRAM"]
    assert tags.drop == pytest.approx(0.2859, abs=1e-4)
    assert thumbs.drop == pytest.approx(0.8853, abs=1e-4)
    assert tags.crossing is not None
    assert tags.crossing.exact
    never = drops["photos", "7.2KDisk"]
    assert never.drop is None
    assert "even if it cost nothing" in never.why


def test_a_crossing_is_where_both_cost_the_same() -> None:
    """Just beyond each end of a price's range the optimum is built of other things, just before it is not."""
    problem = photoshare()
    held = architecture_of(paper_plan())
    assert held is not None
    price = find_input(problem, "unit.SSD.price")
    spread = price_range(problem, held, LIMITS, price)
    for end, beyond in ((spread.low, 0.999), (spread.high, 1.001)):
        assert end is not None
        assert end.exact
        inside = compile_plan(price.set(problem, end.price * (2 - beyond)), LIMITS)
        outside = compile_plan(price.set(problem, end.price * beyond), LIMITS)
        assert architecture_of(inside) == held
        assert architecture_of(outside) == end.next
    assert spread.low is not None
    assert spread.low.pieces == pytest.approx((1, 2))


def test_a_price_that_changes_nothing_has_no_ends() -> None:
    """Every architecture needs the same servers."""
    problem = photoshare()
    held = architecture_of(paper_plan())
    assert held is not None
    spread = price_range(problem, held, LIMITS, find_input(problem, "server.Server1.price"))
    assert (spread.low, spread.high) == (None, None)
