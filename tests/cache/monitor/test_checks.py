"""What cannot be, and what may."""

from __future__ import annotations

import pytest

from froude.cache.monitor.checks import clock_lies, hypervisor_lies, vm_lies
from froude.cache.monitor.limits import Limits
from froude.cache.monitor.messages import CachedVm, HypervisorReport, VmReport


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
