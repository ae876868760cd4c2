"""A hostile or broken XML file is refused with one clear error, and never acts."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.provision.inputs import xml_file
from froude.provision.inputs.tree import Flaws
from froude.provision.inputs.xml_file import parse_xml

NOT_XML = "is not XML"
DOCUMENT_TYPE = "document type"


BILLION = """<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>
<resources>&b;</resources>"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BILLION, f"declares a {DOCUMENT_TYPE}"),
        ('<!DOCTYPE r SYSTEM "http://127.0.0.1:9/x.dtd"><resources/>', f"declares a {DOCUMENT_TYPE}"),
        ('<!doctype r [<!ENTITY f SYSTEM "file:///etc/passwd">]><resources>&f;</resources>', DOCUMENT_TYPE),
        ("<resources>&undefined;</resources>", NOT_XML),
        ("<resources>", NOT_XML),
        ("<resources></provision><provision></resources>", NOT_XML),
        ("<resources a='1' a='2'/>", NOT_XML),
        ("<x>" * 300 + "</x>" * 300, NOT_XML),
    ],
)
def test_refuses(text: str, message: str) -> None:
    """Document types, entities, broken markup, bottomless nesting."""
    with pytest.raises(InputError, match=message):
        parse_xml(text.encode(), "f.xml", Flaws())


def test_size_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file over the limit is not parsed."""
    monkeypatch.setattr(xml_file, "LIMIT_BYTES", 10)
    with pytest.raises(InputError, match="too large"):
        parse_xml(b"<resources></resources>", "f.xml", Flaws())


def test_only_utf8() -> None:
    """Another encoding is said to be one."""
    with pytest.raises(InputError, match="UTF-8"):
        parse_xml("<a b='é'/>".encode("latin-1"), "f.xml", Flaws())


def test_lines_are_those_of_the_file() -> None:
    """With a declaration on lines of its own, comments and a byte-order mark."""
    text = '\ufeff<?xml version="1.0"\n?>\n<!-- words -->\n<sla\n task="a"/>\n<sla task="b"/>'
    elements = parse_xml(text.encode(), "f.xml", Flaws())
    assert [(e.line, e.fields["task"].line) for e in elements] == [(4, 5), (6, 6)]


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    """Elements or a stated error, never anything else."""
    try:
        parse_xml(data, "f.xml", Flaws())
    except InputError as error:
        assert error.file == "f.xml"


def test_nothing_is_fetched(tmp_path: Path) -> None:
    """An inclusion is an element like any other: unknown here, never followed."""
    secret = tmp_path / "secret"
    secret.write_text("<a/>")
    text = f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{secret}"/>'
    (element,) = parse_xml(text.encode(), "f.xml", Flaws())
    assert element.children == ()
