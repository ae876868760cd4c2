"""A namespace made up from a profile: small enough to lie in memory, and grown to any size by `growth`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from froude.hadoop.fsimage.inode_rows import BLOCK_ROWS, DIRECTORY, FILE, INODE_ROWS
from froude.hadoop.fsimage.namespace import ROOT_ID, Ints, Namespace, Strings

T = TypeVar("T")
_MOST_INODES, _MOST_BLOCKS = 200_000, 4_000_000
"""Of a template; more are clones."""
_NOW_MS, _SPAN_MS = 1_767_225_600_000, 2 * 365 * 86_400_000
"""Files are of the two years before 2026; a clock would make every image another."""
_SKEW = 2.0
"""How unevenly folders lie in the folders above; 1 is evenly."""
_TOP = ("user", "data", "apps", "tmp", "warehouse", "logs", "projects", "staging", "archive", "system")
_DEEPER = (
    "raw",
    "daily",
    "events",
    "sales",
    "clicks",
    "jobs",
    "output",
    "input",
    "models",
    "reports",
    "db",
    "year=2025",
)
_FILES = (
    b"part-%05d.snappy.parquet",
    b"part-%05d.orc",
    b"%06d_0",
    b"part-m-%05d.avro",
    b"events-%05d.log.gz",
    b"part-r-%05d",
)


@dataclass(frozen=True, slots=True)
class Span:
    """Numbers from `low` to `high`, of which each order of magnitude has the same share."""

    low: int
    high: int
    weight: float


@dataclass(frozen=True, slots=True)
class Weighted(Generic[T]):
    """A value, and how often it is met in comparison with others."""

    value: T
    weight: float


@dataclass(frozen=True, slots=True)
class Profile:
    """What a namespace is like."""

    inodes: int
    depth: Sequence[Weighted[int]]
    """Folders above a folder, 1 and more; every depth down to the deepest has some folder."""
    files_per_directory: Sequence[Span]
    file_length: Sequence[Span]
    """Bytes."""
    block_size: int
    replication: Sequence[Weighted[int]]
    erasure_coding: Sequence[Weighted[int]]
    """Policies by id; -1 for none."""
    owners: Sequence[Weighted[tuple[str, str]]]
    modes: Sequence[Weighted[int]]
    """Of files; whoever may read a folder may enter it."""


def make_template(profile: Profile, rng: np.random.Generator) -> Namespace:
    """A namespace of at most some hundred thousand inodes."""
    draws = _Draws(profile, rng)
    per_folder = float(np.mean(draws.span(profile.files_per_directory, 10_000)))
    per_file = float(np.mean(-(-draws.span(profile.file_length, 10_000) // profile.block_size)))
    most = min(profile.inodes, _MOST_INODES, max(1000, int(_MOST_BLOCKS / max(per_file, 1))))
    depths = _depths(profile.depth, most / (1 + per_folder))
    above = _above(depths, rng)
    counts = draws.span(profile.files_per_directory, len(depths))
    counts[0] = 0
    counts = _trimmed(counts, 2 * most)
    folders, files = len(depths), int(counts.sum())
    owner = draws.one_of(profile.owners, folders)
    parents = np.concatenate((above, np.repeat(np.arange(folders), counts)))
    owners = np.concatenate((owner, np.repeat(owner, counts)))
    kinds = np.repeat([DIRECTORY, FILE], [folders, files])
    modes = np.asarray([each.value for each in profile.modes])[draws.one_of(profile.modes, folders + files)]
    modes[:folders] |= modes[:folders] >> 2 & 0o111
    modes[0] = 0o755
    lengths = draws.span(profile.file_length, files)
    blocks = -(-lengths // profile.block_size)
    names, words = _owner_names(profile.owners)
    modified = _NOW_MS - rng.integers(_SPAN_MS, size=folders + files)
    coded = np.asarray([each.value for each in profile.erasure_coding])[
        draws.one_of(profile.erasure_coding, files)
    ]
    copies = np.asarray([each.value for each in profile.replication])[
        draws.one_of(profile.replication, files)
    ]
    bare = np.zeros(folders + files, np.int64)
    none = np.full(folders + files, -1)

    def of_files(values: npt.NDArray[np.int64], of_folder: int = 0) -> Ints:
        return np.concatenate((np.full(folders, of_folder), values))

    columns: dict[str, Any] = {
        "id": ROOT_ID + np.arange(folders + files),
        "type": kinds,
        "name": _names(depths, counts, rng),
        "modified_ms": modified,
        "accessed_ms": of_files(modified[folders:]),
        "permission": names[owners] | modes.astype(np.uint64),
        "replication": of_files(np.where(coded >= 0, 0, copies)),
        "block_size": of_files(np.full(files, profile.block_size)),
        "policy": bare,
        "erasure": of_files(coded, -1),
        "blocks": of_files(blocks),
        "length": of_files(lengths),
        "open": bare.astype(bool),
        "acl": bare,
        "xattrs": bare,
        "quota": none,
        "space_quota": none,
    }
    inodes = pa.table(
        [pa.array(columns[field.name]).cast(field.type) for field in INODE_ROWS], schema=INODE_ROWS
    )
    return Namespace(inodes, _block_rows(lengths, blocks, profile.block_size), parents, Strings(words))


def _block_rows(lengths: Ints, blocks: Ints, block_size: int) -> pa.Table:
    each = np.full(int(blocks.sum()), block_size)
    last = np.cumsum(blocks)[blocks > 0] - 1
    each[last] = lengths[blocks > 0] - (blocks[blocks > 0] - 1) * block_size
    bare = np.zeros(len(each), np.int64)
    columns = {"id": bare.astype(np.uint64), "stamp": bare, "length": each}
    return pa.table([columns[field.name] for field in BLOCK_ROWS], schema=BLOCK_ROWS)


class _Draws:
    """Values by their weights."""

    def __init__(self, profile: Profile, rng: np.random.Generator) -> None:
        self._profile, self._rng = profile, rng

    def one_of(self, values: Sequence[Weighted[Any]] | Sequence[Span], count: int) -> Ints:
        """(count,) places in a sequence."""
        weights = np.asarray([each.weight for each in values])
        return self._rng.choice(len(values), count, p=weights / weights.sum())

    def span(self, spans: Sequence[Span], count: int) -> Ints:
        """(count,) numbers."""
        low, high = (np.asarray([getattr(each, end) for each in spans], float) for end in ("low", "high"))
        places = self.one_of(spans, count)
        drawn = np.exp(
            np.log(low + 1)[places] + self._rng.random(count) * np.log((high + 2) / (low + 1))[places]
        )
        whole: Ints = np.clip(np.floor(drawn - 1), low[places], high[places]).astype(np.int64)
        return whole


def _depths(weights: Sequence[Weighted[int]], folders: float) -> Ints:
    """(folders,) depth of each, ascending; the root first."""
    deepest = max(each.value for each in weights)
    shares = np.zeros(deepest + 1)
    for each in weights:
        shares[each.value] += each.weight
    counts = np.maximum(np.rint(shares / shares.sum() * folders).astype(np.int64), 1)
    counts[0] = 1
    return np.repeat(np.arange(deepest + 1), counts)


def _above(depths: Ints, rng: np.random.Generator) -> Ints:
    """(folders,) a folder one level higher for each; some have many below them."""
    counts = np.bincount(depths)
    starts = np.cumsum(counts) - counts
    higher = np.maximum(depths - 1, 0)
    chosen = starts[higher] + (rng.random(len(depths)) ** _SKEW * counts[higher]).astype(np.int64)
    chosen[0] = -1
    return chosen


def _trimmed(counts: Ints, most: int) -> Ints:
    """Counts up to where their sum would pass a bound."""
    return np.where(np.cumsum(counts) <= most, counts, np.minimum(counts, 1))


def _owner_names(
    owners: Sequence[Weighted[tuple[str, str]]],
) -> tuple[npt.NDArray[np.uint64], dict[int, str]]:
    """Permission of each pair without a mode, and all names by their number."""
    names = sorted({name for each in owners for name in each.value})
    number = {name: place for place, name in enumerate(names, 1)}
    pairs = [number[each.value[0]] << 40 | number[each.value[1]] << 16 for each in owners]
    return np.asarray(pairs, np.uint64), {place: name for name, place in number.items()}


def _names(depths: Ints, counts: Ints, rng: np.random.Generator) -> list[bytes]:
    """Words for folders, numbered parts for files; clones of a name get a number when they are written."""
    words = rng.integers(1 << 30, size=len(depths)).tolist()
    names = [
        (_TOP if depth == 1 else _DEEPER)[word % len(_TOP if depth == 1 else _DEEPER)].encode()
        for depth, word in zip(depths.tolist(), words, strict=True)
    ]
    names[0] = b""
    for word, count in zip(words, counts.tolist(), strict=True):
        form = _FILES[word % len(_FILES)]
        names += [form % number for number in range(count)]
    return names
