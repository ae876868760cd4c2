"""Measures everything that docs/results/dynamometer shows: `make results-dynamometer`.

Groups can be measured alone, `python -m benchmarks.results_dynamometer --only images`.
"""

from __future__ import annotations

from benchmarks.results import ONE_INPUT, Topic

TOPIC = Topic(
    "dynamometer",
    "Real namespaces and block lists, measured",
    "Every figure is measured by `make results-dynamometer` on the machine named below: images made up, read and "
    "summarised, and the replicas of their blocks placed on DataNodes, with rates in seconds of one processor; audit "
    "logs replayed beside Dynamometer's own replay, and beside the run that they are of; comparisons of NameNodes. "
    "Images, logs and jobs are made up, and other ones give other figures.",
)
TOPIC.benchmark("images", "Images", "bench_image", conditions=ONE_INPUT)
TOPIC.benchmark(
    "whole", "Five million files on a thousand DataNodes", "dynamometer_whole", conditions=ONE_INPUT
)
TOPIC.benchmark("growth", "A log grown to more clients", "bench_growth")
TOPIC.benchmark("beside", "Beside Dynamometer's own replay", "dynamometer_beside", conditions=ONE_INPUT)
TOPIC.benchmark("truth", "An original run beside its replay", "dynamometer_truth", conditions=ONE_INPUT)
TOPIC.benchmark(
    "compare", "How often a comparison is wrong, and what it sees", "bench_compare", conditions=ONE_INPUT
)
TOPIC.benchmark(
    "lock", "The fine-grained lock against the single one", "dynamometer_lock", conditions=ONE_INPUT
)

if __name__ == "__main__":
    TOPIC.main()
