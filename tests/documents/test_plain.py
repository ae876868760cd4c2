"""YAML and JSON as plain values: what is written is read, and no text exhausts the reader."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.documents.plain import (
    DEPTH_LIMIT,
    LONGEST_LINE,
    Fields,
    dump_yaml,
    parse_json,
    parse_yaml,
    yaml_comments,
)

LONG_LINE = "has a line too long"
DOCUMENTS = "holds more than one document"
TOO_DEEP = "is nested too deep"
LONG_NUMBER = "has a number too long"


MB = 1_000_000
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**200), 2**200)
    | st.floats(allow_nan=False)
    | TEXT
    | st.text("0123456789_.+-eExobinfINFNaA~: #'\"\n", max_size=12)
    | st.binary(max_size=80),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(TEXT, VALUES, max_size=5))
def test_what_is_written_is_read(fields: dict[str, Any]) -> None:
    """Any text, number, bytes, list and mapping, of the same type and in the same order."""
    read = parse_yaml(dump_yaml(fields).encode(), "f")
    assert repr(_plain(read)) == repr(fields)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("true", True),
        ("False", False),
        ("yes", "yes"),
        ("on", "on"),
        ("12", 12),
        ("+12", 12),
        ("1_000", 1000),
        ("017", 17),
        ("0o17", 15),
        ("0x1F", 31),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("-.inf", float("-inf")),
        ("1:30", "1:30"),
        ("\u0665", "\u0665"),
        ("1.\u0665", "1.\u0665"),
        ("2026-11-22", "2026-11-22"),
        ("1.2.3", "1.2.3"),
        ("'12'", "12"),
        ('"true"', "true"),
        ("!!binary AP8=", b"\x00\xff"),
        ("!!str 12", "12"),
    ],
)
def test_plain_words(text: str, value: object) -> None:
    """YAML 1.2's core schema: no dates, no sixties, no `yes`."""
    assert parse_yaml(f"a: {text}\n".encode(), "f") == {"a": value}


def test_lines_are_known() -> None:
    """Of keys, of items, and of mappings themselves."""
    root = parse_yaml(b"a: 1\nb:\n  - x\n  -\n    c: 2\n", "f")
    assert root.lines == {"a": 1, "b": 2}
    assert root["b"].lines == [3, 5]
    assert root["b"][1].line == 5


def test_keys_are_texts_as_they_stand() -> None:
    """A name that looks like a number or a truth is a name."""
    assert list(parse_yaml(b"1: a\ntrue: b\n~: c\n", "f")) == ["1", "true", "~"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a: &x 1\n", "f:1: uses an anchor or alias"),
        (b"a: *x\n", "f:1: "),
        (b"a: 1\n\na: 2\n", "f:3: has a key twice; found a"),
        (b"? [1]\n: 2\n", "f:1: has a key that is no text"),
        (b"a: !thing 1\n", "f:1: has a tag; found !thing"),
        (b"a: !!binary x\n", "f:1: has binary data that is not base64"),
        (b"!x {a: 1}\n", "f:1: "),
        (b"a: 1\n---\nb: 1\n", f"f:3: {DOCUMENTS}"),
        (b"a: [1\n", "f:2: is not YAML"),
        (b"a: \x00\n", "f: is not YAML"),
        (b"a: \xff\n", "f:byte 3: is not UTF-8 text"),
    ],
)
def test_refuses(data: bytes, message: str) -> None:
    """What could mean something else to another reader, and what is no YAML, with its line."""
    with pytest.raises(InputError, match=message):
        parse_yaml(data, "f")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a: " + b"x" * 10 * MB, f"f:1: {LONG_LINE}; found 10,000,003 characters; allowed: at most"),
        (b"a: [" + b"1, " * (3 * MB) + b"]", f"f:1: {LONG_LINE}"),
        (b"a: >\n" + b"  abc def\n" * MB, "f:1: has a value too long"),
        (b"[" * 10 * MB, f"f:1: {LONG_LINE}"),
        (b"[" * (LONGEST_LINE - 1), f"f:1: {TOO_DEEP}; allowed: at most 60 levels"),
        (b"".join(b"%sa:\n" % (b" " * depth) for depth in range(70)), f"f:61: {TOO_DEEP}"),
        (b"a: " + b"9" * 6000, f"f:1: {LONG_NUMBER}; found 6,000 characters; allowed: at most 100"),
        (b"a: 0x" + b"f" * 6000, f"f:1: {LONG_NUMBER}"),
        (b"a: 1e" + b"9" * 6000, f"f:1: {LONG_NUMBER}"),
        (b"- \n" * MB + b"x", "f:1000002: "),
        (b"---\n" * MB, DOCUMENTS),
    ],
)
def test_limits(data: bytes, message: str) -> None:
    """Long lines, values and numbers, and deep nesting, are refused with what is allowed."""
    with pytest.raises(InputError, match=message):
        parse_yaml(data, "f")


def test_many_lines_are_only_many() -> None:
    """A megabyte of short lines is read whole."""
    assert len(parse_yaml(b"".join(b"k%d: value\n" % n for n in range(80_000)), "f")) == 80_000


@given(st.binary(max_size=60) | st.text("a:-[]{},&*!|>'\"\n #?%@`", max_size=30).map(str.encode))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    """Never anything but values or a stated error, in either form."""
    for parse in (parse_yaml, parse_json):
        try:
            parse(data, "f")
        except InputError as error:
            assert error.file == "f"


@given(st.dictionaries(TEXT, st.recursive(TEXT | st.floats(-1e9, 1e9) | st.none(), st.lists, max_leaves=9)))
def test_json_is_read_as_everybody_reads_it(fields: dict[str, Any]) -> None:
    """In Fields."""
    read = parse_json(json.dumps(fields).encode(), "f")
    assert read == fields
    assert isinstance(read, Fields)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "f:1: is not JSON"),
        (b'{"a": 1, "a": 2}', "a key stands twice"),
        (b'{"a": NaN}', "NaN is no number"),
        (b'{"a": -Infinity}', "-Infinity"),
        (b'{"a": ' + b"9" * 6000 + b"}", "f: "),
        (b"[" * 100_000, "nested too deep"),
        (b'{"a": "\xff"}', "f:byte 7: "),
        (b'{"a": \n}', "f:[12]: "),
    ],
)
def test_json_that_is_refused(data: bytes, message: str) -> None:
    """Each by name."""
    with pytest.raises(InputError, match=message):
        parse_json(data, "f")


def test_nesting_up_to_the_limit_is_read() -> None:
    """Sixty levels, and not one more."""
    assert parse_yaml(b"[" * DEPTH_LIMIT + b"]" * DEPTH_LIMIT, "f")
    with pytest.raises(InputError, match="f:1: "):
        parse_yaml(b"[" * (DEPTH_LIMIT + 1) + b"]" * (DEPTH_LIMIT + 1), "f")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a: 'x # y'\nb: é#é\nc: |\n  # of the text\n", []),
        ("# a\né: [1, 2] # b\n  # c\nd: | # e\n  # no\n# f", ["# a", "# b", "# c", "# e", "# f"]),
    ],
)
def test_comments_are_found_between_values(text: str, found: list[str]) -> None:
    """Not within texts; those behind the head of a text over several lines, too."""
    assert [match[1] for match in yaml_comments(text)] == found
