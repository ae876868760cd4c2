"""Parts of a foreign document, each with its place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.provision.draft.node import Node

_DOCUMENT = {"a": [{"n": 4}, 5], "name": "x", "none": None}
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def node(value: Any) -> Node:
    """The whole of a document."""
    return Node(Path("job"), "", value)


def test_parts_know_their_places() -> None:
    """Fields and items, down to the value; what is absent or null may be optional."""
    first, second = node(_DOCUMENT).field("a").items()
    assert (first.place, second.place, first.field("n").place) == ("a[0]", "a[1]", "a[0].n")
    assert (first.field("n").whole(4), node(_DOCUMENT).field("name").text()) == (4, "x")
    assert node(_DOCUMENT).optional("none") is node(_DOCUMENT).optional("b") is None
    name = node(_DOCUMENT).optional("name")
    assert name is not None
    assert name.place == "name"


@pytest.mark.parametrize(
    ("take", "said"),
    [
        (lambda: node(_DOCUMENT).field("b"), "job: has no b; found a, name, none; allowed: b"),
        (lambda: node({}).field("b"), "job: has no b; found no field; allowed: b"),
        (lambda: node([]).optional("b"), "job: is no object; found a list; allowed: an object with b"),
        (
            lambda: list(node(_DOCUMENT).field("name").items()),
            'job:name: is no list; found "x"; allowed: a list',
        ),
        (lambda: node({}).text(), "job: is no text; found an object; allowed: a text"),
    ],
)
def test_other_kinds_are_refused(take: Callable[[], object], said: str) -> None:
    """With the place, what stands there and what may."""
    with pytest.raises(InputError) as raised:
        take()
    assert str(raised.value) == said


@given(_JSON)
def test_only_whole_numbers_in_range_count(value: Any) -> None:
    """Neither fractions nor `true`, which Python takes for 1."""
    if type(value) is int and 0 <= value <= 1000:
        assert node(value).whole(1000) == value
    else:
        with pytest.raises(
            InputError, match=r"is no count; found .*; allowed: a whole number from 0 to 1000"
        ):
            node(value).whole(1000)
