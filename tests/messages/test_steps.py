"""Messages in step: in groups of those that have the same fields. What is read: `test_bulk_leaves`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from froude.messages.steps import PADDING, groups_of
from tests.support.hadoop.bulk_leaves import payloads
from tests.support.hadoop.many_kinds import MANY


def grouped(listed: list[bytes], *, canonical: bool = False) -> dict[tuple[str, ...], list[int]]:
    """The messages of each group by the paths of their leaves."""
    given = payloads(listed)
    padded = given._replace(data=np.concatenate((given.data, np.zeros(PADDING, np.uint8))))
    groups = groups_of(MANY.DESCRIPTOR, padded, canonical=canonical)
    return {tuple(leaf.path for leaf in group.found): sorted(group.numbers.tolist()) for group in groups}


def _wire(**fields: Any) -> bytes:
    return MANY(**fields).SerializePartialToString()


def test_messages_with_the_same_fields_are_one_group() -> None:
    """Whatever their values; lists of other lengths are other fields."""
    short, long = (_wire(a_int64=5, many_string=["a"] * number) for number in (1, 2))
    listed = [short, long] * 12 + [_wire(a_int64=number << 50, many_string=["b"]) for number in range(12)]
    assert grouped(listed) == {
        ("a_int64", "many_string[0]"): [*range(0, 24, 2), *range(24, 36)],
        ("a_int64", "many_string[0]", "many_string[1]"): list(range(1, 24, 2)),
    }


def test_a_message_that_is_there_and_empty_has_a_path_of_its_own() -> None:
    """As in `leaves`."""
    assert list(grouped([_wire(empty={}, inner={"id": 1, "nothing": {}})] * 12)) == [
        ("inner.id", "inner.nothing{}", "empty{}")
    ]


@pytest.mark.parametrize(
    "odd",
    [
        _wire(a_int64=1)[::-1],
        _wire(a_int32=1) + _wire(a_int64=1),
        _wire(a_int64=1) * 2,
        _wire(a_int64=1)[:-1],
        _wire(a_string="text")[:-1],
        _wire(inner={"name": "no id"}),
        b"\xa0\x38\x01",
        b"\x80" * 11,
        b"\x08" + b"\xff" * 10 + b"\x01",
    ],
)
def test_what_is_odd_is_in_no_group(odd: bytes) -> None:
    """Fields out of order, twice, cut off, required and absent, unknown; and numbers that never end."""
    assert grouped([odd] * 12) == {}
    usual = _wire(a_int64=1)
    assert grouped([odd, usual] * 12) == {("a_int64",): list(range(1, 24, 2))}


def test_few_are_in_no_group() -> None:
    """To read them in step would cost more than it saves."""
    assert grouped([_wire(a_int64=1)] * 11) == {}


def test_elements_of_maps_go_by_a_number_until_their_names_are_known() -> None:
    """A list is a map only where it is asked for."""
    wire = [_wire(words=[{"word": "b"}, {"word": "a"}])] * 12
    assert list(grouped(wire)) == [("words[0].word", "words[1].word")]
    assert list(grouped(wire, canonical=True)) == [("words[\0000.0\0].word", "words[\0000.1\0].word")]
