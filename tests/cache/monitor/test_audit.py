"""Whether limits are kept."""

from __future__ import annotations

import pytest

from froude.cache.monitor.audit import evades, overcommitted
from froude.cache.monitor.limits import Limits
from froude.cache.monitor.messages import CachedVm, HypervisorReport

_CAP = Limits(cache_bytes=10, iops=100, bytes_per_s=10_000)


def _vm(**changes: object) -> CachedVm:
    return CachedVm.model_validate({"name": "vm1", "instance": "1", "limits": _CAP} | changes)


@pytest.mark.parametrize(
    ("after", "seconds", "said"),
    [
        (_vm(reads=600, writes=700), 10.0, "went at 130 under a cap of 100 (iops)"),
        (_vm(read_bytes=200_000), 10.0, "went at 20000 under a cap of 10000 (bytes_per_s)"),
        (_vm(reads=1200), 10.0, ""),
        (_vm(reads=1200), 1.0, ""),
        (_vm(reads=9000, limits=Limits(cache_bytes=10, iops=50)), 10.0, ""),
        (_vm(reads=9000, instance="2"), 10.0, ""),
    ],
)
def test_a_vm_that_is_faster_than_its_cap(after: CachedVm, seconds: float, said: str) -> None:
    """Not one that is a little faster, or was looked at for a moment, or whose cap has just changed."""
    found = evades(_vm(), after, seconds)
    assert found.startswith(said) if said else found == ""


def test_an_ssd_that_is_promised_twice() -> None:
    """By what its caches may take, whether they do or not."""
    supply = Limits(cache_bytes=15)
    report = HypervisorReport(
        name="h1", instance="1", uptime_s=1, supply=supply, vms=(_vm(), _vm(name="vm2"))
    )
    assert "20 B of an SSD that has 15" in overcommitted(report)
    assert overcommitted(report.model_copy(update={"vms": (_vm(),)})) == ""
