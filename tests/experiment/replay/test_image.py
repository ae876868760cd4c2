"""What a replay starts from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.base.progress import Silent
from froude.experiment.replay.image import profile_of, replayed_image
from froude.experiment.scenario.replay_options import MadeLog, MadeNamespace, ReplayLoad
from froude.experiment.scenario.scenario import DynoScenario
from froude.hadoop.fsimage.container import open_image
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
        made = replayed_image(replace(SCENARIO, seed=seed), hadoop, tmp_path / name, Silent())
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
