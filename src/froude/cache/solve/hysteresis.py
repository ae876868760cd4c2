"""Whether a better split pays for the move: hysteresis, hypervisor by hypervisor.

A cache that grows is empty at first and misses as before until it is filled, at the speed of its own misses; one that
shrinks loses its hits at once. Over the time that the load is expected to stay as it is, a move must win by more than
noise, or the split stays.
"""

from __future__ import annotations

from collections.abc import Mapping

from froude.cache.solve.expectation import ratios
from froude.cache.solve.policies import Policy, Search
from froude.cache.solve.state import Hypervisor, State, Vm
from froude.cache.solve.wear import within

LEAST_GAIN = 0.01
"""Part of what misses cost that a move must save: curves are known no better than that."""
_LEAST_MOVE = 0.02
"""Part of an SSD that a policy without a cost must move for it to be worth a resize."""


def kept(
    state: State, policy: Policy, sizes: Mapping[str, int], least_gain: float = LEAST_GAIN
) -> list[Hypervisor]:
    """The hypervisors whose split should stay.

    Args:
        sizes: by VM.
        least_gain: part of the cost that a move must save, 0 or more.
    """
    found = []
    now = ratios(state, {vm.name: vm.size_bytes for vm in state.vms})
    then = {vm.name: _over_the_horizon(state, vm, sizes[vm.name]) for vm in state.vms}
    for hypervisor in state.hypervisors:
        vms = state.on(hypervisor)
        held = {vm.name: float(vm.size_bytes) for vm in vms}
        if not (_may_stay(hypervisor, vms) and within(state, hypervisor, held)):
            continue
        staying = then | {vm.name: now[vm.name] for vm in vms}
        if not isinstance(policy, Search):
            furthest = max((abs(sizes[vm.name] - vm.size_bytes) for vm in vms), default=0)
            stays = furthest <= _LEAST_MOVE * hypervisor.space_bytes
        else:
            stayed = policy.cost_s(state, staying)
            stays = stayed - policy.cost_s(state, then) <= least_gain * stayed / len(state.hypervisors)
        if stays:
            found.append(hypervisor)
            then = staying
    return found


def fill_s(vm: Vm, size_bytes: int) -> float:
    """Seconds until a cache that has grown is full; infinite where nothing fills it."""
    grown = size_bytes - vm.size_bytes
    speed = vm.reads_per_s * vm.misses.at(vm.size_bytes) * vm.chunk_bytes
    if grown <= 0:
        return 0.0
    return grown / speed if speed else float("inf")


def _over_the_horizon(state: State, vm: Vm, size_bytes: int) -> float:
    """Mean miss ratio, while the cache fills and after."""
    filling = min(1.0, fill_s(vm, size_bytes) / state.horizon_s)
    return filling * vm.misses.at(min(size_bytes, vm.size_bytes)) + (1 - filling) * vm.misses.at(size_bytes)


def _may_stay(hypervisor: Hypervisor, vms: tuple[Vm, ...]) -> bool:
    """Whether the split of now is one: some cache, within the SSD, floors and ceilings."""
    sizes = [vm.size_bytes for vm in vms]
    within = all(
        vm.floor_bytes <= vm.size_bytes and (vm.ceiling_bytes is None or vm.size_bytes <= vm.ceiling_bytes)
        for vm in vms
    )
    return within and 0 < sum(sizes) <= hypervisor.space_bytes
