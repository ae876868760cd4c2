"""A namespace as columns: paths, depths, sums, names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from froude.base.errors import InputError
from froude.hadoop.fsimage.codecs import CODECS
from froude.hadoop.fsimage.container import Extent, delimited, image_bytes, kind, open_image
from froude.hadoop.fsimage.namespace import ROOT_ID, Namespace, read_namespace
from froude.messages.schema import Schema
from tests.support.hadoop.fsimage import images

BELOW_ITSELF = "lies below itself"
NOT_THERE = "that is not there"
LOWEST = "the root's and the lowest"


A, B, BIG, EMPTY = (ROOT_ID + n for n in range(1, 5))
Messages = dict[str, list[Any]]


def _read(tmp_path: Path, schema: Schema, codec: str = "", bits: int = 3) -> Namespace:
    path = images.write(tmp_path / "i", schema, images.sections(schema, bits=bits), codec=codec)
    folder = tmp_path / "columns"
    folder.mkdir()
    return read_namespace(open_image(path, schema), schema, folder)


@pytest.mark.parametrize("codec", ["", *CODECS])
def test_paths_whatever_compresses_them(codec: str, tmp_path: Path, schema: Schema) -> None:
    """Those of the tree, also by a reference; what only a snapshot holds is in no folder."""
    namespace = _read(tmp_path, schema, codec)
    paths = [namespace.path(row) for row in np.flatnonzero(namespace.linked)]
    assert paths == ["/", *images.TREE, "/a/coded", "/link"]
    assert int((~namespace.linked).sum()) == 1
    lengths = dict(zip(paths, namespace.column("length")[namespace.linked], strict=True))
    assert (lengths["/a/b/big"], lengths["/a/empty"], lengths["/ö x/small"]) == (250, 0, 7)
    assert namespace.blocks["id"].to_pylist()[-1] == (1 << 63) + 16


def test_depths_and_sums(tmp_path: Path, schema: Schema) -> None:
    """Of every folder, over all that lies below it."""
    namespace = _read(tmp_path, schema)
    depths = namespace.depths()
    rows = {namespace.path(row): row for row in np.flatnonzero(namespace.linked)}
    assert {path: int(depths[row]) for path, row in rows.items()} == {
        path: 0 if path == "/" else path.count("/") for path in rows
    }
    lengths = namespace.totals(namespace.column("length"), depths)
    assert int(lengths[rows["/a"]]) == 3_000_250
    assert int(lengths[rows["/"]]) == 3_000_257
    inodes = namespace.totals(np.ones(len(depths), np.int64), depths)
    assert (int(inodes[rows["/a"]]), int(inodes[rows["/"]])) == (5, 9)


@pytest.mark.parametrize("bits", [0, 3])
def test_names_of_users_and_groups(bits: int, tmp_path: Path, schema: Schema) -> None:
    """As older releases number them, all in one row, and as newer do, by what they name."""
    namespace = _read(tmp_path, schema, bits=bits)
    permission = namespace.column("permission")
    users = {namespace.strings.user(int(each)) for each in permission}
    assert users == set(images.USERS)
    if bits:
        assert {namespace.strings.group(int(each)) for each in permission} == set(images.GROUPS)


def test_parts_are_read_apart(tmp_path: Path, schema: Schema) -> None:
    """An image that is written for loading in parallel gives the same columns."""
    parts = images.sections(schema)
    image = open_image(images.write(tmp_path / "i", schema, parts), schema)
    start, cut = image.sections["INODE"].offset, sum(len(delimited(each)) for each in parts["INODE"][:4])
    extents = (Extent(start, cut), Extent(start + cut, image.sections["INODE"].length - cut))
    folders = [tmp_path / "whole", tmp_path / "split"]
    for folder in folders:
        folder.mkdir()
    whole = read_namespace(image, schema, folders[0])
    split = read_namespace(replace(image, parts={"INODE": extents}), schema, folders[1])
    assert split.inodes.to_pylist() == whole.inodes.to_pylist()
    assert split.blocks.to_pylist() == whole.blocks.to_pylist()
    assert split.parents.tolist() == whole.parents.tolist()


def test_what_does_not_hang_together(tmp_path: Path, schema: Schema) -> None:
    """A folder of what is not there, a reference without end, a section that is not there."""
    parts = images.sections(schema)
    for name, wrong in (("children", 999), ("refChildren", 7)):
        changed = {
            **parts,
            "INODE_DIR": [type(each).FromString(each.SerializeToString()) for each in parts["INODE_DIR"]],
        }
        getattr(changed["INODE_DIR"][0], name).append(wrong)
        path = images.write(tmp_path / name, schema, changed)
        (tmp_path / f"of {name}").mkdir()
        with pytest.raises(InputError, match=r"section INODE_DIR: is damaged; found .* not there"):
            read_namespace(open_image(path, schema), schema, tmp_path / f"of {name}")
    far = {**parts, "INODE": [type(each).FromString(each.SerializeToString()) for each in parts["INODE"]]}
    far["INODE"][-1].id = (1 << 63) - 1
    (tmp_path / "far").mkdir()
    with pytest.raises(
        InputError, match=r"section INODE: is damaged; found ids of \d+ inodes from \d+ to 92233"
    ):
        read_namespace(
            open_image(images.write(tmp_path / "of far", schema, far), schema), schema, tmp_path / "far"
        )
    del parts["STRING_TABLE"]
    image = open_image(images.write(tmp_path / "i", schema, parts), schema)
    with pytest.raises(InputError, match="lacks a section"):
        read_namespace(image, schema, tmp_path)


def test_numbers_of_names_with_too_many_bits(tmp_path: Path, schema: Schema) -> None:
    """No release writes them."""
    with pytest.raises(InputError, match="maskBits 33; allowed: at most 8"):
        _read(tmp_path, schema, bits=33)


def test_a_type_of_inode_that_there_is_not(tmp_path: Path, schema: Schema) -> None:
    """It is not taken for a link."""
    sections = images.sections(schema)
    raw = delimited(sections["INODE"][-1]).replace(b"\x08\x03", b"\x08\x09", 1)
    content = b"".join(map(delimited, sections["INODE"][:-1])) + raw
    whole = {name: b"".join(map(delimited, each)) for name, each in sections.items()} | {"INODE": content}
    summary = kind(schema, "FileSummary")(ondiskVersion=1, layoutVersion=0)
    path = tmp_path / "i"
    path.write_bytes(image_bytes(summary, whole))
    with pytest.raises(InputError, match="an inode of type 9"):
        read_namespace(open_image(path, schema), schema, tmp_path)


def _entry(sections: Messages, schema: Schema, parent: int, *children: int) -> None:
    entry = kind(schema, "INodeDirectorySection.DirEntry")
    sections["INODE_DIR"].append(entry(parent=parent, children=children))


def _circle(sections: Messages, schema: Schema) -> None:
    of_root = next(each for each in sections["INODE_DIR"] if each.parent == ROOT_ID)
    of_root.children.remove(A)
    _entry(sections, schema, B, A)


def _twice(sections: Messages, schema: Schema) -> None:
    _entry(sections, schema, ROOT_ID, BIG)


def _in_a_file(sections: Messages, schema: Schema) -> None:
    _entry(sections, schema, BIG, ROOT_ID + 50)


def _below_the_root(sections: Messages, schema: Schema) -> None:
    _entry(sections, schema, B, ROOT_ID)


def _nowhere(sections: Messages, schema: Schema) -> None:
    _entry(sections, schema, ROOT_ID, 7)


def _huge(sections: Messages, schema: Schema) -> None:
    _entry(sections, schema, (1 << 64) - 1, BIG)


def _one_id(sections: Messages, _: Schema) -> None:
    sections["INODE"][2].id = BIG


def _low(sections: Messages, _: Schema) -> None:
    sections["INODE"][-1].id = 5


def _empty(sections: Messages, schema: Schema) -> None:
    sections["INODE"] = [kind(schema, "INodeSection")()]
    sections["INODE_DIR"] = []


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        (_circle, BELOW_ITSELF),
        (_below_the_root, BELOW_ITSELF),
        (_twice, "in two folders"),
        (_in_a_file, "in what is no folder"),
        (_nowhere, NOT_THERE),
        (_huge, NOT_THERE),
        (_one_id, "two inodes of one id"),
        (_low, LOWEST),
        (_empty, LOWEST),
    ],
)
def test_what_is_no_tree(damage: Any, found: str, tmp_path: Path, schema: Schema) -> None:
    """Each is one clear error, and none is waited for without end."""
    sections = images.sections(schema)
    damage(sections, schema)
    path = images.write(tmp_path / "i", schema, sections)
    with pytest.raises(InputError, match=found):
        read_namespace(open_image(path, schema), schema, tmp_path)
