"""Inodes taken apart quickly, and the blocks of many files decoded at once."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from google.protobuf.message import DecodeError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from froude.hadoop.fsimage.columns import decode_blocks, flat_inode
from froude.hadoop.fsimage.container import kind
from froude.messages.schema import Schema

NUMBERS = st.integers(0, (1 << 64) - 1)
BLOCKS = st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), max_size=30)


def decoded(blocks: list[bytes], schema: Schema) -> list[tuple[int, ...]]:
    """A tuple a block."""
    columns = decode_blocks(blocks, kind(schema, "hadoop.hdfs.BlockProto"))
    return list(zip(*(column.tolist() for column in columns), strict=True))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(BLOCKS)
def test_blocks(schema: Schema, blocks: list[tuple[int, int, int]]) -> None:
    """As protobuf writes them; and with a field left out, or in another order."""
    message: Any = kind(schema, "hadoop.hdfs.BlockProto")
    made = [message(blockId=i, genStamp=s, numBytes=n).SerializeToString() for i, s, n in blocks]
    assert decoded(made, schema) == blocks
    short = [message(blockId=i, genStamp=s).SerializeToString() for i, s, _ in blocks]
    assert decoded(short, schema) == [(i, s, 0) for i, s, _ in blocks]
    turned = [
        message(genStamp=s).SerializePartialToString() + message(blockId=i).SerializePartialToString()
        for i, s, _ in blocks
    ]
    assert decoded(turned, schema) == [(i, s, 0) for i, s, _ in blocks]


def test_bytes_that_shift_between_blocks(schema: Schema) -> None:
    """Two that together look like two others are what each is: damaged."""
    message: Any = kind(schema, "hadoop.hdfs.BlockProto")
    whole = b"".join(message(blockId=5, genStamp=n, numBytes=7).SerializeToString() for n in (1, 2))
    with pytest.raises(DecodeError):
        decoded([whole[:5], whole[5:]], schema)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.binary(max_size=12), max_size=4))
def test_damaged_blocks(schema: Schema, blocks: list[bytes]) -> None:
    """Numbers, or one error."""
    with suppress(DecodeError):
        assert len(decoded(blocks, schema)) == len(blocks)


def test_flat_inodes(schema: Schema) -> None:
    """The same fields; messages within a file or folder are bytes."""
    inode: Any = kind(schema, "INodeSection.INode")(type=1, id=7, name=b"a")
    inode.file.replication, inode.file.permission = 3, 9
    inode.file.blocks.add(blockId=1, genStamp=2, numBytes=3)
    inode.file.fileUC.clientName = "c"
    inode.file.blockType = 1
    flat: Any = flat_inode(schema).FromString(inode.SerializeToString())
    assert (flat.type, flat.id, flat.name, flat.file.replication, flat.file.permission) == (1, 7, b"a", 3, 9)
    assert list(flat.file.blocks) == [inode.file.blocks[0].SerializeToString()]
    assert flat.file.fileUC == inode.file.fileUC.SerializeToString()
    assert (flat.file.blockType, flat.file.HasField("acl")) == (1, False)
