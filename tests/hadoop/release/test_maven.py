"""Coordinates and mirrors; fetching itself is tested with `distribution`."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.hadoop.release import maven
from froude.hadoop.release.maven import Coordinate


def test_a_coordinate_knows_its_place_in_a_repository() -> None:
    """Maven's layout, with and without a classifier."""
    plain = Coordinate("org.apache.hadoop", "hadoop-hdfs", "3.5.0")
    native = Coordinate("io.netty", "netty", "4.1", "linux-x86_64")
    assert str(plain.path) == "org/apache/hadoop/hadoop-hdfs/3.5.0/hadoop-hdfs-3.5.0.jar"
    assert native.path.name == "netty-4.1-linux-x86_64.jar"


def _settings(*mirrors: tuple[str, str]) -> bytes:
    listed = "".join(f"<mirror><mirrorOf>{of}</mirrorOf><url>{url}</url></mirror>" for of, url in mirrors)
    return f'<settings xmlns="http://maven.apache.org/SETTINGS/1.0.0"><mirrors>{listed}</mirrors></settings>'.encode()


@pytest.mark.parametrize("of", ["*", "central", "external:*", "other, central", "*,!mine"])
def test_a_mirror_of_central_is_found(of: str) -> None:
    """However it is written."""
    assert maven.mirror_of_central(_settings(("other", "http://a"), (of, "http://b"))) == "http://b"


@pytest.mark.parametrize("of", ["other", "*,!central", "external:http:*"])
def test_a_mirror_of_something_else_is_not(of: str) -> None:
    """Central is reached by https and may be left out by name."""
    assert maven.mirror_of_central(_settings((of, "http://b"))) is None


def test_settings_that_are_no_xml_are_refused() -> None:
    """And so are those with entities."""
    with pytest.raises(InputError):
        maven.mirror_of_central(b"<settings>")


def test_the_environment_goes_before_settings_before_central(tmp_path: Path) -> None:
    """Where files are fetched from."""
    assert maven.remote_of({"HOME": str(tmp_path)}) == maven.CENTRAL
    (tmp_path / ".m2").mkdir()
    (tmp_path / ".m2" / "settings.xml").write_bytes(_settings(("*", "http://mirror")))
    assert maven.remote_of({"HOME": str(tmp_path)}) == "http://mirror"
    assert maven.remote_of({"HOME": str(tmp_path), "FROUDE_MAVEN": "http://named"}) == "http://named"
