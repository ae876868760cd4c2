"""Whether counters can be what they say, and limits are kept."""

from __future__ import annotations

import pytest

from froude.cache.monitor.checks import clock_lies, evades, hypervisor_lies, overcommitted, vm_lies
from froude.cache.monitor.limits import Limits
from froude.cache.monitor.messages import CachedVm, HypervisorReport, VmReport

_CAP = Limits(cache_bytes=10, iops=100, bytes_per_s=10_000)


def _vm(**changes: object) -> VmReport:
    fields: dict[str, object] = {
        "name": "vm1", "instance": "1", "uptime_s": 100.0, "cores": 2, "cpu_s": 50.0, "reads": 1000,
    }  # fmt: skip
    return VmReport.model_validate(fields | changes)


def _hypervisor(instance: str = "1", space: int = 1000, **changes: object) -> HypervisorReport:
    vm = CachedVm(name="vm1", instance="1", limits=Limits(cache_bytes=10)).model_copy(update=changes)
    supply = Limits(cache_bytes=space)
    return HypervisorReport(name="h1", instance=instance, uptime_s=100.0, supply=supply, vms=(vm,))


def test_clocks() -> None:
    """A report may have waited; a clock that runs twice as fast as ours, or back, lies."""
    assert clock_lies(100, 160, 60) is None
    assert clock_lies(100, 160, 40) is None
    assert clock_lies(100, 100, 60) is None
    assert "advanced" in str(clock_lies(100, 300, 60))
    assert "went back" in str(clock_lies(100, 99, 60))


def test_an_ssd_larger_than_any() -> None:
    """From the first report on."""
    assert hypervisor_lies(None, _hypervisor(space=10**15)) is None
    assert "no SSD has so much: cache_bytes" in str(hypervisor_lies(None, _hypervisor(space=1 << 60)))


@pytest.mark.parametrize(
    "changes", [{"cpu_s": 300.0}, {"cpu_s": 40.0}, {"reads": 999}, {"reads": 10**12}, {"read_bytes": 10**17}]
)
def test_a_vm_that_cannot_be(changes: dict[str, object]) -> None:
    """More processor time than there is, counters that fall, a terabyte a second."""
    before = _vm()
    assert vm_lies(before, _vm(uptime_s=110.0, **({"cpu_s": 55.0} | changes))) is not None


def test_a_vm_that_may_be() -> None:
    """A usual report; the first one; and one after a restart, whose counters begin anew."""
    before = _vm()
    assert vm_lies(None, before) is None
    assert vm_lies(before, _vm(uptime_s=110.0, cpu_s=69.0, reads=90_000)) is None
    assert vm_lies(before, _vm(instance="2", uptime_s=1.0, cpu_s=0.0, reads=0)) is None


def test_a_hypervisor_that_cannot_be() -> None:
    """Counters that leap, an SSD that has grown, a VM that is there twice."""
    before = _hypervisor(hits=100)
    assert "hits grew" in str(hypervisor_lies(before, _hypervisor(hits=10**17)))
    assert "hits fell" in str(hypervisor_lies(before, _hypervisor(hits=99)))
    assert "has grown" in str(hypervisor_lies(before, _hypervisor(space=10**6, hits=100)))
    assert hypervisor_lies(before, _hypervisor(space=10, hits=100)) is None  # less promises nobody too much
    twice = before.model_copy(update={"vms": before.vms * 2})
    assert "twice" in str(hypervisor_lies(None, twice))


def test_a_hypervisor_that_may_be() -> None:
    """A restart of the agent, of a VM's disk, and one that does not answer."""
    before = _hypervisor(hits=100)
    assert hypervisor_lies(before, _hypervisor(hits=150)) is None
    assert hypervisor_lies(before, _hypervisor(instance="2", space=10**6)) is None
    assert hypervisor_lies(before, _hypervisor(hits=0, instance="1", error="gone")) is None


def _audit_vm(**changes: object) -> CachedVm:
    return CachedVm.model_validate({"name": "vm1", "instance": "1", "limits": _CAP} | changes)


@pytest.mark.parametrize(
    ("after", "seconds", "said"),
    [
        (_audit_vm(reads=600, writes=700), 10.0, "went at 130 under a cap of 100 (iops)"),
        (_audit_vm(read_bytes=200_000), 10.0, "went at 20000 under a cap of 10000 (bytes_per_s)"),
        (_audit_vm(reads=1200), 10.0, ""),
        (_audit_vm(reads=1200), 1.0, ""),
        (_audit_vm(reads=9000, limits=Limits(cache_bytes=10, iops=50)), 10.0, ""),
        (_audit_vm(reads=9000, instance="2"), 10.0, ""),
    ],
)
def test_a_vm_that_is_faster_than_its_cap(after: CachedVm, seconds: float, said: str) -> None:
    """Not one that is a little faster, or was looked at for a moment, or whose cap has just changed."""
    found = evades(_audit_vm(), after, seconds)
    assert found.startswith(said) if said else found == ""


def test_an_ssd_that_is_promised_twice() -> None:
    """By what its caches may take, whether they do or not."""
    supply = Limits(cache_bytes=15)
    report = HypervisorReport(
        name="h1", instance="1", uptime_s=1, supply=supply, vms=(_audit_vm(), _audit_vm(name="vm2"))
    )
    assert "20 B of an SSD that has 15" in overcommitted(report)
    assert overcommitted(report.model_copy(update={"vms": (_audit_vm(),)})) == ""
