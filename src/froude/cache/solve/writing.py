"""What a cache writes to its SSD, which wears by it."""

from __future__ import annotations

from froude.cache.solve.state import Vm

DAY_S = 86400.0


def written(vm: Vm, size_bytes: float) -> float:
    """Bytes a second that a VM writes to the SSD: chunks that are filled, and what it writes through its cache.

    Args:
        size_bytes: of its cache; without one nothing is written.
    """
    if size_bytes <= 0:
        return 0.0
    return vm.reads_per_s * vm.misses.at(size_bytes) * vm.chunk_bytes + vm.writes_bytes_per_s
