"""Measures everything that docs/results/patternminer shows: `make results-patternminer`.

Groups can be measured alone, `python -m benchmarks.results_patternminer --only recorded`. What is recorded stays in
`.benchmarks/patternminer` and is used again; `rm -r` it to record anew.
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.bench_patternminer import held_against
from benchmarks.patternminer_tables import tables
from benchmarks.results import ONE_INPUT, Row, Topic, from_dict
from froude.documents.store import Workspace
from froude.experiment.main_job import record_job
from froude.experiment.own_job import OwnJob
from froude.experiment.session import Hadoop
from froude.mining.traces import mine
from froude.trace.files import read_trace
from froude.trace.types import Trace
from froude.workload.scale import Scale

RELEASE = "3.4.2"
_ROOT = Path(__file__).resolve().parent.parent
_KEPT = _ROOT / ".benchmarks" / "patternminer"
_PROGRAM = _ROOT / "src" / "froude" / "experiment" / "scenarios" / "mapreduce_jobs.py"
_PROPERTIES = {"dfs.blocksize": "1048576", "mapreduce.jobhistory.move.interval-ms": "3600000"}
"""As in the scenarios that are shipped."""
_TRAINED = (2, 3, 4)
_HELD_OUT = 8
_SETS = {
    "mapreduce": ("upload,teragen,terasort,wordcount", "Upload, TeraGen, TeraSort and WordCount"),
    "streaming": ("upload,distcp,invertedindex,kmeans", "Upload, DistCp, InvertedIndex and KMeans"),
}
TOPIC = Topic(
    "patternminer",
    "Real jobs, mined and extrapolated, measured",
    "Every figure is measured by `make results-patternminer` on the machine named below: real jobs on real clusters of "
    "2, 3 and 4 nodes are recorded, mined, and held against a real run at 8 nodes that was not mined. The paper counts "
    "each argument once for its representative call, random values as unknown, on the runs that it mined; the tables "
    "named after it count the same way, and beside them stands every leaf value of every call of the run that was held "
    "out, generated values as misses. A figure is of the jobs that its heading names, recorded once a size; other jobs "
    "give other figures.",
)


def recordings(name: str, jobs: str) -> tuple[list[Trace], Trace, Trace]:
    """Traces of the sizes that are mined, of the larger one, and of a second run of that; recorded if need be.

    Args:
        name: of the set of jobs.
        jobs: as the program that runs them takes them.
    """
    workspace = Workspace(_KEPT)
    job = OwnJob((str(_PROGRAM), jobs, "{nodemanagers}"))
    traces = []
    for number, size in enumerate((*_TRAINED, _HELD_OUT, _HELD_OUT), 1):
        label = f"{name}-{number}"
        folder = _KEPT / "traces" / label
        if not (folder / "meta.yaml").exists():
            print(f"  recording {label}: {size} nodes", file=sys.stderr, flush=True)
            record_job(
                job,
                Scale.of(datanodes=size, nodemanagers=size),
                workspace,
                Hadoop.find(RELEASE),
                name=label,
                properties=_PROPERTIES,
            )
        traces.append(read_trace(folder))
    return traces[:-2], traces[-2], traces[-1]


def set_rows(name: str) -> list[Row]:
    """Tables, then what became of the larger run.

    Args:
        name: of the set of jobs.
    """
    jobs, title = _SETS[name]
    train, held_out, again = recordings(name, jobs)
    workload = mine(train)
    measured = [*tables(workload), *held_against(workload, held_out, again)]
    return [from_dict(fields, title) for fields in measured]


for _name, (_, _title) in _SETS.items():
    TOPIC.group(_name, _title)(lambda name=_name: set_rows(name))


# Traces that everybody has, made by other clusters and another proxy.
TOPIC.benchmark(
    "shipped",
    "The Traces that are shipped with the tests: 2 and 3 nodes, held against 4",
    "bench_patternminer",
)
TOPIC.benchmark("jobs", "Jobs whose author had not seen the miner", "bench_unseen_jobs", "kept_rows")
TOPIC.benchmark("mining", "A million calls", "bench_mining", conditions=ONE_INPUT)

if __name__ == "__main__":
    TOPIC.main()
