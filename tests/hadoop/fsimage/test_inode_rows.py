"""Rows of inodes: by whole columns as by messages."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf.message import DecodeError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.hadoop.fsimage.container import kind, open_image
from froude.hadoop.fsimage.inode_rows import DIRECTORY, FILE, SYMLINK, InodeRows, decode_blocks, flat_inode
from froude.hadoop.fsimage.sections import Reader
from froude.messages.schema import Schema
from tests.support.hadoop.fsimage import images

FIELD_NUMBERS = st.integers(0, (1 << 64) - 1)
FLAT_BLOCKS = st.lists(st.tuples(FIELD_NUMBERS, FIELD_NUMBERS, FIELD_NUMBERS), max_size=30)
NUMBERS = st.one_of(st.integers(0, 9), st.integers(0, (1 << 63) - 1))
BLOCKS = st.lists(st.tuples(st.integers(0, (1 << 64) - 1), NUMBERS, st.integers(0, 1 << 40)), max_size=4)


def rows_of(tmp_path: Path, schema: Schema) -> InodeRows:
    """Those of a small image."""
    image = open_image(images.write(tmp_path / "i", schema, images.sections(schema)), schema)
    return InodeRows(Reader(image, schema), 0)


def inode(schema: Schema, draw: Any) -> bytes:
    """A file, folder or link, with any of what they may have."""
    type_ = draw(st.sampled_from([FILE, FILE, FILE, DIRECTORY, SYMLINK]))
    made: Any = kind(schema, "INodeSection.INode")(type=type_, id=draw(NUMBERS))
    if draw(st.integers(0, 5)):
        made.name = draw(st.binary(max_size=5))
    if type_ == SYMLINK:
        made.symlink.target, made.symlink.accessTime = b"/a", draw(NUMBERS)
    elif type_ == DIRECTORY:
        made.directory.nsQuota, made.directory.dsQuota = (1 << 64) - 1, draw(NUMBERS)
        made.directory.permission = draw(NUMBERS)
    else:
        own = made.file
        own.replication, own.modificationTime, own.permission = (
            draw(st.integers(0, 9)),
            draw(NUMBERS),
            draw(NUMBERS),
        )
        for block_id, stamp, length in draw(BLOCKS):
            own.blocks.add(blockId=block_id, genStamp=stamp, numBytes=length)
        what = draw(st.integers(0, 7))
        if what == 1:
            own.fileUC.clientName = "c"
        elif what == 2:
            own.acl.entries.append(5)
        elif what == 3:
            own.blockType, own.erasureCodingPolicyID = 1, draw(st.integers(0, 200))
        elif what == 4:
            own.storagePolicyID = draw(st.integers(0, 200))
        elif what == 5:
            own.xAttrs.xAttrs.add(name=64, value=b"x")
    return bytes(made.SerializeToString())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.data())
def test_columns_are_those_of_messages(
    tmp_path_factory: pytest.TempPathFactory, schema: Schema, data: Any
) -> None:
    """Inodes of every kind, in any order."""
    rows = rows_of(tmp_path_factory.mktemp("rows"), schema)
    records = [inode(schema, data.draw) for _ in range(data.draw(st.integers(1, 12)))]
    inodes, blocks = rows.tables(records)
    alone = rows._one_by_one(records, np.arange(len(records)))
    assert inodes.to_pylist() == alone.inodes.to_pylist()
    assert blocks.to_pylist() == alone.blocks.to_pylist()


def test_usual_files_are_read_by_columns(tmp_path: Path, schema: Schema) -> None:
    """Files alone, also those that are open or erasure-coded."""
    rows = rows_of(tmp_path, schema)
    made: list[Any] = [kind(schema, "INodeSection.INode")(type=FILE, id=n, name=b"n") for n in range(5)]
    for each in made:
        each.file.blocks.add(blockId=(1 << 63) + 16, genStamp=2, numBytes=3)
    made[1].file.fileUC.clientName = "c"
    made[2].file.blockType = 1
    made[3].file.replication = 1 << 15  # not for its column
    made[4].file.replication = (1 << 15) - 1
    made[4].file.blocks.add(blockId=7, genStamp=2, numBytes=50)
    usual = rows._usual_files([each.SerializeToString() for each in made])
    assert usual.rows.tolist() == [0, 1, 2, 4]
    assert usual.inodes["erasure"].to_pylist() == [-1, -1, 0, -1]
    assert usual.inodes["open"].to_pylist() == [False, True, False, False]
    assert usual.inodes["length"].to_pylist() == [3, 3, 3, 53]
    assert usual.inodes["blocks"].to_pylist() == [1, 1, 1, 2]
    with pytest.raises(InputError, match="section INODE: is damaged"):
        rows.tables([each.SerializeToString() for each in made])


def test_a_folder_has_no_values_of_files(tmp_path: Path, schema: Schema) -> None:
    """Each of these columns is 0, but for the erasure coding policy that is not there; quotas are signed."""
    folder: Any = kind(schema, "INodeSection.INode")(type=DIRECTORY, id=7, name=b"d")
    folder.directory.modificationTime, folder.directory.permission = 5, 6
    folder.directory.nsQuota, folder.directory.dsQuota = (1 << 64) - 1, 8
    rows = rows_of(tmp_path, schema)
    inodes, blocks = rows.tables([folder.SerializeToString()])
    set_ = {"id": 7, "type": DIRECTORY, "name": b"d", "modified_ms": 5, "permission": 6, "space_quota": 8}
    zeros = dict.fromkeys(
        ("accessed_ms", "replication", "block_size", "policy", "blocks", "length", "acl", "xattrs"), 0
    )
    assert inodes.to_pylist() == [{**set_, **zeros, "open": False, "erasure": -1, "quota": -1}]
    assert blocks.num_rows == 0
    folder.directory.nsQuota = folder.directory.dsQuota = (1 << 63) - 1
    inodes, _ = rows.tables([folder.SerializeToString()])
    assert [inodes[name].to_pylist() for name in ("quota", "space_quota")] == [[(1 << 63) - 1]] * 2


def test_a_link_has_no_values_of_files(tmp_path: Path, schema: Schema) -> None:
    """Times, owner and mode are its own; nothing else is there. What is no file, folder or link is damage."""
    link: Any = kind(schema, "INodeSection.INode")(type=SYMLINK, id=7, name=b"l")
    link.symlink.target, link.symlink.permission = b"/a", 6
    link.symlink.modificationTime, link.symlink.accessTime = 4, 5
    rows = rows_of(tmp_path, schema)
    inodes, blocks = rows.tables([link.SerializeToString()])
    set_ = {"id": 7, "type": SYMLINK, "name": b"l", "modified_ms": 4, "accessed_ms": 5, "permission": 6}
    zeros = dict.fromkeys(("replication", "block_size", "policy", "blocks", "length", "acl", "xattrs"), 0)
    assert inodes.to_pylist() == [
        {**set_, **zeros, "open": False, "erasure": -1, "quota": -1, "space_quota": -1}
    ]
    assert blocks.num_rows == 0


@pytest.mark.parametrize(
    ("number", "value", "policy"), [(9, b"\x07", 7), (9, b"\x07\x00", 0), (8, b"\x07", 0)]
)
def test_the_storage_policy_of_a_folder(
    number: int, value: bytes, policy: int, tmp_path: Path, schema: Schema
) -> None:
    """One byte, in the attribute whose name has that number; ACL entries and attributes are counted."""
    folder: Any = kind(schema, "INodeSection.INode")(type=DIRECTORY, id=7, name=b"d")
    folder.directory.nsQuota = folder.directory.dsQuota = 1 << 63
    folder.directory.acl.entries.extend([5, 6])
    folder.directory.xAttrs.xAttrs.add(name=3 << 6, value=b"\x01")
    folder.directory.xAttrs.xAttrs.add(name=(number << 6) + 5, value=value)
    image = open_image(images.write(tmp_path / "i", schema, images.sections(schema)), schema)
    inodes, _ = InodeRows(Reader(image, schema), 9).tables([folder.SerializeToString()])
    (row,) = inodes.to_pylist()
    assert (row["policy"], row["acl"], row["xattrs"]) == (policy, 2, 2)
    assert (row["quota"], row["space_quota"]) == (-(1 << 63), -(1 << 63))


def decoded(blocks: list[bytes], schema: Schema) -> list[tuple[int, ...]]:
    """A tuple a block."""
    columns = decode_blocks(blocks, kind(schema, "hadoop.hdfs.BlockProto"))
    return list(zip(*(column.tolist() for column in columns), strict=True))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(FLAT_BLOCKS)
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
    twice = [message(blockId=1, genStamp=2).SerializeToString() + each for each in made]
    assert decoded(twice, schema) == blocks
    alone = [message(genStamp=s).SerializePartialToString() for _, s, _ in blocks[:1]]
    with pytest.raises(DecodeError) if blocks else nullcontext():
        decoded(alone, schema)


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
