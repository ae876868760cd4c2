"""An aged namespace: a NameNode that was just formatted gives ids as one that has been in use for long.

Every fresh NameNode begins with the same block id, generation stamp and file id. What is recorded there would count up
from the same numbers each time, and look as if the client had chosen them. So the numbers that were given last are
moved on by random ones, in the image that formatting leaves; NameNode and DataNodes find nothing odd in that.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from froude.base.errors import InputError
from froude.base.files import atomic_write_all
from froude.hadoop.fsimage.container import Fields, delimited, first_of, image_bytes, kind, open_image
from froude.messages.schema import Schema

_BLOCKS = (1 << 20, 1 << 36)
_OTHERS = (1 << 17, 1 << 29)
"""By how much: more than any recording allocates, and no more than a large cluster does in years."""


@dataclass(frozen=True, slots=True)
class LastIds:
    """The ids that a namespace has given last; the next ones follow."""

    block: int
    generation: int
    inode: int

    def __str__(self) -> str:
        return f"block {self.block}, generation stamp {self.generation}, file {self.inode}"


def age(name_dir: Path, schema: Schema, rng: random.Random) -> LastIds:
    """Move on the ids of a formatted name directory that no NameNode has used yet.

    Args:
        name_dir: the folder with `current` in it.
        schema: of the release that formatted it.

    Returns:
        The ids given last, as they are now.

    Raises:
        InputError: there is no image, or none that can be rewritten.
        MissingError: no space, or no right to write there.
    """
    images = sorted(path for path in (name_dir / "current").glob("fsimage_*") if not path.suffix)
    if not images:
        raise InputError("holds no image", file=name_dir / "current", allowed="fsimage_… beside VERSION")
    path = images[-1]
    image = open_image(path, schema)
    sections = {name: image.content(name) for name in image.sections}
    sections, ids = aged(sections, schema, rng, name=str(path))
    data = image_bytes(image.summary, sections)
    digest = hashlib.md5(data, usedforsecurity=False).hexdigest()
    checksum = path.with_name(f"{path.name}.md5")
    atomic_write_all({path: data, checksum: f"{digest} *{path.name}\n".encode()})
    return ids


def aged(
    sections: Mapping[str, bytes], schema: Schema, rng: random.Random, *, name: str
) -> tuple[dict[str, bytes], LastIds]:
    """The sections of an image whose namespace has given more ids than it has things, and the ids given last.

    Args:
        sections: of any image, by their names.

    Raises:
        InputError: a section is missing or damaged.
    """
    missing = {"NS_INFO", "INODE"} - sections.keys()
    if missing:
        raise InputError("lacks a section", file=name, found=", ".join(sections), allowed=missing)
    names: Fields
    nodes: Fields
    names, names_rest = first_of(sections["NS_INFO"], kind(schema, "NameSystemSection"), name=name)
    nodes, nodes_rest = first_of(sections["INODE"], kind(schema, "INodeSection"), name=name)
    names.lastAllocatedBlockId += rng.randrange(*_BLOCKS)
    names.genstampV2 += rng.randrange(*_OTHERS)
    nodes.lastInodeId += rng.randrange(*_OTHERS)
    changed = {"NS_INFO": delimited(names) + names_rest, "INODE": delimited(nodes) + nodes_rest}
    ids = LastIds(names.lastAllocatedBlockId, names.genstampV2, nodes.lastInodeId)
    return {**sections, **changed}, ids
