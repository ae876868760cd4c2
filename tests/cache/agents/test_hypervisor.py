"""The agent on a hypervisor."""

from __future__ import annotations

import threading

import pytest

from froude.base.errors import GuardError, InputError
from froude.cache.agents.hypervisor import HypervisorWatch
from froude.cache.agents.keeper import Keeper
from froude.cache.monitor.limits import Limits
from froude.cache.monitor.messages import CachedVm
from tests.support.cache.agents.hypervisor import Vm, hypervisor


def test_vms_are_asked_side_by_side() -> None:
    """One that hangs holds up nobody else: here each waits for the other."""
    both = threading.Barrier(2)

    class Waiting(Vm):
        def report(self, instance: str, now_s: float) -> CachedVm:
            both.wait(30)
            return super().report(instance, now_s)

    vms = {name: Waiting(name, Limits(10)) for name in ("vm1", "vm2")}
    report = HypervisorWatch("h1", Keeper(Limits(100), vms), vms).report()
    assert [vm.name for vm in report.vms] == ["vm1", "vm2"]


def test_its_report() -> None:
    """SSD, VMs, findings, and the number of the last change."""
    watch = hypervisor()
    watch.apply("vm1", 7, Limits(50))
    report = watch.report()
    assert (report.name, report.supply, report.last_number) == ("h1", Limits(100, 500), 7)
    assert {vm.name: vm.limits.cache_bytes for vm in report.vms} == {"vm1": 50, "vm2": 30}
    assert [each.vm for each in report.findings] == ["vm1", "vm2"]


def test_changes_go_through_the_guard() -> None:
    """What the SSD has not is refused; so is a VM that is not there."""
    watch = hypervisor()
    with pytest.raises(GuardError):
        watch.apply("vm1", 1, Limits(71))
    with pytest.raises(InputError):
        watch.apply("vm9", 1, Limits(1))
    assert watch.apply("vm1", 1, Limits(70)).limits.cache_bytes == 70


def test_a_change_from_before_a_restart() -> None:
    """The agent has forgotten the numbers; the change was made for the one before it, and is late all the same."""
    before, watch = hypervisor().report().instance, hypervisor()
    with pytest.raises(GuardError, match="is late"):
        watch.apply("vm1", 9, Limits(10), before)
    assert watch.apply("vm1", 1, Limits(10), watch.report().instance).limits.cache_bytes == 10


def test_it_looks_at_curves_meanwhile() -> None:
    """On a beat of its own, until the block ends."""
    watch = hypervisor()
    vm = watch.vms["vm2"]
    assert isinstance(vm, Vm)
    with watch:
        assert vm.looked.wait(10)
    looks = vm.looks
    assert vm.looks == looks
