"""What no split can mend: an SSD whose VMs want more operations than it serves. One of them should move.

Section 5.4 of the paper: for VMs of different applications on one hypervisor the contention for IOPS "can only be solved
by introducing the live migration of virtual machine".
"""

from __future__ import annotations

from froude.cache.solve.plan import Advice
from froude.cache.solve.state import Hypervisor, State, Vm
from froude.cache.solve.words import rate


def advise(state: State) -> list[Advice]:
    """What to move where, one VM for each SSD that is wanted too much, each place counted once.

    Args:
        state: the VMs with the operations that they want.
    """
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
