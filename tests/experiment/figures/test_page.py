"""A page of whatever one wants to look at together."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from froude.experiment.figures.head import head_of
from froude.experiment.figures.page import page, plan_section, runs_section, sections_of
from froude.experiment.figures.prediction import prediction_section
from froude.experiment.figures.trace import traces_section
from froude.experiment.figures.workload import workload_section
from froude.render import Callout, Chart, Report, Section, Table, Tone, literal
from froude.workload.extrapolate import extrapolate
from froude.workload.plan import Refusal
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


def test_a_plan_in_figures() -> None:
    """Nodes, calls and periodic rates at the scale."""
    section = plan_section(PLAN)
    table = next(block for block in section.blocks if isinstance(block, Table))
    assert table.rows == [("dn", 3, 0, 0, 1.0), ("client: create, addBlock", 2, 8, 16, 0)]
    assert section.title == f"The plan at {SCALE}"
    assert section.intro == "It can be played."
    assert len(section.blocks) == 1


def test_types_that_are_not_played_have_no_row() -> None:
    """A plan may be of a part of its workload."""
    (table,) = plan_section(replace(PLAN, counts={"client": 2})).blocks
    assert isinstance(table, Table)
    assert [row[0] for row in table.rows] == ["client: create, addBlock"]


def test_what_is_refused_and_what_is_to_be_kept_in_mind() -> None:
    """In their order, to the letter; only what is fatal keeps it from being played."""
    note = Refusal("`a` *took* one value", fatal=False)
    section = plan_section(replace(PLAN, refusals=(note,)))
    assert section.intro == "It can be played."
    section = plan_section(replace(PLAN, refusals=(note, Refusal("it fits nothing"))))
    assert section.intro == "It cannot be played: see the refusals."
    first, second = (block for block in section.blocks if isinstance(block, Callout))
    assert (first.title, first.tone) == ("To be kept in mind", Tone.WARNING)
    assert (second.title, second.tone) == ("Refused", Tone.BAD)
    assert (first.markdown, second.markdown) == (literal(note.what), "`it fits nothing`")


def test_runs_in_their_order_and_points_by_their_load() -> None:
    """The table as given, the chart from the lowest load on."""
    section = runs_section(
        [("fast", replace(a_run(), elapsed_s=1.0)), ("slow", replace(a_run(), elapsed_s=3.0))]
    )
    table, chart = section.blocks
    assert isinstance(table, Table)
    assert isinstance(chart, Chart)
    assert [(row[0], row[2], row[5], row[6]) for row in table.rows] == [
        ("fast", 3.0, 1, "unknown"),
        ("slow", 1.0, 1, "unknown"),
    ]
    p99, p50 = chart.series
    assert (list(p99.xs), list(p50.xs)) == ([1.0, 3.0], [1.0, 3.0])
    assert list(p99.ys) == [0.003, 0.003]
