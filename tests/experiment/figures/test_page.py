"""A page of whatever one wants to look at together."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from froude.experiment.figures.head import head_of
from froude.experiment.figures.page import page, sections_of
from froude.experiment.figures.plan import plan_section
from froude.experiment.figures.prediction import prediction_section
from froude.experiment.figures.trace import traces_section
from froude.experiment.figures.workload import workload_section
from froude.render import Report, Section
from froude.workload.extrapolate import extrapolate
from tests.support.experiment.figures.prediction import PREDICTION
from tests.support.experiment.figures.workload import SCALE, WORKLOAD
from tests.support.experiment.main_jobs import a_run
from tests.support.trace.making import small_trace

PLAN = replace(extrapolate(WORKLOAD, SCALE), refusals=())


@pytest.mark.parametrize(
    ("part", "sections"),
    [
        (small_trace(), (traces_section([small_trace()]),)),
        (WORKLOAD, (workload_section(WORKLOAD),)),
        (PLAN, (plan_section(PLAN), workload_section(WORKLOAD, SCALE))),
        (PREDICTION, (prediction_section(PREDICTION, "the held-out size"),)),
    ],
    ids=["trace", "workload", "plan", "prediction"],
)
def test_every_part_has_its_sections(part: Any, sections: tuple[Section, ...]) -> None:
    """A plan with the pattern at its scale."""
    assert sections_of(part) == sections


def test_a_run_has_several() -> None:
    """What came of it is the first."""
    sections = sections_of(a_run())
    assert len(sections) >= 3
    assert "3 calls answered" in sections[0].intro


def test_traces_are_gathered_at_the_place_of_the_first() -> None:
    """The other parts stand in the order given."""
    one, other = small_trace(2), small_trace(3)
    report = page([WORKLOAD, one, PREDICTION, other], title="All")
    assert report.report.title == "All"
    assert list(report.report.sections) == [
        workload_section(WORKLOAD),
        traces_section([one, other], names=["trace 1", "trace 2"]),
        prediction_section(PREDICTION, "the held-out size"),
    ]
    assert page([]).report == Report("Froude report")


def test_a_page_has_the_head_of_its_parts() -> None:
    """Its title too, unless another is given."""
    shown = page([a_run()], names=["run-7"]).report
    head = head_of([("run-7", a_run())])
    assert (shown.title, shown.lede, shown.tone) == (head.title, head.lede, head.tone)
    assert (shown.figures, shown.subtitle) == (head.figures, f"run-7 · {head.subtitle}")
    assert page([a_run()]).report.subtitle == head.subtitle


def test_no_two_sections_have_one_title() -> None:
    """Those of several runs are named for them; the comparison stands first."""
    sections = page([a_run(), a_run(), WORKLOAD], names=["run-1", "run-2", "w"]).report.sections
    titles = [section.title for section in sections]
    assert titles[0] == "The runs side by side"
    assert titles[1] == "The play: run-1"
    assert len(set(titles)) == len(titles)
    assert titles[-1] == "The mined pattern"


@pytest.mark.parametrize("part", [None, "trace", 3, [small_trace()]])
def test_what_has_no_sections_is_a_mistake_of_the_caller(part: Any) -> None:
    """It is named by its type."""
    with pytest.raises(TypeError, match=f"a {type(part).__name__} has no place in a report"):
        page([WORKLOAD, part])


def test_a_page_is_saved_with_its_figures(tmp_path: Path) -> None:
    """Its path is given back; a text is a path as well."""
    path = page([WORKLOAD], title="One").save(str(tmp_path / "page.html"), interactive=False)
    assert path == tmp_path / "page.html"
    assert "<title>One" in path.read_text()
    assert json.loads(path.with_suffix(".json").read_text())["title"] == "One"
