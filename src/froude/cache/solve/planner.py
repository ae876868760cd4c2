"""From a State to a Plan: a policy splits, and what every plan must keep is kept here, whatever the policy.

Floors fit, sizes are whole granules and never exceed an SSD, an SSD lasts as long as it shall, IOPS are capped by
demand, and a split that would not pay for its move stays as it is. No split can mend an SSD whose VMs want more
operations than it serves: one of them should move. Section 5.4 of the paper: for VMs of different applications on one
hypervisor the contention for IOPS "can only be solved by introducing the live migration of virtual machine".
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from froude.base.seeds import Seeds
from froude.cache.solve.expectation import expected
from froude.cache.solve.hysteresis import LEAST_GAIN, kept
from froude.cache.solve.max_min import fill, split_iops
from froude.cache.solve.plan import Advice, Grant, Plan
from froude.cache.solve.policies import Policy, Search
from froude.cache.solve.share import Share
from froude.cache.solve.state import Hypervisor, State, Vm
from froude.cache.solve.wear import lasting, within
from froude.cache.solve.words import rate, size

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
        planning: hysteresis and seed; None for the usual.

    Returns:
        Grants within every SSD's space and IOPS, with their reasons.
    """
    how = planning or Planning()
    remarks: list[str] = []
    state = _with_floors(state, remarks)
    state, shares = lasting(state, policy, how.seeds, remarks)
    sizes = {name: share.size_bytes for name, share in shares.items()}
    now = {vm.name: float(vm.size_bytes) for vm in state.vms}
    stays: list[Hypervisor] = []
    if not policy.shares:
        sizes = _rounded(state, sizes, spread=isinstance(policy, Search))
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
    return state.replaced(
        vms=tuple(vm.replaced(floor_bytes=lowered.get(vm.name, vm.floor_bytes)) for vm in state.vms)
    )


def _rounded(state: State, sizes: Mapping[str, int], *, spread: bool) -> dict[str, int]:
    """Whole granules above each floor; what a search left over is given away, where the SSD can bear it."""
    found: dict[str, int] = {}
    for hypervisor in state.hypervisors:
        vms = state.on(hypervisor)
        mine = _granules(state, hypervisor, [float(sizes[vm.name]) for vm in vms])
        if spread:
            more = _granules(state, hypervisor, _with_the_rest(hypervisor, vms, list(mine.values())))
            if within(state, hypervisor, more) or not within(state, hypervisor, mine):
                mine = more
        found |= mine
    return found


def _granules(state: State, hypervisor: Hypervisor, given: Sequence[float]) -> dict[str, int]:
    vms = state.on(hypervisor)
    found = {}
    for vm, own in zip(vms, given, strict=True):
        above = max(0, int(own) - vm.floor_bytes)
        found[vm.name] = vm.floor_bytes + above - above % state.granule_bytes
    over = sum(found.values()) - hypervisor.space_bytes
    if over > 0:  # a byte or two, where sizes exceed the digits of a float
        largest = max(vms, key=lambda vm: found[vm.name] - vm.floor_bytes)
        found[largest.name] = max(largest.floor_bytes, found[largest.name] - over)
    return found


def _with_the_rest(hypervisor: Hypervisor, vms: Sequence[Vm], given: Sequence[float]) -> list[float]:
    """What is left over goes to who might gain by it: by what its curve still falls, and by chunks read only once.

    Nobody knows yet whether these will be read again, as a new job's are; a cache for all would keep them, too. Where
    nobody would gain, all who may have more get the same.
    """
    left = hypervisor.space_bytes - sum(given)
    if left <= 0 or not vms:
        return list(given)
    ceilings = [math.inf if vm.ceiling_bytes is None else float(vm.ceiling_bytes) for vm in vms]
    gains = [
        vm.importance * vm.reads_per_s * (vm.misses.at(own) - vm.misses.at(own + left) + vm.misses.floor)
        for vm, own in zip(vms, given, strict=True)
    ]
    open_ = [own < most for own, most in zip(given, ceilings, strict=True)]
    weights = [gain if may else 0.0 for gain, may in zip(gains, open_, strict=True)]
    if not any(weights):
        weights = [1.0 if may else 0.0 for may in open_]
    room = [most - own if weight else 0.0 for own, most, weight in zip(given, ceilings, weights, strict=True)]
    rest = fill(left, weights, [0.0] * len(vms), room)
    return [own + more for own, more in zip(given, rest, strict=True)]


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
        known = vm.misses.accesses > 0
        misses = vm.reads_per_s * missed if known else None
        ratio = missed if known else None
        grants.append(Grant(vm.name, vm.hypervisor, own, cap, f"{reason}{words}", ratio, misses))
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


def advise(state: State) -> list[Advice]:
    """What to move where, one VM for each SSD that is wanted too much, each place counted once."""
    spare = {
        each.name: each.iops - sum(vm.iops for vm in state.on(each))
        for each in state.hypervisors
        if each.iops is not None
    }
    found = []
    for hypervisor in sorted(state.hypervisors, key=lambda each: spare.get(each.name, 0.0)):
        if spare.get(hypervisor.name, 0.0) >= 0:
            continue
        vm, to = _move(state, hypervisor, spare)
        found.append(_advice(state, hypervisor, vm, to))
        if vm is not None and to is not None:
            spare[hypervisor.name] += vm.iops
            spare[to] -= vm.iops
    return found


def _move(state: State, hypervisor: Hypervisor, spare: dict[str, float]) -> tuple[Vm | None, str | None]:
    """The VM that wants least of those whose move is enough, else most; and the SSD with most to spare."""
    to = max((name for name in spare if name != hypervisor.name), key=lambda name: spare[name], default=None)
    if to is None:
        return None, None
    excess = -spare[hypervisor.name]
    movable = [vm for vm in state.on(hypervisor) if 0 < vm.iops <= spare[to]]
    enough = [vm for vm in movable if vm.iops >= excess]
    if enough:
        return min(enough, key=lambda vm: (vm.master, vm.iops)), to
    return max(movable, key=lambda vm: (not vm.master, vm.iops), default=None), to


def _advice(state: State, hypervisor: Hypervisor, vm: Vm | None, to: str | None) -> Advice:
    wanted, served = sum(each.iops for each in state.on(hypervisor)), hypervisor.iops or 0.0
    text = f"its VMs want {rate(wanted)} operations of the {rate(served)} that its SSD serves"
    if vm is None:
        return Advice(hypervisor.name, f"{text}; no other SSD has room for one of them")
    return Advice(
        hypervisor.name, f"{text}; move {vm.name}, which wants {rate(vm.iops)}, to {to}", vm.name, to
    )
