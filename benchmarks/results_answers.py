"""Measures everything that docs/results/answers shows: `make results-answers`."""

from __future__ import annotations

from benchmarks.results import ONE_INPUT, Topic

TOPIC = Topic(
    "answers",
    "What a player costs, measured",
    "Every figure is measured by `make results-answers` on the machine named below: CPU of a player's process for each "
    "call that it plays on a real NameNode, next to a ready-made stream of calls in the same run. The jobs are mined, "
    "and recorded once; other jobs give other figures. How far a ResourceManager scales is by applications that are "
    "written by hand.",
)
TOPIC.benchmark("calls", "A played call", "bench_answers", conditions=ONE_INPUT)
TOPIC.benchmark(
    "resourcemanager", "How far a ResourceManager scales on this machine", "bench_resourcemanager"
)

if __name__ == "__main__":
    TOPIC.main()
