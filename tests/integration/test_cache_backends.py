"""Caps that are measured: the own disk, QEMU and libvirt on a guest that reads, a storage daemon, control groups.

Without privileges: all that is installed, but control groups. As root: those, too, where version 1 throttles. What is
not here is skipped with its reason.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import TargetError
from froude.cache.backends.cgroup import CgroupV1
from froude.cache.backends.load import GroupLoad, buffered
from froude.cache.backends.probe import probe
from froude.cache.backends.types import Verdict
from froude.cache.monitor.limits import Limits
from testbed.cache_guests import TRIED, busy, group, wait_until_busy, why_not
from testbed.cache_processes import ask, processes

pytestmark = pytest.mark.integration
_NO_DISK = "the temporary folder lies on no disk that can be throttled"


def _or_skip(name: str) -> None:
    why = why_not(name)
    if why is not None:
        pytest.skip(why)


@pytest.mark.parametrize("name", TRIED)
def test_a_cap_holds(name: str, tmp_path: Path) -> None:
    """A load that could go four times as fast is held at it, and goes free again after."""
    _or_skip(name)
    try:
        with TRIED[name](tmp_path) as (backend, load):
            # On a busy machine a load may stand still for a whole measurement, which then shows nothing.
            tries = (probe(backend, load, "iops") for _ in range(6))
            found = next((each for each in tries if each.verdict is not Verdict.UNMEASURED), None)
            after = backend.read_back()
    except TargetError as error:
        if name != "cgroup-v1" or "is refused" not in str(error):
            raise
        pytest.skip(_NO_DISK)
    assert found is not None
    assert (backend.name, found.verdict) == (name, Verdict.HOLDS), found
    assert (after.iops, after.bytes_per_s) == (None, None)


def test_the_own_disk_is_measured_at_the_start(tmp_path: Path) -> None:
    """An agent that begins while the VM is busy finds that both caps hold, and leaves none of them behind."""
    _or_skip("own")
    with processes(tmp_path) as all_of_them, busy(tmp_path, "vm"):
        control = all_of_them.disk("vm", image=4 << 20, size=4 << 20)
        wait_until_busy(control)
        report = ask(all_of_them.agent("h1", {"vm": control}, space=4 << 20, probe=True), "v1/report")
    assert {(each["resource"], each["verdict"]) for each in report["findings"]} == {
        ("iops", "holds"),
        ("bytes_per_s", "holds"),
    }
    assert report["vms"][0]["limits"] == {"cache_bytes": 4 << 20, "iops": None, "bytes_per_s": None}


def test_only_the_group_is_held_and_buffered_writes_leave_it(tmp_path: Path) -> None:
    """A process outside goes free; what the kernel writes back is not charged to who wrote it, which the probe finds."""
    _or_skip("cgroup-v1")
    try:
        with group(tmp_path) as (backend, load):
            assert isinstance(backend, CgroupV1)
            assert isinstance(load, GroupLoad)
            backend.apply(Limits(iops=50))
            inside = load.rate(0.4).iops
            # The best of three: a busy machine may start the reader late.
            outside = max(GroupLoad(None, load.path).rate(0.3).iops for _ in range(6))
            backend.apply(Limits())
            found = buffered(backend.folder, backend.device, tmp_path)
    except TargetError as error:
        if "is refused" not in str(error):
            raise
        pytest.skip(_NO_DISK)
    assert inside < outside
    assert found.verdict is Verdict.IGNORED
    assert "evade the cap" in found.note
