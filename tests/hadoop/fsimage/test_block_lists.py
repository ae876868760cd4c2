"""Block lists: every replica once, sorted, and the same for every size of batch and range."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.seeds import Seeds
from froude.hadoop.fsimage import block_lists
from froude.hadoop.fsimage.block_lists import Cluster, write_columns
from froude.hadoop.fsimage.container import open_image
from froude.hadoop.fsimage.namespace import Namespace, read_namespace
from froude.hadoop.fsimage.placement import Topology
from froude.hadoop.fsimage.replicas import BEING_WRITTEN, BlockLists, read_columns
from froude.hadoop.fsimage.striping import SYSTEM
from froude.messages.schema import Schema
from tests.support.hadoop.fsimage import images

Rows = list[tuple[int, int, int, int]]


@pytest.fixture
def namespace(schema: Schema, tmp_path: Path) -> Namespace:
    """The small one of the images' tests: 4 plain files, one that is coded, one that is open."""
    path = images.write(tmp_path / "i", schema, images.sections(schema))
    (tmp_path / "columns").mkdir()
    return read_namespace(open_image(path, schema), schema, tmp_path / "columns")


def lists(namespace: Namespace, folder: Path, cluster: Cluster, seed: int = 0) -> BlockLists:
    """Written and read."""
    folder.mkdir()
    write_columns(namespace, SYSTEM, cluster, Seeds(seed), folder)
    return read_columns(folder, len(cluster.storages))


def rows(lists: BlockLists, storages: int = 1) -> list[Rows]:
    """By storage."""
    parts = [lists.of(node, storage) for node in range(lists.nodes) for storage in range(storages)]
    return [
        list(
            zip(
                part.ids.tolist(),
                part.stamps.tolist(),
                part.lengths.tolist(),
                part.states.tolist(),
                strict=True,
            )
        )
        for part in parts
    ]


def test_every_replica(namespace: Namespace, tmp_path: Path) -> None:
    """Three of each plain block; of the group, whose file is short, both data blocks and the parity block."""
    per_node = rows(lists(namespace, tmp_path / "l", Cluster(Topology(5, 2))))
    whole = sorted(row for node in per_node for row in node)
    plain = {row for row in whole if row[0] > 0}
    assert all(whole.count(row) == 3 for row in plain)
    assert {(row[0], row[2]) for row in plain} == {
        (163880, 100),
        (163881, 100),
        (163882, 50),
        (163910, 7),
        (164350, 9),
    }
    group = -(1 << 63) + 16
    cell = 1 << 20
    second = 3_000_000 - 2 * cell
    coded = [(group, 0, cell + second), (group + 1, 0, cell), (group + 2, 0, cell + second)]
    assert [(row[0], row[3], row[2]) for row in whole if row[0] < 0] == coded
    assert {row[0] for row in whole if row[3] == BEING_WRITTEN} == {163910}
    for node in per_node:
        ids = [row[0] for row in node]
        assert ids == sorted(set(ids)), "a node holds a block once, and lists them in the order of their ids"


def test_seeds(namespace: Namespace, tmp_path: Path) -> None:
    """One seed gives one placement, another another."""
    cluster = Cluster(Topology(5))
    first, again, other = (
        rows(lists(namespace, tmp_path / str(number), cluster, seed)) for number, seed in enumerate((0, 0, 1))
    )
    assert first == again != other


def test_ranges(namespace: Namespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However small the ranges that are sorted are, the lists are the same."""
    cluster = Cluster(Topology(2))
    whole = rows(lists(namespace, tmp_path / "whole", cluster))
    monkeypatch.setattr(block_lists, "_RANGE", 2)
    assert rows(lists(namespace, tmp_path / "ranges", cluster)) == whole


def test_storages(schema: Schema, tmp_path: Path) -> None:
    """A file's policy counts, then that of the nearest folder above which has one."""
    parts = images.sections(schema)
    inodes = {inode.id: inode for inode in parts["INODE"][1:]}
    number = 0x60000001 & 0x1FFFFFFF
    parts["STRING_TABLE"].append(
        type(parts["STRING_TABLE"][1])(id=0x60000001, str="hsm.block.storage.policy.id")
    )
    parts["STRING_TABLE"][0].numEntry += 1
    top = next(inode for inode in inodes.values() if inode.name == b"a")
    top.directory.xAttrs.xAttrs.add(name=number << 6 | 1 << 30, value=bytes([12]))
    small = next(inode for inode in inodes.values() if inode.name == b"small")
    small.file.storagePolicyID = 10
    image = open_image(images.write(tmp_path / "p", schema, parts), schema)
    (tmp_path / "own").mkdir()
    namespace = read_namespace(image, schema, tmp_path / "own")
    disks, flash = [], []
    for at, part in enumerate(
        rows(lists(namespace, tmp_path / "l", Cluster(Topology(4), ("DISK", "SSD"))), 2)
    ):
        (flash if at % 2 else disks).extend(row[0] for row in part)
    assert {block for block in flash if block > 0} == {163880, 163881, 163882, 163910}
    assert (flash.count(163910), disks.count(163910), flash.count(163880)) == (1, 2, 3)
    assert {block for block in disks if block > 0} == {163910, 164350}


def test_no_block_at_all(namespace: Namespace, tmp_path: Path) -> None:
    """Empty lists."""
    inodes = namespace.inodes.slice(0, 1)
    bare = Namespace(inodes, namespace.blocks.slice(0, 0), namespace.parents[:1], namespace.strings)
    assert rows(lists(bare, tmp_path / "l", Cluster(Topology(2)))) == [[], []]
