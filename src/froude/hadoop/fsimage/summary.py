"""What an image holds, in numbers: counts, sizes, depth, small files, the largest folders, who owns what.

Source: what people ask of an image today: HFSA, `hdfs oiv -p FileDistribution`, `hdfs dfs -count -q`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from froude.hadoop.fsimage.container import ImageFile
from froude.hadoop.fsimage.inode_rows import DIRECTORY, FILE, SYMLINK
from froude.hadoop.fsimage.namespace import Ints, Namespace
from froude.hadoop.fsimage.sections import Reader
from froude.hadoop.fsimage.striping import scheme, schemes
from froude.messages.schema import Schema

Flags = npt.NDArray[np.bool_]
_NO_LIMIT = (1 << 63) - 1
_MOST_FOLDERS = 200
_FIRST_BYTES = 1024
_SMALL_BYTES = (0, 128 << 10, 1 << 20, 16 << 20)
"""Files of up to so many bytes are counted; and those below one block."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder, with all that lies below it."""

    path: str
    depth: int
    inodes: int
    """Below it, and itself."""
    files: int
    bytes: int
    """Of its files, each counted once."""
    space: int
    """Bytes on disks, with replicas and parity."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Files, or inodes, of about the same size."""

    low: int
    high: int
    count: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Owner:
    """A user, or a group."""

    name: str
    files: int
    bytes: int


@dataclass(frozen=True, slots=True)
class ImageSummary:
    """All of it."""

    file: str
    layout_version: int
    codec: str
    transaction: int
    """The last that is in it."""
    counts: Mapping[str, int]
    """Of inodes by type, of blocks, bytes, and of what is rare."""
    sizes: tuple[Bin, ...]
    """Files by their length: none, up to 1 KiB, and in powers of two."""
    depths: tuple[Bin, ...]
    """Inodes by the number of folders above them."""
    blocks: tuple[Bin, ...]
    """Files by their number of blocks, in powers of two."""
    small: tuple[Bin, ...]
    """Files of up to a length; the last bin are those below one block of their own."""
    folders: tuple[Folder, ...]
    """The root, and the folders with the most space below them."""
    users: tuple[Owner, ...]
    groups: tuple[Owner, ...]


def summarise_image(image: ImageFile, schema: Schema, namespace: Namespace) -> ImageSummary:
    """Numbers of an image. O(n log depth) in its inodes.

    Args:
        schema: of a release that knows its sections.

    Raises:
        InputError: a section is damaged.
    """
    reader = Reader(image, schema)
    files = namespace.column("type") == FILE
    lengths, blocks = namespace.column("length"), namespace.column("blocks")
    space, depths = _space(namespace, reader), namespace.depths()
    own_lengths, own_blocks = lengths[files], blocks[files]
    return ImageSummary(
        str(image.path),
        image.layout_version,
        image.codec.rpartition(".")[2],
        int(reader.head("NS_INFO").transactionId),
        _counts(namespace, reader, space),
        _bins(own_lengths, own_lengths, _powers(int(own_lengths.max(initial=0)), _FIRST_BYTES)),
        _bins(depths, lengths, np.arange(int(depths.max(initial=0)) + 1)),
        _bins(own_blocks, own_lengths, _powers(int(own_blocks.max(initial=0)))),
        _small(namespace),
        _folders(namespace, depths, files, space),
        _owners(namespace, files, namespace.strings.user, 40),
        _owners(namespace, files, namespace.strings.group, 16),
    )


def _counts(namespace: Namespace, reader: Reader, space: Ints) -> dict[str, int]:
    kinds = namespace.column("type")
    linked = namespace.linked
    snapshots = reader.head("SNAPSHOT")
    return {
        "files": int((kinds == FILE).sum()),
        "directories": int((kinds == DIRECTORY).sum()),
        "symlinks": int((kinds == SYMLINK).sum()),
        "blocks": namespace.blocks.num_rows,
        "bytes": int(namespace.column("length").sum()),
        "space_bytes": int(space.sum()),
        "empty_files": int(((kinds == FILE) & (namespace.column("blocks") == 0)).sum()),
        "open_files": int(namespace.column("open").sum()),
        "erasure_coded_files": int((namespace.column("erasure") >= 0).sum()),
        "with_acl": int((namespace.column("acl") > 0).sum()),
        "with_xattrs": int((namespace.column("xattrs") > 0).sum()),
        "with_quota": int(_limited(namespace)[kinds == DIRECTORY].sum()),
        "only_in_snapshots": int((~linked).sum()),
        "snapshots": int(snapshots.numSnapshots),
        "snapshottable_directories": len(snapshots.snapshottableDir),
    }


def _limited(namespace: Namespace) -> Flags:
    """(inodes,) whether each has a quota that somebody has set; the root has one as large as a number can be."""
    names, space = namespace.column("quota"), namespace.column("space_quota")
    return np.asarray(((names >= 0) & (names < _NO_LIMIT)) | (space >= 0))


def _space(namespace: Namespace, reader: Reader) -> Ints:
    """(inodes,) bytes that the files take on disks: their replicas, or their block groups with parity."""
    space = namespace.column("length") * namespace.column("replication").astype(np.int64)
    policies, counts = namespace.column("erasure"), namespace.column("blocks")
    starts = np.cumsum(counts, dtype=np.int64) - counts
    known = schemes(reader)
    for number in np.unique(policies[policies >= 0]):
        rows = np.flatnonzero(policies == number)
        owners = np.repeat(rows, counts[rows])
        places = np.arange(len(owners)) - np.repeat(np.cumsum(counts[rows]) - counts[rows], counts[rows])
        groups = namespace.blocks["length"].take(starts[owners] + places).to_numpy()
        space[rows] = 0
        np.add.at(space, owners, scheme(int(number), known).lengths(groups).sum(axis=1))
    return space


def _powers(top: int, first: int = 1) -> Ints:
    """0, then a power of two and its doubles, up to the first that is no less than a value."""
    edges = [0, first]
    while edges[-1] < top:
        edges.append(2 * edges[-1])
    return np.asarray(edges)


def _bins(values: Ints, lengths: Ints, highs: Ints) -> tuple[Bin, ...]:
    """How many values, and what lengths, lie up to each of some ascending numbers and above the one before it."""
    place = np.searchsorted(highs, values)
    counts = np.bincount(place, minlength=len(highs))
    sums = np.bincount(place, weights=lengths, minlength=len(highs))
    lows = [0, *(int(high) + 1 for high in highs[:-1])]
    return tuple(Bin(low, int(highs[n]), int(counts[n]), int(sums[n])) for n, low in enumerate(lows))


def _small(namespace: Namespace) -> tuple[Bin, ...]:
    files = namespace.column("type") == FILE
    lengths = namespace.column("length")[files]
    block = namespace.column("block_size")[files]
    limits = [lengths <= limit for limit in _SMALL_BYTES] + [lengths < block]
    highs = [*_SMALL_BYTES, -1]
    return tuple(
        Bin(0, high, int(small.sum()), int(lengths[small].sum()))
        for high, small in zip(highs, limits, strict=True)
    )


def _folders(namespace: Namespace, depths: Ints, files: Flags, space: Ints) -> tuple[Folder, ...]:
    folders = namespace.column("type") == DIRECTORY
    sums = {
        "space": namespace.totals(space, depths),
        "bytes": namespace.totals(namespace.column("length"), depths),
        "inodes": namespace.totals(np.ones(len(depths), np.int64), depths),
        "files": namespace.totals(files.astype(np.int64), depths),
    }
    rows = np.flatnonzero(folders & namespace.linked)
    order = rows[np.lexsort((-sums["inodes"][rows], -sums["space"][rows]))][:_MOST_FOLDERS]
    return tuple(
        Folder(
            namespace.path(int(row)),
            int(depths[row]),
            **{name: int(total[row]) for name, total in sums.items()},
        )
        for row in order
    )


def _owners(namespace: Namespace, files: Flags, name: Callable[[int], str], shift: int) -> tuple[Owner, ...]:
    """Files and their bytes by a part of their permission, the most bytes first."""
    permission, lengths = namespace.column("permission")[files], namespace.column("length")[files]
    numbers, place = np.unique(permission >> shift & 0xFFFFFF, return_inverse=True)
    counts = np.bincount(place, minlength=len(numbers))
    sums = np.bincount(place, weights=lengths, minlength=len(numbers))
    order = np.argsort(-sums, kind="stable")
    return tuple(Owner(name(int(numbers[n]) << shift), int(counts[n]), int(sums[n])) for n in order)
