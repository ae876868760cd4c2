"""Ranges of inputs over which the architecture of the optimum stays."""

from __future__ import annotations

import pytest

from froude.base.errors import InputError
from froude.provision.analyses import robustness as module
from froude.provision.analyses.edges import Edge, Walk
from froude.provision.analyses.inputs import find_input
from froude.provision.analyses.robustness import Range, robustness
from froude.provision.search.architecture import architecture_of
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types import Problem
from froude.provision.types.plan import Conflict, ProvisionPlan, Status
from tests.provision.clusters import paper_plan, photoshare

pytest.importorskip("highspy")
LIMITS = SolveLimits(1e-4, 10.0, 0)


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
    limits: list[tuple[float, float, bool]] = []

    def edge(walk: Walk, limit: float) -> Edge:
        limits.append((walk.start, limit, walk.whole))
        return Edge(limit, None)

    _compiled(monkeypatch, paper_plan())
    monkeypatch.setattr(Walk, "edge", edge)
    problem = photoshare()
    inputs = [find_input(problem, path) for path in ("unit.SSD.price", "server.Server1.cpus")]
    analysis = robustness(problem, inputs, LIMITS, span=10)
    price, cpus = (input_.value for input_ in inputs)
    assert cpus == 4
    assert limits == [
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
