"""Lists of the replicas that each emulated DataNode holds, as columns that are mapped into memory.

Read by whoever plays DataNodes, which needs no image.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
import numpy.typing as npt

from froude.base.errors import InputError
from froude.base.files import check_regular

Ints = npt.NDArray[np.int64]
FINALIZED, BEING_WRITTEN = 0, 1
"""States of replicas, as block reports number them (HdfsServerConstants.ReplicaState)."""
COLUMNS = {"ids": "<i8", "stamps": "<i8", "lengths": "<i8", "states": "|u1"}
"""A file each, `NAME.npy`, with a row a replica."""
STARTS = "starts"


@dataclass(frozen=True, slots=True)
class Replicas:
    """What lies on one storage."""

    ids: Ints
    """(replicas,) signed block ids, ascending; of an internal block of an erasure-coded group negative."""
    stamps: Ints
    lengths: Ints
    """Bytes."""
    states: npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class BlockLists:
    """The replicas of all nodes, mapped into memory."""

    starts: Ints
    """(nodes * storages + 1,) first row of each storage."""
    storages: int
    replicas: Replicas

    @property
    def nodes(self) -> int:
        """How many DataNodes."""
        return (len(self.starts) - 1) // self.storages

    def of(self, node: int, storage: int = 0) -> Replicas:
        """What lies on one storage; views, nothing is copied.

        Args:
            node: number of the DataNode, from 0.
            storage: which of its storages, from 0.
        """
        at = node * self.storages + storage
        rows = slice(int(self.starts[at]), int(self.starts[at + 1]))
        whole = self.replicas
        return Replicas(whole.ids[rows], whole.stamps[rows], whole.lengths[rows], whole.states[rows])


def read_columns(folder: Path, storages: int) -> BlockLists:
    """Map the lists of a folder into memory.

    Raises:
        InputError: a file is missing or damaged.
    """
    starts = _mapped(folder / f"{STARTS}.npy", "<i8")
    columns = {name: _mapped(folder / f"{name}.npy", kind) for name, kind in COLUMNS.items()}
    rows = {len(column) for column in columns.values()}
    whole = len(starts) > 1 and starts[0] == 0 and {int(starts[-1])} == rows and (np.diff(starts) >= 0).all()
    if not whole or storages < 1 or (len(starts) - 1) % storages:
        raise InputError("is damaged: its files do not fit each other", file=folder)
    return BlockLists(starts, storages, Replicas(**columns))


def fullest_storage(lists: BlockLists) -> int:
    """Bytes on the storage that holds the most; 0 where nothing is held. O(replicas)."""
    filled = lists.starts[:-1][np.diff(lists.starts) > 0]  # reduceat would give an empty one what follows it
    return int(np.add.reduceat(lists.replicas.lengths, filled).max()) if len(filled) else 0


def _mapped(path: Path, kind: str) -> Any:
    check_regular(path)
    try:
        column: Any = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError, SyntaxError, TokenError) as error:
        raise InputError("is no column of numbers", file=path, found=str(error)) from error
    if column.dtype.str != kind or column.ndim != 1:
        raise InputError("is another column", file=path, found=column.dtype.str, allowed=kind)
    return column
