"""The tree that an image's folders make of its inodes; what is no tree is refused.

Source: FSImageFormatPBINode.Loader.loadINodeDirectorySection.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from froude.base.errors import InputError
from froude.hadoop.fsimage.sections import DIRECTORIES, INODES, REFERENCES, Reader

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
_GATHERED = 1 << 10
_NONE = -1
_KEY_BITS = 62
"""Of a number that holds an id and a row: far more than any namespace needs."""


def read_parents(reader: Reader, ids: Sequence[Ints], folders: Flags, root: int, folder: Path) -> Ints:
    """(inodes,) row of the folder of each; folders name their children, some through a reference that renames left.

    Args:
        ids: (inodes,) ids, in pieces.
        folders: (inodes,) whether each is a folder.
        root: id of the root.
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

    Args:
        root: the lowest of them.
        path: takes the numbers.
        reader: of the image, for errors.

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
