"""Leaves in little room: a row is the mapping that it was made of."""

from __future__ import annotations

import gc
import pickle
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.messages.rows import EMPTY, Row, shape_of

_MAPPINGS = st.dictionaries(
    st.sampled_from(["src", "a.b", "a.c[0]", "x{}"]),
    st.none() | st.booleans() | st.integers() | st.text() | st.binary() | st.floats(allow_nan=False),
)


@given(_MAPPINGS, _MAPPINGS)
def test_a_row_is_its_mapping(leaves: dict, other: dict) -> None:
    """Whatever is asked of it."""
    row = Row.of(leaves)
    assert list(row.items()) == list(leaves.items())
    assert list(row) == list(leaves)
    assert list(row.values()) == list(leaves.values())
    assert len(row) == len(leaves)
    assert row == leaves
    assert leaves == row
    assert (row == Row.of(other)) == (leaves == other)
    assert (row == other) == (leaves == other)
    assert {**row, **other} == {**leaves, **other}
    for path in ("src", "nowhere"):
        assert row.get(path) == leaves.get(path)
        assert row.get(path, 7) == leaves.get(path, 7)
        assert (path in row) == (path in leaves)
    assert repr(row) == repr(leaves)
    assert pickle.loads(pickle.dumps(row)) == row


def test_what_is_not_there_is_no_leaf() -> None:
    """As of any mapping."""
    with pytest.raises(KeyError):
        Row.of({"src": 1})["dst"]
    assert not EMPTY
    assert Row.of({}) == EMPTY
    assert Row.of({}) != 7


def test_rows_of_the_same_paths_share_their_shape() -> None:
    """Also when they come from another process; and shapes that nobody uses are forgotten."""
    row, other = Row.of({"a": 1, "b": 2}), Row.of({"a": 3, "b": 4})
    assert row.shape is other.shape is pickle.loads(pickle.dumps(row)).shape
    assert Row.of({"b": 2, "a": 1}).shape is not row.shape
    assert Row.of(row) is row
    gone = weakref.ref(shape_of(["a path of no other message"]))
    gc.collect()
    assert gone() is None
