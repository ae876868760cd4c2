"""Reports as Prometheus metrics: made when they are asked for, so that nothing is counted twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from froude.cache.monitor.messages import CacheCounters, HypervisorReport, VmReport

Family = GaugeMetricFamily | CounterMetricFamily


class _Once(Collector):
    """Families that are known already."""

    def __init__(self, families: Sequence[Family]) -> None:
        self._families = families

    def collect(self) -> Iterable[Family]:
        return self._families


def registry_of(families: Sequence[Family]) -> CollectorRegistry:
    """A registry that has just these."""
    registry = CollectorRegistry()
    registry.register(_Once(families))
    return registry


def hypervisor_metrics(report: HypervisorReport) -> CollectorRegistry:
    """A hypervisor's."""
    space = GaugeMetricFamily("froude_cache_limit_bytes", "Space of the VM's cache.", labels=["vm"])
    iops = GaugeMetricFamily(
        "froude_cache_limit_iops", "Requests per second that the VM may make.", labels=["vm"]
    )
    used = GaugeMetricFamily("froude_cache_used_bytes", "Space that the VM's cache takes.", labels=["vm"])
    counted = {
        name: CounterMetricFamily(f"froude_cache_{name}", str(each.description), labels=["vm"])
        for name, each in CacheCounters.model_fields.items()
        if name != "io_s"
    }
    for vm in report.vms:
        if vm.error:
            continue
        if vm.limits.cache_bytes is not None:
            space.add_metric([vm.name], vm.limits.cache_bytes)
        if vm.limits.iops is not None:
            iops.add_metric([vm.name], vm.limits.iops)
        used.add_metric([vm.name], vm.used_bytes)
        for name, family in counted.items():
            family.add_metric([vm.name], getattr(vm, name))
    supply = GaugeMetricFamily(
        "froude_cache_ssd_bytes",
        "Space of the SSD that caches may take.",
        value=report.supply.cache_bytes or 0,
    )
    return registry_of([supply, space, iops, used, *counted.values()])


def vm_metrics(report: VmReport) -> CollectorRegistry:
    """A VM's."""
    exchanged = CounterMetricFamily(
        "froude_vm_exchanged_bytes", "Exchanged with a peer.", labels=["peer", "direction", "role"]
    )
    totals: dict[tuple[str, str, str], int] = {}
    for peer in report.peers:
        for direction, size in (("sent", peer.sent_bytes), ("received", peer.received_bytes)):
            key = (peer.address, direction, peer.role)
            totals[key] = totals.get(key, 0) + size
    for labels, size in totals.items():
        exchanged.add_metric(list(labels), size)
    cpu = CounterMetricFamily("froude_vm_cpu_seconds", "Processor time of the machine.", value=report.cpu_s)
    wait = CounterMetricFamily(
        "froude_vm_io_wait_seconds", "Time that processes waited for disks.", value=report.io_s
    )
    return registry_of([cpu, wait, exchanged])
