"""The files that people begin with, and the page that says what may stand in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.documents.model import declared
from froude.documents.reading import parse_document
from froude.experiment.scenario.options import DuetLoad, PlanLoad, WorkloadLoad
from froude.experiment.scenario.scenario import (
    KINDS,
    DuetScenario,
    KneeScenario,
    PlayScenario,
    Recording,
    RecordScenario,
    Scenario,
    scenario_of,
)
from froude.experiment.scenario.text import template
from froude.workload.scale import Scale
from testbed.pages import page_blocks
from tests.support.experiment.scenario_page import reference, walk

_PAGE = Path(__file__).parents[3] / "docs" / "reference" / "scenarios.md"
_MARK = "<!-- What follows is made by `python -m tests.experiment.scenario.test_text`. -->\n\n"
FILES = Scale.of(a=5, b=12, c=8)
AS_THEY_STAND: dict[str, Scenario] = {
    "play": PlayScenario(load=PlanLoad(plan=Path("plan"))),
    "knee": KneeScenario(load=WorkloadLoad(workload=Path("workload.yaml"))),
    "duet": DuetScenario(load=DuetLoad(workload=Path("workload.yaml"))),
    "record": RecordScenario(
        record=Recording(command=("./job.sh", "{files}"), scales={"files": tuple(FILES.values())})
    ),
}


def _read(text: str) -> Scenario:
    return scenario_of(parse_document(text.encode(), "s.yaml").fields, Path("s.yaml"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_template_can_be_read_as_it_stands(kind: str) -> None:
    """With what is the default, and the names of files to replace."""
    scenario = _read(template(kind))
    assert scenario.kind == kind
    assert scenario == AS_THEY_STAND.get(kind, scenario)


@pytest.mark.parametrize("kind", KINDS)
def test_what_stands_in_a_comment_may_be_put_in_force(kind: str) -> None:
    """Every example is one of its field."""
    examples = [each for _, each in walk(KINDS[kind]) if each.example is not None]
    assert examples
    for each in examples:
        assert each.example is not None
        value = each.read(each.example.value)
        assert each.read(each.write(value)) == value


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_is_described(kind: str) -> None:
    """In its template, by one line."""
    words = " ".join(template(kind).replace("#", "").split())
    for each in declared(KINDS[kind]):
        assert each.about, each.name
        assert each.about.split(";")[0] in words
    assert len(declared(KINDS[kind])) == len(KINDS[kind].model_fields)


def test_the_page_has_what_is_declared() -> None:
    """Made anew by `python -m tests.experiment.scenario.test_text`."""
    assert _PAGE.read_text().partition(_MARK)[2] == reference()


@pytest.mark.parametrize("text", page_blocks("docs/howto/write-an-experiment-down.md", "yaml"))
def test_the_files_of_the_how_to_can_be_read(text: str) -> None:
    """As they stand."""
    assert _read(text).kind in KINDS


if __name__ == "__main__":
    _PAGE.write_text(_PAGE.read_text().partition(_MARK)[0] + _MARK + reference())
