"""Measures everything that docs/results/cache shows: `make results-cache`.

Groups can be measured alone, `python -m benchmarks.results_cache --only nbd`.
"""

from __future__ import annotations

from benchmarks import cache_fio, cache_overhead
from benchmarks.results import Row, Topic

TOPIC = Topic(
    "cache",
    "Splitting an SSD cache, measured",
    "Every figure is measured by `make results-cache` on the machine named below. Jobs that are *played out* run on a "
    "virtual clock, by assumptions that `froude.cache.simulate.jobs` lists: they compare policies, and predict no "
    "cluster's times.",
)
TOPIC.benchmark("nbd", "Cached disks: throughput and consistency", "bench_cache_disk")
TOPIC.benchmark("solve", "Solving", "cache_solving")
TOPIC.benchmark("simulate", "Policies played out", "cache_simulating")


@TOPIC.group("fio", "Jobs by fio on four cached disks over one slow disk")
def fio() -> list[Row]:
    """Job times by policy."""
    return cache_fio.rows()


@TOPIC.group("overhead", "What observing and controlling costs")
def overhead() -> list[Row]:
    """Processor time of agents and controller."""
    return cache_overhead.rows()


if __name__ == "__main__":
    TOPIC.main()
