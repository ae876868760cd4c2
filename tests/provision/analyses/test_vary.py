"""One number varied: edges of an architecture, ranges of inputs, and what each does to the cost alone."""

from __future__ import annotations

import pytest

from froude.base.errors import InputError
from froude.provision.analyses import vary as module
from froude.provision.analyses.inputs import find_input
from froude.provision.analyses.vary import (
    Edge,
    Line,
    Range,
    Walk,
    cheapest_at,
    robustness,
    stays_best,
    tornado,
)
from froude.provision.search.architecture import architecture_of
from froude.provision.search.compile import compile_plan
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types import Problem
from froude.provision.types.plan import Conflict, ProvisionPlan, Status
from tests.support.provision.clusters import paper_plan, photoshare, with_thumbs

pytest.importorskip("highspy")
LIMITS = SolveLimits(1e-4, 10.0, 0)


def test_a_line_has_a_cluster_at_every_value_that_it_allows() -> None:
    """Over an input, or over the multiples of the SLA; a dataset smaller than its cache is no value."""
    problem = photoshare()
    size = Line(problem, LIMITS, find_input(problem, "dataset.photos.size"))
    assert [size.allows(value) for value in (200e9, 60e9)] == [True, False]
    plans = cheapest_at([(Line(problem, LIMITS), 0.01), (size, 200e9), (Line(problem, LIMITS), 1.0)])
    assert plans[0].upper < plans[1].upper == pytest.approx(plans[2].upper)
    only = {"photos": [("SSD",)]}
    assert Line(problem, LIMITS).cheapest(1.0, only).choices["photos"] == ("SSD",)


def test_the_inputs_own_limits_are_edges() -> None:
    """A dataset smaller than its cache is no value; a limit that is reached says so."""
    problem = photoshare()
    input_ = find_input(problem, "dataset.photos.size")
    held = architecture_of(paper_plan())
    assert held is not None
    walk = Walk(problem, input_, held, LIMITS, 0.01)
    low = walk.edge(input_.value / 10)
    assert low.why.startswith("no such value")
    assert low.stays == pytest.approx(70e9, rel=0.02)
    near = walk.edge(input_.value * 1.05)
    assert (near.stays, near.gone, near.why) == (input_.value * 1.05, None, "not looked further")


def test_ties_go_to_the_one_held() -> None:
    """The optimum stays; a dearer architecture does not."""
    best, other = architecture_of(paper_plan()), architecture_of(with_thumbs("15KDisk", 4))
    assert best is not None
    assert other is not None
    assert stays_best(photoshare(), best, LIMITS).stays
    gone = stays_best(photoshare(), other, LIMITS)
    assert not gone.stays
    assert gone.why == "cheaper"


def test_the_range_of_a_price_is_that_of_the_paper() -> None:
    """Table 3 (a): $200 to $900 for an SSD; both sides of an edge stand close together, with what takes over."""
    problem = photoshare()
    analysis = robustness(problem, [find_input(problem, "unit.SSD.price")], LIMITS)
    low, high = analysis.ranges[0].low, analysis.ranges[0].high
    assert low.stays == pytest.approx(206.8, rel=2e-3)
    assert high.stays == pytest.approx(906.8, rel=2e-3)
    for edge in (low, high):
        assert edge.gone == pytest.approx(edge.stays, rel=1e-3)
        assert edge.proved
    assert analysis.architecture is not None
    assert low.next is not None
    assert high.next is not None
    assert analysis.architecture.changes(low.next) == ("tags: 7.2KDisk + DRAM → SSD + DRAM",)
    assert analysis.architecture.changes(high.next) == ("thumbs: SSD → 7.2KDisk + DRAM",)


def test_the_thumbnails_range_grows_with_their_data() -> None:
    """Table 3 (a) has 1 to 30 KB; with the dataset in proportion the edges are 1.2 and 19 KB."""
    problem = photoshare()
    both = find_input(problem, "io.*.thumbs.record_size+dataset.thumbs.size")
    analysis = robustness(problem, [both], LIMITS, tolerance=0.01).ranges[0]
    assert analysis.low.stays == pytest.approx(1.2e3, rel=0.02)
    assert analysis.high.stays == pytest.approx(19.2e3, rel=0.02)


def test_a_count_has_neighbours_at_its_edge() -> None:
    """Fewer slots in a server: whole numbers only."""
    problem = photoshare()
    input_ = find_input(problem, "server.Server1.cpus")
    analysis = robustness(problem, [input_], LIMITS, span=4).ranges[0]
    assert analysis.low.gone is None or analysis.low.stays - analysis.low.gone == 1
    assert float(analysis.low.stays).is_integer()


def test_a_zero_has_no_range() -> None:
    """It is refused, since ranges are looked for in ratio."""
    problem = photoshare()
    with pytest.raises(InputError, match="is 0"):
        robustness(problem, [find_input(problem, "server.Server1.power")], LIMITS)


def _compiled(monkeypatch: pytest.MonkeyPatch, plan: ProvisionPlan) -> None:
    def compile_plan(_problem: Problem, _limits: SolveLimits) -> ProvisionPlan:
        return plan

    monkeypatch.setattr(module, "compile_plan", compile_plan)


def test_each_input_is_walked_from_its_value_both_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    """As far as the span, in its own order; a count no lower than one, and to a whole number."""
    ends: list[tuple[float, float, bool]] = []

    def edge(walk: Walk, limit: float) -> Edge:
        ends.append((walk.input.value, limit, walk.input.whole))
        return Edge(limit, None)

    _compiled(monkeypatch, paper_plan())
    monkeypatch.setattr(Walk, "edge", edge)
    problem = photoshare()
    inputs = [find_input(problem, path) for path in ("unit.SSD.price", "server.Server1.cpus")]
    analysis = robustness(problem, inputs, LIMITS, span=10)
    price, cpus = (input_.value for input_ in inputs)
    assert cpus == 4
    assert ends == [
        (price, price / 10, False),
        (price, price * 10, False),
        (cpus, 1, True),
        (cpus, 40, True),
    ]
    assert analysis.architecture == architecture_of(paper_plan())
    assert analysis.ranges == (
        Range(inputs[0], Edge(price / 10, None), Edge(price * 10, None)),
        Range(inputs[1], Edge(1, None), Edge(40, None)),
    )


def test_without_a_cluster_there_is_no_range(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is looked for then."""
    none = ProvisionPlan(Status.INFEASIBLE, conflict=(Conflict("slots"),))
    _compiled(monkeypatch, none)
    problem = photoshare()
    analysis = robustness(problem, [find_input(problem, "unit.SSD.price")], LIMITS)
    assert (analysis.plan, analysis.architecture, analysis.ranges) == (none, None, ())


def test_swings_are_ranked_and_signed() -> None:
    """A fifth of three servers is $840 either way; an upload's compute time moves the cost only upward, and more."""
    problem = photoshare()
    paths = ("unit.SSD.price", "server.Server1.price", "compute.upload.time", "dataset.photos.hit_ratio")
    best = compile_plan(problem, LIMITS)
    swings = tornado(problem, best, [find_input(problem, path) for path in paths], LIMITS)
    assert [swing.input.path for swing in swings] == [paths[2], paths[1], paths[0], paths[3]]
    changes = [
        (swing.change(swing.low_plan, best.upper), swing.change(swing.high_plan, best.upper))
        for swing in swings
    ]
    assert [*changes[1], *changes[2]] == pytest.approx([-840, 840, -90, 90])
    assert changes[0][0] == pytest.approx(0, abs=0.01)
    assert swings[3].high_plan is None
    assert not any(swing.moves for swing in swings)


def test_counts_move_by_a_piece() -> None:
    """A fifth of four slots is less than one."""
    problem = photoshare()
    slots = find_input(problem, "server.Server1.buses.SAS.slots")
    swing = tornado(problem, compile_plan(problem, LIMITS), [slots], LIMITS)[0]
    assert (swing.low, swing.high) == (3, 5)
