"""A disk of libvirt, by a virsh that a test plays; the real one is in `tests/integration/test_cache_backends.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import MissingError, TargetError
from froude.cache.backends.libvirt_disk import LibvirtDisk
from froude.cache.monitor.limits import Limits

_TUNE = "total_bytes_sec: 0\\nread_bytes_sec : 7\\ntotal_iops_sec : 50\\ntotal_iops_sec_max: 9\\n"
_STAT = "vda rd_req 89\\nvda rd_bytes 45568\\nvda wr_req 1\\nvda wr_bytes 512\\nvda rd_total_times 5\\n"


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A virsh that writes down what it was told, one line a call."""
    program, said = tmp_path / "virsh", tmp_path / "said"
    program.write_text(
        f'#!/bin/sh\necho "$@" >> {said}\ncase "$*" in *gone*) echo "error: no domain" >&2; exit 1;;'
        f' *domblkstat*) printf "{_STAT}";; *--live*) ;; *) printf "{_TUNE}";; esac\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return said


def test_caps_of_both_directions(told: Path) -> None:
    """0 for none; on the running domain only."""
    LibvirtDisk("vm1", "vda", "qemu:///session").apply(Limits(iops=50))
    assert told.read_text().split() == [
        "--connect", "qemu:///session", "--quiet", "blkdeviotune", "vm1", "vda", "--total-iops-sec", "50",
        "--total-bytes-sec", "0", "--live",
    ]  # fmt: skip


def test_what_it_says(told: Path) -> None:
    """Totals only; counters of both directions."""
    disk = LibvirtDisk("vm1", "vda")
    assert disk.read_back() == Limits(iops=50)
    assert disk.counters() == (90.0, 46080.0)


def test_no_such_domain(told: Path) -> None:
    """What libvirt says is passed on."""
    with pytest.raises(TargetError, match="no domain"):
        LibvirtDisk("gone", "vda").read_back()


def test_a_disk_that_is_not_counted(told: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an error, not zero."""
    (told.parent / "virsh").write_text("#!/bin/sh\n")
    with pytest.raises(TargetError, match="does not count"):
        LibvirtDisk("vm1", "vda").counters()


def test_no_virsh(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install."""
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(MissingError, match="libvirt-clients"):
        LibvirtDisk("vm1", "vda").read_back()
