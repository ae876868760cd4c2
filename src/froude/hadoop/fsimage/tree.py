"""The tree that an image's folders make of its inodes; what is no tree is refused.

Source: FSImageFormatPBINode.Loader.loadINodeDirectorySection.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np
import numpy.typing as npt

from froude.base.errors import InputError
from froude.hadoop.fsimage.sections import DIRECTORIES, INODES, REFERENCES, Reader

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
_GATHERED = 1 << 10
_NONE = -1


def read_parents(reader: Reader, ids: Ints, folders: Flags, root: int) -> Ints:
    """(inodes,) row of the folder of each; folders name their children, some through a reference that renames left.

    Args:
        reader: of the image.
        ids: (inodes,) ids.
        folders: (inodes,) whether each is a folder.
        root: id of the root.

    Returns:
        -1 for the root, and for what only snapshots hold.

    Raises:
        InputError: the section is damaged, or it makes no tree: an id twice, no root, an inode in two folders, in a
            file, or below itself.
    """
    order = np.argsort(ids, kind="stable")
    if (np.diff(ids[order]) == 0).any():
        raise _damaged(reader, INODES, "two inodes of one id")
    if not (folders & (ids == root)).any() or ids.min() < root:
        raise _damaged(reader, INODES, f"no folder of the id {root}, the root's and the lowest")
    parents = np.full(len(ids), _NONE, np.int64)
    edges = 0
    for batch in _edges(reader):
        parent, child = (_rows(batch[:, side], ids, order, reader) for side in (0, 1))
        if not folders[parent].all():
            raise _damaged(reader, DIRECTORIES, "an inode in what is no folder")
        parents[child] = parent
        edges += len(child)
    if edges != np.count_nonzero(parents != _NONE):
        raise _damaged(reader, DIRECTORIES, "an inode in two folders")
    if (parents[ids == root] != _NONE).any() or _in_circles(parents):
        raise _damaged(reader, DIRECTORIES, "a folder that lies below itself")
    return parents


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


def _rows(wanted: Ints, ids: Ints, order: Ints, reader: Reader) -> Ints:
    places = np.searchsorted(ids, wanted, sorter=order)
    rows = order[np.minimum(places, len(order) - 1)]
    if (ids[rows] != wanted).any():
        raise _damaged(reader, DIRECTORIES, "an inode that is not there")
    return np.asarray(rows)


def _damaged(reader: Reader, section: str, found: str) -> InputError:
    return InputError("is damaged", file=reader.image.path, place=f"section {section}", found=found)
