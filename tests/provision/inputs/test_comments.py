"""Comments of input files: found where they stand, and kept by what is written from the values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.provision.inputs.comments import Comment, comments, with_comments
from froude.provision.inputs.read import Parts, examples, parse, parts_of, read_parts, read_text
from froude.provision.inputs.tree import Flaws
from froude.provision.inputs.write import to_xml, to_yaml

YAML = """\
# About the file,
# in two lines.
froude: provision/1
# Above a target
sla:
  - {task: view, rate: 5}    # beside a target
  - task: upload    # the first line of an element
    rate: 7  # beside a field
    # above nothing but the next element
  - {task: "not # a comment", rate: 1}
resources:    # behind a section
  storage_unit:    # behind the name of a list
    - {name: disk,
       capacity: 1TB}    # behind a longer mapping
"""


def _about(data: str) -> list[tuple[str, bool, str, str | None]]:
    """(text, whether it stands beside, name of the element, field)."""
    return [
        (
            " ".join(note.lines),
            note.beside,
            note.path[-1][1] or note.path[-1][0] if note.path else "",
            note.field,
        )
        for note in comments(data.encode(), "a.yaml")
    ]


def test_where_comments_of_yaml_stand() -> None:
    """Above or beside an element or a field; at the top about the file; `#` within a value is none."""
    assert _about(YAML) == [
        ("About the file,", False, "", None),
        ("in two lines.", False, "", None),
        ("Above a target", False, "view", None),
        ("beside a target", True, "view", None),
        ("the first line of an element", True, "upload", None),
        ("beside a field", True, "upload", "rate"),
        ("above nothing but the next element", False, "not # a comment", None),
        ("behind a section", True, "resources", None),
        ("behind the name of a list", False, "disk", None),
        ("behind a longer mapping", True, "disk", "capacity"),
    ]


def test_where_comments_of_xml_stand() -> None:
    """The same; one of several lines stays one; CDATA is none."""
    text = (
        '<!-- The file -->\n<provision>\n  <sla task="view" rate="5"/> <!-- beside -->\n'
        '  <!-- over\n     two lines -->\n  <sla task="upload"\n       rate="7"/>\n</provision>\n<!-- end -->'
    )
    assert _about(text) == [
        ("The file", False, "", None),
        ("beside", True, "view", None),
        ("over two lines", False, "upload", None),
        ("end", False, "", None),
    ]


def _parts(text: str) -> Parts:
    flaws = Flaws()
    parts = parts_of(parse(text.encode(), "file", flaws), flaws)
    flaws.check()
    return parts


@pytest.mark.parametrize("name", examples())
def test_a_file_written_anew_keeps_them(name: str) -> None:
    """From YAML to YAML and to XML: every comment of the shipped files, in their order; the values are untouched."""
    parts, notes = read_parts([name]), comments(*read_text(name))
    assert notes
    for text in (to_yaml(parts), to_xml(parts)):
        kept = with_comments(text, notes)
        assert _parts(kept) == parts
        again = comments(kept.encode(), "kept")
        assert len(again) == len(notes)
        # a field that has no line of its own is named
        assert all(
            " ".join(after.lines).endswith(" ".join(note.lines))
            for after, note in zip(again, notes, strict=True)
        )


def test_a_field_without_a_line_of_its_own_is_named() -> None:
    """In XML the fields of an element share its line."""
    note = Comment(("guess",), True, (("application", "", 0), ("task", "view", 0)), "memory")
    xml = (
        '<provision>\n  <application>\n    <task name="view" memory="1GB"/>\n  </application>\n</provision>\n'
    )
    assert '<task name="view" memory="1GB"/>    <!-- memory: guess -->' in with_comments(xml, [note])


def test_what_is_gone_is_said_at_what_it_was_a_part_of() -> None:
    """A default that is not written again: its comment moves to the element, that of an element to the file."""
    text = "froude: provision/1\nsla:\n  - task: view\n    rate: 5\n"
    gone = [
        Comment(("a",), True, (("sla", "view", 0),), "burst"),
        Comment(("b",), True, (("sla", "other", 0),), None),
    ]
    assert with_comments(text, gone) == (
        "# b\nfroude: provision/1\nsla:\n  - task: view    # burst: a\n    rate: 5\n"
    )


@pytest.mark.parametrize("end", ["\n", "\r", "\u2028", "\u0085"])
def test_a_comment_ends_where_any_reader_sees_an_end(end: str) -> None:
    """YAML knows more line breaks than XML: what stands behind one is still a comment."""
    text = f'<provision><sla task="view" rate="5"/><!-- was:{end}latency: 1ms --></provision>'
    notes = comments(text.encode(), "a.xml")
    assert [note.lines for note in notes] == [("was:", "latency: 1ms")]
    assert _parts(with_comments(to_yaml(_parts(text)), notes)) == _parts(text)


def test_values_over_several_lines_stay() -> None:
    """Comments then stand at the top; that of a text's first line is one, what looks like one within it is none."""
    text = "froude: provision/1\nsla:\n  - task: >-   # guess\n      view # of all\n    rate: 5\n  # next\n"
    notes = comments(text.encode(), "a.yaml")
    assert [note.lines for note in notes] == [("guess",), ("next",)]
    broken = 'froude: provision/1\nsla:\n  - task: "view\n\n      all"\n    rate: 5\n'
    beside = Comment(("guess",), True, (("sla", "view\nall", 0),), "task")
    assert with_comments(broken, [beside]) == "# guess\n" + broken
    assert _about("<?pi <!-- none --> ?><provision><!----></provision>") == []


@given(st.text(st.characters(blacklist_categories=["C", "Z"]) | st.just(" "), max_size=20))
def test_whatever_they_say_the_values_stay(said: str) -> None:
    """Dashes in a row, which XML forbids, and marks of either form are only text."""
    parts = _parts(YAML.split("resources")[0])
    notes = [Comment((said,), beside, (("sla", "view", 0),)) for beside in (True, False)]
    assert _parts(with_comments(to_xml(parts), notes)) == parts
    assert _parts(with_comments(to_yaml(parts), notes)) == parts
