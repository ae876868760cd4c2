"""The file around an image's sections: magic bytes, the sections one after another, and a summary of where each lies.

Source: org.apache.hadoop.hdfs.server.namenode.{FSImageFormatProtobuf, FSImageUtil}, fsimage.proto; since Hadoop 2.4.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf import proto
from google.protobuf.message import DecodeError, Message

from froude.base.errors import InputError
from froude.hadoop.schema import Schema

_MAGIC = b"HDFSIMG1"
_LENGTH = struct.Struct(">i")
_PACKAGE = "hadoop.hdfs.fsimage"
Fields = Any
"""A message; which fields it has is known only once the release's jars are read."""


@dataclass(frozen=True, slots=True)
class Image:
    """An image that is not compressed and not split for parallel loading."""

    summary: Fields
    """Its FileSummary, whose places are worked out anew when it is written."""
    sections: Mapping[str, bytes]
    """Bytes by the section's name, in their order in the file."""

    def to_bytes(self) -> bytes:
        """The whole file."""
        summary = type(self.summary)()
        summary.CopyFrom(self.summary)
        del summary.sections[:]
        at = len(_MAGIC)
        for name, content in self.sections.items():
            summary.sections.add(name=name, length=len(content), offset=at)
            at += len(content)
        tail = delimited(summary)
        return b"".join((_MAGIC, *self.sections.values(), tail, _LENGTH.pack(len(tail))))


def kind(schema: Schema, name: str) -> type[Message]:
    """A message class of images, such as `FileSummary` or `INodeSection.INode`.

    Args:
        schema: of the release that wrote the image, or shall read it.
        name: the class's name within fsimage.proto.

    Raises:
        UnknownMethodError: the jars hold no such class.
    """
    return schema.message(f"{_PACKAGE}.{name}")


def read_image(data: bytes, schema: Schema, *, name: str) -> Image:
    """Take an image apart.

    Args:
        data: the whole file.
        schema: of the release.
        name: what to call it in errors.

    Raises:
        InputError: no image, a damaged one, or one that is compressed or split.
    """
    if data[: len(_MAGIC)] != _MAGIC:
        raise InputError("is no image", file=name, found=repr(data[:8]), allowed=repr(_MAGIC))
    end = len(data) - _LENGTH.size
    size = _LENGTH.unpack_from(data, end)[0] if end > len(_MAGIC) else -1
    if not 0 < size <= end - len(_MAGIC):
        raise InputError("is cut short or damaged", file=name, place="the length of its summary", found=size)
    summary: Fields = first_of(data[end - size : end], kind(schema, "FileSummary"), name=name)[0]
    if summary.codec:
        raise InputError("is compressed", file=name, found=summary.codec, allowed="an image without a codec")
    sections: dict[str, bytes] = {}
    at = len(_MAGIC)
    for section in summary.sections:
        if section.offset != at or section.length > end - size - at or section.name in sections:
            place = f"section {section.name}"
            raise InputError(
                "is split, or damaged", file=name, place=place, allowed="sections one after another"
            )
        at += section.length
        sections[section.name] = data[section.offset : at]
    return Image(summary, sections)


def first_of(data: bytes, message: type[Message], *, name: str) -> tuple[Fields, bytes]:
    """The message that a section begins with, and the bytes after it.

    Args:
        data: a section.
        message: its class.
        name: of the image, for errors.

    Raises:
        InputError: there is no such message.
    """
    stream = io.BytesIO(data)
    try:
        parsed = proto.parse_length_prefixed(message, stream)
    except (DecodeError, ValueError) as error:
        raise InputError("is damaged", file=name, place=message.DESCRIPTOR.name, found=str(error)) from error
    if parsed is None:
        raise InputError("is damaged", file=name, place=message.DESCRIPTOR.name, found="nothing")
    return parsed, stream.read()


def delimited(message: Message) -> bytes:
    """A message behind its length."""
    stream = io.BytesIO()
    proto.serialize_length_prefixed(message, stream)
    return stream.getvalue()
