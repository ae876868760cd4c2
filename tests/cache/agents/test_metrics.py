"""Reports as metrics."""

from __future__ import annotations

from froude.cache.agents.metrics import hypervisor_metrics, vm_metrics
from froude.cache.monitor.limits import Limits
from froude.cache.monitor.messages import CachedVm, HypervisorReport, PeerSample, VmReport


def test_a_hypervisors() -> None:
    """What is not limited has no sample, nor has a VM whose disk does not answer."""
    vms = (
        CachedVm(name="vm1", instance="1", limits=Limits(cache_bytes=5), hits=9),
        CachedVm(name="vm2", instance="1", limits=Limits(), error="gone"),
    )
    report = HypervisorReport(name="h", instance="1", uptime_s=1, supply=Limits(cache_bytes=9), vms=vms)
    registry = hypervisor_metrics(report)
    assert registry.get_sample_value("froude_cache_limit_bytes", {"vm": "vm1"}) == 5
    assert registry.get_sample_value("froude_cache_limit_iops", {"vm": "vm1"}) is None
    assert registry.get_sample_value("froude_cache_hits_total", {"vm": "vm1"}) == 9
    assert registry.get_sample_value("froude_cache_hits_total", {"vm": "vm2"}) is None


def test_a_vms() -> None:
    """A peer that calls and is called is one series."""
    peers = (
        PeerSample(address="a", role="DataNode", sent_bytes=1, incoming=True),
        PeerSample(address="a", role="DataNode", sent_bytes=2),
    )
    registry = vm_metrics(VmReport(name="v", instance="1", uptime_s=1, peers=peers, cpu_s=4))
    labels = {"peer": "a", "direction": "sent", "role": "DataNode"}
    assert registry.get_sample_value("froude_vm_exchanged_bytes_total", labels) == 3
    assert registry.get_sample_value("froude_vm_cpu_seconds_total") == 4
