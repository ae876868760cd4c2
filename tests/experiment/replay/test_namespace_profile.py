"""Profiles as YAML."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.experiment.replay.namespace_profile import profile_path, read_profile, shipped
from froude.hadoop.fsimage.templates import Span, Weighted

ANALYTICS = profile_path(Path("analytics")).read_text()


def test_the_shipped_one() -> None:
    """It can be read; a file of its name goes first."""
    assert shipped() == ["analytics"]
    profile = read_profile(profile_path(Path("analytics")))
    assert profile.files_per_directory[1] == Span(1, 10, 35)
    assert profile.file_length[1] == Span(1, 65536, 24)
    assert profile.owners[0] == Weighted(("hive", "hadoop"), 40)
    assert profile.modes[0] == Weighted(0o644, 80)
    assert profile.erasure_coding == (Weighted(-1, 97), Weighted(1, 3))


def test_a_file_of_that_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is the one that is meant."""
    monkeypatch.chdir(tmp_path)
    Path("analytics").write_text(ANALYTICS.replace("1000000", "77"))
    assert read_profile(profile_path(Path("analytics"))).inodes == 77


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("1000000", "1", "inodes: is out of range; found 1"),
        ("1000000", "many", "inodes: has the wrong type"),
        ("  3: 20\n", "  0: 20\n", r"depth\.0: is no such number; found 0; allowed: 1 to 100"),
        ("  3: 20\n", "  3: -1\n", r"depth\.3: is out of range; found -1"),
        ("  3: 20\n", "  3: x\n", r"depth\.3: has the wrong type; found 'x'"),
        ("  3: 20\n", "  1e9: 20\n", "is no such number"),
        ("  0: 25\n", "  9..2: 25\n", r"files_per_directory\.9\.\.2: is no range"),
        ("101..2000", "101..2000000", "is no range"),
        ("128 MiB..8 GiB", "128 MiB..8 XB", "file_length"),
        ("block_size: 128 MiB", "block_size: 3", "block_size: is out of range"),
        ("  3: 95", "  600: 95", "replication"),
        ("RS-6-3-1024k", "RS-9", r"erasure_coding\.RS-9: is no policy"),
        ("hive:hadoop", "hive", r"owners\.hive: is no owner; found hive; allowed: USER:GROUP"),
        ("  644: 80", "  999: 80", "is no mode"),
        ("depth:", "depths:", "depth"),
        ("namespace-profile/1", "namespace-profile/2", "newer"),
    ],
)
def test_what_cannot_be(tmp_path: Path, old: str, new: str, said: str) -> None:
    """One error, with the file and the field."""
    path = tmp_path / "own.yaml"
    assert old in ANALYTICS
    path.write_text(ANALYTICS.replace(old, new))
    with pytest.raises(InputError, match=rf"own\.yaml.*{said}"):
        read_profile(path)


def test_weights_of_nothing(tmp_path: Path) -> None:
    """Something must be met."""
    path = tmp_path / "own.yaml"
    path.write_text(ANALYTICS.replace("  644: 80\n  640: 15\n  600: 5", "  644: 0"))
    with pytest.raises(InputError, match="modes: has no weight above 0"):
        read_profile(path)
