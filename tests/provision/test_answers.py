"""Questions about a problem, as Python asks them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import froude as fr
from froude.base.errors import InputError
from froude.provision.analyses.inputs import main_inputs
from froude.provision.analyses.uncertainty import Distribution, Lognormal, Triangular, Uniform
from froude.provision.answers import _inputs, _point, known_input, unproved
from froude.provision.inputs.plan_file import plan_document
from froude.provision.search.compile import Point
from froude.provision.types import Problem
from froude.provision.types.plan import Conflict, ProvisionPlan, Status
from tests.support.provision.clusters import paper_plan, photoshare


def test_a_question_in_a_notebook() -> None:
    """Its figures are a document and a table, its page is shown."""
    answer = fr.provision.why_not(photoshare(), "photos", "SSD + DRAM")
    (choice,) = answer.table("choices").to_pylist()
    assert choice["extra"] == pytest.approx(12975.42, abs=0.01)
    assert answer.missed is None
    assert "photos on SSD + DRAM costs $12,975.42 more" in answer.report.lede


def test_what_is_not_proved_is_counted() -> None:
    """With the first reason."""
    assert unproved([paper_plan()]) is None
    assert unproved([paper_plan(), ProvisionPlan(Status.INFEASIBLE)]) == "1 of 2 not proved: infeasible"


NONE = ProvisionPlan(Status.INFEASIBLE, conflict=(Conflict("slots of SAS", 5, 4), Conflict("network")))


def test_a_point_as_a_document() -> None:
    """Its plan and its baselines, by unit type."""
    plan, none = plan_document(paper_plan()), plan_document(NONE)
    assert _point(Point(0.5, paper_plan(), {"SSD": NONE})) == {
        "factor": 0.5,
        "plan": plan,
        "baselines": {"SSD": none},
    }


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("dataset.photos.size=150GB..250GB", Uniform(150e9, 250e9)),
        ("dataset.photos.size=150GB..150GB..300GB", Triangular(150e9, 150e9, 300e9)),
        ("dataset.photos.size=200GB*1.5", Lognormal(200e9, 1.5)),
    ],
)
def test_what_is_known_of_an_input(text: str, known: Distribution) -> None:
    """Two ends, two ends and what is likeliest, or a median and a factor; in base units."""
    input_, distribution = known_input(photoshare(), text)
    assert input_.path == "dataset.photos.size"
    assert distribution == known


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("1GB", "is no range"),
        ("1GB..2GB..3GB..4GB", r"dataset\.photos\.size: "),
        ("1GB..3GB..2GB", r"dataset\.photos\.size: "),
        ("1GB*x", "is no factor"),
        ("1GB*1", "input: "),
        ("1GB*nan", "input: "),
        ("1GB*inf", "input: "),
        ("..2GB", "dataset.photos.size"),
    ],
)
def test_what_is_no_range(given: str, message: str) -> None:
    """Named with what was typed."""
    with pytest.raises(InputError, match=message):
        known_input(photoshare(), f"dataset.photos.size={given}")


def test_inputs_are_those_asked_for_or_the_main_ones() -> None:
    """In the order in which they were asked for."""
    problem = photoshare()
    paths = ["unit.SSD.price", "cpu.core.price"]
    assert [input_.path for input_ in _inputs(problem, paths)] == paths
    assert _inputs(problem, ()) == main_inputs(problem)


_PRICE = "unit.SSD.price"


@pytest.mark.parametrize(
    ("ask", "place"),
    [
        (lambda p: fr.provision.robustness(p, [_PRICE], span=float("nan")), "span"),
        (lambda p: fr.provision.robustness(p, [_PRICE], span=1.0), "span"),
        (lambda p: fr.provision.sensitivity(p, [_PRICE], share=2), "share"),
        (lambda p: fr.provision.uncertainty(p, [f"{_PRICE}=100..200"], samples=0), "samples"),
        (lambda p: fr.provision.uncertainty(p, [f"{_PRICE}=100..200"], wanted=5), "wanted"),
        (lambda p: fr.provision.sweep(p, []), "factors"),
        (lambda p: fr.provision.roadmap(p, [1.0, -1.0]), "factors"),
        (lambda p: fr.provision.comparison(p, p, [float("nan")]), "factors"),
    ],
)
def test_arguments_out_of_range_are_refused(ask: Callable[[Problem], object], place: str) -> None:
    """Before anything is compiled."""
    with pytest.raises(InputError) as caught:
        ask(photoshare())
    assert caught.value.place == place
