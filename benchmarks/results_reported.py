"""Measures everything that docs/results/reported shows: `make results-reported`.

A group is a defect that users of such programs report; it is added by one line below.
"""

from __future__ import annotations

from benchmarks.results import Topic

TOPIC = Topic(
    "reported",
    "What users report, measured",
    "Every figure is measured by `make results-reported` on the machine named below. Each group is a difficulty that "
    "real data had: how the program does with it is measured on inputs whose right answer is known.",
)
TOPIC.benchmark("forms", "Files as people have them", "reported_forms")
TOPIC.benchmark("gaps", "Gaps in histories", "harvest_gaps")

if __name__ == "__main__":
    TOPIC.main()
