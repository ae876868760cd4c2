"""Measures everything that docs/results/cache shows: `make results-cache`.

Groups can be measured alone, `python -m benchmarks.results_cache --only nbd`.
"""

from __future__ import annotations

from benchmarks.results import Topic

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

if __name__ == "__main__":
    TOPIC.main()
