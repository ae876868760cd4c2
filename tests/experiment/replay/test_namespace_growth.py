"""Namespaces that grow apart from their clients."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from froude.base.errors import InputError
from froude.base.progress import Silent
from froude.experiment.replay.image import Replayed, replayed_image
from froude.experiment.replay.namespace_growth import copies_for
from froude.experiment.scenario.replay_options import MadeLog, MadeNamespace, ReplayLoad
from froude.experiment.scenario.scenario import DynoScenario
from froude.hadoop.fsimage.namespace import Namespace
from froude.hadoop.release.distribution import Hadoop


@pytest.fixture(scope="module")
def place(hadoop: Hadoop, tmp_path_factory: pytest.TempPathFactory) -> Replayed:
    """A made-up namespace of 1,500 inodes, as an image that was read."""
    scenario = DynoScenario(
        load=ReplayLoad(made=MadeLog(rate=1)), namespace=MadeNamespace(profile=Path("analytics"), inodes=1500)
    )
    made = replayed_image(scenario, hadoop, tmp_path_factory.mktemp("image"), Silent())
    assert made is not None
    return made


def paths(namespace: Namespace) -> dict[str, tuple[int, ...]]:
    """With what each is like."""
    names = ("type", "permission", "length", "blocks", "replication")
    columns = [namespace.column(name) for name in names]
    return {
        namespace.path(int(row)): tuple(int(column[row]) for column in columns)
        for row in np.flatnonzero(namespace.linked)
    }


@pytest.mark.parametrize("factor", [1.3, 2.0, 3.75])
def test_it_becomes_as_large_as_asked_and_all_paths_stay(
    place: Replayed, tmp_path: Path, factor: float
) -> None:
    """Within one of its small parts; a copy is like its original, and stands beside it."""
    grown, said = place.grown(factor, tmp_path)
    before, after = paths(place.namespace), paths(grown.namespace)
    assert len(after) == pytest.approx(factor * len(before), abs=len(before) / 64)
    assert {path: after[path] for path in before} == before
    added = after.keys() - before.keys()
    assert all(".grown-" in path for path in added)
    assert {after[path] for path in added} <= set(before.values())
    assert f"{len(before):,} inodes became {len(after):,}" in said
    again = copies_for(grown.namespace, 2.0)
    assert all(b"..grown-2" in each.names[0] for each in again)


def test_nothing_is_copied_of_what_does_not_grow(place: Replayed) -> None:
    """A factor of one."""
    assert copies_for(place.namespace, 1.0) == []


def test_too_few_datanodes(place: Replayed) -> None:
    """Refused by the image's name."""
    with pytest.raises(InputError, match="found 0"):
        place.check_room(0)
