"""The project's own disk, by a control socket that a test plays."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import MissingError, TargetError
from froude.cache.backends.own import OwnDisk
from froude.cache.monitor.limits import Limits
from tests.support.cache.backends.own import control


def test_space_first_then_both_caps(tmp_path: Path) -> None:
    """A space of none is left alone; a cap of none is lifted."""
    with control(tmp_path / "c") as told:
        OwnDisk(tmp_path / "c").apply(Limits(8192, 70))
        OwnDisk(tmp_path / "c").apply(Limits(bytes_per_s=9))
    assert told == [
        {"cmd": "resize", "bytes": 8192},
        {"cmd": "limit", "iops": 70, "bytes_per_s": None},
        {"cmd": "limit", "iops": None, "bytes_per_s": 9},
    ]


def test_what_it_says(tmp_path: Path) -> None:
    """Limits, counters, and the curve since the last look."""
    with control(tmp_path / "c") as told:
        disk = OwnDisk(tmp_path / "c")
        assert disk.read_back() == Limits(4096, 50)
        assert disk.counters() == (7.0, 70.0)
        piece = disk.piece()
    assert piece is not None
    assert piece.at(4096) == 0.25
    assert told[-1] == {"cmd": "curve", "forget": True}


@pytest.mark.parametrize("curve", [None, {"sizes_bytes": [5]}])
def test_no_curve(tmp_path: Path, curve: object) -> None:
    """Before the first read there is none; what is no curve counts as none."""
    with control(tmp_path / "c", {"curve": {"curve": curve}}):
        assert OwnDisk(tmp_path / "c").piece() is None


def test_refusals(tmp_path: Path) -> None:
    """Nobody there, and a disk that refuses, are errors that name the socket."""
    with pytest.raises(MissingError, match="absent: "):
        OwnDisk(tmp_path / "absent").read_back()
    refusal = {"resize": {"error": {"message": "is too large", "found": "9"}}}
    with control(tmp_path / "c", refusal), pytest.raises(TargetError, match="is too large"):
        OwnDisk(tmp_path / "c").apply(Limits(9))
