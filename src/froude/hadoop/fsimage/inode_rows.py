"""Inodes of an image as rows of columns: usual files all at once from their bytes, the others message by message.

Nearly all inodes are files that are written in one way, which `wire` takes apart by whole columns. Folders, links, and
files with an ACL or extended attributes, or written in another way, go through protobuf, which takes everything. Both
give the same, and a test compares them.

protobuf makes an object for every message within a message, which for the blocks of files takes longer than all else. A
field that holds messages may as well be declared to hold bytes: the wire is the same. So the inode class here is that
of the jars with such fields as bytes, and the blocks of many files are decoded at once, as arrays.

Source: FSImageFormatPBINode.Loader; XAttrFormat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError, Message

from froude.base.errors import InputError
from froude.hadoop.fsimage import wire
from froude.hadoop.fsimage.container import Fields, kind
from froude.hadoop.fsimage.sections import INODES, Reader
from froude.messages.schema import Schema

_FIELDS = descriptor_pb2.FieldDescriptorProto
BLOCK_FIELDS = ("blockId", "genStamp", "numBytes")
"""Of a block: its id, generation stamp and length."""
Ints = npt.NDArray[np.int64]
FILE, DIRECTORY, SYMLINK = 1, 2, 3
"""Types of inodes, as the image numbers them."""
POLICY = "hsm.block.storage.policy.id"
"""Extended attribute in which a folder holds its storage policy."""
_XATTR_NAME_BIT = 6
"""Where the number of an attribute's name begins in its 32 bits (XAttrFormat)."""
_NONE = -1
_SUMMED = None
"""In place of a length, which follows from the blocks of all inodes at once."""
_COLUMNS: list[tuple[str, pa.DataType]] = [
    ("id", pa.int64()),
    ("type", pa.int8()),
    ("name", pa.binary()),
    ("modified_ms", pa.int64()),
    ("accessed_ms", pa.int64()),
    ("permission", pa.uint64()),
    ("replication", pa.int16()),
    ("block_size", pa.int64()),
    ("policy", pa.int16()),
    ("erasure", pa.int16()),
    ("blocks", pa.int32()),
    ("length", pa.int64()),
    ("open", pa.bool_()),
    ("acl", pa.int32()),
    ("xattrs", pa.int32()),
    ("quota", pa.int64()),
    ("space_quota", pa.int64()),
]
"""Of a folder the columns of a file are 0 but for the storage policy; -1 is no quota, and no erasure coding policy."""
INODE_ROWS = pa.schema(_COLUMNS)
BLOCK_ROWS = pa.schema([("id", pa.uint64()), ("stamp", pa.int64()), ("length", pa.int64())])
_NUMBERS = {
    "modified_ms": "modificationTime",
    "accessed_ms": "accessTime",
    "permission": "permission",
    "replication": "replication",
    "block_size": "preferredBlockSize",
    "policy": "storagePolicyID",
}
"""Columns of a file that are fields of its message."""
_OF_FILE = attrgetter(*_NUMBERS.values())
"""Of one; a getter of several fields takes half the time of as many expressions."""


@dataclass(frozen=True, slots=True)
class _Made:
    """Rows of some of a batch's inodes."""

    rows: Ints
    """Which of the batch, ascending."""
    inodes: pa.Table
    blocks: pa.Table


class InodeRows:
    """Makes columns of inodes.

    Args:
        policy: number of the extended attribute `POLICY`; 0 where no inode has it.
    """

    def __init__(self, reader: Reader, policy: int) -> None:
        self._path, self._policy = reader.image.path, policy
        self._message: Fields = flat_inode(reader.schema)
        self._block = kind(reader.schema, "hadoop.hdfs.BlockProto")
        self._acls = kind(reader.schema, "INodeSection.AclFeatureProto")
        self._attributes = kind(reader.schema, "INodeSection.XAttrFeatureProto")
        inode, file = (kind(reader.schema, f"INodeSection.{name}") for name in ("INode", "INodeFile"))
        self._top = wire.Splitter(inode, ("id", "type", "name", "file"))
        others = ("blocks", "fileUC", "blockType", "erasureCodingPolicyID")
        self._of_file = wire.Splitter(file, (*_NUMBERS.values(), *others))
        self._of_block = wire.Splitter(self._block, BLOCK_FIELDS)

    def tables(self, records: Sequence[bytes]) -> tuple[pa.Table, pa.Table]:
        """Rows of inodes, and those of their blocks.

        Args:
            records: each a serialised INode.

        Raises:
            InputError: one is damaged.
        """
        usual = self._usual_files(records)
        left = np.setdiff1d(np.arange(len(records)), usual.rows, assume_unique=True)
        if not len(left):
            return usual.inodes, usual.blocks
        others = self._one_by_one([records[row] for row in left.tolist()], left)
        if not len(usual.rows):
            return others.inodes, others.blocks
        both = (usual, others)
        rows = np.concatenate([each.rows for each in both])
        owners = np.concatenate([each.rows.repeat(each.inodes["blocks"].to_numpy()) for each in both])
        inodes, blocks = (
            pa.concat_tables(tables).combine_chunks()
            for tables in zip(*((each.inodes, each.blocks) for each in both), strict=True)
        )
        return inodes.take(np.argsort(rows)), blocks.take(np.argsort(owners, kind="stable"))

    def _usual_files(self, records: Sequence[bytes]) -> _Made:
        """Those that can be taken apart by whole columns."""
        source = wire.Source.of(b"".join(records))
        ends = np.cumsum(np.fromiter(map(len, records), np.int64, len(records)))
        starts = np.concatenate((np.zeros(1, np.int64), ends))[:-1]
        top = self._top.take(source, starts, ends)
        names, files = top.columns["name"], top.columns["file"]
        of_file = ~top.odd & names.present & files.present & (top.columns["type"].values == FILE)
        rows = np.flatnonzero(of_file)
        file = self._of_file.take(source, files.values[rows].astype(np.int64), files.ends[rows])
        own = file.several["blocks"]
        block = self._of_block.take(source, own.starts, own.ends)
        coded = file.columns["blockType"].values > 0
        numbers = {
            "id": top.columns["id"].values[rows],
            **{column: file.columns[field].values for column, field in _NUMBERS.items()},
            "erasure": file.columns["erasureCodingPolicyID"].values,
        }
        odd = file.odd
        odd[own.owners[block.odd]] = True
        for column, values in numbers.items():
            odd |= values > np.iinfo(INODE_ROWS.field(column).type.to_pandas_dtype()).max
        good, kept = np.flatnonzero(~odd), ~odd[own.owners]
        counts = np.bincount(own.owners[kept], minlength=len(rows))[good]
        ids, stamps, lengths = (block.columns[name].values[kept] for name in BLOCK_FIELDS)
        columns: dict[str, Any] = {
            **{column: values[good] for column, values in numbers.items()},
            "type": np.full(len(good), FILE),
            "name": _between(source.data, names.values[rows[good]], names.ends[rows[good]]),
            "erasure": np.where(coded, numbers["erasure"].astype(np.int64), _NONE)[good],
            "blocks": counts,
            "length": _sums(lengths.astype(np.int64), counts),
            "open": file.columns["fileUC"].present[good],
            "quota": np.full(len(good), _NONE),
            "space_quota": np.full(len(good), _NONE),
        }
        nothing = np.zeros(len(good), np.int64)
        inodes = [_column(columns.get(field.name, nothing), field.type) for field in INODE_ROWS]
        return _made(rows[good], inodes, (ids, stamps, lengths))

    def _one_by_one(self, records: Sequence[bytes], rows: Ints) -> _Made:
        """Any inodes, message by message."""
        blocks: list[bytes] = []
        try:
            inodes = [self._message.FromString(record) for record in records]
            values = [
                self._file(inode, blocks)
                if inode.type == FILE
                else self._directory(inode)
                if inode.type == DIRECTORY
                else _link(inode)
                for inode in inodes
            ]
            columns: dict[str, Any] = dict(zip(INODE_ROWS.names, zip(*values, strict=True), strict=True))
            numbers = decode_blocks(blocks, self._block)
            counts = np.asarray(columns["blocks"], np.int64)
            columns["length"] = _sums(numbers[2].astype(np.int64), counts)
            arrays = [pa.array(columns[field.name], field.type) for field in INODE_ROWS]
        except (OverflowError, pa.ArrowInvalid, DecodeError) as error:
            found = str(error)
            raise InputError("is damaged", file=self._path, place=f"section {INODES}", found=found) from error
        return _made(rows, arrays, numbers)

    def _file(self, inode: Fields, blocks: list[bytes]) -> tuple[object, ...]:
        file = inode.file
        has = file.HasField
        own = file.blocks
        blocks += own
        return (
            inode.id,
            FILE,
            inode.name,
            *_OF_FILE(file),
            file.erasureCodingPolicyID if has("blockType") and file.blockType else _NONE,
            len(own),
            _SUMMED,
            has("fileUC"),
            self._entries(file.acl) if has("acl") else 0,
            len(self._of(file)) if has("xAttrs") else 0,
            _NONE,
            _NONE,
        )

    def _entries(self, acl: bytes) -> int:
        message: Fields = self._acls.FromString(acl)
        return len(message.entries)

    def _of(self, own: Fields) -> Sequence[Fields]:
        message: Fields = self._attributes.FromString(own.xAttrs)
        attributes: Sequence[Fields] = message.xAttrs
        return attributes

    def _directory(self, inode: Fields) -> tuple[object, ...]:
        own = inode.directory
        attributes = self._of(own) if own.HasField("xAttrs") else ()
        return (
            inode.id,
            DIRECTORY,
            inode.name,
            own.modificationTime,
            0,
            own.permission,
            0,
            0,
            _policy(attributes, self._policy) if self._policy else 0,
            _NONE,
            0,
            _SUMMED,
            False,
            self._entries(own.acl) if own.HasField("acl") else 0,
            len(attributes),
            _signed(own.nsQuota),
            _signed(own.dsQuota),
        )


def _made(rows: Ints, inodes: Sequence[Any], blocks: tuple[wire.Numbers, ...]) -> _Made:
    ids, stamps, lengths = blocks
    numbers = [pa.array(each) for each in (ids, stamps.astype(np.int64), lengths.astype(np.int64))]
    return _Made(
        rows,
        pa.Table.from_arrays(list(inodes), schema=INODE_ROWS),
        pa.Table.from_arrays(numbers, schema=BLOCK_ROWS),
    )


def _column(values: Any, type_: pa.DataType) -> Any:
    """An Arrow array of what fits into its type."""
    return values if isinstance(values, pa.Array) else pa.array(values.astype(type_.to_pandas_dtype()), type_)


def _between(data: bytes, starts: wire.Numbers, ends: Ints) -> Any:
    """The bytes between places, ascending and apart from each other: each second gap of one array over all."""
    offsets = np.empty(2 * len(starts), np.int64)
    offsets[0::2], offsets[1::2] = starts, ends
    buffers = [None, pa.py_buffer(offsets.data), pa.py_buffer(data)]
    over_all: Any = pa.Array.from_buffers(pa.large_binary(), max(len(offsets) - 1, 0), buffers)
    return over_all.take(np.arange(0, len(over_all), 2)).cast(pa.binary())


def _sums(values: Ints, counts: Ints) -> Ints:
    """(counts,) the sum of so many values each, in their order."""
    sums = np.concatenate(([0], np.cumsum(values)))
    ends = np.cumsum(counts)
    return np.asarray(sums[ends] - sums[ends - counts])


def _link(inode: Fields) -> tuple[object, ...]:
    if inode.type != SYMLINK:
        raise DecodeError(f"an inode of type {inode.type}")
    own = inode.symlink
    times = (own.modificationTime, own.accessTime)
    return (
        inode.id,
        SYMLINK,
        inode.name,
        *times,
        own.permission,
        0,
        0,
        0,
        _NONE,
        0,
        _SUMMED,
        False,
        0,
        0,
        _NONE,
        _NONE,
    )


def _policy(attributes: Fields, number: int) -> int:
    """The storage policy among a folder's extended attributes, which hold it as a byte; 0 for none."""
    for each in attributes:
        if each.name >> _XATTR_NAME_BIT & 0xFFFFFF == number and len(each.value) == 1:
            return ord(each.value)
    return 0


def _signed(value: int) -> int:
    """A quota; the image holds "none" as the largest unsigned number."""
    return value - (1 << 64) if value >= 1 << 63 else value


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
        if message.name.startswith("INode"):
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


def decode_blocks(blocks: Sequence[bytes], message: type[Message]) -> tuple[wire.Numbers, ...]:
    """Ids, generation stamps and lengths of blocks.

    Args:
        blocks: each as a serialised BlockProto.
        message: that class, for blocks that are written in another way than usual.

    Raises:
        DecodeError: one is damaged.
    """
    ends = np.cumsum(np.fromiter(map(len, blocks), np.int64, len(blocks)))
    starts = np.concatenate((np.zeros(1, np.int64), ends))[:-1]
    taken = wire.Splitter(message, BLOCK_FIELDS).take(wire.Source.of(b"".join(blocks)), starts, ends)
    if not taken.odd.any():
        return tuple(taken.columns[name].values for name in BLOCK_FIELDS)
    parsed: list[Fields] = [message.FromString(block) for block in blocks]
    if not all(block.IsInitialized() for block in parsed):
        raise DecodeError("a block without its number")
    return tuple(
        np.fromiter((getattr(block, name) for block in parsed), np.uint64, len(parsed))
        for name in BLOCK_FIELDS
    )
