"""Images of grown namespaces, read again."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from froude.hadoop.fsimage.codecs import CODECS
from froude.hadoop.fsimage.composing import FIRST_BLOCK, FIRST_STAMP, Composer, Identity
from froude.hadoop.fsimage.container import open_image
from froude.hadoop.fsimage.growth import grow
from froude.hadoop.fsimage.inode_rows import FILE
from froude.hadoop.fsimage.namespace import ROOT_ID, Namespace, read_namespace
from froude.hadoop.fsimage.saving import save_image
from froude.hadoop.fsimage.sections import DIRECTORIES, Reader
from froude.messages.schema import Schema
from tests.support.hadoop.fsimage import images
from tests.support.hadoop.fsimage.templates import template

SAME = (
    "type",
    "name",
    "modified_ms",
    "accessed_ms",
    "permission",
    "replication",
    "block_size",
    "policy",
    "erasure",
    "blocks",
    "length",
)


def written(
    source: Namespace, factor: float, schema: Schema, folder: Path, codec: str = ""
) -> tuple[Reader, Namespace]:
    """An image of it, read."""
    folder.mkdir()
    composer = Composer(source, grow(source, factor), schema, Identity(5, 7))
    path = folder / "fsimage_0000000000000000007"
    save_image(path, composer.sections(), schema, namespace_id=5, codec=codec)
    image = open_image(path, schema)
    (folder / "columns").mkdir()
    return Reader(image, schema), read_namespace(image, schema, folder / "columns")


def described(namespace: Namespace, names: tuple[str, ...] = SAME) -> Counter[tuple[object, ...]]:
    """What inodes are like, by their path; owners by name."""
    rows = namespace.inodes.select([*names]).to_pylist()
    return Counter(
        (
            namespace.path(row),
            *(value for name, value in rows[row].items() if name != "permission"),
            namespace.strings.user(rows[row]["permission"]),
            namespace.strings.group(rows[row]["permission"]),
            rows[row]["permission"] & 0xFFFF,
        )
        for row in np.flatnonzero(namespace.linked & (namespace.column("type") != 3))
    )


@pytest.mark.parametrize("codec", ["", *CODECS])
def test_the_same_size_again(schema: Schema, tmp_path: Path, codec: str) -> None:
    """With a factor of one: once written, a namespace is written again as it is, in every codec."""
    _, first = written(template(), 1, schema, tmp_path / "first", codec)
    _, again = written(first, 1, schema, tmp_path / "again", codec)
    assert described(first) == described(again)
    assert first.blocks["length"].to_pylist() == again.blocks["length"].to_pylist()


def test_what_a_real_form_holds(schema: Schema, tmp_path: Path) -> None:
    """The images' own small one: what only snapshots hold, and links, are left out; all else stays."""
    path = images.write(tmp_path / "i", schema, images.sections(schema))
    (tmp_path / "columns").mkdir()
    source = read_namespace(open_image(path, schema), schema, tmp_path / "columns")
    _, again = written(source, 1, schema, tmp_path / "again")
    assert described(source) == described(again)


def test_ids(schema: Schema, tmp_path: Path) -> None:
    """Each is given once, and the image names the last ones."""
    reader, made = written(template(), 2.5, schema, tmp_path / "i")
    assert sorted(made.column("id").tolist()) == list(range(ROOT_ID, ROOT_ID + made.inodes.num_rows))
    assert reader.head("INODE").lastInodeId == made.column("id").max()
    ids = np.asarray(made.blocks["id"].to_numpy())
    head = reader.head("NS_INFO")
    assert len(set(ids.tolist())) == len(ids)
    plain = ids[ids < 1 << 63]
    assert (plain.min(), plain.max()) == (FIRST_BLOCK, head.lastAllocatedBlockId)
    groups = ids[ids >= 1 << 63]
    assert ((groups & 15) == 0).all()
    assert groups.max() < head.lastAllocatedStripedBlockId
    stamps = made.blocks["stamp"].to_numpy()
    assert (stamps.min(), stamps.max()) == (FIRST_STAMP, head.genstampV2)
    assert (head.namespaceId, head.transactionId) == (5, 7)


@pytest.mark.parametrize("factor", [0.3, 1, 4])
def test_children_are_in_order(schema: Schema, tmp_path: Path, factor: float) -> None:
    """By their names as signed bytes, each name once; every inode lies in a folder but the root."""
    source = template()
    names = source.inodes["name"].to_pylist()
    names = [
        f"ü{at}".encode() if at % 7 == 3 else b"Z" if at % 11 == 3 else name for at, name in enumerate(names)
    ]
    names[0] = b""
    inodes = source.inodes.set_column(2, source.inodes.schema.field("name"), [names])
    source = Namespace(inodes, source.blocks, source.parents, source.strings)
    reader, made = written(source, factor, schema, tmp_path / "i")
    by_id = dict(zip(made.column("id").tolist(), made.inodes["name"].to_pylist(), strict=True))
    below = 0
    for entry in reader.messages(DIRECTORIES):
        own = [np.frombuffer(by_id[child], np.int8).tolist() for child in entry.children]
        assert all(left < right for left, right in pairwise(own))
        below += len(own)
    assert below == made.inodes.num_rows - 1
    assert made.linked.all()


def test_distributions_are_kept(schema: Schema, tmp_path: Path) -> None:
    """Eight times as large: each file eight times, but for what a level rounds."""
    _, source = written(template(), 1, schema, tmp_path / "one")
    _, large = written(source, 8, schema, tmp_path / "eight")
    like = ("length", "replication", "blocks", "permission", "erasure")
    once, often = (
        Counter(zip(*(each.column(name)[each.column("type") == FILE].tolist() for name in like), strict=True))
        for each in (source, large)
    )
    assert often == Counter({key: 8 * count for key, count in once.items()})
