"""What an image's folders make of its inodes is a tree, or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from froude.base.errors import InputError
from froude.hadoop.fsimage.container import kind, open_image
from froude.hadoop.fsimage.namespace import ROOT_ID, read_namespace
from froude.messages.schema import Schema
from tests.support.hadoop.fsimage import images

BELOW_ITSELF = "lies below itself"
NOT_THERE = "that is not there"
LOWEST = "the root's and the lowest"


A, B, BIG, EMPTY = (ROOT_ID + n for n in range(1, 5))
Messages = dict[str, list[Any]]


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
