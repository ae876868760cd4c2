"""Applications whose jobs run on VMs of one state."""

from __future__ import annotations

import random

from froude.cache.solve.state import JobRun


def runs(
    reads: dict[str, float], fixed_s: float, miss_s: float, *, slowest: bool, noise_s: float = 0.0
) -> tuple[JobRun, ...]:
    """Jobs at random caches."""
    rng, found = random.Random(5), []
    for _ in range(8):
        misses = {name: count * rng.random() for name, count in reads.items()}
        counted = max(misses.values()) if slowest else sum(misses.values())
        time_s = fixed_s + miss_s * counted + abs(rng.gauss(0, noise_s))
        found.append(JobRun(time_s=time_s, reads=reads, misses=misses))
    return tuple(found)
