"""What a shared LRU cache would give each VM: the split that nobody decides.

In one cache for all, a VM holds what it read within some time T, the same for all. While T grows, its part grows by the
chunks that it misses: `dc/dT = reads x miss ratio at c`. T is where all parts fill the cache. So a shared cache needs no
model of its own: it is one of the splits of the same curves, as far as VMs read independently of each other.

Source: the higher-order theory of locality, Xiang et al., ASPLOS 2013; natural partitions, Brock et al., 2015.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from froude.cache.solve.state import Vm


def natural_split(vms: Sequence[Vm], space_bytes: int) -> list[float]:
    """Bytes that each VM holds of a shared cache; n log n in the points of all curves.

    Args:
        vms: of one hypervisor.
    """
    speeds: list[tuple[float, int, float]] = []  # from when on a VM's part grows at which speed
    for number, vm in enumerate(vms):
        sizes, ratios = vm.misses.sizes_bytes, vm.misses.miss_ratio
        per_s, now = vm.reads_per_s * vm.chunk_bytes, 0.0
        for (size, end), ratio in zip(pairwise([*sizes, math.inf]), ratios, strict=True):
            speeds.append((now, number, per_s * ratio))
            if per_s * ratio <= 0:
                break
            now += (end - size) / (per_s * ratio)
    parts, growing = [0.0] * len(vms), [0.0] * len(vms)
    now = 0.0
    for start, number, speed in [*sorted(speeds), (math.inf, -1, 0.0)]:
        total, left = sum(growing), space_bytes - sum(parts)
        lasts = min(start - now, left / total) if total > 0 else 0.0
        parts = [part + grows * lasts for part, grows in zip(parts, growing, strict=True)]
        if total > 0 and lasts < start - now:
            break
        now = start
        if number >= 0:
            growing[number] = speed
    return parts
