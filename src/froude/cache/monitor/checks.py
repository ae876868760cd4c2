"""Whether counters can be what they say, and limits are kept: an agent may be broken, or lie to get more.

What is not possible is refused, and the report that holds it is as good as none. What is possible and false can only
shift a split within the floors and ceilings that the user has set. A VM that is faster than its cap, and an SSD of which
more was given away than it has, are stated.
"""

from __future__ import annotations

from froude.cache.monitor.limits import Limits
from froude.cache.monitor.messages import CacheCounters, CachedVm, HypervisorReport, Transfers, VmReport

_LEAST_S = 2.0
"""How long a VM must have been under a cap to be judged by it."""
_TOLERANCE = 1.25
"""How much faster than its cap it may seem: buckets that start full."""
_MOST_PER_S = {
    "reads": 1e8,
    "writes": 1e8,
    "hits": 1e9,
    "misses": 1e8,
    "read_bytes": 1e12,
    "write_bytes": 1e12,
    "ssd_written_bytes": 1e12,
    "io_s": 1e6,
}
"""Growth per second that no machine reaches: a hundred million requests, a terabyte."""
_LARGEST_SSD = 10**16
"""Bytes, or any other supply: ten thousand of the largest."""
_FAST_CLOCK, _SLACK_S = 2.0, 5.0
"""How much faster than ours a clock may run, and how much a report may have waited on its way."""


def clock_lies(before_s: float, after_s: float, elapsed_s: float) -> str | None:
    """What is wrong with an agent's clock; None where nothing is.

    Args:
        before_s: what it said in its last report.
        elapsed_s: how much time has passed between the two, by our clock.
    """
    if after_s < before_s:
        return f"its clock went back by {before_s - after_s:.3g} s"
    if after_s - before_s > _FAST_CLOCK * elapsed_s + _SLACK_S:
        return f"its clock advanced by {after_s - before_s:.3g} s in {elapsed_s:.3g} s"
    return None


def vm_lies(before: VmReport | None, after: VmReport) -> str | None:
    """What is impossible in the report of a VM's agent; None where nothing is."""
    if before is None or before.instance != after.instance:
        return None
    seconds = after.uptime_s - before.uptime_s
    busy = after.cpu_s - before.cpu_s
    if busy > 1.2 * after.cores * seconds + 1.0:
        return f"{busy:.3g} s of processor time in {seconds:.3g} s on {after.cores} cores"
    if busy < 0:
        return "cpu_s fell"
    return _impossible(before, after, seconds)


def hypervisor_lies(before: HypervisorReport | None, after: HypervisorReport) -> str | None:
    """What is impossible in the report of a hypervisor's agent; None where nothing is."""
    names = [vm.name for vm in after.vms]
    if len(set(names)) < len(names):
        return "a VM is named twice"
    too_much = [name for name, value in after.supply.plain().items() if (value or 0) > _LARGEST_SSD]
    if too_much:
        return f"no SSD has so much: {too_much[0]}"
    if before is not None and before.instance == after.instance and _grew(before.supply, after.supply):
        return "its SSD has grown of itself"
    same = before is not None and before.instance == after.instance
    known = {vm.name: vm for vm in before.vms} if same and before is not None else {}
    seconds = 0.0 if before is None else after.uptime_s - before.uptime_s
    for vm in after.vms:
        last = known.get(vm.name)
        if last is None or last.instance != vm.instance or vm.error:
            continue
        wrong = _impossible(last, vm, seconds)
        if wrong is not None:
            return f"{vm.name}: {wrong}"
    return None


def _grew(before: Limits, after: Limits) -> bool:
    """Whether there is more of anything; less is believed at once, for it over-commits nothing."""
    pairs = [(each, after.plain()[name]) for name, each in before.plain().items()]
    return any(old is not None and (new is None or new > old) for old, new in pairs)


def _impossible(before: Transfers, after: Transfers, seconds: float) -> str | None:
    """What is in the counters that both have, each by its growth."""
    kind = CacheCounters if isinstance(after, CacheCounters) else Transfers
    for name, most in _MOST_PER_S.items():
        if name not in kind.model_fields:
            continue
        was, now = getattr(before, name), getattr(after, name)
        if now < was:
            return f"{name} fell from {was:g} to {now:g}"
        if now - was > most * (seconds + 1.0):
            return f"{name} grew by {now - was:.3g} in {seconds:.3g} s"
    return None


def evades(before: CachedVm, after: CachedVm, seconds: float) -> str:
    """What to say of a VM that was faster than its cap, which was the same all the while; empty of others."""
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
    """What to say of an SSD that was promised twice, by whomever; empty of others."""
    held = sum(vm.limits.cache_bytes or 0 for vm in report.vms)
    space = report.supply.cache_bytes
    if space is None or held <= space:
        return ""
    return (
        f"{report.name}: caches may take {held} B of an SSD that has {space}: they only shrink until they fit"
    )
