"""Sections as Hadoop's codecs write them."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
import zlib

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.hadoop.fsimage.codecs import CHUNK_BYTES, CODECS, compressed, decompressed

PACKAGE = "org.apache.hadoop.io.compress."


def _read(data: bytes, codec: str) -> bytes:
    return b"".join(decompressed(io.BytesIO(data), codec, file="i"))


@given(st.binary(max_size=2000) | st.just(bytes(3 << 20)), st.sampled_from(["", *CODECS]))
def test_what_is_compressed_is_read(data: bytes, codec: str) -> None:
    """In pieces of bounded size, however much comes out of few bytes."""
    assert _read(b"".join(compressed([data[:7], data[7:]], codec)), codec) == data
    assert all(
        len(piece) <= CHUNK_BYTES
        for piece in decompressed(io.BytesIO(b"".join(compressed([data], codec))), codec, file="i")
    )


def test_blocks_of_several_chunks() -> None:
    """A block of snappy may have several, each behind its own length."""
    first, second = (pa.Codec("snappy").compress(part, asbytes=True) for part in (b"a" * 100, b"b" * 50))
    block = (150).to_bytes(4, "big")
    for chunk in (first, second):
        block += len(chunk).to_bytes(4, "big") + chunk
    assert _read(block + block, f"{PACKAGE}SnappyCodec") == (b"a" * 100 + b"b" * 50) * 2


def test_streams_after_each_other() -> None:
    """A section in parts is a stream for each."""
    assert _read(zlib.compress(b"one") + zlib.compress(b"two"), f"{PACKAGE}DefaultCodec") == b"onetwo"
    assert _read(gzip.compress(b"one") + gzip.compress(b"two"), f"{PACKAGE}GzipCodec") == b"onetwo"


@pytest.mark.parametrize("codec", CODECS)
def test_a_stream_that_is_cut_or_no_stream(codec: str) -> None:
    """One clear error, not fewer bytes."""
    whole = b"".join(compressed([bytes(range(256)) * 40], codec))
    for damaged in (whole[:-3], whole[: len(whole) // 2], b"\xff\xff\xff\xff" + whole):
        with pytest.raises(InputError, match="i:a compressed section: is damaged"):
            _read(damaged, codec)


def test_whoever_starts_a_namenode_does_not_load_pyarrow() -> None:
    """It takes half a second and 50 MB, and players start NameNodes."""
    code = "import sys, froude.hadoop.cluster.namenode; sys.exit('pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0
