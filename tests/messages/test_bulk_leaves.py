"""Many messages at once: the leaves that each has by itself."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.message import DecodeError, Message
from hypothesis import given, settings
from hypothesis import strategies as st

from froude.messages import steps as wire_steps
from froude.messages.bulk_leaves import Texts, rows_of
from froude.messages.leaves import leaves
from froude.messages.rows import Row
from tests.support.hadoop.bulk_leaves import payloads
from tests.support.hadoop.many_kinds import MANY, messages
from tests.support.seeds import examples


def read(listed: list[bytes], *, canonical: bool = True) -> tuple[list[Row], int]:
    """Their leaves, and how many were left to protobuf."""
    left = 0

    def decode(raw: bytes) -> Message:
        nonlocal left
        left += 1
        return MANY.FromString(raw)

    return rows_of(MANY, payloads(listed), decode, Texts(), canonical=canonical), left


def assert_same(rows: list[Row], listed: list[bytes], *, canonical: bool) -> None:
    """The leaves of each, of the same types and in the same order."""
    for row, raw in zip(rows, listed, strict=True):
        expected = leaves(MANY.FromString(raw), canonical=canonical)
        assert list(row.items()) == list(expected.items())
        assert [type(value) for value in row.cells] == [type(value) for value in expected.values()]


@pytest.fixture(autouse=True)
def two_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """To be read in step."""
    monkeypatch.setattr(wire_steps, "_FEWEST", 2)


@settings(max_examples=examples(150))
@given(st.lists(messages(), min_size=1, max_size=3), st.data(), st.booleans())
def test_every_message_has_its_own_leaves(
    drawn: list[dict[str, Any]], data: st.DataObject, canonical: bool
) -> None:
    """Whatever fields it has, and whatever the others have; lists that stand for maps in order of their keys."""
    listed = [MANY(**fields).SerializePartialToString() for fields in drawn] * 2
    if data.draw(st.booleans()):
        extra = {"keyed": [{"key": word} for word in data.draw(st.permutations(["b", "a", "c"]))]}
        listed += [MANY(**{**fields, **extra}).SerializePartialToString() for fields in drawn] * 2
    rows, _ = read(listed, canonical=canonical)
    assert_same(rows, listed, canonical=canonical)


@settings(max_examples=examples(150))
@given(messages(), messages(), st.data())
def test_what_is_damaged_is_left_to_protobuf(
    one: dict[str, Any], other: dict[str, Any], data: st.DataObject
) -> None:
    """Bytes changed, lost or put in: either it reads them the same, or it says what is wrong."""
    raw = bytearray(MANY(**one).SerializePartialToString())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(raw)))
        raw[at : at + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=3))
    listed = [bytes(raw), MANY(**other).SerializePartialToString()] * 2
    try:
        for each in listed:
            MANY.FromString(each)
    except DecodeError:
        with pytest.raises(DecodeError):
            read(listed)
        return
    try:
        expected = [leaves(MANY.FromString(each), canonical=True) for each in listed]
    except UnicodeDecodeError:
        with pytest.raises(UnicodeDecodeError):
            read(listed)
        return
    rows, _ = read(listed)
    assert [repr(row) for row in rows] == [repr(each) for each in expected]


_FULL = {
    "a_int64": 1 << 40,
    "a_string": "text",
    "a_float": 0.5,
    "many_string": ["one", "two"],
    "packed_int32": [1, -2, 3],
    "inner": {"id": 7, "nothing": {}},
    "words": [{"word": "zoo", "number": 1}, {"word": "ant", "more": [{"word": "x"}]}],
    "far": {"id": 3, "name": "end"},
}


def test_nothing_of_the_usual_is_left_to_protobuf() -> None:
    """Numbers, texts, lists, packed lists, messages in messages, and lists that stand for maps."""
    wire = [MANY(**{**_FULL, "a_int64": number}).SerializePartialToString() for number in range(40)]
    rows, left = read(wire)
    assert left == 0
    assert_same(rows, wire, canonical=True)
    assert rows[0].shape is rows[39].shape
    assert rows[0]["words[ant].more[x].word"] == "x"
    assert rows[0].cells[2] is rows[39].cells[2]


@pytest.mark.parametrize(
    "odd",
    [
        {"colours": [{"colour": 3, "text": "t"}]},
        {"keyed": [{"value": {"id": 1}}]},
    ],
)
def test_maps_whose_keys_protobuf_has_to_tell(odd: dict[str, Any]) -> None:
    """An enum's name, and a key that is not there."""
    wire = [MANY(**_FULL, **odd).SerializePartialToString()] * 3
    rows, left = read(wire)
    assert left == 3
    assert_same(rows, wire, canonical=True)


def test_few_messages_and_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few are left to protobuf; of none there is nothing."""
    monkeypatch.setattr(wire_steps, "_FEWEST", 12)
    wire = [MANY(**_FULL).SerializePartialToString()] * 3
    assert read(wire)[1] == 3
    assert read([]) == ([], 0)
