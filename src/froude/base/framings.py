"""lz4 and snappy in framings of Java programs: raw blocks, each behind its length, unpacked one at a time.

The lengths and the blocks themselves are checked; the checksums of lz4-java (xxHash) and of snappy frames (CRC-32C) are
not compared, since Python has neither.

Source: net.jpountz.lz4.LZ4BlockOutputStream; org.xerial.snappy.SnappyOutputStream; snappy's framing_format.txt;
org.apache.hadoop.io.compress.BlockCompressorStream.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Iterator
from typing import Any

LZ4_JAVA = b"LZ4Block"
SNAPPY_JAVA = b"\x82SNAPPY\0"
_MOST_BYTES = 64 << 20
"""Of one block, packed or not: lz4-java's largest are of 32 MiB."""
_LZ4_HEAD = struct.Struct("<8sBiii")
_LZ4_RAW, _LZ4_PACKED = 0x10, 0x20


class BlockReader(io.RawIOBase):
    """The content of blocks as one stream.

    Args:
        blocks: their contents. It raises EOFError where the file is cut short, and OSError where it is damaged.
    """

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks, self._block, self._at = blocks, b"", 0

    def read1(self, size: int) -> bytes:
        """The next bytes.

        Args:
            size: the most bytes that are returned, at least 1.

        Returns:
            Nothing at the end.
        """
        while self._at == len(self._block):
            self._block, self._at = next(self._blocks, None) or b"", 0
            if not self._block:
                return b""
        data = self._block[self._at : self._at + size]
        self._at += len(data)
        return data


def lz4_java(raw: Any) -> Iterator[bytes]:
    """Blocks of lz4-java, as `spark.eventLog.compression.codec=lz4` writes them.

    Args:
        raw: the open file, at its beginning.
    """
    ended = False
    while head := raw.read(_LZ4_HEAD.size):
        magic, token, packed, size, _ = _LZ4_HEAD.unpack(head.ljust(_LZ4_HEAD.size, b"\0"))
        if len(head) < _LZ4_HEAD.size:
            raise EOFError
        if magic != LZ4_JAVA or token & 0xF0 not in {_LZ4_RAW, _LZ4_PACKED}:
            raise OSError("no block at its place")
        ended = not size  # the mark of the end, behind which another stream may begin
        data = _exactly(raw, _length(packed))
        if size:
            yield data if token & 0xF0 == _LZ4_RAW else lz4_block(data, size)
    if not ended:
        raise EOFError


def snappy_java(raw: Any) -> Iterator[bytes]:
    """Blocks of snappy-java, as `spark.eventLog.compression.codec=snappy` writes them.

    Args:
        raw: the open file, at its beginning.
    """
    while head := raw.read(4):
        if head == SNAPPY_JAVA[:4]:
            _exactly(raw, 12)  # the rest of the mark, and two versions
        else:
            yield snappy_block(_exactly(raw, _big(head)))


def snappy_frames(raw: Any) -> Iterator[bytes]:
    """Chunks of snappy's own framing.

    Args:
        raw: the open file, at its beginning.
    """
    while head := raw.read(4):
        if len(head) < 4:
            raise EOFError
        kind, data = head[0], _exactly(raw, int.from_bytes(head[1:], "little"))
        if kind == 0:
            yield snappy_block(data[4:])
        elif kind == 1:
            yield data[4:]
        elif kind < 0x80:
            raise OSError(f"a chunk of the unknown kind {kind}")


def hadoop(raw: Any, unpack: Callable[[bytes], bytes]) -> Iterator[bytes]:
    """Blocks of Hadoop's SnappyCodec or Lz4Codec, each of its length and of pieces, which have lengths of their own.

    Args:
        raw: the open file, at its beginning.
        unpack: `snappy_block` or `lz4_block`.
    """
    while head := raw.read(4):
        left = _big(head)
        while left > 0:
            data = unpack(_exactly(raw, _big(raw.read(4))))
            left -= len(data)
            yield data
            if left < 0 or not data:
                raise OSError("a block of another length than its head has")


def _exactly(raw: Any, size: int) -> bytes:
    data: bytes = raw.read(size)
    if len(data) < size:
        raise EOFError
    return data


def _big(data: bytes) -> int:
    if len(data) < 4:
        raise EOFError
    return _length(int.from_bytes(data, "big"))


def _length(size: int) -> int:
    if not 0 <= size <= _MOST_BYTES:
        raise OSError(f"a block of {size} bytes")
    return size


def lz4_block(data: bytes, size: int | None = None) -> bytes:
    """The content of a raw block of lz4.

    Args:
        size: of its content, bytes; None where only the block itself shows it.
    """
    import pyarrow as pa

    unpacked: bytes = pa.decompress(
        data, _length(_lz4_size(data) if size is None else size), codec="lz4_raw", asbytes=True
    )
    return unpacked


def snappy_block(data: bytes) -> bytes:
    """The content of a raw block of snappy, which begins with its length: seven bits a byte, the lowest first."""
    import pyarrow as pa

    size = 0
    for at, byte in enumerate(data[:5]):
        size |= (byte & 0x7F) << 7 * at
        if byte < 0x80:
            break
    unpacked: bytes = pa.decompress(data, _length(size), codec="snappy", asbytes=True)
    return unpacked


def _lz4_size(data: bytes) -> int:
    """Bytes that a raw lz4 block unpacks to, by its sequences of literals and matches."""
    at = size = 0
    while at < len(data):
        token = data[at]
        literals, at = _lz4_count(data, at + 1, token >> 4)
        at += literals
        size += literals
        if at < len(data):  # the last sequence has no match
            match, at = _lz4_count(data, at + 2, token & 15)
            size += match + 4
    return size


def _lz4_count(data: bytes, at: int, count: int) -> tuple[int, int]:
    """A count that goes on in further bytes where it is 15, and the place behind it."""
    more = count == 15
    while more and at < len(data):
        count += data[at]
        more = data[at] == 255
        at += 1
    return count, at
