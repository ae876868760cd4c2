"""Measures everything that docs/results/main-job shows: `make results-main-job`.

Groups can be measured alone, `python -m benchmarks.results_main_job --only codec,proxy`: their rows replace
the ones already in the table. Daemons run without the fast start-up flags here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from signal import SIGCONT, SIGSTOP
from threading import Event, Thread
from typing import Any

from benchmarks.archive_job import ARCHIVE
from benchmarks.results import ONE_INPUT, Row, Topic, at_least, at_most
from froude.documents.store import Workspace
from froude.emulation.run.run import Latency, Run, histogram_of
from froude.emulation.settings import Pacing
from froude.experiment.main_job import Recorded, record_job
from froude.experiment.play.play import play
from froude.experiment.record.jobs import DEMO, JobDefinition
from froude.experiment.scenario.options import Load, PlayOptions
from froude.experiment.session import Hadoop
from froude.hadoop.cluster.namenode import NameNode
from froude.mining.check.prediction import LeafOutcome, Prediction, predict
from froude.mining.traces import mine
from froude.workload.extrapolate import extrapolate
from froude.workload.plan import Plan
from froude.workload.types import Workload
from testbed.recorded import recorded

STALL_S = 5.0
_DEMO_TIME: dict[str, Any] = {"command": "froude demo", "conditions": "jars cached, fast start-up flags"}
TOPIC = Topic(
    "main-job",
    "The main job, measured",
    "Every figure is measured by `make results-main-job` on the machine named below; daemons run on loopback "
    "beside the players, on Hadoop 3.5.0 and without fast start-up flags unless a row says otherwise. Shares "
    "are of 1. A figure of a job is of the one that its conditions name, recorded once; other jobs give other figures.",
)


def record_all(job: JobDefinition, release: str, folder: Path) -> tuple[list[Recorded], Recorded, Recorded]:
    """The training runs, the held-out run and a second run of that size."""
    hadoop, workspace = Hadoop.find(release), Workspace(folder)
    runs = [
        record_job(job, scale, workspace, hadoop, fast=False)
        for scale in (*job.train, job.held_out, job.held_out)
    ]
    return runs[:-2], runs[-2], runs[-1]


def prediction_rows(prediction: Prediction, conditions: str) -> list[Row]:
    """Sequences, then arguments in three rows, each beside its ceiling."""
    more = {"conditions": conditions}
    rows = [
        at_least(
            "nodes whose call sequence was predicted exactly", prediction.sequence_share, "share", 1.0, **more
        )
    ]
    rows.append(
        at_least("calls made that were predicted (fitness)", prediction.fitness, "share", 1.0, **more)
    )
    rows.append(
        at_least("calls predicted that were made (precision)", prediction.precision, "share", 1.0, **more)
    )
    for row in prediction.rows:
        kinds = ", ".join(f"{row.outcomes.get(o, 0)} {o.value}" for o in LeafOutcome)
        detail = {"conditions": f"{conditions}; {row.leaves} leaves: {kinds}"}
        name = f"arguments predicted, {row.name} calls"
        if row.name == "logical":
            rows.append(at_least(name, row.share, "share", 0.99, **detail))
        else:
            rows.append(Row(name, row.share, "share", **detail))
        echoes = row.outcomes.get(LeafOutcome.ECHO, 0)
        strict = (row.predicted - echoes) / row.leaves if row.leaves else 1.0
        without = f"{name}, copies of the run's own earlier requests counted as misses"
        if row.name == "logical":
            rows.append(at_least(without, strict, "share", 0.99, **detail))
        else:
            rows.append(Row(without, strict, "share", **detail))
        if row.ceiling_share is not None:
            rows.append(Row(f"ceiling of {row.name} calls", row.ceiling_share, "share", **more))
            within = row.predicted <= (row.ceiling or 0)
            rows.append(Row(f"{row.name} share within its ceiling", str(within), "", "True", within, **more))
    return rows


def closure_rows(runs: list[Recorded], conditions: str) -> list[Row]:
    """Traces against the NameNode's own audit logs."""
    lines = sum(run.closure.lines for run in runs)
    matched = sum(run.closure.matched for run in runs)
    lost = sum(run.trace.meta.loss.total for run in runs)
    more = {"conditions": conditions}
    return [
        at_least(
            f"audit lines matched by a call, of {lines}",
            matched / lines if lines else 0.0,
            "share",
            1.0,
            **more,
        ),
        at_most(
            "calls without their audit line",
            sum(len(run.closure.calls_without_line) for run in runs),
            "calls",
            0,
            **more,
        ),
        at_most("frames lost or not decoded", lost, "frames", 0, **more),
    ]


def mined_job(job: JobDefinition, release: str) -> list[Row]:
    """Record, mine, predict: all rows of one job on one release."""
    with tempfile.TemporaryDirectory() as scratch:
        train, held_out, again = record_all(job, release, Path(scratch) / "ws")
        workload = mine([run.trace for run in train])
        where = f"{job.name}, Hadoop {release}, held out {job.held_out}"
        prediction = predict(workload, held_out.trace, ceiling_pair=again.trace)
        rows = prediction_rows(prediction, where) + closure_rows([*train, held_out, again], where)
    return rows + play_rows(job, workload, release)


def play_rows(job: JobDefinition, workload: Workload, release: str) -> list[Row]:
    """The full size against a NameNode; then once more with the NameNode stopped for five seconds."""
    plan = extrapolate(workload, job.play)
    more = {"conditions": f"{job.name} at {job.play}, Hadoop {release}"}
    with Hadoop.find(release).namenode(heap="2 GB") as namenode:
        run = play(plan, namenode)
    wrong = sum(abs(d.sent - d.counted) for d in run.differences) if run.differences is not None else None
    left_out = sum(run.left_out.values())
    rows = [
        at_most(
            "RPC errors in the play", sum(sum(by.values()) for by in run.errors.values()), "calls", 0, **more
        ),
        at_most("calls left out of the play", left_out, "calls", 0, **more),
        Row("calls that the NameNode's JMX counted differently", wrong, "calls", "<= 0", wrong == 0, **more),
        Row("calls answered", sum(answered for _, answered in run.counts.values()), "calls", **more),
        Row("p99 latency of all calls", run.latency().p99_ms, "ms", **more),
        Row("limited by", str(run.bottleneck), "", **more),
    ]
    # Halfway is seen by the number of files, which only the demo's Scale tells.
    return rows + (stall_rows(plan, release, more) if "files" in plan.scale else [])


def stall_rows(plan: Plan, release: str, more: dict[str, str]) -> list[Row]:
    """What a stall of five seconds in the middle of a play does to latencies, by either pacing."""
    rows = []
    for pacing in (Pacing.SCHEDULED, Pacing.CLOSED):
        with Hadoop.find(release).namenode(heap="2 GB") as namenode, stopped_halfway(namenode, plan):
            options = PlayOptions(load=Load(pacing=pacing), check_counts=False)
            run = play(plan, namenode, options)
        rows += _stall_rows(run, more)
    return rows


def _stall_rows(run: Run, more: dict[str, str]) -> list[Row]:
    pacing = f"{run.pacing} pacing, NameNode stopped for {STALL_S:g} s halfway"
    response, service, corrected = (run.latency(of=each) for each in Latency)
    late, slow = (sum(_over(run, each, 1.0)) for each in (Latency.RESPONSE, Latency.SERVICE))
    if run.pacing == Pacing.SCHEDULED.value:
        return [
            at_least(f"longest response time; {pacing}", response.max_ms / 1e3, "s", STALL_S - 0.5, **more),
            Row("p99 of response times, from when calls were due", response.p99_ms, "ms", **more),
            Row("p99 of service times, from when calls were sent", service.p99_ms, "ms", **more),
            Row("calls sent that took more than 1 s", slow, "calls", **more),
            Row("calls later than 1 s, from when due", late, "calls", f"> {slow}", late > slow, **more),
        ]
    return [
        Row(f"p99 of service times; {pacing}", service.p99_ms, "ms", **more),
        Row(
            "the same, corrected for coordinated omission", corrected.p99_ms, "ms", f"> {service.p99_ms:.3g}",
            corrected.p99_ms > service.p99_ms, **more,
        ),
    ]  # fmt: skip


def _over(run: Run, latency: Latency, seconds: float) -> Iterator[int]:
    """Calls by method whose latency is longer."""
    for series in run.tally.series.values():
        counts = histogram_of(series, latency).counts
        yield sum(number for duration_us, number in counts.items() if duration_us > seconds * 1e6)


@contextmanager
def stopped_halfway(namenode: NameNode, plan: Plan) -> Iterator[None]:
    """Stop a NameNode for some seconds once half of a play's files are there, as it says itself."""
    halfway = plan.scale["clients"].value * plan.scale["files"].value / 2
    over = Event()

    def stop() -> None:
        while _files(namenode) < halfway and not over.wait(0.05):
            pass
        if not over.is_set():
            os.kill(namenode.pid, SIGSTOP)
            time.sleep(STALL_S)
            os.kill(namenode.pid, SIGCONT)

    thread = Thread(target=stop)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _files(namenode: NameNode) -> int:
    return int(namenode.jmx("Hadoop:service=NameNode,name=FSNamesystemState")[0]["FilesTotal"])


@TOPIC.group("demo", "The demo's job: predicted and real at a size never seen")
def demo_job() -> list[Row]:
    """On the default release."""
    return mined_job(DEMO, "3.5.0")


@TOPIC.group("demo-3.4.2", "The same on Hadoop 3.4.2")
def demo_job_older() -> list[Row]:
    """On the release before."""
    return mined_job(DEMO, "3.4.2")


@TOPIC.group("archive", "A second job, unseen when it was written")
def archive_job() -> list[Row]:
    """Appends, permissions, a folder moved: unseen when it was written; the miner was improved since."""
    return mined_job(ARCHIVE, "3.5.0")


@TOPIC.group("mapreduce", "Captures of MapReduce on 2 and 3 nodes, checked on 4")
def recorded_captures() -> list[Row]:
    """HDFS, YARN and MapReduce traffic of teragen, terasort and wordcount."""
    where = "upload, teragen, terasort, wordcount; Hadoop 3.4.2; mined from k2c and k3, checked on k4"
    workload = mine([recorded("k2c"), recorded("k3")])
    rows = prediction_rows(
        predict(workload, recorded("k4")), f"{where}; no second run of 4 nodes, so no ceiling"
    )
    where = (
        "mined from k2a, checked on k2b, ceiling from both: they are not the job of k2c, k3 and k4, since their "
        "upload made no files, so that wordcount had no maps"
    )
    again = predict(mine([recorded("k2a")]), recorded("k2b"), ceiling_pair=recorded("k2a"))
    return rows + prediction_rows(again, where)


TOPIC.benchmark("unseen", "Three jobs written after the miner was frozen", "bench_unseen")
TOPIC.benchmark("knee", "How far a NameNode scales on this machine", "bench_knee")
TOPIC.benchmark("schema", "Message types out of the jars", "bench_schema")
TOPIC.benchmark("codec", "Encoding and decoding", "bench_rpc_codec")
TOPIC.benchmark("proxy", "The capture proxy", "bench_proxy")
TOPIC.benchmark("segments", "Search for repeated segments", "bench_segments", conditions=ONE_INPUT)
TOPIC.benchmark("player", "The player, beside Hadoop's own benchmark", "bench_player")


@TOPIC.group("simulation", "Deterministic simulation")
def simulation() -> list[Row]:
    """Whole plays against a model NameNode on a virtual clock."""
    command = "python -m tests.simulation.run --seeds 500 --json"
    words = [sys.executable, *command.split()[1:]]
    begun = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    took = time.monotonic() - begun
    if done.returncode not in {0, 1}:
        said = done.stderr.strip()[-300:]
        return [Row("seeds on which an invariant broke", "did not run", "", "0", False, command, said)]
    played = json.loads(done.stdout)
    said = f"{played['seeds']} seeds, {played['ended']} ended by a death of the target"
    broken = len(played["broken"])
    return [
        Row("seeds on which an invariant broke", broken, "seeds", "0", broken == 0, command, said),
        Row("time for 500 seeds", took, "s", command=command),
    ]


@TOPIC.group("demo-time", "froude demo")
def demo_time() -> list[Row]:
    """The command a newcomer types, jars cached."""
    with tempfile.TemporaryDirectory() as scratch:
        command = ["froude", "--json", "demo", "-o", f"{scratch}/demo"]
        begun = time.monotonic()
        done = subprocess.run(
            [str(Path(sys.executable).parent / command[0]), *command[1:]],
            capture_output=True,
            text=True,
            check=False,
        )
        took = time.monotonic() - begun
    if done.returncode:
        said = f"failed: {done.stderr.strip()[-300:]}"
        return [Row("froude demo", said, "", "0 errors", met=False, **_DEMO_TIME)]
    return demo_rows(json.loads(done.stdout), took)


def demo_rows(figures: Mapping[str, Any], took_s: float) -> list[Row]:
    """What `froude demo --json` printed, as rows.

    Args:
        figures: by their names there.
        took_s: seconds from its start to its report.
    """
    return [
        at_most("froude demo, from start to report", took_s, "s", 180, **_DEMO_TIME),
        at_most("calls failed in its play", figures["calls failed"], "calls", 0, **_DEMO_TIME),
        Row("emulated nodes in its play", figures["emulated nodes"], "nodes", **_DEMO_TIME),
        Row("calls answered in its play", figures["calls answered"], "calls", **_DEMO_TIME),
    ]


if __name__ == "__main__":
    TOPIC.main()
