"""Cells, argument lists and names."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.trace.importers.call_values import (
    DEEPEST,
    Cell,
    Times,
    form_of,
    identifier,
    parse_arguments,
    parse_json,
    put,
)

NO_TIME_OF_DAY = "no time of a day"
YEARS = "not in the years 1970 to 2099"


SECOND_NS = 10**9
TOO_DEEP = "too deep"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("42", 42),
        ("-7", -7),
        ("0", 0),
        ("007", "007"),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        ("nan", "nan"),
        ("true", True),
        ("False", False),
        ("yes", "yes"),
        ("99999999999999999999999", "99999999999999999999999"),
        ("/a/b", "/a/b"),
    ],
)
def test_a_cell_reads_as_what_it_looks_like(text: str, value: object) -> None:
    """Numbers that would not be written again as they stand stay text."""
    guess = Cell(text).guess()
    assert (type(guess), guess) == (type(value), value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"src": "/in", "perm": {"bits": 493}}', {"src": "/in", "perm": {"bits": 493}}),
        # Table I of the paper.
        (
            '{src: "/in/_temp/1", masked.perm: 493, createParent: true}',
            {"src": "/in/_temp/1", "masked": {"perm": "493"}, "createParent": "true"},
        ),
        ("src=/a;size=10", {"src": "/a", "size": "10"}),
        ("src=/a, size=10", {"src": "/a", "size": "10"}),
        ("[1, 2]", [1, 2]),
        ('"a b"', "a b"),
        ("node-1:8020", "node-1:8020"),
        ("http://x/y", "http://x/y"),
        ("/a/b=c", "/a/b=c"),
        ("plain", "plain"),
        ("", {}),
    ],
)
def test_forms_of_arguments(text: str, value: object) -> None:
    """JSON, pairs with and without braces, and single values, which may hold a colon."""
    assert parse_arguments(text) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": ', "no JSON"),
        ("{a}", "no JSON"),
        ('{"a": NaN}', "NaN"),
        (r'{"a": "\ud800"}', "half a character"),
        ("[" * 40 + "]" * 40, TOO_DEEP),
        ("[" * 500 + "]" * 500, TOO_DEEP),
        ('{"a": 1, "a": 2}', "two fields of one name"),
        ('{"a": 1e999}', "beyond a double's range"),
        ("[" * 100_000, "no JSON"),
        ('{"a": ' + "9" * 5000 + "}", "no JSON"),
    ],
)
def test_what_no_message_can_hold_is_refused(text: str, message: str) -> None:
    """With the place, where there is one."""
    with pytest.raises(InputError, match=message):
        parse_arguments(text)


def test_paths_lead_into_objects() -> None:
    """An empty cell is no value; two values at one place are an error."""
    root: dict[str, Any] = {}
    put(root, ("a", "b"), Cell("1"))
    put(root, ("c",), Cell(""))
    assert root == {"a": {"b": "1"}}
    with pytest.raises(InputError, match="given twice"):
        put(root, ("a", "b"), Cell("2"))
    with pytest.raises(InputError, match="as a value and as more"):
        put(root, ("a", "b", "c"), Cell("2"))
    with pytest.raises(InputError, match=TOO_DEEP):
        put({}, ("a",) * (DEEPEST + 1), Cell("2"))


@settings(max_examples=50)
@given(st.lists(st.text(max_size=8), max_size=6))
def test_names_are_what_protobuf_allows_and_differ(names: list[str]) -> None:
    """Whatever they are."""
    taken: set[str] = set()
    for name in names:
        made = identifier(name, taken)
        assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", made)
        assert made not in taken
        taken.add(made)


@settings(max_examples=50)
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=8))
def test_json_comes_back(value: object) -> None:
    """What was written, unless no message can hold it."""
    try:
        assert parse_json(json.dumps(value)) == value
    except InputError as error:
        assert re.search("half a character|too deep", str(error))


@pytest.mark.parametrize("text", ["a=" + " " * 200_000 + 'x{"', 'a="' + "\\" * 100_000])
def test_long_texts_that_are_no_pairs(text: str) -> None:
    """Are read in linear time: a cubic search would never come back."""
    assert parse_arguments(text) == text


def test_numbers_beyond_a_double_stay_text() -> None:
    """Of a cell."""
    assert Cell("1e400").guess() == "1e400"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("99:99:99", f"{NO_TIME_OF_DAY}; found 99:99:99"),
        ("24:00:00", NO_TIME_OF_DAY),
        ("0001-01-01T00:00:00", YEARS),
        ("9999-12-31T00:00:00", YEARS),
        ("1e999", "no time"),
        ("4102444800", "after the year 2100"),
        ("hunter2", "no time; found aaaaaa9"),
    ],
)
def test_what_is_no_time(text: str, message: str) -> None:
    """Nothing of it is quoted."""
    with pytest.raises(InputError, match=message):
        Times(SECOND_NS).start(text, "time", 1)


def test_clocks_and_other_times_do_not_mix() -> None:
    """Whichever comes first holds."""
    clocks, numbers = Times(SECOND_NS), Times(SECOND_NS)
    clocks.start("10:00:00", "time", 1)
    numbers.start("1.5", "time", 1)
    for times, other in ((clocks, "2026-11-23T10:00:00Z"), (clocks, "1.5"), (numbers, "10:00:00")):
        with pytest.raises(InputError, match="another form of time"):
            times.start(other, "time", 2)
    assert numbers.start("2026-11-23T10:00:00Z", "time", 2) == 1_795_428_000 * SECOND_NS


def test_clocks_that_go_back_over_midnight() -> None:
    """Their line is kept; a little back is an order of lines."""
    times = Times(SECOND_NS)
    for line, text in enumerate(("23:59:59", "23:59:58", "00:00:01", "23:00:00", "00:00:02"), 1):
        times.start(text, "time", line)
    assert times.back_at == 3


@pytest.mark.parametrize(("text", "message"), [("-1", "before it begins"), ("4e9", "longer than a century")])
def test_what_is_no_duration(text: str, message: str) -> None:
    """Below zero, or in another unit."""
    times = Times(SECOND_NS)
    assert times.duration("0.5", "duration") == SECOND_NS // 2
    with pytest.raises(InputError, match=message):
        times.duration(text, "duration")


def test_only_the_form_of_a_value_is_shown() -> None:
    """No letter and no digit of it, and not all of a long one."""
    assert form_of("pw=Hunter2 \u00e9!") == "aa?aaaaaa9 a? (digits as 9, letters as a)"
    assert form_of("x" * 100).startswith("a" * 30 + "… ")
