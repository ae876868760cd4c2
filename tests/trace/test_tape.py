"""The tape's records."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.trace.tape import HEAD, LARGEST_RECORD, RecordKind, Splitter, pack

RECORDS = st.lists(
    st.tuples(
        st.floats(0, 1e10),
        st.integers(0, 2**32 - 1),
        st.sampled_from(list(RecordKind)),
        st.binary(max_size=50),
    ).filter(lambda record: record[2] != RecordKind.OPEN or record[3]),
    max_size=8,
)


@given(records=RECORDS, cuts=st.lists(st.integers(1, 40), min_size=1, max_size=20))
def test_records_survive_any_cutting(
    records: list[tuple[float, int, RecordKind, bytes]], cuts: list[int]
) -> None:
    """Whatever pieces the stream comes in, the records are the same and nothing is left."""
    data = b"".join(pack(*record) for record in records)
    splitter, found, at, turn = Splitter(), [], 0, 0
    while at < len(data):
        size = cuts[turn % len(cuts)]
        found += splitter.feed(data[at : at + size])
        at, turn = at + size, turn + 1
    assert found == records
    assert splitter.pending == 0


def test_a_cut_record_stays_pending() -> None:
    """The bytes of an unfinished record are counted, so that a cut tape can be told."""
    splitter = Splitter()
    assert list(splitter.feed(pack(1.0, 1, RecordKind.OPEN, b"{}")[:-1])) == []
    assert splitter.pending == HEAD.size + 1


@pytest.mark.parametrize(
    "head",
    [
        (1.0, 1, 9, 0),
        (1.0, 1, 1, LARGEST_RECORD + 1),
        (math.nan, 1, 1, 0),
        (-math.inf, 1, 1, 0),
        (0.0, 0, 0, 0),
    ],
)
def test_foreign_bytes_are_refused(head: tuple[float, int, int, int]) -> None:
    """An impossible kind, length or time is an error that names the place, before memory is spent; so are zeros."""
    splitter = Splitter("x.tap")
    list(splitter.feed(pack(0.0, 1, RecordKind.CLOSE)))
    with pytest.raises(InputError, match=r"x\.tap:byte 17: is not a tape"):
        list(splitter.feed(HEAD.pack(*head)))
