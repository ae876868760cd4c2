"""Whether limits are kept: a VM that is faster than its cap, and an SSD of which more was given away than it has."""

from __future__ import annotations

from froude.cache.monitor.messages import CachedVm, HypervisorReport

_LEAST_S = 2.0
"""How long a VM must have been under a cap to be judged by it."""
_TOLERANCE = 1.25
"""How much faster than its cap it may seem: buckets that start full."""


def evades(before: CachedVm, after: CachedVm, seconds: float) -> str:
    """What to say of a VM that was faster than its cap, which was the same all the while; empty of others.

    Args:
        before: as it was reported.
        after: as it was reported next.
    """
    if seconds < _LEAST_S or before.instance != after.instance or before.limits != after.limits:
        return ""
    grown = {
        "iops": after.reads + after.writes - before.reads - before.writes,
        "bytes_per_s": after.read_bytes + after.write_bytes - before.read_bytes - before.write_bytes,
    }
    for resource, count in grown.items():
        cap = getattr(after.limits, resource)
        if cap is not None and count > _TOLERANCE * cap * seconds:
            return f"went at {count / seconds:.0f} under a cap of {cap} ({resource}): its back-end does not limit it"
    return ""


def overcommitted(report: HypervisorReport) -> str:
    """What to say of an SSD that was promised twice, by whomever; empty of others.

    Args:
        report: of its hypervisor.
    """
    held = sum(vm.limits.cache_bytes or 0 for vm in report.vms)
    space = report.supply.cache_bytes
    if space is None or held <= space:
        return ""
    return (
        f"{report.name}: caches may take {held} B of an SSD that has {space}: they only shrink until they fit"
    )
