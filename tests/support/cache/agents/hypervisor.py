"""A hypervisor's agent with two disks, its clock and its sockets replaced."""

from __future__ import annotations

import threading

from froude.cache.agents.hypervisor import HypervisorWatch
from froude.cache.agents.keeper import Keeper
from froude.cache.monitor.limits import RESOURCES, Limits
from froude.cache.monitor.messages import CachedVm, FindingMessage


class Vm:
    """A VM in memory."""

    def __init__(self, name: str, limits: Limits) -> None:
        """With these limits."""
        self.name, self.limits, self.looks = name, limits, 0
        self.looked = threading.Event()

    def apply(self, limits: Limits) -> None:
        """Take them."""
        self.limits = limits

    def read_back(self) -> Limits:
        """As they are."""
        return self.limits

    def look(self, now_s: float) -> None:
        """Count it."""
        self.looks += 1
        self.looked.set()

    def report(self, instance: str, now_s: float) -> CachedVm:
        """As it is."""
        return CachedVm(name=self.name, instance=instance, limits=self.limits, controls=RESOURCES)

    def findings(self) -> list[FindingMessage]:
        """One."""
        return [FindingMessage(vm=self.name, backend="own", resource="iops", verdict="holds")]


def hypervisor() -> HypervisorWatch:
    """Two VMs on an SSD of 100."""
    vms = {"vm1": Vm("vm1", Limits(60)), "vm2": Vm("vm2", Limits(30))}
    return HypervisorWatch("h1", Keeper(Limits(100, 500), vms), vms, every_s=0.01)
