"""Types of arguments out of all their values."""

from __future__ import annotations

import json
from typing import Any

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from hypothesis import given, settings
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.messages.leaves import leaves
from froude.messages.schema import Schema
from froude.trace.importers.call_secrets import Masker
from froude.trace.importers.call_types import MOST_ARGUMENTS, MOST_FIELDS, Converter, Naming, Shape
from froude.trace.importers.call_values import Cell


def written(*values: dict[str, Any]) -> tuple[list[dict[str, Any]], Naming]:
    """Objects as the leaves of messages of one type, and what was said of it."""
    shape = Shape()
    for value in values:
        shape.add(value)
    naming = Naming()
    message = naming.message_of(shape, "Made", "made")
    file = FileDescriptorProto(name="made.proto", package="made", syntax="proto2")
    file.message_type.append(message.descriptor)
    kind = Schema({"made.proto": file.SerializeToString()}, {}).message("made.Made")
    converter = Converter(Masker(lambda text: "*" * len(text)))
    raw = [kind(**converter.message(message, value)).SerializeToString() for value in values]
    return [leaves(kind.FromString(data)) for data in raw], naming


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (1, 2),
        (-(1 << 63), 5),
        ((1 << 64) - 1, 0),
        (1.5, 2.25),
        (True, False),
        ("a", "b"),
        (Cell("1"), Cell("2")),
    ],
)
def test_values_of_one_kind_keep_it(first: object, second: object) -> None:
    """Whole numbers up to 64 bits with and without a sign, decimals, flags, texts."""
    (one, two), naming = written({"x": first}, {"x": second})
    plain = [each.guess() if isinstance(each, Cell) else each for each in (first, second)]
    assert [one["x"], two["x"]] == plain
    assert type(one["x"]) is type(plain[0])
    assert naming.remarks == []


def test_whole_numbers_and_decimals_are_decimals() -> None:
    """As long as a double holds the whole ones exactly."""
    (one, two), naming = written({"x": 1}, {"x": 2.5})
    assert (one["x"], two["x"], naming.remarks) == (1.0, 2.5, [])
    (one, _), naming = written({"x": (1 << 60) + 1}, {"x": 2.5})
    assert one["x"] == str((1 << 60) + 1)
    assert "several kinds" in naming.remarks[0]


@pytest.mark.parametrize(
    ("values", "text", "remark"),
    [
        ((1, "a"), "1", "several kinds"),
        ((True, 3), "true", "several kinds"),
        (([1], 3), "[1]", "by turns"),
        (({"a": 1}, 3), '{"a": 1}', "by turns"),
        ((1 << 64, 1), str(1 << 64), "64 bits"),
        ((Cell("1.50"), Cell("x")), "1.50", "several kinds"),
    ],
)
def test_mixed_values_become_text_with_a_remark(values: tuple[Any, Any], text: str, remark: str) -> None:
    """A CSV's cell as it stood there."""
    (one, _), naming = written({"x": values[0]}, {"x": values[1]})
    assert one["x"] == text
    assert len(naming.remarks) == 1
    assert remark in naming.remarks[0]
    assert "made.x" in naming.remarks[0]


def test_nested_objects_and_lists() -> None:
    """Lists of objects, of values, of lists; a field may be absent."""
    value = {"at": {"host": "n1", "port": 1}, "ids": [3, 4], "blocks": [{"id": 1}, {"id": 2, "size": 5}]}
    (one, two), _ = written({**value, "grid": [[1, 2], [3]]}, {})
    assert one == {
        "at.host": "n1",
        "at.port": 1,
        "ids[0]": 3,
        "ids[1]": 4,
        "blocks[0].id": 1,
        "blocks[1].id": 2,
        "blocks[1].size": 5,
        "grid[0].items[0]": 1,
        "grid[0].items[1]": 2,
        "grid[1].items[0]": 3,
    }
    assert two == {}


def test_an_object_whose_keys_are_values_is_a_map() -> None:
    """Very many keys, or such as are no names: keys and values, in order of the keys."""
    many = {f"k{n}": n for n in range(MOST_FIELDS + 1)}
    (one, two, _), naming = written({"m": {"k1": 7}}, {"m": many}, {"m": {"z": 1, "b": 2}})
    assert one == {"m[0].key": "k1", "m[0].value": 7}
    assert len(two) == 2 * (MOST_FIELDS + 1)
    assert naming.remarks == []
    (paths,), _ = written({"m": {"/b": {"n": 1}, "/a": {"n": 2}}})
    assert paths == {"m[0].key": "/a", "m[0].value.n": 2, "m[1].key": "/b", "m[1].value.n": 1}
    (lists, _), naming = written({"m": [{"/a": 1}]}, {"m": [{"/b": 2}]})
    assert lists == {"m": '[{"/a": 1}]'}
    assert "lists of maps" in naming.remarks[0]


def test_secrets_are_replaced_wherever_they_stand() -> None:
    """Also numbers, below an object of such a name, in a map, and in an object that is kept as text."""
    (one, two), naming = written(
        {"password": Cell("1234"), "passwords": {"a": "xyz"}, "m": {"/p": "q", "password": "abc"}, "t": 1},
        {"t": {"password": "inner", "user": "me"}},
    )
    assert one["password"] == "****"
    assert one["passwords.a"] == "***"
    assert [one["m[0].value"], one["m[1].value"]] == ["q", "***"]
    assert json.loads(str(two["t"])) == {"password": "*****", "user": "me"}
    assert naming.redacted == ["made.password", "made.passwords.a"]


def test_names_that_meet_are_told_apart() -> None:
    """Those that protobuf allows keep theirs."""
    (one,), _ = written({"user-id": 1, "user_id": 2, "a": {"A": 1}, "A": {"x": 2}})
    assert one == {"user_id_2": 1, "user_id": 2, "a.A": 1, "A.x": 2}


def test_a_method_has_a_bounded_number_of_arguments() -> None:
    """Else memory would grow with the rows."""
    with pytest.raises(InputError, match="too many arguments"):
        Shape().add({f"k{n}": 1 for n in range(MOST_ARGUMENTS + 1)})


def test_an_object_that_was_not_looked_at_is_refused() -> None:
    """A file that changed between the two passes."""
    naming = Naming()
    message = naming.message_of(Shape(), "Made", "made")
    with pytest.raises(InputError, match="changed while it was read"):
        Converter(Masker(str)).message(message, {"x": 1})


_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 70), 1 << 70)
    | st.floats(allow_nan=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=60)
@given(st.lists(st.dictionaries(st.sampled_from("abc"), _VALUES, max_size=3), min_size=1, max_size=4))
def test_any_values_can_be_written_and_read(values: list[dict[str, Any]]) -> None:
    """Of JSON: nothing is refused, and no single value of one kind gets lost."""
    made, naming = written(*values)
    for value, message in zip(values, made, strict=True):
        for name, inner in value.items():
            if isinstance(inner, str | int | float) and not naming.remarks:
                assert message[name] == inner


def test_names_that_meet_in_json() -> None:
    """A table may have both ways to write a name."""
    (one,), _ = written({"user_id": 1, "userId": 2})
    assert one == {"user_id": 1, "userId": 2}


def test_numbers_and_named_values_that_are_secrets() -> None:
    """In a map, in a map of lists, in what is kept as text, and beside the name that says so."""
    (one, two), _ = written(
        {"m": {"a b": 1, "token x": 987654}, "l": {"a b": [1], "token": [987654]}, "t": 1},
        {"t": {"token": 987654}, "c": [{"name": "password", "value": "987654"}, {"name": "n", "value": "v"}]},
    )
    assert "987654" not in json.dumps([one, two])
    assert (one["m[0].value"], two["c[1].value"]) == (1, "v")


def test_a_place_that_is_hidden() -> None:
    """A field, all of a map that the path leads into, or all of a message."""
    shape = Shape()
    shape.add({"a": {"x": 1, "y": 2}, "m": {"/p": 1}})
    shape.hide(("a", "x"))
    shape.hide(("m", "/p"))
    naming = Naming()
    naming.message_of(shape, "Made", "made")
    assert naming.redacted == ["made.a.x", "made.m.key", "made.m.value"]
    shape.hide(())
    naming.message_of(shape, "Made", "made")
    assert "made.a.y" in naming.redacted
