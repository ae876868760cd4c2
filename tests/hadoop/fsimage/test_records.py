"""Records behind their lengths, cut anywhere."""

from __future__ import annotations

import io
from itertools import pairwise

import pytest
from google.protobuf import proto
from google.protobuf.wrappers_pb2 import BytesValue
from hypothesis import given
from hypothesis import strategies as st

from froude.hadoop.fsimage.records import RECORD_LIMIT_BYTES, RecordError, Records


def _section(values: list[bytes]) -> bytes:
    """As protobuf writes them."""
    stream = io.BytesIO()
    for value in values:
        proto.serialize_length_prefixed(BytesValue(value=value), stream)
    return stream.getvalue()


@given(
    st.lists(st.binary(max_size=300) | st.just(b"x" * 20_000), max_size=8),
    st.lists(st.integers(0, 25_000), max_size=12),
)
def test_records_wherever_they_are_cut(values: list[bytes], cuts: list[int]) -> None:
    """One by one, however the bytes arrive."""
    data = _section(values)
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    pieces = [data[start:end] for start, end in pairwise(edges)]
    assert [BytesValue.FromString(record).value for record in Records(pieces)] == values


@given(st.lists(st.binary(min_size=1, max_size=300), min_size=1, max_size=3), st.data())
def test_a_section_that_is_cut_short(values: list[bytes], data: st.DataObject) -> None:
    """Whole records, then an error, unless the cut falls between two."""
    whole = _section(values)
    at = data.draw(st.integers(0, len(whole) - 1))
    read: list[bytes] = []
    ends = [len(_section(values[:n])) for n in range(len(values) + 1)]
    try:
        read.extend(BytesValue.FromString(record).value for record in Records([whole[:at]]))
        assert at in ends
    except RecordError:
        assert at not in ends
    assert read == values[: len(read)]


def test_lengths_that_cannot_be() -> None:
    """Beyond what Hadoop reads, or of more bytes than any length has: before anything is spent on them."""
    with pytest.raises(RecordError, match="are allowed"):
        list(Records([b"\x81\x80\x80\x20", bytes(9)]))
    with pytest.raises(RecordError, match="more than five bytes"):
        list(Records([b"\xff" * 9]))
    assert RECORD_LIMIT_BYTES == 64 << 20


def test_the_next_one() -> None:
    """Or an error where there is none."""
    records = Records([b"\x01a\x00"])
    assert (records.next(), records.next()) == (b"a", b"")
    with pytest.raises(RecordError, match="ends"):
        records.next()
