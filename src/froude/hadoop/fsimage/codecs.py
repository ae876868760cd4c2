"""How the sections of an image are compressed: each section is one stream of the codec that its summary names.

Hadoop's zlib, gzip, bzip2 and zstd codecs write plain streams of these formats; its snappy and lz4 codecs write blocks:
four bytes of the length of a block, then its chunks, each behind four bytes of its own length.

pyarrow, which decodes three of them, is loaded when one is met: whoever starts a NameNode comes by here, players too.

Source: org.apache.hadoop.io.compress.{DefaultCodec, GzipCodec, BZip2Codec, ZStandardCodec, BlockCompressorStream}.
"""

from __future__ import annotations

import bz2
import gzip
import io
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO, Literal, Protocol

from froude.base.errors import InputError

CHUNK_BYTES = 1 << 20
"""How much is read, or given on, at a time."""
_BLOCK_BYTES = 1 << 18
_BLOCK_LIMIT_BYTES = 64 << 20
"""Longest block of snappy or lz4; Hadoop's buffer has 256 KiB."""
_PACKAGE = "org.apache.hadoop.io.compress."
_Block = Literal["snappy", "lz4_raw"]
_LENGTH = struct.Struct(">I")


def decompressed(source: BinaryIO, codec: str, *, file: str) -> Iterator[bytes]:
    """The bytes of a section, in pieces of bounded size.

    Args:
        source: its compressed bytes, and no more.
        codec: name of Hadoop's class; empty for none.

    Raises:
        InputError: the codec is not known, or the stream is damaged or ends early.
    """
    if codec and codec not in _READERS:
        allowed = ", ".join(name.removeprefix(_PACKAGE) for name in _READERS)
        raise InputError("is compressed in an unknown way", file=file, found=codec, allowed=allowed)
    reader = _READERS[codec] if codec else _plain
    try:
        yield from reader(source)
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise InputError("is damaged", file=file, place="a compressed section", found=str(error)) from error


def compressed(pieces: Iterable[bytes], codec: str) -> Iterator[bytes]:
    """A section as a codec writes it, in pieces.

    Args:
        codec: name of Hadoop's class; empty for none.

    Raises:
        KeyError: the codec is not known.
    """
    return _WRITERS[codec](pieces) if codec else iter(pieces)


class _Readable(Protocol):
    """A file, or what decompresses one."""

    def read(self, size: int, /) -> bytes: ...


def _plain(source: _Readable) -> Iterator[bytes]:
    while chunk := source.read(CHUNK_BYTES):
        yield chunk


def _zlib(source: BinaryIO) -> Iterator[bytes]:
    """Several streams may follow each other: one a part that can be read on its own (HDFS-16147)."""
    rest = source.read(CHUNK_BYTES)
    while rest:
        stream = zlib.decompressobj()
        while not stream.eof:
            data = stream.decompress(rest, CHUNK_BYTES)
            rest = stream.unconsumed_tail or (b"" if stream.eof else source.read(CHUNK_BYTES))
            if not (data or rest or stream.eof):
                raise EOFError("the stream ends early")
            yield data
        rest = stream.unused_data or source.read(CHUNK_BYTES)


def _gzip(source: BinaryIO) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=source) as stream:
        yield from _plain(io.BufferedReader(stream))


def _bzip2(source: BinaryIO) -> Iterator[bytes]:
    with bz2.BZ2File(source) as stream:
        yield from _plain(stream)


def _zstd(source: BinaryIO) -> Iterator[bytes]:
    import pyarrow as pa

    file: Any = source
    with pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd") as stream:
        yield from _plain(stream)


def _blocks(name: _Block) -> Callable[[BinaryIO], Iterator[bytes]]:
    def read(source: BinaryIO) -> Iterator[bytes]:
        while (block := _length(source, end=True)) is not None:
            while block > 0:
                data = _uncompressed(name, _exactly(source, _length(source) or 0), block)
                block -= len(data)
                yield data

    return read


def _uncompressed(name: _Block, chunk: bytes, most: int) -> bytes:
    """A chunk; Hadoop puts one in a block, but for the longest records."""
    import pyarrow as pa

    if name == "snappy":
        most = min(most, _snappy_length(chunk))
    return pa.Codec(name).decompress(chunk, decompressed_size=most, asbytes=True)


def _snappy_length(chunk: bytes) -> int:
    """How long a chunk is that snappy has compressed: it begins with that, as a varint."""
    length = 0
    for place, byte in enumerate(chunk[:5]):
        length |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return length
    raise ValueError("no length of a snappy chunk")


def _length(source: BinaryIO, *, end: bool = False) -> int | None:
    head = source.read(_LENGTH.size)
    if end and not head:
        return None
    if len(head) < _LENGTH.size:
        raise EOFError("a length is cut short")
    length = int(_LENGTH.unpack(head)[0])
    if length > _BLOCK_LIMIT_BYTES:
        raise ValueError(f"a block of {length} bytes")
    return length


def _exactly(source: BinaryIO, length: int) -> bytes:
    data = source.read(length)
    if len(data) < length:
        raise EOFError("a block is cut short")
    return data


class _Stream(Protocol):
    """What compresses a stream."""

    def compress(self, data: bytes, /) -> bytes: ...
    def flush(self) -> bytes: ...


def _stream_writer(start: Callable[[], _Stream]) -> Callable[[Iterable[bytes]], Iterator[bytes]]:
    def write(pieces: Iterable[bytes]) -> Iterator[bytes]:
        stream = start()
        for piece in pieces:
            yield stream.compress(piece)
        yield stream.flush()

    return write


def _block_writer(name: _Block) -> Callable[[Iterable[bytes]], Iterator[bytes]]:
    def write(pieces: Iterable[bytes]) -> Iterator[bytes]:
        import pyarrow as pa

        codec = pa.Codec(name)
        for piece in pieces:
            for at in range(0, len(piece), _BLOCK_BYTES):
                block = piece[at : at + _BLOCK_BYTES]
                chunk = codec.compress(block, asbytes=True)
                yield b"".join((_LENGTH.pack(len(block)), _LENGTH.pack(len(chunk)), chunk))

    return write


class _Gathered(io.RawIOBase):
    """A file that keeps what is written until it is taken."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        return len(self._parts[-1])

    def take(self) -> bytes:
        data = b"".join(self._parts)
        self._parts.clear()
        return data


def _zstd_writer(pieces: Iterable[bytes]) -> Iterator[bytes]:
    import pyarrow as pa

    gathered: Any = _Gathered()
    with pa.CompressedOutputStream(pa.PythonFile(gathered, mode="w"), "zstd") as stream:
        for piece in pieces:
            stream.write(piece)
            yield gathered.take()
    yield gathered.take()


_READERS: dict[str, Callable[[BinaryIO], Iterator[bytes]]] = {
    f"{_PACKAGE}DefaultCodec": _zlib,
    f"{_PACKAGE}DeflateCodec": _zlib,
    f"{_PACKAGE}GzipCodec": _gzip,
    f"{_PACKAGE}BZip2Codec": _bzip2,
    f"{_PACKAGE}SnappyCodec": _blocks("snappy"),
    f"{_PACKAGE}Lz4Codec": _blocks("lz4_raw"),
    f"{_PACKAGE}ZStandardCodec": _zstd,
}
_WRITERS: dict[str, Callable[[Iterable[bytes]], Iterator[bytes]]] = {
    f"{_PACKAGE}DefaultCodec": _stream_writer(zlib.compressobj),
    f"{_PACKAGE}DeflateCodec": _stream_writer(zlib.compressobj),
    f"{_PACKAGE}GzipCodec": _stream_writer(lambda: zlib.compressobj(wbits=31)),
    f"{_PACKAGE}BZip2Codec": _stream_writer(bz2.BZ2Compressor),
    f"{_PACKAGE}SnappyCodec": _block_writer("snappy"),
    f"{_PACKAGE}Lz4Codec": _block_writer("lz4_raw"),
    f"{_PACKAGE}ZStandardCodec": _zstd_writer,
}
CODECS = tuple(_READERS)
"""Names of Hadoop's classes that are read and written."""


def codec_named(name: str) -> str:
    """The whole name of a codec's class.

    Args:
        name: with its package or without, such as `GzipCodec`; empty for none.

    Raises:
        InputError: it is not known.
    """
    whole = name if not name or "." in name else f"{_PACKAGE}{name}"
    if whole and whole not in _WRITERS:
        allowed = ", ".join(each.removeprefix(_PACKAGE) for each in CODECS)
        raise InputError("is no codec", place="--codec", found=name, allowed=allowed)
    return whole
