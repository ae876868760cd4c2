"""Inodes as messages that are quick to take apart: what is looked into seldom, or much faster by numpy, stays bytes.

protobuf makes an object for every message within a message, which for the blocks of files takes longer than all else. A
field that holds messages may as well be declared to hold bytes: the wire is the same. So a reader's inode class is that
of the jars with such fields as bytes, and the blocks of many files are decoded at once, as arrays.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError, Message

from froude.hadoop.fsimage.container import Fields, kind
from froude.hadoop.fsimage.wire import Numbers, Source, Splitter
from froude.messages.schema import Schema

_FIELDS = descriptor_pb2.FieldDescriptorProto
BLOCK_FIELDS = ("blockId", "genStamp", "numBytes")
"""Of a block: its id, generation stamp and length."""


def flat_inode(schema: Schema) -> type[Message]:
    """The class of inodes in which files, folders and links are messages, and what these hold of messages is bytes.

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


def decode_blocks(blocks: Sequence[bytes], message: type[Message]) -> tuple[Numbers, ...]:
    """Ids, generation stamps and lengths of blocks.

    Args:
        blocks: each as a serialised BlockProto.
        message: that class, for blocks that are written in another way than usual.

    Raises:
        DecodeError: one is damaged.
    """
    ends = np.cumsum(np.fromiter(map(len, blocks), np.int64, len(blocks)))
    starts = np.concatenate((np.zeros(1, np.int64), ends))[:-1]
    taken = Splitter(message, BLOCK_FIELDS).take(Source.of(b"".join(blocks)), starts, ends)
    if not taken.odd.any():
        return tuple(taken.columns[name].values for name in BLOCK_FIELDS)
    parsed: list[Fields] = [message.FromString(block) for block in blocks]
    if not all(block.IsInitialized() for block in parsed):
        raise DecodeError("a block without its number")
    return tuple(
        np.fromiter((getattr(block, name) for block in parsed), np.uint64, len(parsed))
        for name in BLOCK_FIELDS
    )
