"""The controller as metrics."""

from __future__ import annotations

from froude.cache.control.metrics import controller_metrics
from froude.cache.control.types import Decision, Outcome, Record
from froude.cache.monitor.limits import Limits
from froude.cache.monitor.view import View, VmView


def test_before_the_first_round() -> None:
    """Only what is known."""
    registry = controller_metrics(View((), ()), None, failures=2, seconds=0.5, paused=True)
    assert registry.get_sample_value("froude_round_failures_total") == 2
    assert registry.get_sample_value("froude_paused") == 1
    assert registry.get_sample_value("froude_rounds_total") is None


def test_after_a_round() -> None:
    """VMs with what they have and miss; one outcome of all."""
    vm = VmView("vm1", "h1", Limits(5), {"misses": 3.0}, 60.0, trouble="gone")
    record = Record(7, 1.5, "interval", Outcome.PARTLY, Decision("exact", {}), seconds=0.25)
    registry = controller_metrics(View((), (vm,)), record, failures=0, seconds=0, paused=False)
    assert registry.get_sample_value("froude_vm_trouble", {"vm": "vm1"}) == 1
    assert registry.get_sample_value("froude_vm_cache_bytes", {"vm": "vm1", "hypervisor": "h1"}) == 5
    assert registry.get_sample_value("froude_round_outcome", {"outcome": "partly"}) == 1
    assert registry.get_sample_value("froude_round_outcome", {"outcome": "applied"}) == 0
    assert registry.get_sample_value("froude_rounds_total") == 7
