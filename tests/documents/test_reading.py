"""Documents are read strictly, and every error says where."""

from enum import Enum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.documents.reading import (
    dump_document,
    dump_figures,
    parse_document,
    parse_figures,
    parse_stamp,
    stamped_kind,
)


def test_error_names_line_and_field() -> None:
    """A wrong type is reported with the line it stands on."""
    section = parse_document(b"a: 1\nb:\n  c: text\n", "f.yaml").section("b")
    with pytest.raises(
        InputError, match=r"f\.yaml:3: b\.c: has the wrong type; found 'text'; allowed: a whole number"
    ):
        section.value("c", int)


def test_refuses_a_misspelt_field() -> None:
    """A field that nobody asks for is an error, not a default."""
    section = parse_document(b"name: x\nnmae: y\n", "f.yaml")
    section.value("name", str)
    with pytest.raises(InputError, match="nmae: is not a field here"):
        section.finish()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "does not start with fields"),
        (b"- 1\n", r"f\.yaml: "),
        (b"a: [1\n", r"f\.yaml:2: "),
        (b"a: 1\na: 2\n", "f.yaml:2: "),
        (b"\xff\xfe", r"f\.yaml:byte 0: "),
        (b"a: &x [1]\nb: *x\n", r"f\.yaml:1: "),
        (b"a: " + b"[" * 200 + b"]" * 200, r"f\.yaml:1: "),
    ],
)
def test_refuses_what_is_no_document(data: bytes, message: str) -> None:
    """Empty, foreign, torn and hostile files each give one clear error."""
    with pytest.raises(InputError, match=message):
        parse_document(data, "f.yaml")


@given(st.binary(max_size=200))
def test_any_bytes_give_a_section_or_a_stated_error(data: bytes) -> None:
    """No input escapes as another exception."""
    try:
        parse_document(data, "f.yaml")
    except InputError as error:
        assert "f.yaml" in str(error)


def test_the_stamp_comes_first() -> None:
    """In YAML and in JSON, also where the fields had one already."""
    fields = {"a": 1, "froude": "other/1"}
    assert dump_document("workload", 9, fields) == "froude: workload/9\na: 1\n"
    assert list(parse_figures(dump_figures("run", 2, fields).encode(), "f").fields) == ["froude", "a"]
    assert parse_stamp("partial-trace/12") == ("partial-trace", 12)
    assert [parse_stamp(text) for text in ("workload", "workload/", "/1", "Workload/1", 3, None)] == [
        None
    ] * 6


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_what_json_says_yaml_reads(text: str) -> None:
    """Figures are documents as well: control characters and line breaks of Unicode are escaped."""
    document = dump_figures("run", 2, {"text": text}).encode()
    assert parse_document(document, "f").fields == parse_figures(document, "f").fields


@pytest.mark.parametrize("value", [b"1e999", b".inf", b".nan", b"-.inf"])
def test_a_number_that_is_not_finite_is_none(value: bytes) -> None:
    """A field asked for as a number has one."""
    with pytest.raises(InputError, match="a: is not a finite number"):
        parse_document(b"a: " + value, "f").value("a", float)


def test_items_are_converted_with_their_place() -> None:
    """A list through a parser, whose error gains file, line and field."""
    section = parse_document(b"x: 1\na: [1, b]\n", "f")
    assert section.converted("none", int) == ()

    def whole(item: object) -> int:
        if not isinstance(item, int):
            raise InputError("is no number", found=item)
        return item

    with pytest.raises(InputError, match=r"f:2: a: .*found b"):
        section.converted("a", whole)


def test_numbers_stay_within_their_range_and_words_are_of_their_list() -> None:
    """Both ends are allowed; a default is taken only where nothing stands."""
    root = parse_document(b"at: 3\nwhen: soon\nshape: round\n", "d.yaml")
    assert root.value("at", float, within=(3, 4)) == 3.0
    assert root.value("none", float, 9.0, within=(3, 4)) == 9.0
    with pytest.raises(InputError, match=r"d.yaml:1: at: is out of range; found 3; allowed: 4 to 5"):
        root.value("at", int, within=(4, 5))
    assert root.value("shape", Shape) is Shape.ROUND
    assert root.value("none", Shape, Shape.SQUARE) is Shape.SQUARE
    with pytest.raises(InputError, match=r"found 'soon'; allowed: round, square"):
        root.value("when", Shape)


class Shape(Enum):
    """Two words."""

    ROUND = "round"
    SQUARE = "square"


@pytest.mark.parametrize(
    "text", [dump_document("song-book", 3, {"a": 1}), dump_figures("song-book", 3, {"a": 1})]
)
def test_a_kind_is_seen_at_the_head_without_reading_the_whole(text: str) -> None:
    """In both forms, behind comments too; a stamp further down is none."""
    assert stamped_kind(text.encode()[:40]) == "song-book"
    assert stamped_kind(b"first: 1\n" + text.encode()) is None
    assert stamped_kind(b'{"first": 1, "froude": "song-book/3"}') is None
