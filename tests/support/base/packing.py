"""Packs data in every form that is read, as the programs that write it do."""

from __future__ import annotations

import bz2
import gzip
import struct
import zlib
from collections.abc import Callable, Iterator

import pyarrow as pa

_BLOCK_BYTES = 1 << 12
_LZ4_HEAD = struct.Struct("<8sBiiI")


def _by_pyarrow(codec: str) -> Callable[[bytes], bytes]:
    def packed(data: bytes) -> bytes:
        sink = pa.BufferOutputStream()
        with pa.CompressedOutputStream(sink, codec) as stream:  # type: ignore[arg-type]
            stream.write(data)
        return bytes(sink.getvalue())

    return packed


def _blocks(data: bytes) -> Iterator[bytes]:
    return (data[at : at + _BLOCK_BYTES] for at in range(0, len(data), _BLOCK_BYTES))


def _raw(data: bytes, codec: str) -> bytes:
    return bytes(pa.compress(data, codec=codec, asbytes=True))  # type: ignore[call-overload]


def _lz4_java(data: bytes) -> bytes:
    """Every second block is stored as it is, as one that does not become smaller."""
    out = []
    for number, block in enumerate(_blocks(data)):
        packed = block if number % 2 else _raw(block, "lz4_raw")
        out.append(_LZ4_HEAD.pack(b"LZ4Block", 0x16 if number % 2 else 0x26, len(packed), len(block), 7))
        out.append(packed)
    return b"".join([*out, _LZ4_HEAD.pack(b"LZ4Block", 0x16, 0, 0, 0)])


def _snappy_java(data: bytes) -> bytes:
    packed = [_raw(block, "snappy") for block in _blocks(data)]
    return b"\x82SNAPPY\0\0\0\0\1\0\0\0\1" + b"".join(struct.pack(">i", len(each)) + each for each in packed)


def _snappy_frames(data: bytes) -> bytes:
    """With a chunk of padding, and every second chunk as it is."""
    out = [b"\xff\x06\0\0sNaPpY\xfe\x02\0\0\0\0"]
    for number, block in enumerate(_blocks(data)):
        chunk = bytes(4) + (block if number % 2 else _raw(block, "snappy"))
        out += [bytes([number % 2]), len(chunk).to_bytes(3, "little"), chunk]
    return b"".join(out)


def _hadoop(codec: str) -> Callable[[bytes], bytes]:
    """A block of several pieces, as of a large write."""

    def packed(data: bytes) -> bytes:
        pieces = [_raw(block, codec) for block in _blocks(data)]
        return struct.pack(">i", len(data)) + b"".join(struct.pack(">i", len(each)) + each for each in pieces)

    return packed


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "zlib": zlib.compress,
    "zstd": _by_pyarrow("zstd"),
    "lz4": _by_pyarrow("lz4"),
    "lz4 (lz4-java)": _lz4_java,
    "snappy (snappy-java)": _snappy_java,
    "snappy": _snappy_frames,
    "snappy (Hadoop)": _hadoop("snappy"),
    "lz4 (Hadoop)": _hadoop("lz4_raw"),
}
FORMS = tuple(PACKERS)
"""Every form that is read."""
STREAMED = ("gzip", "zstd", "lz4", "lz4 (lz4-java)", "snappy (snappy-java)", "snappy")
"""Forms whose content comes out in pieces small enough to see what comes before a cut."""


def pack(data: bytes, form: str) -> bytes:
    """Data, packed.

    Args:
        data: any bytes.
        form: one of `FORMS`.
    """
    return PACKERS[form](data)


def packed_name(form: str) -> str:
    """A file name as such files have: Hadoop's own framings are known by it."""
    return f"a.{form.split()[0]}"
