"""Edges of an architecture along an input, and robustness ranges."""

from __future__ import annotations

from functools import partial

import pytest

from froude.base.errors import InputError
from froude.provision.analyses.architecture import architecture_of
from froude.provision.analyses.edges import Walk, stays_best
from froude.provision.analyses.inputs import find_input
from froude.provision.analyses.robustness import robustness
from froude.provision.effort import Effort
from tests.provision.clusters import paper_plan, photoshare, with_thumbs

pytest.importorskip("highspy")
EFFORT = Effort(1e-4, 10.0, 0)


def test_the_range_of_a_price_is_that_of_the_paper() -> None:
    """Table 3 (a): $200 to $900 for an SSD; both sides of an edge stand close together, with what takes over."""
    problem = photoshare()
    found = robustness(problem, [find_input(problem, "unit.SSD.price")], EFFORT)
    low, high = found.ranges[0].low, found.ranges[0].high
    assert low.stays == pytest.approx(206.8, rel=2e-3)
    assert high.stays == pytest.approx(906.8, rel=2e-3)
    for edge in (low, high):
        assert edge.gone == pytest.approx(edge.stays, rel=1e-3)
        assert edge.proved
    assert found.architecture is not None
    assert low.next is not None
    assert high.next is not None
    assert found.architecture.changes(low.next) == ("tags: 7.2KDisk + DRAM → SSD + DRAM",)
    assert found.architecture.changes(high.next) == ("thumbs: SSD → 7.2KDisk + DRAM",)


def test_the_thumbnails_range_grows_with_their_data() -> None:
    """Table 3 (a) has 1 to 30 KB; with the dataset in proportion the edges are 1.2 and 19 KB."""
    problem = photoshare()
    both = find_input(problem, "io.*.thumbs.record_size+dataset.thumbs.size")
    found = robustness(problem, [both], EFFORT, tolerance=0.01).ranges[0]
    assert found.low.stays == pytest.approx(1.2e3, rel=0.02)
    assert found.high.stays == pytest.approx(19.2e3, rel=0.02)


def test_the_inputs_own_limits_are_edges() -> None:
    """A dataset smaller than its cache is no value; a limit that is reached says so."""
    problem = photoshare()
    one = find_input(problem, "dataset.photos.size")
    held = architecture_of(paper_plan())
    assert held is not None
    walk = Walk(partial(one.set, problem), held, one.value, EFFORT, 0.01)
    low = walk.edge(one.value / 10)
    assert low.why.startswith("no such value")
    assert low.stays == pytest.approx(70e9, rel=0.02)
    near = walk.edge(one.value * 1.05)
    assert (near.stays, near.gone, near.why) == (one.value * 1.05, None, "not looked further")


def test_a_count_has_neighbours_at_its_edge() -> None:
    """Fewer slots in a server: whole numbers only."""
    problem = photoshare()
    one = find_input(problem, "server.Server1.cpus")
    found = robustness(problem, [one], EFFORT, span=4).ranges[0]
    assert found.low.gone is None or found.low.stays - found.low.gone == 1
    assert float(found.low.stays).is_integer()


def test_ties_go_to_the_one_held() -> None:
    """The optimum stays; a dearer architecture does not."""
    best, other = architecture_of(paper_plan()), architecture_of(with_thumbs("15KDisk", 4))
    assert best is not None
    assert other is not None
    assert stays_best(photoshare(), best, EFFORT).stays
    gone = stays_best(photoshare(), other, EFFORT)
    assert not gone.stays
    assert gone.why == "cheaper"


def test_a_zero_has_no_range() -> None:
    """It is refused, since ranges are looked for in ratio."""
    problem = photoshare()
    with pytest.raises(InputError, match="is 0"):
        robustness(problem, [find_input(problem, "server.Server1.power")], EFFORT)
