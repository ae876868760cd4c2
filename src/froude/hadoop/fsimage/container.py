"""The file around an image's sections: magic bytes, the sections one after another, and a summary of where each lies.

Source: org.apache.hadoop.hdfs.server.namenode.{FSImageFormatProtobuf, FSImageUtil}, fsimage.proto; since Hadoop 2.4.
"""

from __future__ import annotations

import hashlib
import io
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from google.protobuf import proto
from google.protobuf.message import DecodeError, Message

from froude.base.errors import InputError
from froude.base.files import open_regular
from froude.base.input_limits import beyond_expansion, input_limits
from froude.hadoop.fsimage.codecs import compressed, decompressed
from froude.messages.schema import Schema

_MAGIC = b"HDFSIMG1"
_LENGTH = struct.Struct(">i")
_PACKAGE = "hadoop.hdfs.fsimage"
_SUMMARY_LIMIT_BYTES = 16 << 20
_SUB = "_SUB"
Fields = Any
"""A message; which fields it has is known only once the release's jars are read."""


@dataclass(frozen=True, slots=True)
class Extent:
    """Where bytes lie in a file."""

    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class ImageFile:
    """An image on disk: what its summary says of it. Its sections are read from the file when they are asked for."""

    path: Path
    summary: Fields
    sections: Mapping[str, Extent]
    """By the section's name, in their order in the file."""
    parts: Mapping[str, tuple[Extent, ...]] = field(default_factory=dict)
    """Parts of a section that can be read on their own, by the section's name; written for loading in parallel."""

    @property
    def codec(self) -> str:
        """Name of the Hadoop class that has compressed the sections; empty for none."""
        return text_of(self.summary.codec)

    @property
    def layout_version(self) -> int:
        """Of the namespace; negative, and smaller the newer it is."""
        version = int(self.summary.layoutVersion)
        return version - (1 << 32) if version >= 1 << 31 else version

    def pieces(self, name: str, part: Extent | None = None) -> Iterator[bytes]:
        """The bytes of a section, decompressed, in pieces of bounded size; none for one that the image lacks.

        Raises:
            InputError: it cannot be read, or is damaged.
        """
        extent = part or self.sections.get(name)
        if extent is None or not extent.length:
            return
        with open_regular(self.path) as file:
            file.seek(extent.offset)
            source: Any = _Window(file, extent.length)
            most = left = input_limits().expansion_bytes(extent.length) if self.codec else extent.length
            for piece in decompressed(io.BufferedReader(source), self.codec, file=str(self.path)):
                left -= len(piece)
                if left < 0:
                    raise beyond_expansion(self.path, extent.length, most, f"section {name}")
                yield piece

    def content(self, name: str) -> bytes:
        """A whole section, decompressed.

        Raises:
            InputError: as `pieces`.
        """
        return b"".join(self.pieces(name))


class _Window(io.RawIOBase):
    """The next so many bytes of a file, as a file."""

    def __init__(self, file: BinaryIO, length: int) -> None:
        self._file = file
        self._left = length

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._file.read(min(len(buffer), self._left))
        self._left -= len(data)
        buffer[: len(data)] = data
        return len(data)


def kind(schema: Schema, name: str) -> type[Message]:
    """A message class of images, such as `FileSummary` or `INodeSection.INode`.

    Args:
        schema: of the release that wrote the image, or shall read it.
        name: the class's name within fsimage.proto, or a whole one.

    Raises:
        UnknownMethodError: the jars hold no such class.
    """
    return schema.message(name if name.startswith("hadoop.") else f"{_PACKAGE}.{name}")


def open_image(path: Path, schema: Schema) -> ImageFile:
    """Read an image's summary and see that its sections lie within the file, apart from each other.

    Raises:
        InputError: no image, or a damaged one.
    """
    name = str(path)
    with open_regular(path) as file:
        magic, end = file.read(len(_MAGIC)), file.seek(0, io.SEEK_END) - _LENGTH.size
        if magic != _MAGIC:
            raise InputError("is no image", file=name, found=repr(magic), allowed=repr(_MAGIC))
        file.seek(max(end, 0))
        tail = file.read(_LENGTH.size)
        size = _LENGTH.unpack(tail)[0] if end > len(_MAGIC) else -1
        if not 0 < size <= min(end - len(_MAGIC), _SUMMARY_LIMIT_BYTES):
            place = "the length of its summary"
            raise InputError("is cut short or damaged", file=name, place=place, found=size)
        file.seek(end - size)
        summary: Fields = first_of(file.read(size), kind(schema, "FileSummary"), name=name)[0]
    sections: dict[str, Extent] = {}
    parts: dict[str, list[Extent]] = {}
    for section in summary.sections:
        title, extent = text_of(section.name), Extent(section.offset, section.length)
        _check_extent(title, extent, end - size, name)
        if title.endswith(_SUB):
            parts.setdefault(title.removesuffix(_SUB), []).append(extent)
        elif title in sections:
            raise InputError("is damaged", file=name, place=f"section {title}", found="it stands twice")
        else:
            sections[title] = extent
    _check_apart(sections, name)
    return ImageFile(path, summary, sections, {whole: tuple(each) for whole, each in parts.items()})


def _check_extent(section: str, extent: Extent, end: int, name: str) -> None:
    if not len(_MAGIC) <= extent.offset <= extent.offset + extent.length <= end:
        found = f"{extent.length} bytes from {extent.offset}"
        allowed = f"within {len(_MAGIC)} and {end}"
        raise InputError("is damaged", file=name, place=f"section {section}", found=found, allowed=allowed)


def _check_apart(sections: Mapping[str, Extent], name: str) -> None:
    at = 0
    for section, extent in sorted(sections.items(), key=lambda each: each[1].offset):
        if extent.length and extent.offset < at:
            raise InputError(
                "is damaged", file=name, place=f"section {section}", found="it lies over another"
            )
        at = max(at, extent.offset + extent.length)


def write_image(file: BinaryIO, summary: Fields, sections: Mapping[str, Iterable[bytes]]) -> str:
    """Write a whole image, as its sections come.

    Args:
        summary: its FileSummary, of which the codec counts; the places are worked out anew.
        sections: pieces by the section's name, in their order in the file, not compressed.

    Returns:
        The MD5 of what was written, which NameNodes want beside it.
    """
    places: list[tuple[str, int, int]] = []
    digest = hashlib.md5(_MAGIC, usedforsecurity=False)
    at = file.write(_MAGIC)
    for name, pieces in sections.items():
        start = at
        for piece in compressed(pieces, text_of(summary.codec)):
            at += file.write(piece)
            digest.update(piece)
        places.append((name, at - start, start))
    written = type(summary)()
    written.CopyFrom(summary)
    del written.sections[:]
    for name, length, offset in places:
        written.sections.add(name=name, length=length, offset=offset)
    tail = delimited(written)
    for piece in (tail, _LENGTH.pack(len(tail))):
        file.write(piece)
        digest.update(piece)
    return digest.hexdigest()


def image_bytes(summary: Fields, sections: Mapping[str, bytes]) -> bytes:
    """A whole image, in memory.

    Args:
        sections: bytes by the section's name.
    """
    file = io.BytesIO()
    write_image(file, summary, {name: (content,) for name, content in sections.items()})
    return file.getvalue()


def text_of(value: str | bytes) -> str:
    """A text of a message; one that is no UTF-8 comes out of it as bytes."""
    return value if isinstance(value, str) else value.decode("utf-8", "backslashreplace")


def first_of(data: bytes, message: type[Message], *, name: str) -> tuple[Fields, bytes]:
    """The message that a section begins with, and the bytes after it.

    Raises:
        InputError: there is no such message.
    """
    stream = io.BytesIO(data)
    try:
        parsed = proto.parse_length_prefixed(message, stream)
    except (DecodeError, ValueError, OverflowError) as error:
        raise InputError("is damaged", file=name, place=message.DESCRIPTOR.name, found=str(error)) from error
    if parsed is None:
        raise InputError("is damaged", file=name, place=message.DESCRIPTOR.name, found="nothing")
    if not parsed.IsInitialized():
        fields: Fields = parsed
        lacking = "no " + ", ".join(fields.FindInitializationErrors())
        raise InputError("is damaged", file=name, place=message.DESCRIPTOR.name, found=lacking)
    return parsed, stream.read()


def delimited(message: Message) -> bytes:
    """A message behind its length."""
    stream = io.BytesIO()
    proto.serialize_length_prefixed(message, stream)
    return stream.getvalue()
