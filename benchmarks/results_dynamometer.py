"""Measures everything that docs/results/dynamometer shows: `make results-dynamometer`.

Groups can be measured alone, `python -m benchmarks.results_dynamometer --only images`.
"""

from __future__ import annotations

from benchmarks.results import Topic

TOPIC = Topic(
    "dynamometer",
    "Real namespaces and block lists, measured",
    "Every figure is measured by `make results-dynamometer` on the machine named below: images made up, read and "
    "summarised, and the replicas of their blocks placed on DataNodes; comparisons of "
    "NameNodes. A rate is counted in seconds of one processor.",
)
TOPIC.benchmark("images", "Images", "bench_image")
TOPIC.benchmark("lock", "The fine-grained lock against the single one", "dynamometer_lock")

if __name__ == "__main__":
    TOPIC.main()
