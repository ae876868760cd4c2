"""Control groups, as files; `tests/integration/test_cache_backends.py` has the kernel's."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import MissingError, TargetError
from froude.cache.backends.cgroup import (
    CgroupV1,
    CgroupV2,
    cgroup_at,
    device_of,
    ignored_weights,
    scheduler_of,
)
from froude.cache.monitor.limits import Limits

_DEVICE = "254:0"


def _v1(root: Path) -> Path:
    group = root / "blkio/vm"
    group.mkdir(parents=True)
    for kind in ("read", "write"):
        for unit in ("iops", "bps"):
            (group / f"blkio.throttle.{kind}_{unit}_device").write_text("")
    return group


def _v2(folder: Path, text: str = "") -> Path:
    folder.mkdir(parents=True)
    (folder / "io.max").write_text(text)
    return folder


def test_version_1_caps_reads_and_writes(tmp_path: Path) -> None:
    """Each file gets the device and the number; none is 0."""
    group = cgroup_at("vm", _DEVICE, root=tmp_path) if _v1(tmp_path) else None
    assert isinstance(group, CgroupV1)
    group.apply(Limits(iops=500))
    assert (group.folder / "blkio.throttle.write_iops_device").read_text() == "254:0 500"
    assert (group.folder / "blkio.throttle.read_bps_device").read_text() == "254:0 0"
    assert group.read_back() == Limits(iops=500)
    group.apply(Limits(bytes_per_s=9))
    assert group.read_back() == Limits(bytes_per_s=9)


def test_what_a_group_does_is_counted(tmp_path: Path) -> None:
    """On its device alone: requests and bytes, reads and writes together."""
    first = _v1(tmp_path)
    for name, numbers in (("io_serviced", (3, 4)), ("io_service_bytes", (300, 400))):
        kinds = "".join(
            f"{_DEVICE} {kind} {number}\n" for kind, number in zip(("Read", "Write"), numbers, strict=True)
        )
        (first / f"blkio.throttle.{name}").write_text(f"{kinds}{_DEVICE} Total 9\n8:0 Read 5\nTotal 14\n")
    assert CgroupV1(first, _DEVICE).counters() == (7, 700)
    second = _v2(tmp_path / "two")
    (second / "io.stat").write_text(
        f"8:0 rbytes=1 rios=1\n{_DEVICE} rbytes=300 wbytes=400 rios=3 wios=4 dbytes=0\n"
    )
    assert CgroupV2(second, _DEVICE).counters() == (7, 700)
    (second / "io.stat").write_text("")
    assert CgroupV2(second, _DEVICE).counters() == (0, 0)


def test_half_a_cap_is_none(tmp_path: Path) -> None:
    """Where only reads are capped, the VM is not; another device's cap is another's."""
    folder = _v1(tmp_path)
    group = CgroupV1(folder, _DEVICE)
    group.apply(Limits(iops=500))
    (folder / "blkio.throttle.write_iops_device").write_text("8:0 500\n")
    assert group.read_back() == Limits()


def test_version_2_is_one_line(tmp_path: Path) -> None:
    """All four numbers of a device, `max` for none."""
    folder = _v2(tmp_path / "vm")
    group = cgroup_at("vm", _DEVICE, root=tmp_path)
    assert isinstance(group, CgroupV2)
    group.apply(Limits(iops=300))
    assert (folder / "io.max").read_text() == "254:0 riops=300 wiops=300 rbps=max wbps=max"
    assert group.read_back() == Limits(iops=300)


def test_version_2_reads_what_the_kernel_says(tmp_path: Path) -> None:
    """Several devices, in its order of words; a device without a line has no cap."""
    folder = _v2(
        tmp_path / "unified/vm", "8:0 rbps=1 wbps=1 riops=1 wiops=1\n254:0 rbps=7 wbps=9 riops=max wiops=5\n"
    )
    assert CgroupV2(folder, _DEVICE).read_back() == Limits(bytes_per_s=9)
    assert CgroupV2(folder, "1:1").read_back() == Limits()


def test_no_group_that_limits(tmp_path: Path) -> None:
    """The error says what it looked for."""
    with pytest.raises(MissingError, match="has no control group"):
        cgroup_at("vm", _DEVICE, root=tmp_path)


def test_the_kernel_refuses(tmp_path: Path) -> None:
    """What it says is passed on, with the file."""
    with pytest.raises(TargetError, match="is refused"):
        CgroupV1(tmp_path / "absent", _DEVICE).apply(Limits(iops=1))
    with pytest.raises(TargetError, match="cannot be read"):
        CgroupV1(tmp_path / "absent", _DEVICE).read_back()


def test_a_weight_without_effect(tmp_path: Path) -> None:
    """It is told unless the scheduler heeds weights; a usual weight, or none, is nothing to tell."""
    queue = tmp_path / f"sys/dev/block/{_DEVICE}/queue"
    queue.mkdir(parents=True)
    (queue / "scheduler").write_text("[none] mq-deadline bfq\n")
    group = tmp_path / "group"
    group.mkdir()
    assert ignored_weights(group, _DEVICE, root=tmp_path) is None
    (group / "io.weight").write_text("default 100\n")
    assert ignored_weights(group, _DEVICE, root=tmp_path) is None
    (group / "io.weight").write_text("default 400\n")
    assert "400 has no effect" in str(ignored_weights(group, _DEVICE, root=tmp_path))
    (queue / "scheduler").write_text("none mq-deadline [bfq]\n")
    assert ignored_weights(group, _DEVICE, root=tmp_path) is None


def test_a_device_that_nobody_knows(tmp_path: Path) -> None:
    """Its scheduler is empty; a path that is not there is an error."""
    assert scheduler_of("9:9", root=tmp_path) == ""
    with pytest.raises(MissingError):
        device_of(tmp_path / "absent")


def test_the_device_of_a_file(tmp_path: Path) -> None:
    """That of the file system which it lies on."""
    file = tmp_path / "file"
    file.touch()
    assert device_of(file) == device_of(tmp_path)
