"""Ids that are moved on, and nothing else; that a NameNode goes on from there is in the integration tests."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.hadoop.fsimage.aged import age
from froude.hadoop.fsimage.container import delimited, first_of, image_bytes, kind, open_image
from froude.messages.schema import Schema

NAMES = {
    "namespaceId": 7,
    "genstampV1": 1000,
    "genstampV2": 1000,
    "lastAllocatedBlockId": 1 << 30,
    "transactionId": 3,
}


@pytest.fixture
def name_dir(schema: Schema, tmp_path: Path) -> Path:
    """As formatting leaves it: an image of three sections."""
    sections = {
        "NS_INFO": delimited(kind(schema, "NameSystemSection")(**NAMES)),
        "INODE": delimited(kind(schema, "INodeSection")(lastInodeId=16385, numInodes=1)) + b"the root",
        "STRING_TABLE": b"users",
    }
    (tmp_path / "current").mkdir()
    summary = kind(schema, "FileSummary")(ondiskVersion=1, layoutVersion=7)
    (tmp_path / "current" / "fsimage_00").write_bytes(image_bytes(summary, sections))
    (tmp_path / "current" / "fsimage_00.md5").write_text("old *fsimage_00\n")
    return tmp_path


def test_three_ids_are_moved_on_and_nothing_else(name_dir: Path, schema: Schema) -> None:
    """The sum beside the image is that of the new one."""
    ids = age(name_dir, schema, random.Random(1))
    path = name_dir / "current" / "fsimage_00"
    image = open_image(path, schema)
    sections = {name: image.content(name) for name in image.sections}
    names, rest = first_of(sections["NS_INFO"], kind(schema, "NameSystemSection"), name="i")
    moved = {"genstampV2": ids.generation, "lastAllocatedBlockId": ids.block}
    assert {field.name: value for field, value in names.ListFields()} == {**NAMES, **moved}
    assert rest == b""
    nodes, rest = first_of(sections["INODE"], kind(schema, "INodeSection"), name="i")
    assert (nodes.lastInodeId, nodes.numInodes, rest) == (ids.inode, 1, b"the root")
    assert sections["STRING_TABLE"] == b"users"
    assert (image.summary.ondiskVersion, image.summary.layoutVersion) == (1, 7)
    assert (1 << 30) < ids.block < 1 << 40
    assert ids.generation > 100_000
    assert ids.inode > 100_000
    digest = hashlib.md5(path.read_bytes()).hexdigest()
    assert path.with_name("fsimage_00.md5").read_text() == f"{digest} *fsimage_00\n"
    assert str(ids) == f"block {ids.block}, generation stamp {ids.generation}, file {ids.inode}"


def test_a_seed_decides(name_dir: Path, schema: Schema) -> None:
    """Another seed gives other ids, each of them."""
    before = (name_dir / "current" / "fsimage_00").read_bytes()
    given = []
    for seed in (1, 1, 2):
        (name_dir / "current" / "fsimage_00").write_bytes(before)
        given.append(age(name_dir, schema, random.Random(seed)))
    assert given[0] == given[1]
    assert given[0].block != given[2].block
    assert given[0].generation != given[2].generation
    assert given[0].inode != given[2].inode


def test_what_is_no_formatted_folder_is_refused(name_dir: Path, schema: Schema) -> None:
    """And nothing is written."""
    path = name_dir / "current" / "fsimage_00"
    path.write_bytes(
        image_bytes(kind(schema, "FileSummary")(ondiskVersion=1, layoutVersion=7), {"INODE": b""})
    )
    before = path.read_bytes()
    with pytest.raises(InputError, match="fsimage_00: lacks a section; found INODE"):
        age(name_dir, schema, random.Random(1))
    assert path.read_bytes() == before
    path.unlink()
    with pytest.raises(InputError, match="holds no image"):
        age(name_dir, schema, random.Random(1))
