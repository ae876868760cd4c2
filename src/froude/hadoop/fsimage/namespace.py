"""The namespace of an image as columns: one row an inode, one row a block, in arrays that lie in files.

Rows are written as they are read, so memory does not grow with the image; what joins rows (paths, sums over folders)
works on whole columns that the system maps into memory and out again.

Source: FSImageFormatPBINode.{Loader, Saver}; PermissionStatusFormat; SerialNumberManager.StringTable.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from froude.base.errors import InputError
from froude.base.files import create_file
from froude.base.parallel import Workers
from froude.base.parallel import map as parallel_map
from froude.hadoop.fsimage.container import Extent, ImageFile, text_of
from froude.hadoop.fsimage.inode_rows import BLOCK_ROWS, DIRECTORY, INODE_ROWS, POLICY, InodeRows
from froude.hadoop.fsimage.sections import DIRECTORIES, INODES, STRINGS, Reader
from froude.hadoop.fsimage.tree import read_parents
from froude.messages.schema import Schema

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
            depths: as `depths` gives them.
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
        _without_cycles(),
    ):
        records = reader.messages(INODES, extent, {"INodeSection.INode": bytes})
        rows = InodeRows(reader, strings.attribute(POLICY))
        while batch := list(islice(records, _BATCH)):
            inodes, blocks = rows.tables(batch)
            inode_writer.write(inodes)
            block_writer.write(blocks)


@contextmanager
def _without_cycles() -> Iterator[None]:
    """No search for cycles among what the block makes: there are none, and it takes a fifth of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _mapped(paths: Sequence[Path]) -> pa.Table:
    tables = [pa.ipc.open_file(pa.memory_map(str(path))).read_all() for path in paths]
    return pa.concat_tables(tables)
