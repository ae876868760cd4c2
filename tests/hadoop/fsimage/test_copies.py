"""Images with copies of folders and files in them, read again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from froude.base.errors import InputError
from froude.hadoop.fsimage.container import ImageFile, open_image, write_image
from froude.hadoop.fsimage.copies import Copied, CopyingComposer, rows_of
from froude.hadoop.fsimage.inode_rows import FILE
from froude.hadoop.fsimage.namespace import Namespace, read_namespace
from froude.hadoop.fsimage.sections import DIRECTORIES, Reader
from froude.messages.schema import Schema
from tests.support.hadoop.fsimage import images

WHAT = {"/a/b": [b"b~2", b"b~3"], "/ö x": ["ö x~2".encode()], "/a/empty": [b"empty~2"]}


def _read(path: Path, schema: Schema, folder: Path) -> tuple[ImageFile, Namespace]:
    folder.mkdir()
    image = open_image(path, schema)
    return image, read_namespace(image, schema, folder)


@pytest.fixture
def grown(schema: Schema, tmp_path: Path) -> tuple[Reader, Namespace, Reader, Namespace, CopyingComposer]:
    """The images' own small one before and after, with what made the second."""
    path = images.write(tmp_path / "i", schema, images.sections(schema))
    image, namespace = _read(path, schema, tmp_path / "before")
    rows = rows_of(namespace, WHAT)
    composer = CopyingComposer(
        image, namespace, schema, [Copied(rows[path], names) for path, names in WHAT.items()]
    )
    with (tmp_path / "grown").open("wb") as file:
        write_image(file, image.summary, composer.sections())
    again, larger = _read(tmp_path / "grown", schema, tmp_path / "after")
    return Reader(image, schema), namespace, Reader(again, schema), larger, composer


def _described(namespace: Namespace) -> dict[str, object]:
    """By path: type, permission, lengths of blocks, and what else stays."""
    names = ["type", "permission", "blocks", "length", "modified_ms", "replication", "quota", "erasure"]
    rows = namespace.inodes.select(names).to_pylist()
    return {namespace.path(row): tuple(rows[row].values()) for row in np.flatnonzero(namespace.linked)}


def test_what_was_there_stays_and_copies_are_like_it(
    grown: tuple[Reader, Namespace, Reader, Namespace, CopyingComposer],
) -> None:
    """Paths, owners, modes, lengths; sections that nothing changes are the same bytes."""
    before, small, after, large, composer = grown
    old, new = _described(small), _described(large)
    assert {path: new[path] for path in old} == old
    added = {path: what for path, what in new.items() if path not in old}
    assert added == {
        "/a/b~2": old["/a/b"],
        "/a/b~3": old["/a/b"],
        "/a/b~2/big": old["/a/b/big"],
        "/a/b~3/big": old["/a/b/big"],
        "/ö x~2": old["/ö x"],
        "/ö x~2/small": old["/ö x/small"],
        "/a/empty~2": old["/a/empty"],
    }
    assert composer.inodes == len(added)
    assert composer.blocks == large.blocks.num_rows - small.blocks.num_rows == 7
    for name in ("STRING_TABLE", "SNAPSHOT_DIFF", "INODE_REFERENCE", "ERASURE_CODING"):
        assert after.image.content(name) == before.image.content(name)


def test_ids_are_new_and_the_image_names_the_last(
    grown: tuple[Reader, Namespace, Reader, Namespace, CopyingComposer],
) -> None:
    """A NameNode goes on above them."""
    _, small, after, large, _ = grown
    ids, blocks = large.column("id"), large.blocks["id"].to_numpy()
    assert set(Counter(ids.tolist()).values()) == {1}
    assert after.head("INODE").lastInodeId == ids.max()
    assert set(Counter(blocks.tolist()).values()) == {1}
    head = after.head("NS_INFO")
    assert head.lastAllocatedBlockId == blocks[blocks < 1 << 63].max()
    assert head.genstampV2 == large.blocks["stamp"].to_numpy().max()
    opened = large.column("open")
    assert opened.sum() == small.column("open").sum()  # the copies are closed


def test_children_lie_in_the_order_of_a_namenode(
    grown: tuple[Reader, Namespace, Reader, Namespace, CopyingComposer],
) -> None:
    """Names as signed bytes; ö comes before a. A folder that allows snapshots has a copy that does."""
    _, _, after, large, _ = grown
    names = dict(zip(large.column("id").tolist(), large.inodes["name"].to_pylist(), strict=True))
    root = next(each for each in after.messages(DIRECTORIES) if names[each.parent] == b"")
    assert [names[each].decode() for each in root.children] == ["ö x", "ö x~2", "a", "link"]
    allowed = after.head("SNAPSHOT").snapshottableDir
    assert [names[each].decode() for each in allowed] == ["ö x", "ö x~2"]


def test_an_erasure_coded_file_and_an_empty_folder(schema: Schema, tmp_path: Path) -> None:
    """Block groups are sixteen apart; a folder without anything in it gets what is copied into no other."""
    image, namespace = _read(
        images.write(tmp_path / "i", schema, images.sections(schema)), schema, tmp_path / "before"
    )
    rows = rows_of(namespace, ["/a/coded", "/none", "/a/none/x"])
    assert set(rows) == {"/a/coded"}
    composer = CopyingComposer(image, namespace, schema, [Copied(rows["/a/coded"], [b"c~2", b"c~3"])])
    with (tmp_path / "grown").open("wb") as file:
        write_image(file, image.summary, composer.sections())
    _, larger = _read(tmp_path / "grown", schema, tmp_path / "after")
    groups = sorted(each - (1 << 63) for each in larger.blocks["id"].to_pylist() if each >= 1 << 63)
    assert groups == [16, 32, 48]
    assert (larger.column("type") == FILE).sum() == (namespace.column("type") == FILE).sum() + 2


def test_a_damaged_inode(schema: Schema, tmp_path: Path) -> None:
    """One error that names the section."""
    parts = images.sections(schema)
    image, namespace = _read(images.write(tmp_path / "i", schema, parts), schema, tmp_path / "before")
    namespace.column("id")
    other = images.sections(schema)
    other["INODE"][2].id += 40
    changed = open_image(images.write(tmp_path / "j", schema, other), schema)
    row = rows_of(namespace, ["/a"])["/a"]
    composer = CopyingComposer(changed, namespace, schema, [Copied(row, [b"a~2"])])
    with pytest.raises(InputError, match=r"section INODE.*inode 16426 where 16386 is expected"):
        b"".join(composer.sections()["INODE"])
    assert image.sections
