"""Namespaces from profiles: what the profile says of them is so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from froude.hadoop.fsimage.inode_rows import DIRECTORY, FILE
from froude.hadoop.fsimage.templates import Span, Weighted, make_template
from tests.support.hadoop.fsimage.templates import MIB, PROFILE, template


def test_it_is_what_the_profile_says() -> None:
    """Sizes, depths, lengths, blocks, owners, modes."""
    made = template()
    kinds = made.column("type")
    assert 1000 < len(kinds) < 2500
    assert made.linked.all()
    depths = made.depths()
    folders = np.bincount(depths[kinds == DIRECTORY])
    assert len(folders) == 4
    assert abs(folders[3] / folders[2] - 2) < 0.3
    lengths, blocks = made.column("length"), made.column("blocks")
    files = kinds == FILE
    assert (blocks[files] == -(-lengths[files] // MIB)).all()
    assert made.blocks.num_rows == blocks.sum()
    sums = np.add.reduceat(
        np.append(made.blocks["length"].to_numpy(), 0), (np.cumsum(blocks) - blocks)[files & (blocks > 0)]
    )
    assert sums.tolist() == lengths[files & (blocks > 0)].tolist()
    coded = made.column("erasure")[files] == 1
    assert 0.1 < coded.mean() < 0.3
    assert set(made.column("replication")[files][~coded].tolist()) == {2, 3}
    permissions = made.column("permission")
    assert {made.strings.user(int(each)) for each in permissions} == {"alice", "etl"}
    assert {int(each) & 0o777 for each in permissions[files]} == {0o644, 0o600}
    assert {int(each) & 0o777 for each in permissions[~files]} == {0o755, 0o700}


def test_seeds() -> None:
    """The same again, or another."""
    assert template(3).inodes.equals(template(3).inodes)
    assert not template(3).inodes.equals(template(4).inodes)


def test_templates_stay_small() -> None:
    """However much is asked for: large files, folders, depths."""
    huge = replace(
        PROFILE,
        inodes=1_000_000_000,
        depth=(Weighted(100, 1),),
        files_per_directory=(Span(1 << 20, 1 << 20, 1),),
        file_length=(Span(10_000 * MIB, 10_000 * MIB, 1),),
    )
    made = make_template(huge, np.random.default_rng(0))
    assert made.inodes.num_rows < 1_000_000
    assert made.blocks.num_rows < 20_000_000
