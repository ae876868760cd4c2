"""A namespace that grows apart from its clients: copies beside its folders and files, so that all paths stay.

The namespace is divided into folders and files of which none is large; each is copied as often as the factor says, those
of like sizes alike. So depth, fan-out and what files are like keep their distributions, but for the folders above the
copies, which become wider.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow.compute as pc

from froude.base.summary import counted
from froude.hadoop.fsimage.copies import Copied, CopyingComposer
from froude.hadoop.fsimage.namespace import Ints, Namespace

_PARTS = 64
"""What is copied as a whole has at most this part of the namespace."""
_MARK, _FIRST_COPY = ".grown-", 2


def copies_for(namespace: Namespace, factor: float) -> list[Copied]:
    """What is copied, so that there are so many times as many inodes.

    Args:
        namespace: that grows.
        factor: 1 or more.
    """
    sizes, above = _sizes(namespace), namespace.parents
    inside = namespace.linked & (above >= 0)
    large = sizes > max(1, int(inside.sum()) // _PARTS)
    rows = np.flatnonzero(inside & ~large & (large[above] | (above[above] < 0)))
    rows = rows[np.argsort(sizes[rows], kind="stable")]
    # by inodes, along their running sum: what one row rounds off, the next ones make up for
    wanted, given = 0.0, 0
    more = (factor - 1) * int(inside.sum()) / max(1, int(sizes[rows].sum()))
    times = []
    for size in sizes[rows].tolist():
        wanted += size * more
        times.append(max(0, round((wanted - given) / size)))
        given += times[-1] * size
    names: Any = namespace.inodes["name"].take(rows).to_pylist()
    mark = _mark(namespace)
    return [
        Copied(row, [name + f"{mark}{copy + _FIRST_COPY}".encode() for copy in range(count)])
        for row, name, count in zip(rows.tolist(), names, times, strict=True)
        if count
    ]


def grown_text(
    namespace: Namespace, factor: float, copied: Sequence[Copied], composer: CopyingComposer
) -> str:
    """What the run says of it.

    Args:
        factor: that was asked for.
    """
    inodes, blocks = int(namespace.linked.sum()), namespace.blocks.num_rows
    return (
        f"The namespace was grown by {factor:g}: {inodes:,} inodes became {inodes + composer.inodes:,}, {blocks:,} "
        f"blocks {blocks + composer.blocks:,}, by copies of {counted(len(copied), 'path')} beside their "
        f"originals (NAME{_mark(namespace)}{_FIRST_COPY}), which no client names."
    )


def _sizes(namespace: Namespace) -> Ints:
    """(inodes,) how many each has at and below it."""
    depths, above = namespace.depths(), namespace.parents
    sizes = np.ones(len(above), np.int64)
    for depth in range(int(depths.max(initial=0)), 0, -1):
        rows = np.flatnonzero((depths == depth) & (above >= 0))
        np.add.at(sizes, above[rows], sizes[rows])
    return sizes


def _mark(namespace: Namespace) -> str:
    """What stands in the names of copies before their number; longer where it is in a name already."""
    names: Any = namespace.inodes["name"]
    mark = _MARK
    while pc.any(pc.match_substring(names, mark)).as_py():
        mark = f".{mark}"
    return mark
