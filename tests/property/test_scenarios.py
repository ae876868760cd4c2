"""Any scenario is read back from its file as it was; whatever stands in a file, it is a scenario or one clear error."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.documents.reading import dump_document, parse_document
from froude.experiment.scenario.scenario import KINDS, Scenario, scenario_of
from froude.experiment.scenario.text import template
from tests.support.experiment.scenarios import scenarios

_UNHURRIED = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


def written(scenario: Scenario) -> str:
    """Its document, with paths as they are."""
    return dump_document("scenario", 1, {"kind": scenario.kind, **scenario.plain()})


def read(text: bytes) -> Scenario:
    """The scenario of a document."""
    return scenario_of(parse_document(text, "s.yaml").fields, Path("s.yaml"))


@_UNHURRIED
@given(scenarios())
def test_what_is_written_is_read_as_it_was(scenario: Scenario) -> None:
    """Every kind, every field, every digit."""
    assert read(written(scenario).encode()) == scenario


@_UNHURRIED
@given(scenarios())
def test_paths_are_moved_there_and_back(scenario: Scenario) -> None:
    """And nothing else is."""
    there = scenario.moved(lambda path: Path("/x") / path.relative_to("/") if path.is_absolute() else path)
    back = there.moved(lambda path: Path("/") / path.relative_to("/x") if path.is_absolute() else path)
    if scenario.kind != "record":  # a program's path may be any text
        assert back == scenario


_TEMPLATES = [template(kind) for kind in KINDS]
_PIECES = st.sampled_from(
    [
        "kind: play",
        "kind: sweep",
        "load:",
        "  plan: p",
        "{",
        "[",
        "- 1",
        "null",
        "speed: -1",
        "x: y",
        "target: 3",
        "#",
    ]
)


@_UNHURRIED
@given(st.sampled_from(_TEMPLATES), st.data())
def test_a_damaged_file_is_one_clear_error(text: str, data: st.DataObject) -> None:
    """Lines replaced, dropped or moved; bytes turned: it names the file, and a line where there is one."""
    lines = text.splitlines()
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(lines) - 1))
        lines[at : at + data.draw(st.integers(0, 2))] = data.draw(st.lists(_PIECES, max_size=2))
        lines = lines or [""]
    raw = bytearray("\n".join(lines).encode())
    for at in data.draw(st.lists(st.integers(0, max(0, len(raw) - 1)), max_size=2)) if raw else ():
        raw[at] ^= 1 << data.draw(st.integers(0, 7))
    try:
        read(bytes(raw))
    except InputError as error:
        assert error.file == "s.yaml"
        assert "\n" not in str(error)


@pytest.mark.parametrize("kind", KINDS)
def test_every_value_of_a_field_in_turn(kind: str) -> None:
    """Of each field of a template something that it is not: refused by its name, or another value of it."""
    fields = parse_document(template(kind).encode(), "s.yaml").fields
    for name in [name for name in fields if name not in {"froude", "kind"}]:
        for wrong in ({"nosuch": 1}, [[1]], -1, "x\0", True, 1e999):
            broken = type(fields)({**fields, name: wrong}, fields.line)
            broken.lines = fields.lines
            try:
                scenario_of(broken, Path("s.yaml"))
            except InputError as error:
                assert error.file == "s.yaml"
                assert name in str(error)
