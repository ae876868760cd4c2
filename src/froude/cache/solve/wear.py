"""Splits that wear no SSD faster than it shall: what is written a day stays within what may be.

A search can weigh it: a byte written to an SSD gets a price, as high as is needed, and the split is the best one at
that price. So the VM that fills its cache for few hits loses it first, and one that writes less the larger its cache is
gets a larger one. Only splits that are best at some price are found: one in between, which would use the limit better,
is passed over. A rule cannot weigh it; under one, VMs with the fewest hits for each byte written lose their caches.
"""

from __future__ import annotations

from collections.abc import Mapping

from froude.base.seeds import Seeds
from froude.cache.solve.policies import Policy, Search
from froude.cache.solve.share import Share
from froude.cache.solve.state import DAY_S, Hypervisor, State, Vm, written
from froude.cache.solve.words import size

_STEEPER = 4.0
"""How a price that is too low is raised."""
_RAISES, _HALVINGS = 30, 8


def lasting(
    state: State, policy: Policy, seeds: Seeds, remarks: list[str]
) -> tuple[State, Mapping[str, Share]]:
    """Shares within what each SSD may be written.

    Args:
        state: whose floors fit on each SSD.
        remarks: what had to be done is added.

    Returns:
        The state, in which VMs that must have no cache have a ceiling of 0, and the shares.
    """
    shares = policy.split(state, seeds)
    if policy.shares:
        return state, shares
    if isinstance(policy, Search) and _over(state, shares):
        shares = _at_a_price(state, policy, shares, remarks)
    while over := _over(state, shares):
        hypervisor = over[0]
        writers = [vm for vm in state.on(hypervisor) if written(vm, shares[vm.name].size_bytes) > 0]
        worst = min(writers, key=lambda vm: _hits_per_byte(vm, shares[vm.name].size_bytes))
        writes = written(worst, shares[worst.name].size_bytes) * DAY_S
        remarks.append(
            f"{worst.name} gets no cache: it would write {size(writes)} a day to {hypervisor.name}'s SSD, which may "
            f"be written {size(hypervisor.writes_bytes_per_day or 0)}, for fewer hits than others"
        )
        without = worst.replaced(floor_bytes=0, ceiling_bytes=0)
        state = state.replaced(vms=tuple(without if each.name == worst.name else each for each in state.vms))
        shares = policy.split(state, seeds)
    return state, shares


def per_day(state: State, hypervisor: Hypervisor, sizes: Mapping[str, float]) -> float:
    """Bytes written to an SSD in a day.

    Args:
        sizes: of caches, by VM.
    """
    return sum(written(vm, sizes[vm.name]) for vm in state.on(hypervisor)) * DAY_S


def within(state: State, hypervisor: Hypervisor, sizes: Mapping[str, float]) -> bool:
    """Whether an SSD is written no more than it may be.

    Args:
        sizes: of caches, by VM.
    """
    most = hypervisor.writes_bytes_per_day
    return most is None or per_day(state, hypervisor, sizes) <= most


def _over(state: State, shares: Mapping[str, Share]) -> list[Hypervisor]:
    """The hypervisors whose SSD is written too much."""
    return [each for each in state.hypervisors if not within(state, each, _sizes(shares))]


def _at_a_price(
    state: State, policy: Search, shares: Mapping[str, Share], remarks: list[str]
) -> Mapping[str, Share]:
    """The best split at the lowest prices that keep SSDs within their limits; the shares, where no price does."""
    before = {each.name: per_day(state, each, _sizes(shares)) for each in _over(state, shares)}
    start = policy.cost_s(state, {vm.name: 1.0 for vm in state.vms}) * DAY_S / sum(before.values()) / 1000
    low, high = dict.fromkeys(before, 0.0), dict.fromkeys(before, max(start, 1e-15))
    for _ in range(_RAISES):
        found = policy.priced(state, high)
        still = [each.name for each in _over(state, found)]
        if not still:
            break
        for name in still:
            low[name] = high.get(name, 0.0)
            high[name] = _STEEPER * high.get(name, start)
    else:
        return shares  # floors are in the way: without any cache nothing would be written
    for _ in range(_HALVINGS):
        middle = {name: (low[name] + high[name]) / 2 for name in high}
        tried = policy.priced(state, middle)
        still = [each.name for each in _over(state, tried)]
        low |= {name: middle[name] for name in still if name in middle}
        high |= {name: price for name, price in middle.items() if name not in still}
        found = found if still else tried
    priced = [each for each in state.hypervisors if each.name in before]
    remarks += [_said(each, before[each.name], per_day(state, each, _sizes(found))) for each in priced]
    return found


def _said(hypervisor: Hypervisor, before: float, now: float) -> str:
    most = size(hypervisor.writes_bytes_per_day or 0)
    return (
        f"what is written to {hypervisor.name}'s SSD has a price, so that it is {size(now)} a day of the {most} that it "
        f"may take, instead of {size(before)}"
    )


def _sizes(shares: Mapping[str, Share]) -> dict[str, float]:
    return {name: float(share.size_bytes) for name, share in shares.items()}


def _hits_per_byte(vm: Vm, size_bytes: int) -> float:
    hits = vm.importance * vm.reads_per_s * (1 - vm.misses.at(size_bytes))
    return hits / written(vm, size_bytes)
