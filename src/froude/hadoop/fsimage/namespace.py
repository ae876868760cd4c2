"""The namespace of an image as columns: one row an inode, one row a block, in arrays that are mapped from files.

Rows are written as they are read, so memory does not grow with the image; what joins rows (paths, sums over folders)
works on whole columns that the system maps into memory and out again. Folders name their children: from these follows
the row of the folder of each inode, and an image whose folders make no tree is refused.

Source: FSImageFormatPBINode.{Loader, Saver}, loadINodeDirectorySection; PermissionStatusFormat;
SerialNumberManager.StringTable.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from froude.base.errors import InputError
from froude.base.files import create_file
from froude.base.memory import collected_later
from froude.base.parallel import Workers
from froude.base.parallel import map as parallel_map
from froude.hadoop.fsimage.container import Extent, ImageFile, text_of
from froude.hadoop.fsimage.inode_rows import BLOCK_ROWS, DIRECTORY, INODE_ROWS, POLICY, InodeRows
from froude.hadoop.fsimage.sections import DIRECTORIES, INODES, REFERENCES, STRINGS, Reader
from froude.messages.schema import Schema

Flags = npt.NDArray[np.bool_]
_GATHERED = 1 << 10
_NONE = -1
_KEY_BITS = 62
"""Of a number that holds an id and a row: far more than any namespace needs."""
Ints = npt.NDArray[np.int64]
ROOT_ID = 16385
"""Of every namespace (INodeId.ROOT_INODE_ID)."""
_BATCH = 1 << 14
_MOST_MASK_BITS = 8
"""Numbers of names have 24 bits, of 32."""


@dataclass(frozen=True, slots=True)
class Namespace:
    """What an image holds, as columns."""

    inodes: pa.Table
    """A row an inode: `id`, `type`, `name`, and what its type has; in the image's order."""
    blocks: pa.Table
    """A row a block (of an erasure-coded file: a block group), those of a file together, files in the inodes' order.

    An id is unsigned, as the image holds it; that of a block group has its first bit set: Java shows it as negative.
    """
    parents: Ints
    """(inodes,) row of the folder that an inode lies in; -1 of the root, and of what only snapshots hold."""
    strings: Strings

    @property
    def linked(self) -> npt.NDArray[np.bool_]:
        """(inodes,) whether each is in the tree as it is now; others are only in snapshots."""
        return np.asarray((self.parents >= 0) | (self.column("id") == ROOT_ID))

    def column(self, name: str) -> Ints:
        """A column of numbers of the inodes, (inodes,)."""
        return np.asarray(self.inodes[name].to_numpy())

    def path(self, row: int) -> str:
        """The path of an inode. O(its depth)."""
        names = []
        while self.parents[row] >= 0:
            names.append(self.inodes["name"][int(row)].as_py().decode("utf-8", "surrogateescape"))
            row = int(self.parents[row])
        return "/" + "/".join(reversed(names))

    def depths(self) -> Ints:
        """(inodes,) how many folders lie above each; 0 of the root. O(n log depth), by doubling the steps."""
        above, depth = self.parents.copy(), (self.parents >= 0).astype(np.int64)
        while (above >= 0).any():
            live = above >= 0
            depth[live] += depth[above[live]]
            above[live] = above[above[live]]
        return depth

    def policies(self) -> Ints:
        """(inodes,) storage policy of each, its own or that of the nearest folder above that has one; 0 for none."""
        policy, above = self.column("policy").astype(np.int64), self.parents.copy()
        while (open_rows := np.flatnonzero((policy == 0) & (above >= 0))).size:
            policy[open_rows], above[open_rows] = policy[above[open_rows]], above[above[open_rows]]
        return policy

    def totals(self, values: Ints, depths: Ints) -> Ints:
        """(inodes,) a quantity summed over each folder and all below it. O(n) and a step for each level.

        Args:
            values: (inodes,) the quantity of each inode alone.
        """
        total = values.astype(np.int64).copy()
        order = np.argsort(-depths, kind="stable")
        levels = np.flatnonzero(np.diff(depths[order], prepend=depths[order[:1]] + 1))
        for start, end in zip(levels, [*levels[1:], len(order)], strict=True):
            rows = order[start:end]
            rows = rows[self.parents[rows] >= 0]
            np.add.at(total, self.parents[rows], total[rows])
        return total


@dataclass(frozen=True, slots=True)
class Strings:
    """Names of users, groups and extended attributes by number."""

    names: Mapping[int, str]
    mask_bits: int = 0
    """How many bits of a number say what it is a number of: 3 since Hadoop 3.1, before none."""

    def user(self, permission: int) -> str:
        """The owner in a permission."""
        return self._of(permission >> 40 & 0xFFFFFF, 1)

    def group(self, permission: int) -> str:
        """The group in a permission."""
        return self._of(permission >> 16 & 0xFFFFFF, 2)

    def attribute(self, name: str) -> int:
        """The number of an extended attribute's name; 0 where no inode has it."""
        found = next((key for key, text in self.names.items() if text == name), 0)
        return found & ((1 << (32 - self.mask_bits)) - 1) if self.mask_bits else found

    def _of(self, number: int, what: int) -> str:
        key = number | what << (32 - self.mask_bits) if self.mask_bits and number else number
        return self.names.get(key, str(number) if number else "")


def read_namespace(image: ImageFile, schema: Schema, folder: Path, *, workers: Workers = 1) -> Namespace:
    """Read all inodes, their blocks and the tree that they make.

    Args:
        schema: of a release that knows its sections.
        folder: empty; takes the columns, about 100 bytes an inode and 24 a block. What is returned lies there.
        workers: see `froude.base.parallel`; the parts of an image that has them are read apart.

    Raises:
        InputError: the image is damaged, or lacks a section.
    """
    missing = {INODES, DIRECTORIES, STRINGS} - image.sections.keys()
    if missing:
        raise InputError("lacks a section", file=image.path, found=", ".join(image.sections), allowed=missing)
    reader = Reader(image, schema)
    table = reader.head(STRINGS)
    words = {entry.id: text_of(entry.str) for entry in reader.messages(STRINGS)}
    if table.maskBits > _MOST_MASK_BITS:
        found, allowed = f"maskBits {table.maskBits}", f"at most {_MOST_MASK_BITS}"
        raise InputError(
            "is damaged", file=image.path, place=f"section {STRINGS}", found=found, allowed=allowed
        )
    strings = Strings(words, table.maskBits)
    parts: Sequence[Extent | None] = image.parts.get(INODES, (None,))
    parallel_map(partial(_write_inodes, reader, folder, strings), list(enumerate(parts)), workers)
    inodes = _mapped([folder / f"inodes-{number}.arrow" for number in range(len(parts))])
    blocks = _mapped([folder / f"blocks-{number}.arrow" for number in range(len(parts))])
    expected = int(reader.head(INODES).numInodes)
    if inodes.num_rows != expected:
        found = f"{inodes.num_rows} inodes"
        raise InputError(
            "is damaged", file=image.path, place=f"section {INODES}", found=found, allowed=expected
        )
    ids = [np.asarray(piece.to_numpy()) for piece in inodes["id"].chunks]
    folders = np.asarray(inodes["type"].to_numpy()) == DIRECTORY
    parents = read_parents(reader, ids, folders, ROOT_ID, folder)
    return Namespace(inodes, blocks, parents, strings)


def _write_inodes(reader: Reader, folder: Path, strings: Strings, part: tuple[int, Extent | None]) -> None:
    number, extent = part
    with (
        create_file(folder / f"inodes-{number}.arrow") as inode_file,
        create_file(folder / f"blocks-{number}.arrow") as block_file,
        pa.ipc.new_file(inode_file, INODE_ROWS) as inode_writer,
        pa.ipc.new_file(block_file, BLOCK_ROWS) as block_writer,
        collected_later(),
    ):
        records = reader.messages(INODES, extent, {"INodeSection.INode": bytes})
        rows = InodeRows(reader, strings.attribute(POLICY))
        while batch := list(islice(records, _BATCH)):
            inodes, blocks = rows.tables(batch)
            inode_writer.write(inodes)
            block_writer.write(blocks)


def _mapped(paths: Sequence[Path]) -> pa.Table:
    tables = [pa.ipc.open_file(pa.memory_map(str(path))).read_all() for path in paths]
    return pa.concat_tables(tables)


def read_parents(reader: Reader, ids: Sequence[Ints], folders: Flags, root: int, folder: Path) -> Ints:
    """(inodes,) row of the folder of each; folders name their children, some through a reference that renames left.

    Args:
        folders: (inodes,) whether each is a folder.
        folder: takes files of what is as long as the image has inodes.

    Returns:
        -1 for the root, and for what only snapshots hold.

    Raises:
        InputError: the section is damaged, or it makes no tree: an id twice, no root, an inode in two folders, in a
            file, or below itself.
    """
    places = _Places(ids, root, folder / "places", reader)
    top = places.rows(np.array([root]))
    if not folders[top].all():
        raise places.without_root()
    parents = _on_disk(folder / "parents", places.size)
    parents[:] = _NONE
    edges = 0
    for batch in _edges(reader):
        parent, child = (places.rows(batch[:, side]) for side in (0, 1))
        if not folders[parent].all():
            raise _damaged(reader, DIRECTORIES, "an inode in what is no folder")
        parents[child] = parent
        edges += len(child)
    if edges != np.count_nonzero(parents != _NONE):
        raise _damaged(reader, DIRECTORIES, "an inode in two folders")
    if (parents[top] != _NONE).any() or _in_circles(parents):
        raise _damaged(reader, DIRECTORIES, "a folder that lies below itself")
    return parents


class _Places:
    """Which row an inode stands in, by its id: both in one number, sorted, in a file.

    Raises:
        InputError: the root is not the lowest, an id stands twice, or they lie further apart than any honest ones.
    """

    def __init__(self, ids: Sequence[Ints], root: int, path: Path, reader: Reader) -> None:
        self._reader, self._root = reader, root
        self.size = sum(map(len, ids))
        self._bits = self.size.bit_length()
        if min((int(piece.min()) for piece in ids if len(piece)), default=_NONE) != root:
            raise self.without_root()
        last = max(int(piece.max()) for piece in ids if len(piece))
        if (last - root).bit_length() + self._bits > _KEY_BITS:
            raise _damaged(reader, INODES, f"ids of {self.size} inodes from {root} to {last}")
        self._keys = _on_disk(path, self.size)
        at = 0
        for piece in ids:
            self._keys[at : at + len(piece)] = self._key(piece) | np.arange(at, at + len(piece))
            at += len(piece)
        self._keys.sort()
        for start in range(0, self.size, 1 << 20):
            if (np.diff(self._keys[start : start + (1 << 20) + 1] >> self._bits) == 0).any():
                raise _damaged(reader, INODES, "two inodes of one id")

    def rows(self, wanted: Ints) -> Ints:
        """The rows of inodes.

        Raises:
            InputError: one is not there.
        """
        known = np.maximum(wanted, self._root)
        places = np.searchsorted(self._keys, self._key(known))
        found = self._keys[np.minimum(places, self.size - 1)]
        if ((found >> self._bits) + self._root != wanted).any():
            raise _damaged(self._reader, DIRECTORIES, "an inode that is not there")
        return np.asarray(found & ((1 << self._bits) - 1))

    def without_root(self) -> InputError:
        """The error of an image whose lowest inode is not the root."""
        return _damaged(self._reader, INODES, f"no folder of the id {self._root}, the root's and the lowest")

    def _key(self, ids: Ints) -> Ints:
        return np.asarray(ids - self._root << self._bits)


def _on_disk(path: Path, size: int) -> Ints:
    """An array of numbers in a file, which the system takes out of memory when it wants that."""
    return np.asarray(np.memmap(path, np.int64, "w+", shape=(size,)))


def _in_circles(parents: Ints) -> bool:
    """Whether a folder lies below itself: then doubling the steps upwards never ends. O(folders log depth)."""
    above = parents.copy()
    holds = np.zeros(len(parents), np.bool_)
    holds[parents[parents != _NONE]] = True
    live = np.flatnonzero(holds)
    for _ in range(len(live).bit_length() + 1):
        live = live[above[live] != _NONE]
        above[live] = above[above[live]]
    return bool(live.size)


def _edges(reader: Reader) -> Iterator[Ints]:
    """(edges, 2) ids of a folder and of what lies in it, some at a time."""
    referred = _ids([each.referredId for each in reader.messages(REFERENCES)])
    gathered: list[Ints] = []
    for entry in reader.messages(DIRECTORIES):
        children, references = _ids(entry.children), _ids(entry.refChildren)
        if len(references) and references.max() >= len(referred):
            raise _damaged(reader, DIRECTORIES, "a reference that is not there")
        below = np.concatenate((children, referred[references])) if len(references) else children
        gathered.append(np.column_stack((np.repeat(_ids([entry.parent]), len(below)), below)))
        if len(gathered) == _GATHERED:
            yield np.concatenate(gathered)
            gathered = []
    if gathered:
        yield np.concatenate(gathered)


def _ids(numbers: Collection[int]) -> Ints:
    """Ids as signed numbers; the image holds unsigned ones, of which none honest is that large."""
    return np.fromiter(numbers, np.uint64, len(numbers)).view(np.int64)


def _damaged(reader: Reader, section: str, found: str) -> InputError:
    return InputError("is damaged", file=reader.image.path, place=f"section {section}", found=found)
