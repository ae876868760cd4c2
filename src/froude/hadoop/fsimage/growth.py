"""A namespace grown or shrunk from another: folders and files of a template, cloned or left out level by level.

What each folder of the new namespace looks like (its files with their lengths, owners, modes and replication) is that
of a folder of the template at the same depth. Of each level as many folders are taken as the factor says, evenly from
those of the template in the order of their sizes; so depth, fan-out and all that files are like keep their
distributions, and a whole factor gives whole copies. Numbers are rounded along running sums: every level has its share.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from froude.hadoop.fsimage.inode_rows import DIRECTORY, FILE
from froude.hadoop.fsimage.namespace import ROOT_ID, Ints, Namespace


@dataclass(frozen=True, slots=True)
class Growth:
    """The folders of a new namespace, level by level, the root first."""

    rows: Ints
    """(folders,) row of the template that each is like."""
    parents: Ints
    """(folders,) number of the folder that each lies in; -1 of the root."""
    first_below: Ints
    """(folders,) number of the first folder in each; those in a folder follow each other."""
    below: Ints
    """(folders,) how many folders lie in each."""
    files: Ints
    """(folders,) how many files."""

    @property
    def inodes(self) -> int:
        """All of them."""
        return len(self.rows) + int(self.files.sum())


def grow(template: Namespace, factor: float) -> Growth:
    """The folders of a namespace that is so many times as large.

    What lies only in snapshots is left out, and so are symbolic links.

    Args:
        factor: above 0; inodes of the new one for each of the template.
    """
    kinds, depths, linked = template.column("type"), template.depths(), template.linked
    above, size = template.parents, len(kinds)
    folders = (kinds == DIRECTORY) & linked
    subfolders = np.bincount(above[folders & (above >= 0)], minlength=size)
    files = np.bincount(above[(kinds == FILE) & (above >= 0)], minlength=size)
    now = np.flatnonzero(template.column("id") == ROOT_ID)
    parents = [np.full(1, -1, np.int64)]
    rows, below, inside = [now], [], []
    start = 0
    for depth in range(int(depths[folders].max(initial=0)) + 1):
        level = np.flatnonzero(folders & (depths == depth))
        deeper = np.flatnonzero(folders & (depths == depth + 1))
        inside.append(_shares(files[now], factor * files[level].sum()))
        # a thin level stays, so that what lies below it has a place
        wanted = max(factor * len(deeper), min(1, len(deeper)))
        below.append(_shares(subfolders[now] if subfolders[now].any() else np.ones_like(now), wanted))
        slots = np.repeat(np.arange(len(now)), below[-1])
        following = np.zeros(len(slots), np.int64)
        if len(slots):
            # like goes to like: what a folder's twin holds, it holds, as far as there is of it
            order = np.argsort(now[slots], kind="stable")
            following[order] = _picked(deeper, len(slots), files, subfolders, above)
        parents.append(start + slots)
        start += len(now)
        rows.append(following)
        now = following
    counts = np.concatenate(below)
    return Growth(
        np.concatenate(rows[:-1]),
        np.concatenate(parents[:-1]),
        1 + np.cumsum(counts) - counts,
        counts,
        _shares(np.concatenate(inside), factor * files.sum()),
    )


def _shares(counts: Ints, total: float) -> Ints:
    """Counts scaled so that their sum is a total, as whole numbers."""
    whole = counts.sum()
    if not whole:
        return np.zeros(len(counts), np.int64)
    sums = np.rint(np.cumsum(counts) * (total / whole)).astype(np.int64)
    shares: Ints = np.diff(sums, prepend=0)
    return shares


def _picked(folders: Ints, count: int, files: Ints, subfolders: Ints, above: Ints) -> Ints:
    """(count,) rows of folders, evenly from small to large; ordered by the folder above, one round after another."""
    by_size = folders[np.lexsort((files[folders], subfolders[folders]))]
    places = (np.arange(count) * 2 + 1) * len(by_size) // (2 * count)
    chosen = by_size[places]
    rounds = np.arange(count) - np.searchsorted(places, places)
    ordered: Ints = chosen[np.lexsort((chosen, rounds, above[chosen]))]
    return ordered
