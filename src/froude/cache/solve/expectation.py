"""What sizes are expected to bring: miss ratios by curves, the time of reads, what is written, the time of jobs."""

from __future__ import annotations

from collections.abc import Mapping

from froude.cache.solve.curve_policies import completions
from froude.cache.solve.plan import Expected
from froude.cache.solve.state import State, written


def ratios(state: State, sizes: Mapping[str, float]) -> dict[str, float]:
    """Miss ratio of each VM, by name.

    Args:
        sizes: bytes by VM.
    """
    return {vm.name: vm.misses.at(sizes[vm.name]) for vm in state.vms}


def expected(state: State, sizes: Mapping[str, float]) -> Expected:
    """All that sizes are expected to bring.

    Args:
        sizes: bytes by VM; of a shared cache, what each holds of it.
    """
    missed = ratios(state, sizes)
    known = [vm for vm in state.vms if vm.misses.accesses and vm.reads_per_s]
    total = sum(vm.importance * vm.reads_per_s for vm in known)
    mean = sum(vm.importance * vm.reads_per_s * missed[vm.name] for vm in known) / total if total else 0.0
    return Expected(
        mean * state.miss_s + (1 - mean) * state.hit_s if total else None,
        sum(vm.reads_per_s * missed[vm.name] for vm in known) if known else None,
        sum(written(vm, sizes[vm.name]) for vm in state.vms),
        {name: model.time_s(missed) for name, model in completions(state).items()},
    )
