"""An image with copies of some of its folders and files beside them; all else stays as it is, byte for byte.

A copy has what its original has: owners, modes, ACLs, attributes, quotas, lengths, replication, and all that lies below.
It gets ids of its own behind the last ones of the image, and a name of its own. Files that were being written are
closed in a copy; it has no snapshots, but allows them where its original does.

Source: FSImageFormatProtobuf.Saver, FSImageFormatPBINode.Loader; composing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError, Message

from froude.base.errors import InputError
from froude.hadoop.fsimage.composing import FIRST_BLOCK, FIRST_GROUP, FIRST_STAMP, SIGNED
from froude.hadoop.fsimage.container import Fields, ImageFile, kind
from froude.hadoop.fsimage.namespace import Ints, Namespace
from froude.hadoop.fsimage.records import Records
from froude.hadoop.fsimage.sections import DIRECTORIES, INODES, Reader
from froude.hadoop.rpc.frames import delimited
from froude.messages.schema import Schema

_GROUP = 16
"""Ids of a block group: one for each of its internal blocks."""
_PIECE = 1 << 20
_SNAPSHOTS = "SNAPSHOT"


@dataclass(frozen=True, slots=True)
class Copied:
    """A folder or file that is copied with all below it."""

    row: int
    """Of it in the namespace; not of the root, and none lies below another."""
    names: Sequence[bytes]
    """Of its copies, beside it; nothing there is called so."""


class CopyingComposer:
    """The sections of an image with copies; each may be taken once, in their order."""

    def __init__(
        self, image: ImageFile, namespace: Namespace, schema: Schema, copied: Sequence[Copied]
    ) -> None:
        """Work out what is copied, and which ids it gets; O(inodes).

        Args:
            schema: of a release that knows it.
        """
        self._reader, self._namespace, self._copied = Reader(image, schema), namespace, copied
        roots = np.full(len(namespace.parents), -1, np.int64)
        roots[[each.row for each in copied]] = np.arange(len(copied))
        self._roots = _spread(roots, namespace)
        inside = np.flatnonzero(self._roots >= 0)
        order = inside[np.argsort(self._roots[inside], kind="stable")]
        sizes = np.bincount(self._roots[inside], minlength=len(copied))
        self._place = np.zeros(len(roots), np.int64)
        self._place[order] = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        times = np.asarray([len(each.names) for each in copied], np.int64)
        self._sizes, self._first = sizes, np.cumsum(sizes * times) - sizes * times
        self._by_id = np.argsort(namespace.column("id"), kind="stable")
        self._last_id = int(self._reader.head(INODES).lastInodeId)
        of_each = np.zeros(len(roots), np.int64)
        of_each[inside] = times[self._roots[inside]]
        blocks = namespace.column("blocks") * of_each
        coded = namespace.column("erasure") >= 0
        self.inodes = int(of_each.sum())
        """How many are new."""
        self.blocks = int(blocks.sum())
        """How many are new, block groups counted once."""
        self._groups = int(blocks[coded].sum())
        self._names: Fields = self._reader.head("NS_INFO")

    def sections(self) -> dict[str, Iterable[bytes]]:
        """Pieces by name."""
        image = self._reader.image
        changed = {
            "NS_INFO": lambda: iter([self._named()]),
            INODES: self._inodes,
            DIRECTORIES: self._entries,
            _SNAPSHOTS: self._snapshots,
        }
        return {
            name: _pieces(changed[name]()) if name in changed else image.pieces(name)
            for name in image.sections
        }

    # --- ids ----------------------------------------------------------------------------------------------

    def _id(self, row: int, copy: int) -> int:
        """Of the copy of an inode."""
        root = int(self._roots[row])
        return (
            self._last_id + 1 + int(self._first[root]) + copy * int(self._sizes[root]) + int(self._place[row])
        )

    def _named(self) -> bytes:
        head = type(self._names)()
        head.CopyFrom(self._names)
        head.genstampV2 = max(head.genstampV2, FIRST_STAMP - 1) + self.blocks
        head.lastAllocatedBlockId = max(head.lastAllocatedBlockId, FIRST_BLOCK - 1) + (
            self.blocks - self._groups
        )
        if self._groups:
            head.lastAllocatedStripedBlockId = self._last_group() + _GROUP * self._groups
        return bytes(head.SerializeToString())

    def _last_group(self) -> int:
        """The highest id of a block group, as unsigned number; an image without any may name none."""
        known = self._namespace.blocks["id"].to_numpy()
        highest = int(known.max(initial=0))
        return max(int(self._names.lastAllocatedStripedBlockId), highest, FIRST_GROUP) & -_GROUP

    # --- inodes -------------------------------------------------------------------------------------------

    def _inodes(self) -> Iterator[bytes]:
        records = Records(self._reader.image.pieces(INODES))
        head = kind(self._reader.schema, "INodeSection").FromString(records.next())
        fields: Fields = head
        fields.lastInodeId = self._last_id + self.inodes
        fields.numInodes += self.inodes
        yield head.SerializeToString()
        message = kind(self._reader.schema, "INodeSection.INode")
        ids = self._namespace.column("id")
        plain = max(int(self._names.lastAllocatedBlockId), FIRST_BLOCK - 1)
        blocks = _Blocks(plain, self._last_group(), max(int(self._names.genstampV2), FIRST_STAMP - 1))
        roots = self._roots.tolist()
        for row, (raw, root) in enumerate(zip(records, roots, strict=True)):
            yield raw
            if root < 0:
                continue
            inode = self._parsed(message, raw, int(ids[row]))
            names = self._copied[root].names if row == self._copied[root].row else ()
            for copy in range(len(self._copied[root].names)):
                inode.id = self._id(row, copy)
                if names:
                    inode.name = names[copy]
                if inode.HasField("file"):
                    blocks.renew(inode.file)
                yield inode.SerializeToString()

    def _parsed(self, message: type[Message], raw: bytes, expected: int) -> Fields:
        try:
            inode: Fields = message.FromString(raw)
        except DecodeError as error:
            raise self._damaged(INODES, str(error)) from error
        if inode.id != expected:  # its parts are not in the order of their places
            raise self._damaged(INODES, f"inode {inode.id} where {expected} is expected")
        return inode

    def _damaged(self, section: str, found: str) -> InputError:
        return InputError("is damaged", file=self._reader.image.path, place=f"section {section}", found=found)

    # --- folders ------------------------------------------------------------------------------------------

    def _entries(self) -> Iterator[bytes]:
        message = kind(self._reader.schema, "INodeDirectorySection.DirEntry")
        added = self._added()
        for entry in self._reader.messages(DIRECTORIES):
            new = added.pop(entry.parent, None)
            if new is not None:
                self._add(entry, new)
            yield entry.SerializeToString()
        for parent, new in added.items():
            entry = message(parent=parent)
            self._add(entry, new)
            yield entry.SerializeToString()
        yield from self._copied_entries(message)

    def _added(self) -> dict[int, list[tuple[bytes, int]]]:
        """By a folder's id, names and ids of the copies that lie in it."""
        ids, parents = self._namespace.column("id"), self._namespace.parents
        added: dict[int, list[tuple[bytes, int]]] = {}
        for each in self._copied:
            new = added.setdefault(int(ids[parents[each.row]]), [])
            new += ((name, self._id(each.row, copy)) for copy, name in enumerate(each.names))
        return added

    def _add(self, entry: Fields, new: Sequence[tuple[bytes, int]]) -> None:
        """Put copies among the children of a folder, in the order that a NameNode wants."""
        ids = np.asarray(entry.children, np.int64)
        children = [*zip(self._names_of(self._rows(ids)), ids.tolist(), strict=True), *new]
        children.sort(key=lambda child: child[0].translate(SIGNED))
        entry.children[:] = [child[1] for child in children]

    def _rows(self, ids: Ints) -> Ints:
        places = np.searchsorted(self._namespace.column("id"), ids, sorter=self._by_id)
        return np.asarray(self._by_id[places])

    def _names_of(self, rows: Ints) -> list[bytes]:
        names: Any = self._namespace.inodes["name"].take(rows).to_pylist()
        return list(names)

    def _copied_entries(self, message: type[Message]) -> Iterator[bytes]:
        parents = self._namespace.parents
        below = np.flatnonzero((parents >= 0) & (self._roots >= 0))
        below = below[self._roots[parents[below]] >= 0]
        below = below[np.argsort(parents[below], kind="stable")]
        starts = np.flatnonzero(np.diff(parents[below], prepend=-1))
        for rows in np.split(below, starts[1:]) if len(below) else ():
            names = [name.translate(SIGNED) for name in self._names_of(rows)]
            ordered = [int(rows[place]) for place in sorted(range(len(names)), key=names.__getitem__)]
            parent = int(parents[rows[0]])
            for copy in range(len(self._copied[int(self._roots[parent])].names)):
                children = [self._id(row, copy) for row in ordered]
                yield message(parent=self._id(parent, copy), children=children).SerializeToString()

    # --- snapshots ----------------------------------------------------------------------------------------

    def _snapshots(self) -> Iterator[bytes]:
        """Copies of a folder that allows snapshots allow them."""
        records = Records(self._reader.image.pieces(_SNAPSHOTS))
        raw = next(iter(records), None)
        if raw is None:
            return
        head: Fields = kind(self._reader.schema, "SnapshotSection").FromString(raw)
        for row in self._rows(np.asarray(head.snapshottableDir, np.int64)).tolist():
            root = int(self._roots[row])
            if root >= 0:
                head.snapshottableDir.extend(map(self._id, repeat(row), range(len(self._copied[root].names))))
        yield head.SerializeToString()
        yield from records


class _Blocks:
    """Gives ids to blocks."""

    def __init__(self, plain: int, group: int, stamp: int) -> None:
        self._plain, self._group, self._stamp = plain, group, stamp

    def renew(self, file: Fields) -> None:
        """Make a file another one, which is closed: its blocks get ids behind the last ones."""
        file.ClearField("fileUC")
        coded = file.HasField("blockType") and file.blockType
        for block in file.blocks:
            self._stamp += 1
            if coded:
                self._group += _GROUP
                block.blockId = self._group
            else:
                self._plain += 1
                block.blockId = self._plain
            block.genStamp = self._stamp


def rows_of(namespace: Namespace, paths: Iterable[str]) -> dict[str, int]:
    """Rows of paths, of those that are there.

    Args:
        paths: absolute ones.
    """
    linked = np.flatnonzero(namespace.parents >= 0)
    order = linked[np.argsort(namespace.parents[linked], kind="stable")]
    above = namespace.parents[order]
    children: dict[int, dict[bytes, int]] = {}
    rows: dict[str, int] = {}
    root = int(np.flatnonzero((namespace.parents < 0) & namespace.linked)[0])
    for path in paths:
        row: int | None = root
        for part in path.encode("utf-8", "surrogateescape").split(b"/")[1:]:
            assert row is not None
            if row not in children:
                start, end = np.searchsorted(above, (row, row + 1))
                own = order[start:end]
                names: Any = namespace.inodes["name"].take(own).to_pylist()
                children[row] = dict(zip(names, own.tolist(), strict=True))
            row = children[row].get(part)
            if row is None:
                break
        if row is not None:
            rows[path] = row
    return rows


def _spread(roots: Ints, namespace: Namespace) -> Ints:
    """(inodes,) the number that an inode or the nearest folder above it has; -1 for none. O(n log depth)."""
    roots, above = roots.copy(), namespace.parents.copy()
    while (open_rows := np.flatnonzero((roots < 0) & (above >= 0))).size:
        roots[open_rows], above[open_rows] = roots[above[open_rows]], above[above[open_rows]]
    return roots


def _pieces(records: Iterable[bytes]) -> Iterator[bytes]:
    """Records behind their lengths, some at a time."""
    gathered: list[bytes] = []
    size = 0
    for data in records:
        gathered.append(delimited(data))
        size += len(data)
        if size >= _PIECE:
            yield b"".join(gathered)
            gathered, size = [], 0
    yield b"".join(gathered)
