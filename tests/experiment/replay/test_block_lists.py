"""Block lists as a folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from froude.base.errors import ChangedError, InputError
from froude.documents.artifact import Origin
from froude.documents.recognise import kind_of
from froude.experiment.replay.block_lists import open_block_lists, write_block_lists
from froude.hadoop.fsimage.block_lists import Cluster
from froude.hadoop.fsimage.inode_rows import INODE_ROWS
from froude.hadoop.fsimage.namespace import Namespace, Strings
from froude.hadoop.fsimage.placement import Topology

CLUSTER = Cluster(Topology(3, 2), ("DISK", "SSD"))


def namespace() -> Namespace:
    """One file of one block."""
    row = {field.name: field.type.to_pandas_dtype()(0) for field in INODE_ROWS if field.name != "name"}
    row |= {"id": 16386, "type": 1, "name": b"a", "replication": 2, "erasure": -1, "blocks": 1, "length": 7}
    blocks = pa.table(
        {
            "id": pa.array([5], pa.uint64()),
            "stamp": pa.array([1001], pa.int64()),
            "length": pa.array([7], pa.int64()),
        }
    )
    return Namespace(pa.Table.from_pylist([row], INODE_ROWS), blocks, np.asarray([-1]), Strings({}))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Of that."""
    assert write_block_lists(tmp_path / "l", namespace(), {}, CLUSTER, seed=1, origin=Origin("made")) == 2
    return tmp_path / "l"


def test_what_is_written_is_read(folder: Path) -> None:
    """With its lineage; it is replaced by another."""
    opened = open_block_lists(folder)
    assert (opened.cluster, opened.blocks, opened.lineage.command) == (CLUSTER, 1, "made")
    assert sorted(opened.lists.replicas.ids.tolist()) == [5, 5]
    assert kind_of(folder) == "block-lists"
    write_block_lists(folder, namespace(), {}, CLUSTER, seed=1)


@pytest.mark.parametrize("old", ["racks: 2", "DISK", "replicas: 2"])
def test_what_was_edited(folder: Path, old: str) -> None:
    """Is not what was written."""
    meta = folder / "meta.yaml"
    meta.write_text(meta.read_text().replace(old, old.replace("2", "9").replace("DISK", "TAPE")))
    with pytest.raises(ChangedError, match=r"meta\.yaml:2: "):
        open_block_lists(folder)


def test_columns_that_were_changed(folder: Path) -> None:
    """Each file's hash is looked at."""
    np.save(folder / "ids.npy", np.asarray([5, 6]))
    with pytest.raises(ChangedError, match=r"ids\.npy: "):
        open_block_lists(folder)


def test_what_is_foreign_is_not_replaced(folder: Path) -> None:
    """Nor read."""
    (folder / "own.txt").write_text("kept")
    with pytest.raises(InputError, match="l: is not replaced: "):
        write_block_lists(folder, namespace(), {}, CLUSTER, seed=1)
    with pytest.raises(InputError, match=r"meta\.yaml"):
        open_block_lists(folder / "nowhere")
