"""Which replicas each emulated DataNode holds, worked out from an image and laid down as columns in files.

A replica's row is found by its storage: the rows of storage s of node n are `starts[n * storages + s]` and those up to
the next, in ascending order of the signed block id, as a NameNode demands of reports (HDFS-9260). An external sort makes
them: replicas are first counted by storage and range of ids, then written to their range in one file, then every range
is sorted by itself. Memory holds a batch of blocks and a range, however large the image is.

Where replicas lie follows from a seed and the number of the batch, so it is worked out twice and kept nowhere.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from froude.base.files import create_file, stated_os_errors
from froude.base.seeds import Seeds
from froude.hadoop.fsimage.namespace import Ints, Namespace
from froude.hadoop.fsimage.placement import Topology, place_groups, place_replicas
from froude.hadoop.fsimage.policies import storage_choices
from froude.hadoop.fsimage.replicas import BEING_WRITTEN, COLUMNS, FINALIZED, STARTS
from froude.hadoop.fsimage.striping import Scheme, scheme

_ROW = np.dtype(list(COLUMNS.items()))
_BATCH = 1 << 17
"""Blocks that are placed at a time."""
_RANGE = 1 << 20
"""About how many replicas are sorted at a time."""
_SAMPLE = 1 << 16


@dataclass(frozen=True, slots=True)
class Cluster:
    """What the replicas lie on."""

    topology: Topology
    storages: tuple[str, ...] = ("DISK",)
    """Types of the storages that every node has."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """Replicas of a batch of blocks, in no order."""

    storage: Ints
    """Number of node and storage."""
    rows: npt.NDArray[np.void]


def write_columns(
    namespace: Namespace, schemes: Mapping[int, Scheme], cluster: Cluster, seeds: Seeds, folder: Path
) -> int:
    """Place every block of a namespace and write the lists of all nodes.

    Args:
        folder: an empty folder, which takes the files.

    Returns:
        How many replicas there are.

    Raises:
        MissingError: no space, or no right to write there.
    """
    placing = _Placing(namespace, schemes, cluster, seeds)
    storages = cluster.topology.nodes * len(cluster.storages)
    counts = np.zeros(storages, np.int64)
    for placed in placing.batches():
        counts += np.bincount(placed.storage, minlength=storages)
    total = int(counts.sum())
    edges = _id_edges(namespace, int(counts.max(initial=0)) // _RANGE)
    ranges = len(edges) + 1
    if ranges > 1:
        counts = np.zeros(storages * ranges, np.int64)
        for placed in placing.batches():
            counts += np.bincount(_range_of(placed, edges), minlength=len(counts))
    firsts = np.concatenate(([0], np.cumsum(counts)))
    scattered = folder / "scattered"
    with stated_os_errors(folder):
        with create_file(scattered) as file:
            _scatter(placing, edges, firsts[:-1].copy(), file.fileno())
        with scattered.open("rb") as file:
            _gather(file.fileno(), firsts, total, folder)
        scattered.unlink()
        np.save(folder / f"{STARTS}.npy", firsts[::ranges])
    return total


class _Placing:
    """Places the blocks of a namespace, batch by batch, always in the same way."""

    def __init__(
        self, namespace: Namespace, schemes: Mapping[int, Scheme], cluster: Cluster, seeds: Seeds
    ) -> None:
        self._namespace, self._schemes, self._cluster, self._seeds = namespace, schemes, cluster, seeds
        self._ends = np.cumsum(namespace.column("blocks"), dtype=np.int64)
        self._policies = namespace.policies()

    def batches(self) -> Iterator[_Placed]:
        """Replicas of all blocks."""
        blocks = self._namespace.blocks
        for number, start in enumerate(range(0, blocks.num_rows, _BATCH)):
            rng = np.random.default_rng(self._seeds.child("blocks", number).value)
            part = blocks.slice(start, _BATCH)
            rows = np.zeros(part.num_rows, _ROW)
            rows["ids"] = part["id"].to_numpy().view(np.int64)
            rows["stamps"], rows["lengths"] = part["stamp"].to_numpy(), part["length"].to_numpy()
            places = np.arange(start, start + part.num_rows)
            owners = np.searchsorted(self._ends, places, side="right")
            last = self._ends[owners] - 1 == places
            opened = np.asarray(self._namespace.inodes["open"].take(owners).to_numpy())
            rows["states"] = np.where(last & opened, BEING_WRITTEN, FINALIZED)
            yield self._placed(rows, owners, rng)

    def _placed(self, rows: npt.NDArray[np.void], owners: Ints, rng: np.random.Generator) -> _Placed:
        coded = np.asarray(self._namespace.inodes["erasure"].take(owners).to_numpy())
        policies = self._policies[owners]
        parts = [self._replicas(rows[coded < 0], owners[coded < 0], policies[coded < 0], rng)]
        for policy in np.unique(coded[coded >= 0]):
            chosen = coded == policy
            parts.append(
                self._groups(scheme(int(policy), self._schemes), rows[chosen], policies[chosen], rng)
            )
        return _Placed(
            np.concatenate([part.storage for part in parts]), np.concatenate([part.rows for part in parts])
        )

    def _replicas(
        self, rows: npt.NDArray[np.void], owners: Ints, policies: Ints, rng: np.random.Generator
    ) -> _Placed:
        counts = np.asarray(self._namespace.inodes["replication"].take(owners).to_numpy(), np.int64)
        nodes = place_replicas(self._cluster.topology, counts, rng)
        storages = self._storages(nodes, policies, rng)
        block, number = np.nonzero(nodes >= 0)
        return _Placed(storages[block, number], rows[block])

    def _groups(
        self, scheme: Scheme, rows: npt.NDArray[np.void], policies: Ints, rng: np.random.Generator
    ) -> _Placed:
        nodes = place_groups(self._cluster.topology, len(rows), scheme.width, rng)
        storages = self._storages(nodes, policies, rng)
        lengths = scheme.lengths(rows["lengths"])
        # of a group that is being written, every node has begun a replica
        block, number = np.nonzero((nodes >= 0) & ((lengths > 0) | (rows["states"] != FINALIZED)[:, None]))
        internal = rows[block]
        internal["ids"] += number
        internal["lengths"] = lengths[block, number]
        return _Placed(storages[block, number], internal)

    def _storages(self, nodes: Ints, policies: Ints, rng: np.random.Generator) -> Ints:
        """(blocks, replicas) number of node and storage of each."""
        storages = nodes * len(self._cluster.storages)
        if len(self._cluster.storages) == 1:
            return storages
        for policy in np.unique(policies):
            rows = np.flatnonzero(policies == policy)
            for number in range(nodes.shape[1]):
                choices = storage_choices(int(policy), number, self._cluster.storages)
                storages[rows, number] += rng.choice(choices, len(rows))
        return storages


def _id_edges(namespace: Namespace, cuts: int) -> Ints:
    """(up to `cuts`,) ids at which the blocks fall into ranges of about the same size."""
    if cuts < 1:
        return np.zeros(0, np.int64)
    rows = np.linspace(0, namespace.blocks.num_rows - 1, _SAMPLE).astype(np.int64)
    ids = np.sort(namespace.blocks["id"].take(rows).to_numpy().view(np.int64))
    return np.unique(ids[np.arange(1, cuts + 1) * len(ids) // (cuts + 1)])


def _range_of(placed: _Placed, edges: Ints) -> Ints:
    """(replicas,) number of the storage and range of ids that each belongs to."""
    return placed.storage * (len(edges) + 1) + np.searchsorted(edges, placed.rows["ids"], side="right")


def _scatter(placing: _Placing, edges: Ints, free: Ints, file: int) -> None:
    """Write replicas to their ranges of a file, in whatever order they come.

    Args:
        free: (ranges,) the next free row of each; moved on.
    """
    for placed in placing.batches():
        keys = _range_of(placed, edges)
        order = np.argsort(keys, kind="stable")
        rows, keys = placed.rows[order], keys[order]
        cuts = np.flatnonzero(np.diff(keys, prepend=-1))
        for start, end in zip(cuts.tolist(), [*cuts[1:].tolist(), len(keys)], strict=True):
            key = keys[start]
            os.pwrite(file, rows[start:end].data, int(free[key]) * _ROW.itemsize)
            free[key] += end - start


def _gather(file: int, firsts: Ints, total: int, folder: Path) -> None:
    """Sort each range and write the columns."""
    outputs = {}
    with ExitStack() as stack:
        for name, kind in COLUMNS.items():
            outputs[name] = stack.enter_context(create_file(folder / f"{name}.npy"))
            header = {"descr": kind, "fortran_order": False, "shape": (total,)}
            np.lib.format.write_array_header_1_0(outputs[name], header)
        for start, end in zip(firsts[:-1].tolist(), firsts[1:].tolist(), strict=True):
            data = os.pread(file, (end - start) * _ROW.itemsize, start * _ROW.itemsize)
            rows = np.frombuffer(data, _ROW)
            order = np.argsort(rows["ids"], kind="stable")
            for name, output in outputs.items():
                output.write(rows[name][order].tobytes())
