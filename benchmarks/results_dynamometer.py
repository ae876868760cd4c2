"""Measures everything that docs/results/dynamometer shows: `make results-dynamometer`.

Groups can be measured alone, `python -m benchmarks.results_dynamometer --only images`.
"""

from __future__ import annotations

from benchmarks.results import Topic

TOPIC = Topic(
    "dynamometer",
    "Real namespaces and block lists, measured",
    "Every figure is measured by `make results-dynamometer` on the machine named below: images made up, read and "
    "summarised, and the replicas of their blocks placed on DataNodes, with rates in seconds of one processor; audit "
    "logs replayed beside Dynamometer's own replay, and beside the run that they are of; comparisons of NameNodes.",
)
TOPIC.benchmark("images", "Images", "bench_image")
TOPIC.benchmark("whole", "Five million files on a thousand DataNodes", "dynamometer_whole")
TOPIC.benchmark("growth", "A log grown to more clients", "bench_growth")
TOPIC.benchmark("beside", "Beside Dynamometer's own replay", "dynamometer_beside")
TOPIC.benchmark("truth", "An original run beside its replay", "dynamometer_truth")
TOPIC.benchmark("compare", "How often a comparison is wrong, and what it sees", "bench_compare")
TOPIC.benchmark("lock", "The fine-grained lock against the single one", "dynamometer_lock")

if __name__ == "__main__":
    TOPIC.main()
