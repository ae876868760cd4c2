"""Name directories for NameNodes of ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.hadoop.cluster.name_directory import newest_image, take_name_directory, version_of
from froude.hadoop.release.distribution import Hadoop
from tests.support.hadoop.fsimage.images import sections, write


def test_around_an_image_alone(hadoop: Hadoop, tmp_path: Path) -> None:
    """All that a NameNode looks for beside it, with ids of its own; the image is linked, not copied."""
    image = write(tmp_path / "any-name", hadoop.schema(), sections(hadoop.schema()))
    for name in ("one", "two"):
        take_name_directory(image, tmp_path / name, hadoop.schema, host="127.0.0.9")
    one, two = version_of(tmp_path / "one"), version_of(tmp_path / "two")
    assert one["clusterID"] != two["clusterID"]
    assert one["blockpoolID"].endswith("-127.0.0.9-0")
    assert one["storageType"] == "NAME_NODE"
    own = newest_image(tmp_path / "one")
    assert own.samefile(image)
    transaction = own.name.removeprefix("fsimage_")
    assert (tmp_path / "one/current/seen_txid").read_text() == f"{int(transaction)}\n"
    assert own.with_name(f"{own.name}.md5").read_text().endswith(f" *{own.name}\n")


def test_a_copy_of_another(hadoop: Hadoop, tmp_path: Path) -> None:
    """With the same content, and other ids; of the folder `current` as well."""
    image = write(tmp_path / "image", hadoop.schema(), sections(hadoop.schema()))
    take_name_directory(image, tmp_path / "one", hadoop.schema, host="h")
    take_name_directory(tmp_path / "one" / "current", tmp_path / "two", hadoop.schema, host="h")
    one, two = version_of(tmp_path / "one"), version_of(tmp_path / "two")
    assert one.pop("clusterID") != two.pop("clusterID")
    assert one.pop("blockpoolID") != two.pop("blockpoolID")
    assert one == two


def test_an_image_that_is_not_that_of_its_checksum(hadoop: Hadoop, tmp_path: Path) -> None:
    """It was damaged on its way."""
    image = write(tmp_path / "image", hadoop.schema(), sections(hadoop.schema()))
    Path(f"{image}.md5").write_text(f"{'0' * 32} *image\n")
    with pytest.raises(InputError, match="is not the image of its"):
        take_name_directory(image, tmp_path / "one", hadoop.schema, host="h")


def test_what_is_no_name_directory(hadoop: Hadoop, tmp_path: Path) -> None:
    """An empty folder, and one without images."""
    with pytest.raises(InputError, match="is no name directory"):
        take_name_directory(tmp_path, tmp_path / "one", hadoop.schema, host="h")
    with pytest.raises(InputError, match="holds no image"):
        newest_image(tmp_path)


def test_the_newest_of_several_images(tmp_path: Path) -> None:
    """By transaction; checksums are none; a file is taken as it is."""
    for number in (3, 12):
        (tmp_path / f"fsimage_{number:019d}").touch()
        (tmp_path / f"fsimage_{number:019d}.md5").touch()
    newest = newest_image(tmp_path)
    assert newest.name == f"fsimage_{12:019d}"
    assert newest_image(newest) == newest
