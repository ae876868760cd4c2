"""Measures everything that docs/results/cache shows: `make results-cache`.

Groups can be measured alone, `python -m benchmarks.results_cache --only nbd`.
"""

from __future__ import annotations

from benchmarks import (
    cache_backends,
    cache_fio,
    cache_hadoop,
    cache_hadoop_rows,
    cache_machine,
    cache_overhead,
    cache_rounds,
)
from benchmarks.results import ONE_INPUT, Row, Topic, with_condition

TOPIC = Topic(
    "cache",
    "Splitting an SSD cache, measured",
    "Every figure is measured by `make results-cache` on the machine named below. Jobs that are *played out* run on a "
    "virtual clock, by assumptions that `froude.cache.simulate.jobs` lists: they compare policies, and predict no "
    "cluster's times. What they read is made up, and other reads give other figures: a value over several is their "
    "median, with the least and the most.",
)
TOPIC.benchmark("nbd", "Cached disks: throughput and consistency", "bench_cache_disk")
TOPIC.benchmark("solve", "Solving", "cache_solving")
TOPIC.benchmark("solve-time", "What solving takes", "cache_solving", "times")
TOPIC.benchmark("table-2", "Table 2 of the paper, played out", "cache_simulating", "table_2")
TOPIC.benchmark(
    "figure-5", "Repeated jobs on the clusters of Figure 5, played out", "cache_simulating", "figure_5"
)
TOPIC.benchmark("traces", "Block traces, replayed", "cache_simulating", "traces")


_MINUTES = 11.0


@TOPIC.group("hadoop", "Real Hadoop jobs on four caches over one slow disk")
def hadoop() -> list[Row]:
    """Goes on for some minutes with runs that are not measured yet, and tells of all that are."""
    reason = cache_machine.why_not()
    if reason is None:
        cache_hadoop.measure(_MINUTES, tuple(cache_hadoop.PARTS), 6)
    rows = cache_hadoop_rows.rows_of(cache_hadoop.read_runs())
    return [with_condition(row, ONE_INPUT) for row in rows]


@TOPIC.group("fio", "Jobs by fio on four cached disks over one slow disk")
def fio() -> list[Row]:
    """Job times by policy."""
    said = f"{ONE_INPUT}: the set of jobs; what it reads differs by run"
    return [with_condition(row, said) for row in cache_fio.rows()]


@TOPIC.group("backends", "Enforcement: does a cap hold?")
def backends() -> list[Row]:
    """Every back-end that can run here."""
    return cache_backends.rows()


@TOPIC.group("overhead", "What observing and controlling costs")
def overhead() -> list[Row]:
    """Processor time of agents and controller; of one round for many VMs."""
    return [*cache_overhead.rows(), *cache_rounds.rows()]


if __name__ == "__main__":
    TOPIC.main()
