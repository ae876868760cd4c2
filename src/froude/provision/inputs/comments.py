"""Comments of input files: found in one text, and put at the same elements and fields of another.

They are no part of the values, so a file that is written from values has none; what they say, such as which number is
a guess, should not be lost by that.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from froude.base.errors import InputError
from froude.documents.plain import yaml_comments
from froude.provision.inputs.read import parse
from froude.provision.inputs.tree import Element, Flaws

ElementPath = tuple[tuple[str, str, int], ...]
"""An element by its tags from the top, each with the name in it and a number among those of equal tag and name."""
_NAMES = ("name", "task", "dataset")
_XML_COMMENT = re.compile(r"<!--(.*?)-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Comment:
    """What somebody wrote beside the values."""

    lines: tuple[str, ...]
    beside: bool
    """At the end of a line, behind what it is about; else above that."""
    path: ElementPath = ()
    """The element that it is about; empty for the whole file."""
    field: str | None = None
    """The field of that element that it is about, if it is one alone."""


@dataclass(frozen=True, slots=True)
class _Anchor:
    """A line on which an element or a field begins."""

    line: int
    path: ElementPath
    field: str | None


@dataclass(frozen=True, slots=True)
class _Note:
    """A comment in a text, before it is known what it is about."""

    line: int
    before: str
    """What stands before it on its line."""
    text: str


def comments(data: bytes, file: str) -> list[Comment]:
    """The comments of a sound input file, in their order, each with what it is about.

    Args:
        data: content of the file, YAML or XML.

    Raises:
        InputError: it is of neither form.
    """
    anchors = _anchors(parse(data, file, Flaws()))
    text = data.decode("utf-8-sig").replace("\r\n", "\n")
    xml = text.lstrip().startswith("<")
    notes = list(
        _xml_notes(text) if xml else (_note(text, m.start(1), m[1][1:]) for m in yaml_comments(text))
    )
    first = _first_line(text)
    return [_comment(note, anchors, first) for note in notes if note.text.strip()]


def with_comments(text: str, notes: Sequence[Comment]) -> str:
    """A text of the same elements with comments: each at its element or field, else at what that is a part of.

    Where a comment would change a value (one that goes on over several lines), all of them stand at the top.

    Args:
        text: as `to_xml` or `to_yaml` writes it, without comments.
    """
    elements = parse(text.encode(), "", Flaws())
    written = _merged(text, notes, _anchors(elements))
    with suppress(InputError):
        if _values(parse(written.encode(), "", Flaws())) == _values(elements):
            return written
    return _merged(text, notes, [])


def _values(elements: Sequence[Element]) -> list[object]:
    """What the elements say, wherever they stand."""
    return [
        (element.tag, {name: field.text for name, field in element.fields.items()}, _values(element.children))
        for element in elements
    ]


def _merged(text: str, notes: Sequence[Comment], anchors: Sequence[_Anchor]) -> str:
    xml = text.startswith("<")
    at = {(anchor.path, anchor.field): anchor.line for anchor in reversed(anchors)}
    lines = text.removesuffix("\n").split("\n")
    above: dict[int, list[str]] = {}
    for note in notes:
        line = _line_of(note, at)
        field = note.field if line and line == at.get((note.path, None)) else None
        written = _written(note.lines, field, xml)
        if note.beside and line and len(written) == 1:
            lines[line - 1] += f"    {written[0]}"
            continue
        line = max(line, 1)
        indent = lines[line - 1][: len(lines[line - 1]) - len(lines[line - 1].lstrip())]
        above.setdefault(line, []).extend(f"{indent}{part}" for part in written)
    return "".join(f"{part}\n" for n, line in enumerate(lines, 1) for part in (*above.get(n, ()), line))


def _line_of(note: Comment, at: dict[tuple[ElementPath, str | None], int]) -> int:
    """Where the thing begins that a comment is about, or the smallest that it is a part of; 0 for the file."""
    if (note.path, note.field) in at:
        return at[note.path, note.field]
    path = note.path
    while path and (path, None) not in at:
        path = path[:-1]
    return at.get((path, None), 0)


def _written(lines: Sequence[str], field: str | None, xml: bool) -> list[str]:
    """A comment as it stands in a text; one of a field that has no line of its own names it."""
    named = [f"{field}: {lines[0]}", *lines[1:]] if field else list(lines)
    if not xml:
        return [f"# {line}".rstrip() for line in named]
    return [f"<!-- {re.sub('-(?=-|$)', '- ', line).rstrip()} -->" for line in named]


def _comment(note: _Note, anchors: Sequence[_Anchor], first: int) -> Comment:
    lines = tuple(line.strip() for line in note.text.strip().splitlines())
    starts = [anchor.line for anchor in anchors]
    here, after = bisect_left(starts, note.line), bisect_right(starts, note.line)
    begins = here < after
    # behind the name of a list it is about what follows
    beside = bool(note.before.strip()) and (begins or not note.before.rstrip().endswith(":"))
    # the first thing that begins on its line; on a line of a longer mapping, the thing before; else the next one
    index = (here if begins else here - 1) if beside else after
    if (not beside and note.line < first) or not 0 <= index < len(anchors):
        return Comment(lines, beside=False)
    return Comment(lines, beside, anchors[index].path, anchors[index].field)


def _anchors(elements: Sequence[Element]) -> list[_Anchor]:
    """Elements and fields by line; an element before its fields, which often stand on its line."""
    found = list(_below((), elements))
    return sorted(found, key=lambda anchor: anchor.line)


def _below(path: ElementPath, elements: Sequence[Element]) -> Iterator[_Anchor]:
    seen: Counter[tuple[str, str]] = Counter()
    for element in elements:
        label = next((element.fields[name].text for name in _NAMES if name in element.fields), "")
        own = (*path, (element.tag, label, seen[element.tag, label]))
        seen[element.tag, label] += 1
        yield _Anchor(element.line or 0, own, None)
        for name, field in element.fields.items():
            yield _Anchor(field.line or 0, own, name)
        yield from _below(own, element.children)


def _first_line(text: str) -> int:
    """The line of the first thing that is no comment: what stands above it is about the whole file."""
    bare = (
        _XML_COMMENT.sub(lambda match: "\n" * match[0].count("\n"), text)
        if text.lstrip().startswith("<")
        else text
    )
    for number, line in enumerate(bare.split("\n"), 1):
        if line.strip() and not line.lstrip().startswith(("#", "<?")):
            return number
    return 0


def _xml_notes(text: str) -> Iterator[_Note]:
    for match in _XML_COMMENT.finditer(text):
        if match[1] is not None:
            yield _note(text, match.start(), match[1])


def _note(text: str, start: int, said: str) -> _Note:
    begin = text.rfind("\n", 0, start) + 1
    return _Note(text.count("\n", 0, start) + 1, text[begin:start], said)
