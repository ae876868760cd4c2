"""Framings of lz4 and snappy: what is damaged is refused, and never read as something else."""

from __future__ import annotations

import io
import struct
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base import framings
from tests.support.base.packing import pack

READERS = {
    "lz4 (lz4-java)": framings.lz4_java,
    "snappy (snappy-java)": framings.snappy_java,
    "snappy": framings.snappy_frames,
    "snappy (Hadoop)": partial(framings.hadoop, unpack=framings.snappy_block),
    "lz4 (Hadoop)": partial(framings.hadoop, unpack=framings.lz4_block),
}


@given(st.sampled_from(sorted(READERS)), st.binary(min_size=1, max_size=5000), st.integers(1, 5000))
def test_content_comes_out_in_pieces_of_any_size(form: str, data: bytes, size: int) -> None:
    """All of it, in its order."""
    reader = framings.BlockReader(READERS[form](io.BytesIO(pack(data, form))))
    assert b"".join(iter(lambda: reader.read1(size), b"")) == data


@given(st.sampled_from(sorted(READERS)), st.binary(min_size=1, max_size=3000), st.data())
def test_a_cut_is_an_end_of_file_within(form: str, data: bytes, chance: st.DataObject) -> None:
    """Or, between two blocks of snappy, an end: what comes out before is what went in."""
    packed = pack(data, form)
    cut = chance.draw(st.integers(0, len(packed) - 1))
    out = b""
    try:
        for block in READERS[form](io.BytesIO(packed[:cut])):
            out += block
    except EOFError:
        pass
    assert data.startswith(out)


@given(st.sampled_from(sorted(READERS)), st.binary(max_size=200))
def test_other_bytes_are_refused_or_cut(form: str, data: bytes) -> None:
    """With errors that a reader of packed files knows."""
    try:
        for _ in READERS[form](io.BytesIO(data)):
            pass
    except (EOFError, OSError, ValueError):
        pass


@pytest.mark.parametrize(
    ("form", "data"),
    [
        ("lz4 (lz4-java)", struct.pack("<8sBiii", b"LZ4Block", 0x26, 1 << 30, 1, 0)),
        ("lz4 (lz4-java)", struct.pack("<8sBiii", b"LZ4Block", 0x26, -1, 1, 0)),
        ("lz4 (lz4-java)", struct.pack("<8sBiii", b"LZ4Block", 0x46, 1, 1, 0) + b"x"),
        ("lz4 (lz4-java)", struct.pack("<8sBiii", b"LZ4Blocx", 0x26, 1, 1, 0) + b"x"),
        ("snappy (snappy-java)", b"\x82SNAPPY\0\0\0\0\1\0\0\0\1\x7f\xff\xff\xff"),
        ("snappy (snappy-java)", b"\x82SNAPPY\0\0\0\0\1\0\0\0\1\0\0\0\6\xff\xff\xff\xff\x0fa"),
        ("snappy", b"\xff\x06\0\0sNaPpY\x02\1\0\0x"),
        ("snappy (Hadoop)", b"\0\0\0\x01\0\0\0\x05\x03\x08abc"),
        ("lz4 (Hadoop)", b"\x7f\xff\xff\xff\0\0\0\1x"),
    ],
)
def test_lengths_that_cannot_be_are_damage(form: str, data: bytes) -> None:
    """Before memory is set aside for them."""
    with pytest.raises(OSError, match=r"block|chunk"):
        list(READERS[form](io.BytesIO(data)))
