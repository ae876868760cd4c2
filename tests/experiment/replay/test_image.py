"""What a replay starts from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from froude.base.errors import InputError
from froude.base.progress import Silent
from froude.experiment.replay.image import Replayed, copies_for, profile_of, replayed_image
from froude.experiment.scenario.replay_options import MadeLog, MadeNamespace, ReplayLoad
from froude.experiment.scenario.scenario import DynoScenario
from froude.hadoop.fsimage.container import open_image
from froude.hadoop.fsimage.namespace import Namespace
from froude.hadoop.release.distribution import Hadoop

SCENARIO = DynoScenario(
    load=ReplayLoad(made=MadeLog(rate=1)), namespace=MadeNamespace(profile=Path("analytics"), inodes=200)
)


def test_a_profile_is_a_file_or_a_shipped_one(tmp_path: Path) -> None:
    """A shipped one has its name wherever the scenario lies."""
    file = tmp_path / "mine.yaml"
    file.touch()
    assert profile_of(MadeNamespace(profile=file)) == file
    shipped = profile_of(MadeNamespace(profile=tmp_path / "analytics"))
    assert shipped is not None
    assert shipped.is_file()
    assert profile_of(MadeNamespace()) is None
    with pytest.raises(InputError, match=r"no such profile.*analytics"):
        profile_of(MadeNamespace(profile=tmp_path / "gone"))


def test_the_same_seed_makes_the_same_namespace(hadoop: Hadoop, tmp_path: Path) -> None:
    """Another one another; the image has the layout of its release."""
    images = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        (tmp_path / name).mkdir()
        made = replayed_image(SCENARIO.replaced(seed=seed), hadoop, tmp_path / name, Silent())
        assert made is not None
        images.append(made)
    first, second, third = (each.namespace.inodes["name"].to_pylist() for each in images)
    lengths = [each.namespace.column("length").tolist() for each in images]
    assert (first, lengths[0]) == (second, lengths[1])
    assert (first, lengths[0]) != (third, lengths[2])
    image = open_image(images[0].image, hadoop.schema())
    assert image.summary.layoutVersion == -67 & 0xFFFFFFFF
    assert images[0].namespace.linked.sum() == pytest.approx(200, rel=0.1)


def test_no_image_is_an_empty_namespace(hadoop: Hadoop, tmp_path: Path) -> None:
    """As a NameNode that was formatted has it."""
    scenario = DynoScenario(load=ReplayLoad(audit_log=(Path("a.log"),)))
    assert replayed_image(scenario, hadoop, tmp_path, Silent()) is None


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
