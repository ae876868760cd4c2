"""The replicas of emulated DataNodes as a folder: a column a file, and `meta.yaml`, which a person can read.

Form and use: docs/reference/block-lists.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from froude.base.errors import InputError
from froude.base.files import atomic_folder, atomic_write_text
from froude.base.seeds import Seeds
from froude.documents.artifact import Lineage, Origin, check_files, hash_files
from froude.documents.lineage import dump_sealed, lineage_of, open_document
from froude.documents.migrate import Migrations
from froude.documents.reading import Section
from froude.hadoop.fsimage.block_lists import Cluster, write_columns
from froude.hadoop.fsimage.namespace import Namespace
from froude.hadoop.fsimage.placement import Topology
from froude.hadoop.fsimage.policies import TYPES
from froude.hadoop.fsimage.replicas import COLUMNS, STARTS, BlockLists, read_columns
from froude.hadoop.fsimage.striping import Scheme

META = "meta.yaml"
MIGRATIONS = Migrations("block-lists", 1)
_FILES = tuple(f"{name}.npy" for name in (STARTS, *COLUMNS))
PARTS = (META, *_FILES)
"""All that such a folder holds."""
_REMEDY = "Make it again from its image: `froude image blocks`"


@dataclass(frozen=True, slots=True)
class BlockListsFile:
    """What a folder of block lists holds."""

    cluster: Cluster
    blocks: int
    """Blocks of the image, block groups counted once."""
    lists: BlockLists
    lineage: Lineage


def write_block_lists(
    folder: Path,
    namespace: Namespace,
    schemes: Mapping[int, Scheme],
    cluster: Cluster,
    *,
    seed: int,
    origin: Origin | None = None,
) -> int:
    """Place the blocks of a namespace on a cluster and write who holds what, whole or not at all.

    Args:
        folder: the folder to make; one of block lists that is there is replaced.

    Returns:
        How many replicas there are.

    Raises:
        InputError: the folder holds anything else.
        MissingError: no space, or no right to write there.
    """
    origin = origin or Origin()
    with atomic_folder(folder, replaces=PARTS) as beside:
        replicas = write_columns(namespace, schemes, cluster, Seeds(seed), beside)
        fields = {
            "datanodes": cluster.topology.nodes,
            "racks": cluster.topology.racks,
            "storages": list(cluster.storages),
            "blocks": namespace.blocks.num_rows,
            "replicas": replicas,
            "files": hash_files(beside, _FILES),
        }
        lineage = lineage_of(MIGRATIONS, fields, origin)
        atomic_write_text(beside / META, dump_sealed(MIGRATIONS, fields, lineage, origin.tags))
    return replicas


def open_block_lists(folder: Path) -> BlockListsFile:
    """Open a folder of block lists; its columns are mapped into memory.

    Raises:
        ChangedError: edited or damaged since it was written.
        InputError: no such folder, or one of a newer Froude.
    """
    document = open_document(folder / META, MIGRATIONS)
    lineage, root = document.check(), document.root
    check_files(folder, root.section("files"), _REMEDY)
    cluster = _cluster(root)
    blocks, replicas = root.value("blocks", int), root.value("replicas", int)
    root.finish()
    lists = read_columns(folder, len(cluster.storages))
    if (lists.nodes, len(lists.replicas.ids)) != (cluster.topology.nodes, replicas):
        found = f"{lists.nodes} DataNodes, {len(lists.replicas.ids)} replicas"
        raise InputError("its columns are of other lists", file=folder, found=found, remedy=_REMEDY)
    return BlockListsFile(cluster, blocks, lists, lineage)


def _cluster(root: Section) -> Cluster:
    storages = tuple(map(str, root.items("storages")))
    if not storages or not set(storages) <= set(TYPES):
        raise root.error("storages", "are no storages", found=", ".join(storages), allowed=", ".join(TYPES))
    nodes, racks = root.value("datanodes", int), root.value("racks", int)
    if not 1 <= racks <= nodes:
        raise root.error("racks", "cannot be", found=racks, allowed=f"1 to {nodes}")
    return Cluster(Topology(nodes, racks), storages)
