"""What the controller knows, as Prometheus metrics."""

from __future__ import annotations

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

from froude.cache.agents.metrics import registry_of
from froude.cache.control.types import Outcome, Record
from froude.cache.monitor.view import View


def controller_metrics(
    view: View, last: Record | None, *, failures: int, seconds: float, paused: bool
) -> CollectorRegistry:
    """The figures of now.

    Args:
        view: of the last round.
        last: that round; None before the first.
        failures: rounds that ended in an error.
        seconds: processor time spent in rounds.
    """
    trouble = GaugeMetricFamily(
        "froude_vm_trouble", "Whether the VM's limits must stay as they are.", labels=["vm"]
    )
    missed = GaugeMetricFamily(
        "froude_vm_misses_per_s", "Chunks read a second that no cache held.", labels=["vm"]
    )
    read = GaugeMetricFamily("froude_vm_chunks_per_s", "Chunks read a second.", labels=["vm"])
    space = GaugeMetricFamily(
        "froude_vm_cache_bytes", "Space of the VM's cache.", labels=["vm", "hypervisor"]
    )
    for vm in view.vms:
        trouble.add_metric([vm.name], bool(vm.trouble))
        missed.add_metric([vm.name], vm.rates.get("misses", 0.0))
        read.add_metric([vm.name], vm.rates.get("chunks", 0.0))
        space.add_metric([vm.name, vm.hypervisor], vm.held.cache_bytes or 0)
    families: list[GaugeMetricFamily | CounterMetricFamily] = [trouble, missed, read, space]
    if last is not None:
        outcome = GaugeMetricFamily("froude_round_outcome", "How the last round ended.", labels=["outcome"])
        for each in Outcome:
            outcome.add_metric([each.value], last.outcome is each)
        families += [
            outcome,
            CounterMetricFamily("froude_rounds", "Rounds so far, also before a restart.", value=last.number),
            GaugeMetricFamily(
                "froude_round_time_seconds", "When the last round was, since the epoch.", last.made_at_s
            ),
            GaugeMetricFamily("froude_round_seconds", "How long it took.", value=last.seconds),
        ]
    families += [
        CounterMetricFamily("froude_round_failures", "Rounds that ended in an error.", value=failures),
        CounterMetricFamily("froude_round_cpu_seconds", "Processor time spent in rounds.", value=seconds),
        GaugeMetricFamily("froude_paused", "Whether rounds pause.", value=paused),
    ]
    return registry_of(families)
