"""docs/reference/provision-inputs.md says what the inputs are: every field, its dimension, default and an example."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

import pytest
from lxml import etree

from froude.provision.inputs.read import Parts, parse, parts_of
from froude.provision.inputs.tree import Element, Flaws, Text

_PAGE = Path(__file__).parents[3] / "docs" / "reference" / "provision-inputs.md"
_XS = "{http://www.w3.org/2001/XMLSchema}"
_SCHEMA = etree.fromstring(files("froude.provision.inputs").joinpath("provision.xsd").read_bytes())
_REQUIRED = "**required**"


@dataclass(frozen=True)
class Row:
    """One field of the page."""

    element: str
    field: str
    dimension: str
    default: str
    example: str


def _rows() -> list[Row]:
    rows, element = [], ""
    for line in _PAGE.read_text().splitlines():
        if line.startswith("### "):
            element = line[4:].strip()
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if element and line.startswith("| `") and len(cells) == 6:
            name, dimension, default, _range, _meaning, example = cells
            rows.append(Row(element, name.strip("`"), dimension, default, example.strip("`")))
    return rows


def _attributes() -> Iterator[tuple[str, str, str, bool]]:
    """(element, attribute, type, required) of the schema."""
    for element in _SCHEMA.findall(f"{_XS}element"):
        for node in element.iter(f"{_XS}attribute"):
            kind = str(node.get("type")).replace("xs:string", "word")
            yield str(element.get("name")), str(node.get("name")), kind, node.get("use") == "required"


def _whole() -> list[Element]:
    match = re.search(r"```yaml\n(.*?)```", _PAGE.read_text(), re.DOTALL)
    assert match is not None
    flaws = Flaws()
    elements = parse(match[1].encode(), "page", flaws)
    flaws.check()
    return elements


def _read(elements: list[Element]) -> Parts:
    flaws = Flaws()
    parts = parts_of(elements, flaws)
    flaws.check()
    return parts


def _with(elements: list[Element], row: Row, text: str) -> list[Element] | None:
    """The elements with the row's field in the first element of its kind; None where it stands there already."""
    for number, element in enumerate(elements):
        if element.tag == row.element:
            if row.field in element.fields:
                return None
            fields = {**element.fields, row.field: Text(text, element.line)}
            changed: Element | None = replace(element, fields=fields)
        else:
            inner = _with(list(element.children), row, text)
            changed = replace(element, children=tuple(inner)) if inner else None
        if changed is not None:
            return [*elements[:number], changed, *elements[number + 1 :]]
    return None


def test_every_field_of_the_schema_stands_in_the_page() -> None:
    """With its dimension, and whether it is required; and nothing else does."""
    documented = {(row.element, row.field): (row.dimension, row.default == _REQUIRED) for row in _rows()}
    assert documented == {(element, name): (kind, use) for element, name, kind, use in _attributes()}


def test_every_element_has_a_section_and_stands_in_the_whole_file() -> None:
    """All but the XML's root."""
    elements = {str(node.get("name")) for node in _SCHEMA.findall(f"{_XS}element")} - {"provision"}
    sections = re.findall(r"^### (\w+)$", _PAGE.read_text(), re.MULTILINE)
    assert sorted(sections) == sorted(elements)
    stack, seen = _whole(), set()
    while stack:
        element = stack.pop()
        seen.add(element.tag)
        stack += element.children
    assert seen == elements


def test_both_files_of_the_page_are_read() -> None:
    """YAML whole, XML as far as it goes."""
    assert _read(_whole()).catalog is not None
    match = re.search(r"```xml\n(.*?)```", _PAGE.read_text(), re.DOTALL)
    assert match is not None
    etree.XMLSchema(_SCHEMA).assertValid(etree.fromstring(match[1]))


@pytest.mark.parametrize("row", _rows(), ids=lambda row: f"{row.element}.{row.field}")
def test_examples_are_of_their_dimension(row: Row) -> None:
    """By the pattern of the schema."""
    patterns = {
        node.get("name"): str(pattern.get("value"))
        for node in _SCHEMA.findall(f"{_XS}simpleType")
        for pattern in node.iter(f"{_XS}pattern")
    }
    assert re.fullmatch(patterns.get(row.dimension, r".+"), row.example)


@pytest.mark.parametrize("row", _rows(), ids=lambda row: f"{row.element}.{row.field}")
def test_defaults_are_what_is_read_without_the_field(row: Row) -> None:
    """A default that is a value, in backticks, changes nothing when it is written."""
    value = re.fullmatch(r"`([^`]+)`", row.default)
    changed = _with(_whole(), row, value[1]) if value else None
    assert changed is None or _read(changed) == _read(_whole())
