"""YAML of the same names into elements and back.

Attributes are scalars, repeated elements are lists under their tag, and a task's operations, whose order
matters, are a list `operations` of `io:`, `compute:` and `dependency:`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ruamel.yaml.comments import CommentedMap, CommentedSeq

from froude.base.documents import Section, dump_document, parse_document
from froude.provision.inputs.tree import Element, Flaws, Text

KIND, VERSION = "provision", 1
_TOP = ("sla", "batch", "growth", "schedule", "resources", "application", "options")
_ORDERED = "operations"


def parse_yaml(data: bytes, file: str, flaws: Flaws) -> list[Element]:
    """The top elements of a file.

    Raises:
        InputError: not YAML, not a mapping, or of another kind or version.
    """
    root = parse_elements(data, file, flaws, kind=KIND, version=VERSION)
    for name, text in root.fields.items():
        at = Element(name, file, text.line)
        flaws.add(at, "has the wrong type", found=repr(text.text), allowed=f"one of {', '.join(_TOP)}")
    return list(root.children)


def parse_elements(data: bytes, file: str, flaws: Flaws, *, kind: str, version: int) -> Element:
    """A whole file of a kind as one element, named by the kind.

    Raises:
        InputError: not YAML, not a mapping, or of another kind or version.
    """
    root = parse_document(data, file)
    stamp, allowed = str(root.raw("froude") or ""), f"{kind}/{version}"
    if stamp != allowed:
        raise root.error("froude", "another kind or version of document", found=stamp, allowed=allowed)
    fields = CommentedMap((name, root.raw(name)) for name in root.names() if name != "froude")
    lines = {name: _place(root, name) for name in fields}
    texts = {
        str(name): Text(_scalar(item), lines[name])
        for name, item in fields.items()
        if not isinstance(item, (CommentedMap, CommentedSeq)) and item is not None
    }
    for name in [name for name, item in fields.items() if item is None]:
        flaws.add(Element(str(name), file, lines[name]), "has no value")
    return Element(kind, file, 1, texts, tuple(_children(fields, lines, file, flaws)))


def dump_yaml(elements: Sequence[Element]) -> str:
    """The text of a file."""
    return dump_document(KIND, VERSION, _grouped(elements))


def _place(section: Section, name: str) -> int | None:
    place = section.error(name, "").place
    return int(place) if place else None


def _element(tag: str, value: CommentedMap, file: str, line: int | None, flaws: Flaws) -> Element:
    lines = {name: _line_of(value, name, line) for name in value}
    fields = {
        str(name): Text(_scalar(item), lines[name])
        for name, item in value.items()
        if not isinstance(item, (CommentedMap, CommentedSeq)) and item is not None
    }
    children = _children(value, lines, file, flaws)
    element = Element(tag, file, line, fields, tuple(children))
    for name in [name for name, item in value.items() if item is None]:
        flaws.add(Element(tag, file, lines[name]), f"{name} has no value")
    return element


def _children(value: CommentedMap, lines: Mapping[Any, int | None], file: str, flaws: Flaws) -> list[Element]:
    found = []
    for name, item in value.items():
        if isinstance(item, CommentedMap):
            found.append(_element(str(name), item, file, lines[name], flaws))
        elif isinstance(item, CommentedSeq):
            found += _listed(str(name), item, file, lines[name], flaws)
    return found


def _listed(tag: str, items: CommentedSeq, file: str, line: int | None, flaws: Flaws) -> list[Element]:
    found = []
    for number, item in enumerate(items):
        at = _item_line(items, number, line)
        if tag == _ORDERED and isinstance(item, CommentedMap) and len(item) == 1:
            name, inner = next(iter(item.items()))
            if isinstance(inner, CommentedMap):
                found.append(_element(str(name), inner, file, at, flaws))
                continue
        if tag == _ORDERED or not isinstance(item, CommentedMap):
            allowed = "io:, compute: or dependency: with fields" if tag == _ORDERED else "a mapping"
            flaws.add(Element(tag, file, at), f"item {number} has the wrong type", allowed=allowed)
            continue
        found.append(_element(tag, item, file, at, flaws))
    return found


def _scalar(value: object) -> str:
    return {True: "1", False: "0"}[value] if isinstance(value, bool) else str(value)


def _line_of(value: CommentedMap, name: object, fallback: int | None) -> int | None:
    try:
        return int(value.lc.key(name)[0]) + 1
    except (AttributeError, KeyError, TypeError):
        return fallback


def _item_line(items: CommentedSeq, number: int, fallback: int | None) -> int | None:
    try:
        return int(items.lc.item(number)[0]) + 1
    except (AttributeError, KeyError, TypeError):
        return fallback


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
    {"resources", "application", "options", "batch", "growth", "schedule", "cpu", "host", "energy", "bundle"}
)


def _mapping(element: Element) -> dict[str, Any]:
    own = {name: _number(text.text) for name, text in element.fields.items()}
    return own | _grouped(element.children)


def _number(text: str) -> str | int | float:
    """A plain number without quotes; everything else as text."""
    for kind in (int, float):
        try:
            value = kind(text)
        except ValueError:
            continue
        if str(value) == text:
            return value
    return text
