"""Namespaces grown and shrunk."""

from __future__ import annotations

import numpy as np
import pytest

from froude.hadoop.fsimage.growth import Growth, grow
from froude.hadoop.fsimage.inode_rows import DIRECTORY, FILE
from froude.hadoop.fsimage.namespace import Namespace
from tests.support.hadoop.fsimage.templates import template


def levels(growth: Growth) -> list[int]:
    """Folders by depth."""
    depths = np.zeros(len(growth.rows), np.int64)
    for number, parent in enumerate(growth.parents.tolist()):
        depths[number] = depths[parent] + 1 if parent >= 0 else 0
    return np.bincount(depths).tolist()


def own_levels(namespace: Namespace) -> list[int]:
    """Folders of the template by depth."""
    return np.bincount(namespace.depths()[namespace.column("type") == DIRECTORY]).tolist()


@pytest.mark.parametrize("factor", [0.1, 0.5, 1, 1.7, 3, 40])
def test_every_level_grows_by_the_factor(factor: float) -> None:
    """Within rounding; there is one root, and folders in a folder follow each other."""
    source = template()
    growth = grow(source, factor)
    first, *others = levels(growth)
    assert first == 1
    assert others == [round(factor * each) for each in own_levels(source)[1:]]
    files = int((source.column("type") == FILE).sum())
    assert abs(growth.files.sum() - factor * files) <= 4
    assert growth.inodes == len(growth.rows) + growth.files.sum()
    for number in range(len(growth.rows)):
        first = int(growth.first_below[number])
        assert (growth.parents[first : first + growth.below[number]] == number).all()


def test_a_factor_of_one_is_the_same_namespace() -> None:
    """Every folder is there once, in the folder that it was in, with its files."""
    source = template()
    growth = grow(source, 1)
    assert sorted(growth.rows.tolist()) == np.flatnonzero(source.column("type") == DIRECTORY).tolist()
    above = growth.rows[growth.parents[1:]]
    assert (above == source.parents[growth.rows[1:]]).all()
    own = np.bincount(source.parents[source.column("type") == FILE], minlength=source.inodes.num_rows)
    assert growth.files.tolist() == own[growth.rows].tolist()


def test_a_whole_factor_makes_whole_copies() -> None:
    """Each folder as often as the factor says, in a copy of its own folder."""
    source = template()
    growth = grow(source, 3)
    assert set(np.bincount(growth.rows[1:], minlength=1)[np.unique(growth.rows[1:])].tolist()) == {3}
    assert (growth.rows[growth.parents[1:]] == source.parents[growth.rows[1:]]).all()


def test_sizes_of_folders_keep_their_distribution() -> None:
    """Shrunk to a fifth: the quartiles of the numbers of files stay about where they were."""
    source = template()
    own = grow(source, 1).files
    small = grow(source, 0.2).files
    for share in (0.25, 0.5, 0.75):
        assert abs(np.quantile(small, share) - np.quantile(own, share)) <= 2


def test_thin_levels_stay() -> None:
    """However small the factor: there is a folder at every depth, and as many files as there should be."""
    source = template()
    growth = grow(source, 0.02)
    assert min(levels(growth)) >= 1
    assert len(levels(growth)) == len(own_levels(source))
    assert growth.files.sum() == round(0.02 * (source.column("type") == FILE).sum())
