"""Inodes as messages that are quick to take apart: what is looked into seldom, or much faster by numpy, stays bytes.

protobuf makes an object for every message within a message, which for the blocks of files takes longer than all else. A
field that holds messages may as well be declared to hold bytes: the wire is the same. So a reader's inode class is that
of the jars with such fields as bytes, and the blocks of many files are decoded at once, as arrays.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError, Message

from froude.hadoop.fsimage.container import Fields, kind
from froude.hadoop.schema import Schema

Numbers = npt.NDArray[np.uint64]
_FIELDS = descriptor_pb2.FieldDescriptorProto
_BLOCK_TAGS = (8, 16, 24)
"""Of a block's id, generation stamp and length, in the order in which every writer has them."""
_LONGEST = 10
"""Bytes of a 64-bit varint."""


def flat_inode(schema: Schema) -> type[Message]:
    """The class of inodes in which files, folders and links are messages, and what these hold of messages is bytes.

    Args:
        schema: of a release.

    Raises:
        UnknownMethodError: the jars hold no images.
    """
    whole: Fields = kind(schema, "INodeSection").DESCRIPTOR
    section = descriptor_pb2.DescriptorProto()
    whole.CopyToProto(section)
    file = descriptor_pb2.FileDescriptorProto(name="flat.proto", package=whole.full_name.rpartition(".")[0])
    for message in section.nested_type:
        if message.name == "INode" or message.name.startswith("INode"):
            for field in message.field:
                _flatten(field, inner=message.name != "INode")
    kept = [message for message in section.nested_type if message.name.startswith("INode")]
    del section.nested_type[:], section.field[:]
    section.nested_type.extend(kept)
    file.message_type.append(section)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    found = pool.FindMessageTypeByName(f"{whole.full_name}.INode")
    made: type[Message] = message_factory.GetMessageClass(found)
    return made


def _flatten(field: descriptor_pb2.FieldDescriptorProto, *, inner: bool) -> None:
    """Bytes for a message, a number for an enum of another place; an inode's own parts stay."""
    if field.type == _FIELDS.TYPE_MESSAGE and inner:
        field.type = _FIELDS.TYPE_BYTES
    elif field.type == _FIELDS.TYPE_ENUM:
        field.type = _FIELDS.TYPE_INT32
    else:
        return
    field.ClearField("type_name")
    field.ClearField("default_value")


def decode_blocks(blocks: Sequence[bytes], message: type[Message]) -> tuple[Numbers, Numbers, Numbers]:
    """Ids, generation stamps and lengths of blocks.

    Args:
        blocks: each as a serialised BlockProto.
        message: that class, for blocks that are written in another way than usual.

    Raises:
        DecodeError: one is damaged.
    """
    data = np.frombuffer(b"".join(blocks), np.uint8)
    ends = np.flatnonzero(data < 0x80)
    if len(ends) == 6 * len(blocks):
        values = _varints(data, ends)
        if values is not None:
            table = values.reshape(-1, 6)
            starts = np.concatenate(([0], ends[5::6] + 1))[: len(blocks)]
            sizes = np.fromiter(map(len, blocks), np.int64, len(blocks))
            whole = (np.cumsum(sizes) - sizes == starts).all()
            if whole and (table[:, ::2] == _BLOCK_TAGS).all():
                return table[:, 1], table[:, 3], table[:, 5]
    parsed: list[Fields] = [message.FromString(block) for block in blocks]
    if not all(block.IsInitialized() for block in parsed):
        raise DecodeError("a block without its number")
    ids, stamps, lengths = (
        np.fromiter((getattr(block, name) for block in parsed), np.uint64, len(parsed))
        for name in ("blockId", "genStamp", "numBytes")
    )
    return ids, stamps, lengths


def _varints(data: npt.NDArray[np.uint8], ends: npt.NDArray[np.int64]) -> Numbers | None:
    """The numbers that end at some places; None where one is too long or bytes are left."""
    starts = np.concatenate(([0], ends[:-1] + 1))
    lengths = ends - starts + 1
    if len(ends) and (ends[-1] != len(data) - 1 or lengths.max() > _LONGEST):
        return None
    values = np.zeros(len(ends), np.uint64)
    for place in range(int(lengths.max(initial=0))):
        longer = np.flatnonzero(lengths > place)
        bits = (data[starts[longer] + place] & 0x7F).astype(np.uint64)
        values[longer] |= bits << np.uint64(7 * place)
    return values
