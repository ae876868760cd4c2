"""The class file reader takes what the JVM specification allows and refuses the rest by name and offset."""

from __future__ import annotations

import pytest

from froude.base.errors import InputError
from froude.messages.classfile import decode_modified_utf8, read_class
from tests.support.hadoop.class_writer import class_file, modified_utf8

MARK = "Lorg/example/Mark;"


def test_string_constants_come_in_order_of_the_pool() -> None:
    """String constants are told from other text and keep their order."""
    parsed = read_class(class_file("a/B", ["first", "", "nul\0é"]), "x.jar!a/B.class")
    assert [decode_modified_utf8(raw) for raw in parsed.string_constants()] == ["first", "", "nul\0é"]


def test_names_and_annotations() -> None:
    """Name, interfaces and the string elements of one annotation among others are read."""
    marks = {"Lother;": {"name": "no"}, MARK: {"name": "yes", "more": "1"}}
    parsed = read_class(class_file("a/B", (), ["c/D", "e/F"], marks), "x")
    assert (parsed.this_class, parsed.interfaces) == ("a/B", ("c/D", "e/F"))
    assert parsed.annotation_strings(MARK) == {"name": "yes", "more": "1"}
    assert parsed.annotation_strings("Labsent;") == {}


@pytest.mark.parametrize("text", ["", "plain", "nul\0", "é", "漢", "😀 both\0", "\ud83d alone"])
def test_modified_utf8_round_trip(text: str) -> None:
    """What Java writes is read back, supplementary characters and lone surrogates included."""
    assert decode_modified_utf8(modified_utf8(text)) == text


@pytest.mark.parametrize("raw", [b"a\0", b"\xf0\x9f\x98\x80", b"\xff", b"\xc3", b"\x80"])
def test_what_is_not_modified_utf8_is_refused(raw: bytes) -> None:
    """A plain NUL, four-byte forms and broken sequences are refused."""
    with pytest.raises(ValueError, match="modified UTF-8"):
        decode_modified_utf8(raw)


def test_every_cut_is_refused() -> None:
    """A class file cut anywhere raises InputError that names the class, never anything else."""
    whole = class_file("a/B", ["one", "two"], ["c/D"], {MARK: {"name": "yes"}})
    for size in range(len(whole)):
        with pytest.raises(InputError, match=r"cut\.jar!B"):
            read_class(whole[:size], "cut.jar!B").annotation_strings(MARK)


def test_foreign_bytes_are_refused_with_their_offset() -> None:
    """Other files and unknown constants are named, with the offset."""
    with pytest.raises(InputError, match="offset 0: is not a Java class file; found 504b0304"):
        read_class(b"PK\x03\x04" + bytes(20), "x.zip")
    with pytest.raises(InputError, match="offset 10: has a constant of an unknown kind; found tag 99"):
        read_class(class_file("a/B")[:10] + b"\x63" + bytes(10), "x")


def test_bad_indices_are_refused() -> None:
    """An index that leads nowhere, or to a constant of another kind, is refused."""
    parsed = read_class(class_file("a/B"), "x")
    with pytest.raises(InputError, match="index 999"):
        parsed.raw(999)
    with pytest.raises(InputError, match="names a class that is not there"):
        parsed.class_name(1)


def test_wide_constants_take_two_places() -> None:
    """Long and Double take two places of the pool (JVMS 4.4.5)."""
    head = bytes.fromhex("cafebabe0000003400060500000000000000010100016108000300000000")
    assert read_class(head[:8] + b"\x00\x05" + head[10:], "x").string_constants() == [b"a"]
