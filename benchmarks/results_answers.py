"""Measures everything that docs/results/answers shows: `make results-answers`."""

from __future__ import annotations

from benchmarks.results import ONE_INPUT, Topic

TOPIC = Topic(
    "answers",
    "What a player costs and what a knee says, measured",
    "Every figure is measured by `make results-answers` on the machine named below: CPU of a player's process for each "
    "call that it plays on a real NameNode, next to a ready-made stream of calls in the same run; how much of what the "
    "cores allow a knee reaches, and how well knees agree; how soon a NameNode is warm. The jobs are mined, and "
    "recorded once; other jobs give other figures. How far a ResourceManager scales is by applications that are "
    "written by hand.",
)
TOPIC.benchmark("calls", "A played call", "bench_answers", conditions=ONE_INPUT)
TOPIC.benchmark("limit", "A knee, next to what the cores allow", "bench_limit", "limit")
TOPIC.benchmark("repeats", "A knee again", "bench_limit", "repeats")
TOPIC.benchmark("warm", "How soon a NameNode is warm", "bench_warm")
TOPIC.benchmark(
    "resourcemanager", "How far a ResourceManager scales on this machine", "bench_resourcemanager"
)

TOPIC.benchmark("duet", "Slower by ten per cent, next to other work", "bench_duet")
TOPIC.benchmark("duet-designs", "Together, or in turns", "bench_duet_designs")
TOPIC.benchmark("duet-verdicts", "Three changes of a NameNode", "bench_duet", "verdicts")

if __name__ == "__main__":
    TOPIC.main()
