"""A hypervisor as solvers see it: its SSD above all floors, in steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from froude.cache.solve.choices import STEPS, Choices, choices, step_of
from froude.cache.solve.state import Hypervisor, State, Vm


@dataclass(frozen=True, slots=True)
class Site:
    """One SSD and its VMs; a VM's size is its floor and some steps more."""

    hypervisor: Hypervisor
    vms: tuple[Vm, ...]
    step_bytes: int
    steps: int
    """That there are above all floors."""
    price: float = 0.0
    """What a byte written a second costs, in the unit of what misses cost."""

    def most(self, vm: Vm) -> int:
        """Steps that a VM may have."""
        if vm.ceiling_bytes is None:
            return self.steps
        return min(self.steps, (vm.ceiling_bytes - vm.floor_bytes) // self.step_bytes)

    def choices(self, vm: Vm, weight: float, beyond: int = 0) -> Choices:
        """What a VM can be given.

        Args:
            weight: what it costs that it misses every read.
            beyond: steps that it has already, above which the choices begin.
        """
        floor = vm.floor_bytes + beyond * self.step_bytes
        fill, keep = self.price * vm.reads_per_s * vm.chunk_bytes, self.price * vm.writes_bytes_per_s
        most = self.most(vm) - beyond
        return choices(vm.misses, weight, self.step_bytes, floor, most, fill=fill, keep=keep)


def sites(
    state: State, steps: int = STEPS, *, prices: Mapping[str, float] | None = None, scale: float = 1.0
) -> list[Site]:
    """Every hypervisor of a state.

    Args:
        state: whose floors fit on each SSD.
        steps: the most that an SSD is split into.
        prices: of a byte written a second, by hypervisor, in seconds lost a second.
        scale: of the costs that it is compared with: seconds in which they are lost.
    """
    found = []
    for hypervisor in state.hypervisors:
        vms = state.on(hypervisor)
        space = max(0, hypervisor.space_bytes - sum(vm.floor_bytes for vm in vms))
        step = step_of(space, state.granule_bytes, steps)
        price = (prices or {}).get(hypervisor.name, 0.0) * scale
        found.append(Site(hypervisor, vms, step, space // step, price))
    return found
