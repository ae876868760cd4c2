"""The paper's XML into elements and back; a hostile file is refused before it can do anything.

Figure 2 of the paper shows files without a root, so a file may hold several elements side by side; they are
read inside a root of ours. Document types and entities are refused, and nothing is ever fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lxml import etree

from froude.base.errors import InputError
from froude.provision.inputs.tree import Element, Flaws, Text

LIMIT_BYTES = 16 << 20
DEPTH_LIMIT = 20
ROOT = "provision"
_DECLARATION = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*(<\?xml[^>]*\?>)?")
_MARKUP = re.compile(
    r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>"
    r"|<(?P<name>[^\s/>!?]+)(?P<rest>(?:[^\"'>]|\"[^\"]*\"|'[^']*')*)>",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"(?<![^\s=/])([^\s=/]++)\s*=\s*(?:\"[^\"]*\"|'[^']*')")
_ELISION = re.compile(r"\.\.\.[^<>]*\.\.\.")
"""`... additional servers ...` stands in the paper's figure."""


def parse_xml(data: bytes, file: str, flaws: Flaws) -> list[Element]:
    """The top elements of a file.

    Args:
        data: its bytes, UTF-8.

    Raises:
        InputError: too large, not XML, not UTF-8, or with a document type, entity or processing instruction.
    """
    if len(data) > LIMIT_BYTES:
        raise InputError("is too large", file=file, found=len(data), allowed=f"at most {LIMIT_BYTES} bytes")
    _refuse_tricks(data, file)
    head = _DECLARATION.match(data)
    rest = data[head.end() :] if head else data
    line_breaks = (head[0] if head else b"").count(b"\n")
    # The root of ours stands on the first line, so that every line keeps its number.
    wrapped = b"\n" * line_breaks + f"<{ROOT}>".encode() + rest + f"</{ROOT}>".encode()
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        encoding="utf-8",
    )
    try:
        root = etree.fromstring(wrapped, parser)
    except etree.XMLSyntaxError as error:
        message = str(error.msg or "syntax").replace(ROOT, "the file")
        raise InputError(f"is not XML ({message})", file=file, place=error.lineno) from error
    places = iter([_Place(1, {}), *_places(data.decode())])
    top = _element(root, file, flaws, 0, places)
    if len(top.children) == 1 and top.children[0].tag == ROOT:
        top = top.children[0]
    return list(top.children)


def dump_xml(elements: Sequence[Element]) -> str:
    """The text of a file with a root, one line an element, attributes in the order given."""
    root = etree.Element(ROOT)
    for element in elements:
        root.append(_node(element))
    etree.indent(root, "  ")
    text: str = etree.tostring(root, encoding="unicode", pretty_print=True)
    return text


def _node(element: Element) -> etree._Element:
    node = etree.Element(element.tag, {name: text.text for name, text in element.fields.items()})
    node.extend([_node(child) for child in element.children])
    return node


def _refuse_tricks(data: bytes, file: str) -> None:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise InputError("is not UTF-8 text", file=file, place=f"byte {error.start}") from error
    for trick, name in ((b"<!DOCTYPE", "a document type"), (b"<!ENTITY", "an entity")):
        at = data.upper().find(trick)
        if at >= 0:
            line = data.count(b"\n", 0, at) + 1
            raise InputError(f"declares {name}", file=file, place=line, allowed="plain elements")


@dataclass(frozen=True, slots=True)
class _Place:
    """Lines of a start tag and of its attributes; the parser knows only where the tag ends."""

    line: int
    fields: dict[str, int]


def _places(text: str) -> Iterator[_Place]:
    """The place of each element, in the order of the document, which is known to be well formed."""
    line, at = 1, 0
    for match in _MARKUP.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        if match["name"]:
            inside = _ATTRIBUTE.finditer(match["rest"])
            start = match.start("rest")
            yield _Place(line, {m[1]: line + text.count("\n", at, start + m.start(1)) for m in inside})


def _element(node: etree._Element, file: str, flaws: Flaws, depth: int, places: Iterator[_Place]) -> Element:
    if depth > DEPTH_LIMIT:
        raise InputError("is nested too deep", file=file, place=str(node.sourceline), allowed=DEPTH_LIMIT)
    place = next(places, _Place(1, {}))
    fields = {
        str(name): Text(str(value), place.fields.get(str(name), place.line))
        for name, value in node.attrib.items()
    }
    inside = [child for child in node if isinstance(child.tag, str)]
    children = tuple(_element(child, file, flaws, depth + 1, places) for child in inside)
    element = Element(str(node.tag), file, place.line, fields, children)
    for entity in (child for child in node if not isinstance(child.tag, str)):
        flaws.add(element, "holds an entity", found=str(entity), allowed="plain elements")
    for text in (node.text, *(child.tail for child in node)):
        stray = _ELISION.sub("", text or "").strip()
        if stray:
            flaws.add(element, "holds text", found=repr(stray[:40]), allowed="elements and attributes only")
    return element
