"""YAML of the same names into elements and back.

Attributes are scalars, repeated elements are lists under their tag, and a task's operations, whose order
matters, are a list `operations` of `io:`, `compute:` and `dependency:`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from froude.documents.artifact import LINEAGE, TAGS
from froude.documents.migrate import Migrations
from froude.documents.plain import Fields, Items
from froude.documents.reading import STAMP, dump_document, parse_document
from froude.provision.inputs.tree import Element, Flaws, Text

MIGRATIONS = Migrations("provision", 1)
_TOP = ("sla", "batch", "growth", "re_replication", "resources", "application", "options")
_ORDERED = "operations"
_FRAME = {STAMP, LINEAGE, TAGS}


def parse_yaml(data: bytes, file: str, flaws: Flaws) -> list[Element]:
    """The top elements of a file.

    Args:
        flaws: takes what is wrong in it, such as a field without a value.

    Raises:
        InputError: not YAML, not a mapping, or of another kind or version.
    """
    root = parse_elements(data, file, flaws, MIGRATIONS)
    for name, text in root.fields.items():
        at = Element(name, file, text.line)
        flaws.add(at, "has the wrong type", found=repr(text.text), allowed=f"one of {', '.join(_TOP)}")
    return list(root.children)


def parse_elements(data: bytes, file: str, flaws: Flaws, migrations: Migrations) -> Element:
    """A whole file of a kind as one element, named by the kind; its lineage is not looked at: such files are edited.

    Args:
        flaws: takes what is wrong in it, such as a field without a value.
        migrations: of the kind that the file must be; older versions of it are brought up to date.

    Raises:
        InputError: not YAML, not a mapping, or of another kind or version.
    """
    root = parse_document(data, file)
    migrations.apply(root)
    fields = Fields((name, root.raw(name)) for name in root.names() if name not in _FRAME)
    fields.lines = root.fields.lines
    texts = {
        name: Text(_scalar(item), fields.lines.get(name))
        for name, item in fields.items()
        if not isinstance(item, (Fields, Items)) and item is not None
    }
    for name in [name for name, item in fields.items() if item is None]:
        flaws.add(Element(name, file, fields.lines.get(name)), "has no value")
    return Element(migrations.kind, file, 1, texts, tuple(_children(fields, file, flaws)))


def dump_yaml(elements: Sequence[Element]) -> str:
    """The text of a file."""
    return dump_document(MIGRATIONS.kind, MIGRATIONS.newest, _grouped(elements))


def _element(tag: str, value: Fields, file: str, line: int | None, flaws: Flaws) -> Element:
    fields = {
        name: Text(_scalar(item), value.lines.get(name, line))
        for name, item in value.items()
        if not isinstance(item, (Fields, Items)) and item is not None
    }
    for name in [name for name, item in value.items() if item is None]:
        flaws.add(Element(tag, file, value.lines.get(name, line)), f"{name} has no value")
    return Element(tag, file, line, fields, tuple(_children(value, file, flaws)))


def _children(value: Fields, file: str, flaws: Flaws) -> list[Element]:
    elements = []
    for name, item in value.items():
        if isinstance(item, Fields):
            elements.append(_element(name, item, file, value.lines.get(name), flaws))
        elif isinstance(item, Items):
            elements += _listed(name, item, file, flaws)
    return elements


def _listed(tag: str, items: Items, file: str, flaws: Flaws) -> list[Element]:
    elements = []
    for number, (item, at) in enumerate(zip(items, items.lines, strict=True)):
        if tag == _ORDERED and isinstance(item, Fields) and len(item) == 1:
            name, inner = next(iter(item.items()))
            if isinstance(inner, Fields):
                elements.append(_element(name, inner, file, at, flaws))
                continue
        if tag == _ORDERED or not isinstance(item, Fields):
            allowed = "io:, compute: or dependency: with fields" if tag == _ORDERED else "a mapping"
            flaws.add(Element(tag, file, at), f"item {number} has the wrong type", allowed=allowed)
            continue
        elements.append(_element(tag, item, file, at, flaws))
    return elements


def _scalar(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)  # a switch; no number reads so


def _grouped(elements: Sequence[Element]) -> dict[str, Any]:
    """Children under their tags: a list where there can be several, or where there are."""
    fields: dict[str, Any] = {}
    tags = [element.tag for element in elements]
    for element in elements:
        if element.tag in {"io", "compute", "dependency"}:
            fields.setdefault(_ORDERED, []).append({element.tag: _mapping(element)})
        elif element.tag in _ONCE and tags.count(element.tag) == 1:
            fields[element.tag] = _mapping(element)
        else:
            fields.setdefault(element.tag, []).append(_mapping(element))
    return fields


_ONCE = frozenset(
    {
        "resources",
        "application",
        "options",
        "batch",
        "growth",
        "re_replication",
        "cpu",
        "rack",
        "host",
        "energy",
        "bundle",
    }
)


def _mapping(element: Element) -> dict[str, Any]:
    own = {name: plain_number(text.text) for name, text in element.fields.items()}
    return own | _grouped(element.children)


def plain_number(text: str) -> str | int | float:
    """A number that is written as YAML would write it back; everything else as text."""
    for kind in (int, float):
        try:
            value = kind(text)
        except ValueError:
            continue
        if str(value) == text:
            return value
    return text
