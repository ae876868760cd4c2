"""The archive of classes: when there is one, and what goes into it."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.progress import Silent
from froude.hadoop.cluster import cds_build
from froude.hadoop.release import cds, jvm
from froude.hadoop.release.distribution import Hadoop


def _hadoop(cache: Path | None, major: int = 17, version: str = "17.0.1") -> Hadoop:
    java = jvm.Java(Path("/java"), version, major, "PATH")
    return Hadoop("3.5.0", [Path("/a.jar"), Path("/b.jar")], java, "Maven", cache=cache)


@pytest.mark.parametrize("hadoop", [_hadoop(None), _hadoop(Path("/cache"), major=8)])
def test_none_for_a_users_own_folder_or_an_old_java(hadoop: Hadoop) -> None:
    """A folder's jars may hold configuration; Java 8 cannot archive them. Both start as usual."""
    assert cds.archive(hadoop) is None
    assert cds.flags(hadoop) == []
    assert cds_build.prepare(hadoop, Silent()) is None
    assert cds.class_path(hadoop, Path("/conf"), fast=True) == "/conf:/a.jar:/b.jar"


def test_every_java_and_every_set_of_jars_has_its_own(tmp_path: Path) -> None:
    """An archive of another would be passed over by the JVM, and the time with it."""
    one, other = _hadoop(tmp_path), _hadoop(tmp_path, version="17.0.2")
    assert cds.archive(one) != cds.archive(other)
    assert cds.archive(one) == cds.archive(_hadoop(tmp_path))


def test_where_it_is_configuration_goes_last_and_only_for_quick_starts(tmp_path: Path) -> None:
    """The JVM accepts an archive only when the class path begins with the archived jars."""
    hadoop = _hadoop(tmp_path)
    place = cds.archive(hadoop)
    assert place is not None
    place.parent.mkdir()
    place.write_bytes(b"")
    assert cds.class_path(hadoop, Path("/conf"), fast=True) == "/a.jar:/b.jar:/conf"
    assert cds.class_path(hadoop, Path("/conf"), fast=False) == "/conf:/a.jar:/b.jar"
    assert f"-XX:SharedArchiveFile={place}" in cds.flags(hadoop)
    assert cds_build.prepare(hadoop, Silent()) == place
