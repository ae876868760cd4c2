"""The namespace that a replay starts from: read from an image, or made up from a profile; and grown where asked for.

It may grow apart from its clients, by copies next to its folders and files, so that all paths stay. It is divided into
folders and files of which none is large; each is copied as often as the factor says, those of similar sizes in the same
way. So depth, fan-out and what files are like keep their distributions, but for the folders above the copies, which
become wider.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc

from froude.base.errors import InputError
from froude.base.files import create_file
from froude.base.progress import Progress
from froude.base.seeds import Seeds
from froude.base.summary import counted
from froude.experiment.replay.namespace_profile import profile_path, read_profile, shipped
from froude.experiment.scenario.replay_options import MadeNamespace
from froude.experiment.scenario.scenario import DynoScenario
from froude.hadoop.cluster.name_directory import newest_image
from froude.hadoop.fsimage.composing import Composer, Identity
from froude.hadoop.fsimage.container import ImageFile, write_image
from froude.hadoop.fsimage.copies import Copied, CopyingComposer
from froude.hadoop.fsimage.growth import grow
from froude.hadoop.fsimage.namespace import Ints, Namespace, read_namespace
from froude.hadoop.fsimage.oiv import open_any
from froude.hadoop.fsimage.saving import LAYOUT, save_image, transaction_of
from froude.hadoop.fsimage.sections import Reader
from froude.hadoop.fsimage.striping import Scheme, scheme, schemes
from froude.hadoop.fsimage.templates import Profile, make_template
from froude.hadoop.release.distribution import Hadoop
from froude.messages.schema import Schema

_PARTS = 64
"""What is copied as a whole has at most this part of the namespace."""
_MARK, _FIRST_COPY = ".grown-", 2
_OLDER = -66
"""Layout of images of Hadoop 3.3."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """An image that was read."""

    image: Path
    opened: ImageFile
    namespace: Namespace
    schema: Schema

    @property
    def known(self) -> Mapping[int, Scheme]:
        """Its erasure coding policies."""
        return dict(schemes(Reader(self.opened, self.schema)))

    def check_room(self, datanodes: int) -> None:
        """Refuse DataNodes that cannot hold the blocks, so that their NameNode never left safe mode.

        Raises:
            InputError: they are too few.
        """
        namespace = self.namespace
        policies = np.unique(namespace.column("erasure"))
        least = max((scheme(int(each), self.known).data for each in policies if each >= 0), default=1)
        if namespace.blocks.num_rows and datanodes < least:
            held = "erasure-coded blocks" if least > 1 else "blocks"
            raise InputError(
                f"has {held} that need more DataNodes",
                file=self.image,
                found=datanodes,
                allowed=f"{least} or more",
            )

    def grown(self, factor: float, scratch: Path) -> tuple[Replayed, str]:
        """The image with copies of its folders and files, and what is to be said of them.

        Args:
            factor: inodes for each of the image's.
            scratch: an empty folder.
        """
        copied = copies_for(self.namespace, factor)
        composer = CopyingComposer(self.opened, self.namespace, self.schema, copied)
        path = scratch / f"fsimage_{transaction_of(self.image):019d}"
        with create_file(path) as file:
            write_image(file, self.opened.summary, composer.sections())
        return read_image(path, self.schema, scratch), grown_text(self.namespace, factor, copied, composer)


def read_image(image: Path, schema: Schema, scratch: Path) -> Replayed:
    """Read an image, or the XML of one."""
    (scratch / "columns").mkdir(parents=True)
    opened = open_any(image, schema, scratch / "columns")
    return Replayed(image, opened, read_namespace(opened, schema, scratch / "columns"), schema)


def replayed_image(
    scenario: DynoScenario, hadoop: Hadoop, scratch: Path, progress: Progress
) -> Replayed | None:
    """The image of a scenario, as it is there, or made up; None for an empty namespace.

    Args:
        scratch: an empty folder.

    Raises:
        InputError: the image, or the profile, is not what it should be.
    """
    schema, profile = hadoop.schema(), profile_of(scenario.namespace)
    if profile is not None:
        with progress.task(f"Making up a namespace from {profile.name}"):
            seeds = Seeds(scenario.seed).child("namespace")
            image = made_up(read_profile(profile), scenario.namespace.inodes, seeds, hadoop, scratch)
    elif scenario.target.image is not None:
        image = newest_image(scenario.target.image)
    else:
        return None
    with progress.task(f"Reading {image.name}"):
        return read_image(image, schema, scratch)


def profile_of(made: MadeNamespace) -> Path | None:
    """The file of a profile; None where none is named.

    Args:
        made: names a file, or a shipped profile from wherever it is looked at.

    Raises:
        InputError: there is neither.
    """
    if made.profile is None or made.profile.exists():
        return made.profile
    inside = profile_path(Path(made.profile.name))
    if not inside.exists():
        allowed = f"a file, or {', '.join(shipped())}"
        raise InputError("no such profile", file=made.profile, allowed=allowed)
    return inside


def made_up(wanted: Profile, inodes: int | None, seeds: Seeds, hadoop: Hadoop, folder: Path) -> Path:
    """The image of a namespace that is made up.

    Args:
        inodes: how many, in place of the profile's number.
    """
    template = make_template(wanted, np.random.default_rng(seeds.value))
    growth = grow(template, (inodes or wanted.inodes) / template.inodes.num_rows)
    image, number = folder / f"fsimage_{1:019d}", seeds.value >> 33
    composer = Composer(template, growth, hadoop.schema(), Identity(number, 1))
    save_image(
        image, composer.sections(), hadoop.schema(), namespace_id=number, layout=_layout(hadoop.version)
    )
    return image


def _layout(release: str) -> int:
    """Of the images that a release reads without an upgrade."""
    major, minor, *_ = [*(int(part) for part in release.split(".")[:2]), 0]
    return LAYOUT if (major, minor) >= (3, 4) else _OLDER


def copies_for(namespace: Namespace, factor: float) -> list[Copied]:
    """What is copied, so that there are so many times as many inodes.

    Args:
        factor: 1 or more.
    """
    sizes, above = _sizes(namespace), namespace.parents
    inside = namespace.linked & (above >= 0)
    large = sizes > max(1, int(inside.sum()) // _PARTS)
    rows = np.flatnonzero(inside & ~large & (large[above] | (above[above] < 0)))
    rows = rows[np.argsort(sizes[rows], kind="stable")]
    # by inodes, along their running sum: what one row rounds off, the next ones make up for
    wanted, given = 0.0, 0
    more = (factor - 1) * int(inside.sum()) / max(1, int(sizes[rows].sum()))
    times = []
    for size in sizes[rows].tolist():
        wanted += size * more
        times.append(max(0, round((wanted - given) / size)))
        given += times[-1] * size
    names: Any = namespace.inodes["name"].take(rows).to_pylist()
    mark = _mark(namespace)
    return [
        Copied(row, [name + f"{mark}{copy + _FIRST_COPY}".encode() for copy in range(count)])
        for row, name, count in zip(rows.tolist(), names, times, strict=True)
        if count
    ]


def grown_text(
    namespace: Namespace, factor: float, copied: Sequence[Copied], composer: CopyingComposer
) -> str:
    """What the run says of it."""
    inodes, blocks = int(namespace.linked.sum()), namespace.blocks.num_rows
    return (
        f"The namespace was grown by {factor:g}: {inodes:,} inodes became {inodes + composer.inodes:,}, {blocks:,} "
        f"blocks {blocks + composer.blocks:,}, by copies of {counted(len(copied), 'path')} beside their "
        f"originals (NAME{_mark(namespace)}{_FIRST_COPY}), which no client names."
    )


def _sizes(namespace: Namespace) -> Ints:
    """(inodes,) how many each has at and below it."""
    depths, above = namespace.depths(), namespace.parents
    sizes = np.ones(len(above), np.int64)
    for depth in range(int(depths.max(initial=0)), 0, -1):
        rows = np.flatnonzero((depths == depth) & (above >= 0))
        np.add.at(sizes, above[rows], sizes[rows])
    return sizes


def _mark(namespace: Namespace) -> str:
    """What stands in the names of copies before their number; longer where it is in a name already."""
    names: Any = namespace.inodes["name"]
    mark = _MARK
    while pc.any(pc.match_substring(names, mark)).as_py():
        mark = f".{mark}"
    return mark
