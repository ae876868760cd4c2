"""An image of a grown namespace, section by section as it is written.

Memory holds the new folders and the template's columns. Ids are given in the order of writing: folders, then the files
of each folder in the order of their names, blocks as they come; the image names the last ones, so that a NameNode goes
on above them. A NameNode wants the children of a folder in the order of their names as signed bytes
(DFSUtilClient.compareBytes).

Source: FSImageFormatProtobuf.Saver, FSImageFormatPBINode.Saver; SerialNumberManager.StringTable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from google.protobuf.message import Message

from froude.hadoop.fsimage.container import Fields, delimited, kind
from froude.hadoop.fsimage.growth import Growth
from froude.hadoop.fsimage.inode_rows import FILE
from froude.hadoop.fsimage.namespace import ROOT_ID, Ints, Namespace
from froude.messages.schema import Schema

FIRST_BLOCK, FIRST_STAMP, FIRST_GROUP = (1 << 30) + 1, 1001, 1 << 63
"""Ids that a NameNode gives first; a block group's is a negative number, of which the image holds the bits."""
_GROUP = 16
"""Ids of a block group: one for each of its internal blocks."""
_NO_QUOTA = (1 << 64) - 1
_ROOT_QUOTA = (1 << 63) - 1
_MASK_BITS = 3
_USER, _GROUP_NAME = 1 << 29, 2 << 29
_PIECE = 1 << 20
_REUSED = 4096
"""Files for which one message is filled anew: that is quicker than making one for each."""
SIGNED = bytes(byte ^ 0x80 for byte in range(256))
_FILE_COLUMNS = (
    "modified_ms",
    "accessed_ms",
    "permission",
    "replication",
    "block_size",
    "policy",
    "erasure",
    "blocks",
)


@dataclass(frozen=True, slots=True)
class Identity:
    """What an image says of itself."""

    namespace_id: int
    transaction: int
    """The last that is in it; the number in the file's name."""


class Composer:
    """The sections of an image; each may be taken once, in their order."""

    def __init__(
        self, template: Namespace, growth: Growth, schema: Schema, identity: Identity, policies: Fields = None
    ) -> None:
        """Name the folders; nothing else is worked out yet.

        Args:
            schema: of the release that shall read the image.
            policies: its ErasureCodingSection, where files refer to policies of their own; None for the system's.
        """
        self._template, self._growth, self._schema = template, growth, schema
        self._identity, self._policies = identity, policies
        self._files = _Files(template, growth)
        self._names = self._folder_names()
        self._columns = {name: template.column(name) for name in _FILE_COLUMNS}
        self._lengths = np.asarray(template.blocks["length"].to_numpy())
        self._first_length = np.cumsum(self._columns["blocks"], dtype=np.int64) - self._columns["blocks"]
        self.counts = self._counted()
        """Of the image: `inodes`, `files`, `directories`, `blocks` (block groups counted once), `groups`."""

    def sections(self) -> dict[str, Iterable[bytes]]:
        """Pieces by name."""
        return {
            "NS_INFO": _pieces(self._head()),
            "ERASURE_CODING": _pieces([self._policies or self._kind("ErasureCodingSection")()]),
            "INODE": _pieces(self._inodes()),
            "INODE_DIR": _pieces(self._entries()),
            "FILES_UNDERCONSTRUCTION": (),
            "SNAPSHOT": _pieces([self._kind("SnapshotSection")(snapshotCounter=0, numSnapshots=0)]),
            "INODE_REFERENCE": (),
            "SECRET_MANAGER": _pieces(
                [
                    self._kind("SecretManagerSection")(
                        currentId=0, tokenSequenceNumber=0, numKeys=0, numTokens=0
                    )
                ]
            ),
            "CACHE_MANAGER": _pieces(
                [self._kind("CacheManagerSection")(nextDirectiveId=1, numPools=0, numDirectives=0)]
            ),
            "STRING_TABLE": _pieces(self._strings()),
        }

    # --- what is counted ----------------------------------------------------------------------------------

    def _counted(self) -> dict[str, int]:
        rows, times = self._files.uses()
        blocks, coded = self._columns["blocks"][rows] * times, self._columns["erasure"][rows] >= 0
        return {
            "inodes": self._growth.inodes,
            "files": int(times.sum()),
            "directories": len(self._growth.rows),
            "blocks": int(blocks.sum()),
            "groups": int(blocks[coded].sum()),
        }

    def _head(self) -> Iterator[Message]:
        counts = self.counts
        plain = counts["blocks"] - counts["groups"]
        yield self._kind("NameSystemSection")(
            namespaceId=self._identity.namespace_id,
            genstampV1=1000,
            genstampV2=FIRST_STAMP - 1 + counts["blocks"],
            genstampV1Limit=0,
            lastAllocatedBlockId=FIRST_BLOCK - 1 + plain,
            lastAllocatedStripedBlockId=FIRST_GROUP + _GROUP * counts["groups"],
            transactionId=self._identity.transaction,
        )

    # --- inodes -------------------------------------------------------------------------------------------

    def _inodes(self) -> Iterator[Message]:
        last = ROOT_ID - 1 + self.counts["inodes"]
        yield self._kind("INodeSection")(lastInodeId=last, numInodes=self.counts["inodes"])
        yield from self._folder_records()
        yield from self._file_records()

    def _folder_records(self) -> Iterator[Message]:
        message = self._kind("INodeSection.INode")
        columns = [self._template.column(name) for name in ("modified_ms", "permission")]
        for number, (row, name) in enumerate(zip(self._growth.rows.tolist(), self._names, strict=True)):
            inode: Fields = message(type=2, id=ROOT_ID + number, name=name)
            own = inode.directory
            own.dsQuota = _NO_QUOTA
            own.modificationTime, own.permission = int(columns[0][row]), int(columns[1][row])
            own.nsQuota = _NO_QUOTA if number else _ROOT_QUOTA
            yield inode

    def _file_records(self) -> Iterator[Message]:
        message = self._kind("INodeSection.INode")
        plain, coded = message(type=FILE), message(type=FILE)
        ids = _Ids(ROOT_ID + len(self._growth.rows), FIRST_BLOCK, FIRST_GROUP, FIRST_STAMP)
        for number in range(len(self._growth.rows)):
            rows = self._files.rows(number)
            if not len(rows):
                continue
            names = self._file_names(number)
            order = _order(names)
            rows = rows[order]
            values = zip(*(self._columns[name][rows].tolist() for name in _FILE_COLUMNS), strict=True)
            lengths = self._lengths_of(rows)
            at = 0
            for place, value in zip(order.tolist(), values, strict=True):
                if not ids.inode % _REUSED:  # what a message once held takes memory until the message goes
                    plain, coded = message(type=FILE), message(type=FILE)
                is_coded = value[6] >= 0
                inode = coded if is_coded else plain
                inode.name = names[place]
                _fill(inode, value, lengths[at : at + value[7]], ids, is_coded=is_coded)
                at += value[7]
                yield inode

    def _lengths_of(self, rows: Ints) -> list[int]:
        """Lengths of the blocks of some files, one after another."""
        counts = self._columns["blocks"][rows].astype(np.int64)
        starts = self._first_length[rows] - (np.cumsum(counts) - counts)
        lengths: list[int] = self._lengths[np.arange(counts.sum()) + np.repeat(starts, counts)].tolist()
        return lengths

    # --- folders ------------------------------------------------------------------------------------------

    def _entries(self) -> Iterator[Message]:
        message = self._kind("INodeDirectorySection.DirEntry")
        growth = self._growth
        first_file = ROOT_ID + len(growth.rows)
        for number, (below, files) in enumerate(
            zip(growth.below.tolist(), growth.files.tolist(), strict=True)
        ):
            if not below + files:
                continue
            ids: Sequence[int] = range(first_file, first_file + files)
            first_file += files
            if below:
                first = int(growth.first_below[number])
                names = self._names[first : first + below]
                ids = [*range(ROOT_ID + first, ROOT_ID + first + below), *ids]
                if files:
                    own = self._file_names(number)
                    names = names + [own[place] for place in _order(own).tolist()]
                ids = [ids[place] for place in _order(names).tolist()]
            yield message(parent=ROOT_ID + number, children=ids)

    def _folder_names(self) -> list[bytes]:
        growth = self._growth
        names = self._files.names(growth.rows)
        for first, below in zip(growth.first_below.tolist(), growth.below.tolist(), strict=True):
            if below > 1:
                names[first : first + below] = _distinct(names[first : first + below], ())
        names[0] = b""
        return names

    def _file_names(self, number: int) -> list[bytes]:
        """Names of a folder's files, in the order of its rows; none of a folder in it."""
        first, below = int(self._growth.first_below[number]), int(self._growth.below[number])
        return _distinct(self._files.names(self._files.rows(number)), self._names[first : first + below])

    # --- names --------------------------------------------------------------------------------------------

    def _strings(self) -> Iterator[Message]:
        permissions = np.unique(self._template.column("permission")).tolist()
        users = {each >> 40 & 0xFFFFFF: self._template.strings.user(each) for each in permissions}
        groups = {each >> 16 & 0xFFFFFF: self._template.strings.group(each) for each in permissions}
        names = {_USER | number: name for number, name in users.items() if number}
        names |= {_GROUP_NAME | number: name for number, name in groups.items() if number}
        yield self._kind("StringTableSection")(numEntry=len(names), maskBits=_MASK_BITS)
        message = self._kind("StringTableSection.Entry")
        for number, name in names.items():
            yield message(id=number, str=name)

    def _kind(self, name: str) -> Fields:
        return kind(self._schema, name)


@dataclass(slots=True)
class _Ids:
    """The next ones."""

    inode: int
    block: int
    group: int
    stamp: int


def _fill(
    inode: Fields, value: tuple[int, ...], lengths: Sequence[int], ids: _Ids, *, is_coded: bool
) -> None:
    """Make a message the next file's.

    Args:
        inode: the message, which is filled anew; its name is there.
        value: of `_FILE_COLUMNS`.
    """
    inode.id = ids.inode
    ids.inode += 1
    file = inode.file
    file.modificationTime, file.accessTime, file.permission = value[0], value[1], value[2]
    file.preferredBlockSize = value[4]
    if value[5]:
        file.storagePolicyID = value[5]
    else:
        file.ClearField("storagePolicyID")
    if is_coded:
        file.blockType, file.erasureCodingPolicyID = 1, value[6]
    else:
        file.replication = value[3]
    del file.blocks[:]
    add = file.blocks.add
    for length in lengths:
        block = add()
        if is_coded:
            block.blockId = ids.group
            ids.group += _GROUP
        else:
            block.blockId = ids.block
            ids.block += 1
        block.genStamp, block.numBytes = ids.stamp, length
        ids.stamp += 1


class _Files:
    """Which files of the template the folders of the new namespace have."""

    def __init__(self, template: Namespace, growth: Growth) -> None:
        parents = template.parents
        rows = np.flatnonzero((template.column("type") == FILE) & (parents >= 0))
        self._rows = rows[np.argsort(parents[rows], kind="stable")]
        own = np.bincount(parents[rows], minlength=len(parents))
        self._own, self._starts = own[growth.rows], (np.cumsum(own) - own)[growth.rows]
        self._counts = growth.files
        column: Any = template.inodes["name"].cast(pa.large_binary()).combine_chunks()
        array: Any = column.chunk(0) if isinstance(column, pa.ChunkedArray) else column
        _, offsets, data = array.buffers()
        self._offsets = np.frombuffer(offsets, np.int64)[array.offset :]
        self._data = memoryview(data if data is not None else b"")

    def rows(self, number: int) -> Ints:
        """Rows of the template that a folder's files are like: all in turn, or some evenly from them."""
        own, count, start = int(self._own[number]), int(self._counts[number]), int(self._starts[number])
        if count == own:
            return self._rows[start : start + own]
        places = np.arange(count)
        return self._rows[start + (places % own if count > own else places * own // count)]

    def uses(self) -> tuple[Ints, Ints]:
        """Rows of the template, and how often each is used."""
        used = np.zeros(int(self._rows.max(initial=-1)) + 1, np.int64)
        for number in np.flatnonzero(self._counts).tolist():
            np.add.at(used, self.rows(number), 1)
        rows = np.flatnonzero(used)
        return rows, used[rows]

    def names(self, rows: Ints) -> list[bytes]:
        """Names of rows."""
        data = self._data
        spans = zip(self._offsets[rows].tolist(), self._offsets[rows + 1].tolist(), strict=True)
        return [bytes(data[start:end]) for start, end in spans]


def _distinct(names: list[bytes], taken: Iterable[bytes]) -> list[bytes]:
    """The same names, with a number behind those that are there already."""
    used = set(taken)
    if len(used) + len(names) == len(used.union(names)):
        return names
    last: dict[bytes, int] = {}
    distinct = []
    for name in names:
        free = name
        while free in used:
            last[name] = last.get(name, 1) + 1
            free = b"%s-%d" % (name, last[name])
        used.add(free)
        distinct.append(free)
    return distinct


def _order(names: list[bytes]) -> Ints:
    """(names,) their places in the order that a NameNode wants."""
    if b"".join(names).isascii():
        ordered = sorted(range(len(names)), key=names.__getitem__)
    else:
        ordered = sorted(range(len(names)), key=lambda place: names[place].translate(SIGNED))
    return np.asarray(ordered, np.int64)


def _pieces(messages: Iterable[Message]) -> Iterator[bytes]:
    """Messages behind their lengths, some at a time."""
    gathered: list[bytes] = []
    size = 0
    for message in messages:
        data = message.SerializeToString()
        length = len(data)
        if length < 0x80:
            gathered.append(bytes((length,)))
        elif length < 0x4000:
            gathered.append(bytes((length & 0x7F | 0x80, length >> 7)))
        else:
            gathered.append(delimited(message)[:-length])
        gathered.append(data)
        size += length + 2
        if size >= _PIECE:
            yield b"".join(gathered)
            gathered, size = [], 0
    yield b"".join(gathered)
