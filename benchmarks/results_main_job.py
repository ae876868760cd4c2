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
from pathlib import Path
from signal import SIGCONT, SIGSTOP
from threading import Timer

from benchmarks.results import Row, Topic, at_least, at_most
from froude.experiment.jobs import ARCHIVE, DEMO, Job
from froude.experiment.main_job import Recorded, record_job
from froude.experiment.play import play
from froude.hadoop.distribution import Hadoop, cache_folder
from froude.hadoop.maven import Coordinate, Repository
from froude.hadoop.schema import Schema
from froude.mining.pipeline import mine
from froude.mining.prediction import Outcome, Prediction, predict
from froude.trace.types import Trace
from froude.workload.plan import Plan
from froude.workload.types import Workload
from froude.workspace.store import Workspace

COMMAND = "make results-main-job"
RECORDED = Path(__file__).parent.parent.parent / "shared" / "data" / "recorded"
YARN_JARS = (
    "hadoop-yarn-api",
    "hadoop-yarn-common",
    "hadoop-yarn-server-common",
    "hadoop-mapreduce-client-common",
)
TOPIC = Topic(
    "main-job",
    "The main job, measured",
    "Every figure is measured by `make results-main-job` on the machine named below; daemons run on loopback "
    "beside the players, on Hadoop 3.5.0 and without fast start-up flags unless a row says otherwise. Shares "
    "are of 1.",
)


def record_all(job: Job, release: str, folder: Path) -> tuple[list[Recorded], Recorded, Recorded]:
    """The training runs, the held-out run and a second run of that size."""
    hadoop, workspace = Hadoop.find(release), Workspace(folder)
    runs = [
        record_job(job, scale, workspace, hadoop, fast=False)
        for scale in (*job.train, job.held_out, job.held_out)
    ]
    return runs[:-2], runs[-2], runs[-1]


def prediction_rows(prediction: Prediction, conditions: str) -> list[Row]:
    """Sequences, then arguments in three rows, each beside its ceiling."""
    more = {"command": COMMAND, "conditions": conditions}
    rows = [
        at_least(
            "nodes whose call sequence was foretold exactly", prediction.sequence_share, "share", 1.0, **more
        )
    ]
    rows.append(at_least("calls at their foretold place", prediction.call_share, "share", 1.0, **more))
    for row in prediction.rows:
        kinds = ", ".join(f"{row.outcomes.get(o, 0)} {o.value}" for o in Outcome)
        detail = {"command": COMMAND, "conditions": f"{conditions}; {row.leaves} leaves: {kinds}"}
        name = f"arguments foretold, {row.name} calls"
        if row.name == "logical":
            rows.append(at_least(name, row.share, "share", 0.99, **detail))
        else:
            rows.append(Row(name, row.share, "share", **detail))
        echoes = row.outcomes.get(Outcome.ECHO, 0)
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
    more = {"command": COMMAND, "conditions": conditions}
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


def mined_job(job: Job, release: str) -> list[Row]:
    """Record, mine, predict: all rows of one job on one release."""
    with tempfile.TemporaryDirectory() as scratch:
        train, held_out, again = record_all(job, release, Path(scratch) / "ws")
        workload = mine([run.trace for run in train])
        where = f"{job.name}, Hadoop {release}, held out {job.held_out}"
        prediction = predict(workload, held_out.trace, ceiling_pair=again.trace)
        rows = prediction_rows(prediction, where) + closure_rows([*train, held_out, again], where)
    return rows + play_rows(job, workload, release)


def play_rows(job: Job, workload: Workload, release: str) -> list[Row]:
    """The full size against a NameNode; then once more with the NameNode stopped for five seconds."""
    plan = workload.at(job.play)
    more = {"command": COMMAND, "conditions": f"{job.name} at {job.play}, Hadoop {release}"}
    with Hadoop.find(release).namenode(heap="2 GB") as namenode:
        run = play(plan, namenode)
    wrong = sum(abs(d.sent - d.counted) for d in run.differences) if run.differences is not None else None
    left_out = sum(run.left_out.values())
    rows = [
        at_most(
            "RPC errors in the play", sum(sum(by.values()) for by in run.errors.values()), "calls", 0, **more
        ),
        at_most("calls left out of the play", left_out, "calls", 0, **more),
        Row("calls that the NameNode's JMX counted otherwise", wrong, "calls", "<= 0", wrong == 0, **more),
        Row("calls answered", sum(answered for _, answered in run.counts.values()), "calls", **more),
        Row("p99 latency of all calls", run.latency().p99_ms, "ms", **more),
        Row("limited by", str(run.bottleneck), "", **more),
    ]
    return rows + stall_rows(plan, release, more)


def stall_rows(plan: Plan, release: str, more: dict[str, str]) -> list[Row]:
    """What a stall of five seconds does to the percentiles of heartbeats."""
    with Hadoop.find(release).namenode(heap="2 GB") as namenode:
        pid = namenode.pid
        timers = [Timer(8, os.kill, (pid, SIGSTOP)), Timer(13, os.kill, (pid, SIGCONT))]
        for timer in timers:
            timer.start()
        run = play(plan, namenode, check_counts=False)
        for timer in timers:
            timer.join()
    intended = run.latency("sendHeartbeat").max_ms / 1e3
    actual = run.latency("sendHeartbeat", intended=False).max_ms / 1e3
    return [
        at_least(
            "longest heartbeat from intended time, NameNode stopped for 5 s", intended, "s", 4.5, **more
        ),
        Row("the same from actual send time", actual, "s", **more),
        Row("p99 of heartbeats from intended time", run.latency("sendHeartbeat").p99_ms / 1e3, "s", **more),
    ]


@TOPIC.group("demo", "The demo's job: foretold and real at a size never seen")
def demo_job() -> list[Row]:
    """On the default release."""
    return mined_job(DEMO, "3.5.0")


@TOPIC.group("demo-3.4.2", "The same on Hadoop 3.4.2")
def demo_job_older() -> list[Row]:
    """On the release before."""
    return mined_job(DEMO, "3.4.2")


@TOPIC.group("archive", "A job written after the miner was frozen")
def archive_job() -> list[Row]:
    """Appends, permissions, a folder moved: nothing of it was looked at while the miner was made."""
    return mined_job(ARCHIVE, "3.5.0")


@TOPIC.group("mapreduce", "Captures of MapReduce on 2, 2 and 3 nodes, checked on 4")
def recorded_captures() -> list[Row]:
    """HDFS, YARN and MapReduce traffic of teragen, terasort and wordcount."""
    if not RECORDED.is_dir():
        return [Row("captures of MapReduce", None, "", conditions="the captures are not on this machine")]
    traces = {
        name: _tap(RECORDED / f"{name}.tap.gz", k)
        for name, k in (("k2a", 2), ("k2b", 2), ("k3", 3), ("k4", 4))
    }
    workload: Workload = mine([traces["k2a"], traces["k2b"], traces["k3"]])
    where = (
        "teragen, terasort, wordcount, upload; Hadoop 3.4.2; no second run of 4 nodes, so no ceiling there"
    )
    rows = prediction_rows(predict(workload, traces["k4"]), where)
    again = predict(mine([traces["k2a"], traces["k3"]]), traces["k2b"], ceiling_pair=traces["k2a"])
    return rows + prediction_rows(
        again, "the same mined from k2a and k3, checked on k2b; ceiling from k2a and k2b"
    )


def _tap(path: Path, k: int) -> Trace:
    """A capture as a Trace, decoded with the YARN and MapReduce jars of its release beside HDFS's."""
    from froude.base.units import Quantity
    from froude.trace.importers.tap import import_tap

    repository = Repository(cache_folder() / "maven")
    more = [repository.fetch(Coordinate("org.apache.hadoop", name, "3.4.2")) for name in YARN_JARS]
    schema = Schema.from_jars([*Hadoop.find("3.4.2").jars, *more])
    return import_tap(path, schema, scale={"nodes": Quantity(k)}, source_id=path.name)


TOPIC.benchmark("schema", "Message types out of the jars", "bench_schema")
TOPIC.benchmark("codec", "Encoding and decoding", "bench_rpc_codec")
TOPIC.benchmark("proxy", "The capture proxy", "bench_proxy")
TOPIC.benchmark("segments", "Search for repeated segments", "bench_segments")
TOPIC.benchmark("player", "The player, beside Hadoop's own benchmark", "bench_player")


@TOPIC.group("simulation", "Deterministic simulation")
def simulation() -> list[Row]:
    """Whole plays against a model NameNode on a virtual clock."""
    command = "python -m tests.simulation.run --seeds 500"
    begun = time.monotonic()
    done = subprocess.run([sys.executable, *command.split()[1:]], capture_output=True, text=True, check=False)
    took = time.monotonic() - begun
    broken = done.returncode
    more = {
        "command": command,
        "conditions": done.stdout.strip().splitlines()[-1] if done.stdout.strip() else "",
    }
    return [
        Row("seeds on which an invariant broke", broken, "seeds", "0", broken == 0, **more),
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
    more = {"command": "froude demo", "conditions": "jars cached, fast start-up flags"}
    rows = [at_most("froude demo, from start to report", took, "s", 180, **more)]
    if done.returncode:
        return [
            Row("froude demo", f"failed: {done.stderr.strip()[-300:]}", "", "0 errors", met=False, **more)
        ]
    figures = json.loads(done.stdout)
    rows.append(at_most("errors in its play", figures["errors"], "calls", 0, **more))
    rows.append(Row("emulated nodes in its play", figures["emulated nodes"], "nodes", **more))
    rows.append(Row("calls answered in its play", figures["calls answered"], "calls", **more))
    return rows


if __name__ == "__main__":
    TOPIC.main()
