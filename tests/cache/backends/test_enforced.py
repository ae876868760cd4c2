"""Several back-ends of one VM, each for what it holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from froude.base.errors import TargetError
from froude.cache.backends.enforced import Enforced, Watch
from froude.cache.backends.own import OwnDisk
from froude.cache.backends.types import Finding, Verdict
from froude.cache.disk.status import DiskStatus
from froude.cache.monitor.limits import RESOURCES, Limits
from froude.cache.monitor.messages import CachedVm
from tests.support.cache.backends.own import control


@dataclass
class _Disk:
    name: str
    controls: frozenset[str] = frozenset(RESOURCES)
    limits: Limits = field(default_factory=Limits)
    down: bool = False

    def apply(self, limits: Limits) -> None:
        self.limits = limits

    def read_back(self) -> Limits:
        if self.down:
            raise TargetError("down", file=self.name)
        return self.limits


_RATES = frozenset({"iops", "bytes_per_s"})


def test_the_first_one_is_preferred() -> None:
    """Until something is measured, the one that stands first is used for all that it controls."""
    own, group = _Disk("own"), _Disk("cgroup-v1", _RATES)
    vm = Enforced("vm", [own, group])
    vm.apply(Limits(10, 20, 30))
    assert (own.limits, group.limits) == (Limits(10, 20, 30), Limits())
    assert vm.read_back() == Limits(10, 20, 30)


def test_one_that_does_not_hold_is_not_used_for_that() -> None:
    """QEMU's cap was ignored: the kernel's takes its place; space stays where it was."""
    own, group = _Disk("own"), _Disk("cgroup-v1", _RATES)
    vm = Enforced("vm", [own, group])
    vm.probed([Finding("own", "iops", Verdict.IGNORED), Finding("cgroup-v1", "iops", Verdict.HOLDS)])
    vm.apply(Limits(10, 20, 30))
    assert (own.limits, group.limits) == (Limits(10, None, 30), Limits(None, 20))
    assert vm.read_back() == Limits(10, 20, 30)


def test_nobody_holds() -> None:
    """What no back-end can limit is not among what the VM's agent says that it controls."""
    vm = Enforced("vm", [_Disk("qmp", _RATES)])
    vm.probed([Finding("qmp", "iops", Verdict.IGNORED), Finding("qmp", "bytes_per_s", Verdict.REFUSED)])
    assert vm.controls == frozenset()
    vm.probed([Finding("qmp", "iops", Verdict.HOLDS)])
    assert vm.controls == {"iops"}


def test_the_report_of_a_cached_vm(tmp_path: Path) -> None:
    """Limits, counters and curve of its disk; what was measured stands beside."""
    with control(tmp_path / "c"):
        disk = OwnDisk(tmp_path / "c")
        watch = Watch(Enforced("vm", [disk]), disk)
        watch.vm.probed([Finding("own", "iops", Verdict.HOLDS, 5, 20.0, 5.0, "as it should")])
        watch.look(1.0)
        report = watch.report("1", 2.0)
    assert (report.limits, report.reads, report.hits, report.error) == (Limits(4096, 50), 3, 2, "")
    assert report.controls == RESOURCES
    assert report.curve is not None
    assert report.curve["miss_ratio"] == [1.0, 0.25]
    assert [(each.vm, each.verdict, each.note) for each in watch.findings()] == [
        ("vm", "holds", "as it should")
    ]


def test_a_disk_that_begins_anew(tmp_path: Path) -> None:
    """Its counters are another instance's, however long it has served: no rate is made of the difference.

    Of two reports at a time the later one may come with the smaller uptime; that is no restart.
    """
    disk = OwnDisk(tmp_path / "c")
    watch = Watch(Enforced("vm", [disk]), disk)
    instances = []
    for start, uptime_s in (("a", 10.0), ("a", 20.0), ("a", 19.0), ("b", 30.0), ("b", 1.0)):
        status = DiskStatus(image="x", start=start, uptime_s=uptime_s, chunk_bytes=4096)
        with control(tmp_path / "c", {"stat": status.to_json()}):
            instances.append(watch.report("1", 2.0).instance)
        (tmp_path / "c").unlink()
    assert instances == ["1/a", "1/a", "1/a", "1/b", "1/b"]


@pytest.mark.parametrize(
    "odd",
    [
        {"iops_limit": float("inf")},
        {"iops_limit": 0.2},
        {"cache_bytes": 1.5},
        {"hits": float("nan")},
        {"misses": -5},
        {"reads": 10**30},
        {"used_bytes": "many"},
    ],
)
def test_a_disk_that_says_what_cannot_be(tmp_path: Path, odd: dict[str, object]) -> None:
    """It is in trouble by itself: the report of its hypervisor stays one."""
    with control(tmp_path / "c", {"stat": DiskStatus(image="x", start="a", chunk_bytes=4096).to_json()}):
        assert (
            not Watch(Enforced("vm", [OwnDisk(tmp_path / "c")]), OwnDisk(tmp_path / "c"))
            .report("1", 2.0)
            .error
        )
    (tmp_path / "c").unlink()
    disk = OwnDisk(tmp_path / "c")
    with control(
        tmp_path / "c", {"stat": {**DiskStatus(image="x", start="a", chunk_bytes=4096).to_json(), **odd}}
    ):
        report = Watch(Enforced("vm", [disk]), disk).report("1", 2.0)
    assert report.error
    assert report.limits == Limits()
    assert CachedVm.model_validate_json(report.model_dump_json()) == report


def test_a_vm_whose_disk_is_gone(tmp_path: Path) -> None:
    """It is reported with the reason, and a look at its curve is passed over."""
    disk = OwnDisk(tmp_path / "absent")
    watch = Watch(Enforced("vm", [disk]), disk)
    watch.look(1.0)
    assert "no disk answers" in watch.report("1", 2.0).error


def test_a_vm_without_a_cache_of_ours() -> None:
    """Its limits are known, and what its own counters tell."""
    watch = Watch(Enforced("vm", [_Disk("qmp", _RATES)]), None, lambda: (7.0, 70.0))
    watch.look(1.0)
    report = watch.report("1", 2.0)
    assert (report.reads, report.read_bytes, report.curve) == (7, 70, None)
    assert (
        Watch(Enforced("vm", [_Disk("qmp", _RATES, down=True)]), None).report("1", 0.0).error == "qmp: down"
    )


def test_a_vm_that_nobody_counts() -> None:
    """It may be capped, and nobody knows what it wants: what it has stays, and is told."""
    report = Watch(Enforced("vm", [_Disk("throttle-group", _RATES)]), None).report("1", 0.0)
    assert report.error == "nobody counts its requests"
    assert report.limits == _Disk("throttle-group", _RATES).limits
