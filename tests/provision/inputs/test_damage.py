"""Damaged inputs: a Problem or stated errors, never anything else, and what is read can be compiled into numbers."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.provision.inputs.read import EXAMPLES, examples, parse, parts_of
from froude.provision.inputs.tree import Flaws
from froude.provision.inputs.write import to_xml
from froude.provision.model.build import build
from froude.provision.search.split import undecided
from tests.support.provision.inputs.figure2 import APPLICATION, RESOURCES, SLA

YAML = [(EXAMPLES / f"{name}.yaml").read_text() for name in examples()]
XML = [SLA + RESOURCES + APPLICATION, APPLICATION, RESOURCES]
_words = st.sampled_from(
    ["", "0", "-1", "1e9", "nan", "{}", "[]", "<a/>", '"', "'", ":", "\n", "&x;", "*", "é"]
)


def _read(text: str) -> None:
    flaws = Flaws()
    try:
        parts = parts_of(parse(text.encode(), "f", flaws), flaws)
        flaws.check()
        problem = parts.problem("f")
        phases = undecided(problem)
    except InputError as error:
        assert error.file == "f" or error.place == "batch"
        return
    if phases is None:
        build(problem)
    assert to_xml(parts)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(YAML + XML), st.floats(0, 1), st.integers(0, 40), _words)
def test_a_piece_replaced(text: str, place: float, length: int, word: str) -> None:
    """Anywhere, of any length, by anything."""
    at = int(place * len(text))
    _read(text[:at] + word + text[at + length :])


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(YAML + XML), st.floats(0, 1), st.integers(1, 3))
def test_lines_left_out(text: str, place: float, count: int) -> None:
    """Whole elements and fields are gone."""
    lines = text.splitlines(keepends=True)
    at = int(place * len(lines))
    _read("".join(lines[:at] + lines[at + count :]))


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(YAML + XML), st.data())
def test_a_number_replaced(text: str, data: st.DataObject) -> None:
    """Any quantity by any other text."""
    numbers = list(re.finditer(r"[0-9.]+[A-Za-z]*", text))
    number = data.draw(st.sampled_from(numbers))
    word = data.draw(
        st.sampled_from(["0", "0B", "-5", "1e40GB", "1e-300s", "999999999999", "x", "1GB", "0.5", "1Gbps"])
    )
    _read(text[: number.start()] + word + text[number.end() :])
