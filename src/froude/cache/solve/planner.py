"""From a State to a Plan: a policy splits, and what every plan must keep is kept here, whatever the policy.

Floors fit, sizes are whole granules and never exceed an SSD, an SSD lasts as long as it shall, IOPS are capped by
demand, and a split that would not pay for its move stays as it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from froude.base.seeds import Seeds
from froude.cache.solve.advice import advise
from froude.cache.solve.expecting import expected, ratios, written
from froude.cache.solve.filling import fill, split_iops
from froude.cache.solve.moving import LEAST_GAIN, kept
from froude.cache.solve.plan import Grant, Plan
from froude.cache.solve.policies import Policy
from froude.cache.solve.share import Share
from froude.cache.solve.state import Hypervisor, State, Vm
from froude.cache.solve.words import size

_DAY_S = 86400.0
_LEAST_IOPS = 0.01
"""Part of an even split of IOPS that no VM is kept below: a VM without any would hang."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planning:
    """What a plan is made with, besides the state and the policy."""

    seeds: Seeds = Seeds(0)  # noqa: RUF009 - immutable
    least_gain: float | None = LEAST_GAIN
    """Part of the cost that a move must save; None to move whatever it gains."""


def solve(state: State, policy: Policy, planning: Planning | None = None) -> Plan:
    """The plan of a policy.

    Args:
        state: what is known.
        policy: how to split.
        planning: hysteresis and seed; None for the usual.

    Returns:
        Grants within every SSD's space and IOPS, with their reasons.
    """
    how = planning or Planning()
    remarks: list[str] = []
    state = _with_floors(state, remarks)
    state, shares = _lasting(state, policy, how.seeds, remarks)
    sizes = {name: share.size_bytes for name, share in shares.items()}
    now = {vm.name: float(vm.size_bytes) for vm in state.vms}
    stays: list[Hypervisor] = []
    if not policy.shares:
        sizes = _rounded(state, sizes, spread=policy.cost_s(state, ratios(state, sizes)) is not None)
        if how.least_gain is not None and any(now.values()):
            stays = kept(state, policy, sizes, how.least_gain)
    staying = {vm.name for hypervisor in stays for vm in state.on(hypervisor)}
    sizes |= {vm.name: vm.size_bytes for vm in state.vms if vm.name in staying}
    remarks += _remarks(state)
    grants = _grants(state, policy, shares, sizes, staying)
    return Plan(
        policy.name,
        grants,
        expected(state, sizes),
        expected(state, now),
        policy.shares,
        tuple(each.name for each in stays),
        tuple(advise(state)),
        tuple(remarks),
    )


def _with_floors(state: State, remarks: list[str]) -> State:
    """The state with floors that fit on each SSD."""
    lowered: dict[str, int] = {}
    for hypervisor in state.hypervisors:
        vms = state.on(hypervisor)
        asked = sum(vm.floor_bytes for vm in vms)
        if asked > hypervisor.space_bytes:
            asks = [float(vm.floor_bytes) for vm in vms]
            floors = fill(hypervisor.space_bytes, [0.0] * len(vms), asks, asks)
            lowered |= {vm.name: int(floor) for vm, floor in zip(vms, floors, strict=True)}
            text = f"floors of {size(asked)} do not fit on {hypervisor.name}'s {size(hypervisor.space_bytes)}"
            remarks.append(f"{text}: all are lowered in proportion")
    if not lowered:
        return state
    return replace(
        state, vms=tuple(replace(vm, floor_bytes=lowered.get(vm.name, vm.floor_bytes)) for vm in state.vms)
    )


def _lasting(
    state: State, policy: Policy, seeds: Seeds, remarks: list[str]
) -> tuple[State, Mapping[str, Share]]:
    """Shares that wear no SSD faster than it shall: VMs that write most for each hit lose their cache, one by one."""
    shares = policy.split(state, seeds)
    while True:
        worst = None if policy.shares else _worst_writer(state, shares)
        if worst is None:
            return state, shares
        vm, hypervisor = worst
        per_day = written(vm, shares[vm.name].size_bytes) * _DAY_S
        remarks.append(
            f"{vm.name} gets no cache: it would write {size(per_day)} a day to {hypervisor.name}'s SSD, which may be "
            f"written {size(hypervisor.writes_bytes_per_day or 0)}, for fewer hits than others"
        )
        without = replace(vm, floor_bytes=0, ceiling_bytes=0)
        state = replace(state, vms=tuple(without if each.name == vm.name else each for each in state.vms))
        shares = policy.split(state, seeds)


def _worst_writer(state: State, shares: Mapping[str, Share]) -> tuple[Vm, Hypervisor] | None:
    """The VM with the fewest hits for each byte written, on an SSD that is written too much; None where none is."""
    for hypervisor in state.hypervisors:
        if hypervisor.writes_bytes_per_day is None:
            continue
        writers = [vm for vm in state.on(hypervisor) if written(vm, shares[vm.name].size_bytes) > 0]
        total = sum(written(vm, shares[vm.name].size_bytes) for vm in writers)
        if total * _DAY_S > hypervisor.writes_bytes_per_day:
            return min(writers, key=lambda vm: _hits_per_byte(vm, shares[vm.name].size_bytes)), hypervisor
    return None


def _hits_per_byte(vm: Vm, size_bytes: int) -> float:
    hits = vm.importance * vm.reads_per_s * (1 - vm.misses.at(size_bytes))
    return hits / written(vm, size_bytes)


def _rounded(state: State, sizes: Mapping[str, int], *, spread: bool) -> dict[str, int]:
    """Whole granules above each floor; what a search left over goes where misses might still fall."""
    found: dict[str, int] = {}
    for hypervisor in state.hypervisors:
        vms = state.on(hypervisor)
        given = [float(sizes[vm.name]) for vm in vms]
        if spread and sum(given) < hypervisor.space_bytes:
            weights = _gainers(vms, given)
            ceilings = [
                own if not weight else math.inf if vm.ceiling_bytes is None else float(vm.ceiling_bytes)
                for vm, own, weight in zip(vms, given, weights, strict=True)
            ]
            rest = fill(
                hypervisor.space_bytes - sum(given), weights, [0.0] * len(vms),
                [ceiling - own for ceiling, own in zip(ceilings, given, strict=True)],
            )  # fmt: skip
            given = [own + more for own, more in zip(given, rest, strict=True)]
        for vm, own in zip(vms, given, strict=True):
            above = max(0, int(own) - vm.floor_bytes)
            found[vm.name] = vm.floor_bytes + above - above % state.granule_bytes
        over = sum(found[vm.name] for vm in vms) - hypervisor.space_bytes
        if over > 0:  # a byte or two, where sizes exceed the digits of a float
            largest = max(vms, key=lambda vm: found[vm.name] - vm.floor_bytes)
            found[largest.name] = max(largest.floor_bytes, found[largest.name] - over)
    return found


def _gainers(vms: tuple[Vm, ...], given: list[float]) -> list[float]:
    """What is left goes to who misses, as in a cache for all: nobody knows yet what a new job will read again.

    Where nobody misses, all who may have more get the same.
    """
    open_ = [vm.ceiling_bytes is None or own < vm.ceiling_bytes for vm, own in zip(vms, given, strict=True)]
    missed = [vm.importance * vm.reads_per_s * vm.misses.at(own) for vm, own in zip(vms, given, strict=True)]
    weights = [miss if may else 0.0 for miss, may in zip(missed, open_, strict=True)]
    return weights if any(weights) else [1.0 if may else 0.0 for may in open_]


def _remarks(state: State) -> list[str]:
    blind = [vm.name for vm in state.vms if vm.reads_per_s and not vm.misses.accesses]
    if not blind:
        return []
    names = ", ".join(blind[:5]) + (f" and {len(blind) - 5} more" if len(blind) > 5 else "")
    return [f"no curve yet of {names}: what a cache would do for them is not known"]


def _grants(
    state: State, policy: Policy, shares: Mapping[str, Share], sizes: Mapping[str, int], staying: set[str]
) -> tuple[Grant, ...]:
    caps = _caps(state, shares)
    spaces = {each.name: each.space_bytes for each in state.hypervisors}
    grants = []
    for vm in state.vms:
        given, missed = sizes[vm.name], vm.misses.at(sizes[vm.name])
        reason = shares[vm.name].reason
        left_over = given - shares[vm.name].size_bytes
        if not policy.shares and left_over >= max(state.granule_bytes, given // 100):
            reason += f"; {size(left_over)} of it were left over"
        if vm.name in staying:
            reason = f"stays at {size(given)}: a move would not pay for itself within {state.horizon_s:g} s"
        cap, words = caps.get(vm.name, (None, ""))
        own = spaces[vm.hypervisor] if policy.shares else given
        grants.append(
            Grant(vm.name, vm.hypervisor, own, cap, f"{reason}{words}", missed, vm.reads_per_s * missed)
        )
    return tuple(grants)


def _caps(state: State, shares: Mapping[str, Share]) -> dict[str, tuple[float, str]]:
    """IOPS of each VM and the words for them, on SSDs whose IOPS are known, under policies that split them."""
    found = {}
    for hypervisor in state.hypervisors:
        vms = state.on(hypervisor)
        weights = [shares[vm.name].iops_weight for vm in vms]
        if hypervisor.iops is None or None in weights:
            continue
        least = _LEAST_IOPS * hypervisor.iops / max(1, len(vms))
        caps = split_iops(
            hypervisor.iops,
            [weight or 0.0 for weight in weights],
            [vm.iops for vm in vms],
            [
                max(vm.floor_iops, least if vm.ceiling_iops is None else min(least, vm.ceiling_iops))
                for vm in vms
            ],
            [math.inf if vm.ceiling_iops is None else vm.ceiling_iops for vm in vms],
        )
        for vm, cap in zip(vms, caps, strict=True):
            found[vm.name] = (float(cap), f"; at most {cap:,} IOPS, of which it wants {vm.iops:,.0f}")
    return found
