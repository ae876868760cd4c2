"""What if the SSDs were larger, or smaller? The same curves, split again at other sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from froude.cache.solve.plan import Plan
from froude.cache.solve.planner import Planning, solve
from froude.cache.solve.policies import Policy
from froude.cache.solve.state import State


@dataclass(frozen=True, slots=True)
class Case:
    """SSDs of one size."""

    factor: float
    """Of the space that there is."""
    space_bytes: int
    plan: Plan


def what_if(
    state: State, policy: Policy, factors: Sequence[float], planning: Planning | None = None
) -> list[Case]:
    """A plan for each size, from scratch: what moves cost is not counted.

    Args:
        factors: of the space that there is, 0 or more.
        planning: its seed; None for the usual.
    """
    how = replace(planning or Planning(), least_gain=None)
    cases = []
    for factor in factors:
        scaled = state.scaled(factor)
        space = sum(each.space_bytes for each in scaled.hypervisors)
        cases.append(Case(factor, space, solve(scaled, policy, how)))
    return cases


def measured_to(state: State) -> float:
    """Up to which factor the curves were measured: beyond it they promise nothing, and a what-if says too little.

    Returns:
        The least over all hypervisors that have space and VMs with curves; infinite without any.
    """
    found = []
    for hypervisor in state.hypervisors:
        known = sum(vm.misses.sizes_bytes[-1] for vm in state.on(hypervisor))
        if hypervisor.space_bytes and known:
            found.append(known / hypervisor.space_bytes)
    return min(found, default=float("inf"))
