"""Jobs with YARN: scripts around `yarn examples`, `yarn streaming` and `yarn distcp`, and a master of its own."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.batch_master import BatchJob, BatchMaster
from benchmarks.unseen.clients import run_script
from froude.experiment.record.jobs import JobDefinition, Recorder
from froude.experiment.record.record import Recording
from froude.hadoop.cluster.yarn_cluster import YarnCluster
from froude.hadoop.settings.yarn import CLIENT, SCHEDULER
from froude.workload.scale import Scale

CONTAINER_MB = 256
ASK_S = 0.5
"""Between two heartbeats of the own master."""


def _script(name: str, *variables: str) -> Callable[[Recorder, Scale, Path], None]:
    """A job that runs a script with these variables of the Scale."""

    def run(recorder: Recorder, scale: Scale, scratch: Path) -> None:
        run_script(name, recorder, scale, scratch, *variables)

    return run


def run_containers(recorder: Recording, scale: Scale, scratch: Path) -> None:
    """Run rounds of containers by an application master of its own, each round once the one before it has ended.

    Args:
        recorder: the cluster that is recorded.
        scale: `rounds` and `containers` (of the first round; each has one more) are looked at.
        scratch: not used.
    """
    cluster = recorder.cluster
    assert isinstance(cluster, YarnCluster)
    master = BatchMaster(
        cluster.clients_address,
        (CLIENT, SCHEDULER),
        cluster.jars.schema(),
        memory_mb=CONTAINER_MB,
        command=lambda job, _: f"sleep {job.work_s}",
    )
    with master:
        for number in range(int(scale["rounds"].value)):
            containers = int(scale["containers"].value) + number
            master.submit(BatchJob(number, "round", containers, 0.5), [("", containers)])
            while not master.step():
                time.sleep(ASK_S)


WORDS = JobDefinition(
    name="count-words",
    what="Texts are uploaded, and their words counted by some reducers.",
    run=_script("count_words.sh", "files", "reducers"),
    train=(
        Scale.of(datanodes=2, nodemanagers=2, files=3, reducers=1),
        Scale.of(datanodes=3, nodemanagers=2, files=2, reducers=3),
        Scale.of(datanodes=2, nodemanagers=3, files=5, reducers=2),
        Scale.of(datanodes=4, nodemanagers=3, files=4, reducers=1),
        Scale.of(datanodes=3, nodemanagers=3, files=2, reducers=1),
    ),
    held_out=Scale.of(datanodes=5, nodemanagers=5, files=10, reducers=5),
    play=Scale.of(datanodes=50, nodemanagers=50, files=200, reducers=40),
)
SEARCH = JobDefinition(
    name="search-logs",
    what="Logs are uploaded and searched, term by term; each search is two jobs.",
    run=_script("search_logs.sh", "files", "terms"),
    train=(
        Scale.of(datanodes=2, nodemanagers=2, files=3, terms=1),
        Scale.of(datanodes=3, nodemanagers=2, files=2, terms=2),
        Scale.of(datanodes=2, nodemanagers=3, files=4, terms=2),
        Scale.of(datanodes=4, nodemanagers=3, files=2, terms=1),
        Scale.of(datanodes=3, nodemanagers=3, files=2, terms=1),
    ),
    held_out=Scale.of(datanodes=5, nodemanagers=5, files=8, terms=4),
    play=Scale.of(datanodes=50, nodemanagers=50, files=100, terms=30),
)
SORT = JobDefinition(
    name="sort-rows",
    what="TeraGen, TeraSort and TeraValidate, one after the other.",
    run=_script("sort_rows.sh", "rows", "maps", "reducers"),
    train=(
        Scale.of(datanodes=2, nodemanagers=2, rows=10_000, maps=2, reducers=1),
        Scale.of(datanodes=3, nodemanagers=2, rows=4_000, maps=3, reducers=2),
        Scale.of(datanodes=2, nodemanagers=3, rows=6_000, maps=4, reducers=3),
        Scale.of(datanodes=4, nodemanagers=3, rows=9_000, maps=1, reducers=2),
        Scale.of(datanodes=3, nodemanagers=3, rows=3_000, maps=2, reducers=3),
        Scale.of(datanodes=2, nodemanagers=2, rows=5_000, maps=3, reducers=1),
    ),
    held_out=Scale.of(datanodes=5, nodemanagers=5, rows=20_000, maps=8, reducers=6),
    play=Scale.of(datanodes=50, nodemanagers=50, rows=1_000_000, maps=100, reducers=60),
)
PI = JobDefinition(
    name="estimate-pi",
    what="The same estimate by maps, round after round.",
    run=_script("estimate_pi.sh", "maps", "rounds"),
    train=(
        Scale.of(datanodes=2, nodemanagers=2, maps=2, rounds=2),
        Scale.of(datanodes=3, nodemanagers=2, maps=5, rounds=1),
        Scale.of(datanodes=2, nodemanagers=3, maps=3, rounds=1),
        Scale.of(datanodes=4, nodemanagers=3, maps=4, rounds=2),
        Scale.of(datanodes=3, nodemanagers=3, maps=2, rounds=3),
    ),
    held_out=Scale.of(datanodes=5, nodemanagers=5, maps=10, rounds=5),
    play=Scale.of(datanodes=50, nodemanagers=50, maps=200, rounds=20),
)
NIGHTLY = JobDefinition(
    name="nightly-counts",
    what="Each day's files are uploaded and counted by a job; another one adds up all days.",
    run=_script("nightly.sh", "days", "files"),
    train=(
        Scale.of(datanodes=2, nodemanagers=2, days=2, files=2),
        Scale.of(datanodes=3, nodemanagers=2, days=1, files=4),
        Scale.of(datanodes=2, nodemanagers=3, days=2, files=3),
        Scale.of(datanodes=4, nodemanagers=3, days=3, files=1),
        Scale.of(datanodes=3, nodemanagers=3, days=1, files=2),
    ),
    held_out=Scale.of(datanodes=5, nodemanagers=5, days=5, files=8),
    play=Scale.of(datanodes=50, nodemanagers=50, days=30, files=100),
)
TWO = JobDefinition(
    name="two-jobs-at-once",
    what="One job over small files and one over pairs of numbers, at the same time.",
    run=_script("side_by_side.sh", "files", "pairs"),
    train=(
        Scale.of(datanodes=2, nodemanagers=2, files=4, pairs=200),
        Scale.of(datanodes=3, nodemanagers=2, files=7, pairs=100),
        Scale.of(datanodes=2, nodemanagers=3, files=5, pairs=300),
        Scale.of(datanodes=4, nodemanagers=3, files=9, pairs=150),
        Scale.of(datanodes=3, nodemanagers=3, files=4, pairs=250),
    ),
    held_out=Scale.of(datanodes=5, nodemanagers=5, files=18, pairs=600),
    play=Scale.of(datanodes=50, nodemanagers=50, files=400, pairs=10_000),
)
AGAIN = JobDefinition(
    name="maps-tried-again",
    what="A streaming job, some maps of which fail at their first attempt.",
    run=_script("try_again.sh", "files", "flaky"),
    train=(
        Scale.of(datanodes=2, nodemanagers=2, files=3, flaky=1),
        Scale.of(datanodes=3, nodemanagers=2, files=5, flaky=2),
        Scale.of(datanodes=2, nodemanagers=3, files=4, flaky=2),
        Scale.of(datanodes=4, nodemanagers=3, files=6, flaky=1),
        Scale.of(datanodes=3, nodemanagers=3, files=3, flaky=3),
    ),
    held_out=Scale.of(datanodes=5, nodemanagers=5, files=12, flaky=6),
    play=Scale.of(datanodes=50, nodemanagers=50, files=200, flaky=20),
)
JOIN = JobDefinition(
    name="join-tables",
    what="Tables that are cut and sorted by the same keys are uploaded and joined.",
    run=_script("join_tables.sh", "parts", "tables"),
    train=(
        Scale.of(datanodes=2, nodemanagers=2, parts=3, tables=2),
        Scale.of(datanodes=3, nodemanagers=2, parts=2, tables=3),
        Scale.of(datanodes=2, nodemanagers=3, parts=4, tables=3),
        Scale.of(datanodes=4, nodemanagers=3, parts=5, tables=2),
        Scale.of(datanodes=3, nodemanagers=3, parts=2, tables=2),
    ),
    held_out=Scale.of(datanodes=5, nodemanagers=5, parts=10, tables=6),
    play=Scale.of(datanodes=50, nodemanagers=50, parts=100, tables=20),
)
COPY = JobDefinition(
    name="copy-folders",
    what="Folders are copied by DistCp, and once more what has been added since.",
    run=_script("copy_folders.sh", "folders", "files"),
    train=(
        Scale.of(datanodes=2, nodemanagers=2, folders=2, files=3),
        Scale.of(datanodes=3, nodemanagers=2, folders=3, files=2),
        Scale.of(datanodes=2, nodemanagers=3, folders=4, files=4),
        Scale.of(datanodes=4, nodemanagers=3, folders=2, files=5),
        Scale.of(datanodes=3, nodemanagers=3, folders=1, files=3),
    ),
    held_out=Scale.of(datanodes=5, nodemanagers=5, folders=8, files=10),
    play=Scale.of(datanodes=50, nodemanagers=50, folders=100, files=40),
)
CONTAINERS = JobDefinition(
    name="rounds-of-containers",
    what="An application master of its own runs rounds of containers, each round with one more.",
    run=run_containers,
    train=(
        Scale.of(datanodes=2, nodemanagers=2, rounds=3, containers=2),
        Scale.of(datanodes=3, nodemanagers=2, rounds=2, containers=4),
        Scale.of(datanodes=2, nodemanagers=3, rounds=4, containers=3),
        Scale.of(datanodes=4, nodemanagers=3, rounds=5, containers=2),
        Scale.of(datanodes=3, nodemanagers=3, rounds=2, containers=1),
    ),
    held_out=Scale.of(datanodes=5, nodemanagers=5, rounds=10, containers=8),
    play=Scale.of(datanodes=50, nodemanagers=50, rounds=60, containers=100),
)
