"""A disk of QEMU, found by its id, its path or its drive."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import TargetError
from froude.cache.backends.qemu_disk import QemuDisk
from froude.cache.monitor.limits import Limits
from tests.support.cache.backends.qmp import monitor

_PATH = "/machine/peripheral/d0/virtio-backend"
_BLOCK = {"return": [{"device": "", "qdev": _PATH, "inserted": {"node-name": "f0", "iops": 40, "bps": 0}}]}
_STATS = {"rd_operations": 3, "wr_operations": 4, "rd_bytes": 30, "wr_bytes": 40}
_STATISTICS = {"return": [{"device": "", "qdev": _PATH, "stats": _STATS}]}
_ANSWERS = {"query-block": _BLOCK, "query-blockstats": _STATISTICS}


@pytest.mark.parametrize("device", ["d0", _PATH, "f0"])
def test_it_is_known_by_its_path(tmp_path: Path, device: str) -> None:
    """`id=d0` alone has no block backend: the path of its device is what QEMU is told."""
    with monitor(tmp_path / "q", _ANSWERS) as told:
        QemuDisk(tmp_path / "q", device).apply(Limits(iops=100))
    (caps,) = [each["arguments"] for each in told if each["execute"] == "block_set_io_throttle"]
    assert caps == {"id": _PATH, "iops": 100, "bps": 0, "iops_rd": 0, "iops_wr": 0, "bps_rd": 0, "bps_wr": 0}


def test_reading_back(tmp_path: Path) -> None:
    """0 is no cap; counters are those of reads and writes."""
    with monitor(tmp_path / "q", _ANSWERS):
        disk = QemuDisk(tmp_path / "q", "d0")
        assert disk.read_back() == Limits(iops=40)
        assert disk.counters() == (7.0, 70.0)


def test_no_such_disk(tmp_path: Path) -> None:
    """The error names those that there are."""
    with monitor(tmp_path / "q", _ANSWERS), pytest.raises(TargetError, match="virtio-backend"):
        QemuDisk(tmp_path / "q", "d1").read_back()
