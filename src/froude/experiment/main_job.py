"""The main job, end to end: record small runs, mine them, predict a larger one, check it, play the full size.

`froude demo` is this with the demo's job; the published results use it with theirs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from froude.base.progress import Progress, Silent, Task
from froude.base.scratch import Scratch
from froude.base.seeds import Seeds
from froude.base.summary import counted
from froude.base.units import Quantity
from froude.documents.artifact import Origin
from froude.documents.store import Workspace
from froude.emulation.run.run import Run
from froude.experiment.knee.answer import Knee
from froude.experiment.knee.file import write_knee
from froude.experiment.knee.knee import knee as search_knee
from froude.experiment.play.play import play
from froude.experiment.play.warm_up import warm_up
from froude.experiment.record.jobs import Job, JobDefinition
from froude.experiment.record.record import record
from froude.experiment.scenario.options import KneeOptions, KneeSearch, Load, PlayOptions
from froude.experiment.scenario.run_lists import DATANODES, NODEMANAGERS, NODES
from froude.hadoop.cluster.cluster import Cluster, ClusterOptions
from froude.hadoop.cluster.faults import Fault, injected
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.cluster.yarn_cluster import YarnCluster
from froude.hadoop.release.distribution import Hadoop
from froude.mining.check.prediction import Prediction, predict
from froude.mining.traces import mine
from froude.trace.files import read_trace
from froude.trace.importers.audit import ClosureResult, closure
from froude.trace.types import Trace
from froude.workload.extrapolate import extrapolate
from froude.workload.plan import Plan
from froude.workload.plan_file import write_plan
from froude.workload.scale import Scale
from froude.workload.types import Workload
from froude.workload.yaml_file import open_workload, write_workload

_CALLED_S = 10.0
"""For how long a NameNode is called before the plan is played on it."""
_WARM_UP_S, _MEASURE_S, _KNEE_S = 35.0, 8.0, 160.0
"""Of a short search: the longest warm-up of a load, how long each is measured, and after which no play begins."""
SETTLE_S, YARN_SETTLE_S = 3.5, 10.0
"""How long a recording goes on after its job: a little more than one heartbeat period; with YARN until application
masters and containers, which end later than their client, have made their last calls."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One recorded run of a job."""

    path: Path
    """Where its Trace lies."""
    trace: Trace
    closure: ClosureResult
    """Its Trace against the NameNode's own audit log of that run, line by line."""


@dataclass(frozen=True, slots=True)
class MainJob:
    """All that came of it, in the order of the chain."""

    job: JobDefinition
    train: tuple[Recorded, ...]
    workload: Workload
    workload_path: Path
    prediction: Prediction
    """The larger size, predicted, against its real run."""
    held_out: Recorded
    plan: Plan
    run: Run
    knee: Knee | None = None
    """How far the NameNode scales, where the job asks for it: a short search."""


def run_main_job(
    job: JobDefinition,
    workspace: Workspace,
    hadoop: Hadoop,
    *,
    progress: Progress | None = None,
    seed: int = 0,
    command: str = "",
) -> MainJob:
    """Run the whole chain once.

    Args:
        seed: root of the play's random choices, and of the ids that recorded namespaces begin with.
        command: the command line that runs it, as typed; without one, every lineage names its own call.

    Raises:
        TargetError: a daemon or a client failed.
        KeyboardInterrupt: Ctrl-C; artifacts made so far are kept, the run as far as it was played.
    """
    shown = progress or Silent()
    seeds = Seeds(seed).child("record")
    train = []
    for number, scale in enumerate(job.train, 1):
        with shown.task(f"record {number} of {len(job.train)}: {scale}") as task:
            aged = seeds.child(number).value
            train.append(record_job(job, scale, workspace, hadoop, task=task, aged=aged, command=command))
    with shown.task("mine the pattern"):
        workload = mine([recorded.trace for recorded in train])
        path = workspace.new("workload", suffix=".yaml")
        lineage = write_workload(
            path, workload, Origin(command or "froude.mine(traces)", workload.recorded.traces)
        )
    with shown.task(f"record the held-out size: {job.held_out}") as task:
        aged = seeds.child("held-out").value
        held_out = record_job(job, job.held_out, workspace, hadoop, task=task, aged=aged, command=command)
    with shown.task("check the prediction against it"):
        prediction = predict(workload, held_out.trace)
    plan = extrapolate(workload, job.play)
    plan_path = workspace.new("plan")
    at = command or f"workload.at({job.play})"
    write_plan(plan_path, plan, Origin(at, (lineage.content_hash,)), workload=open_workload(path))
    with NameNode(hadoop, heap="1 GB") as namenode:
        warm_up(namenode, _CALLED_S)
        run = play(
            plan,
            namenode,
            PlayOptions(seed=seed),
            progress=shown,
            folder=workspace.new("run"),
            command=command,
        )
    if run.interrupted:  # it is kept, but no report tells of a whole job
        raise KeyboardInterrupt
    done = MainJob(job, tuple(train), workload, path, prediction, held_out, plan, run)
    if job.knee is None or run.failure is not None or run.left_out:
        return done
    found = short_knee(workload, job.knee, hadoop, seed=seed, progress=shown)
    origin = Origin(at, (lineage.content_hash,), seed)
    write_knee(workspace.new("knee", suffix=".json"), found, origin)
    return replace(done, knee=replace(found, origin=origin))


def short_knee(workload: Workload, first: Scale, hadoop: Hadoop, *, seed: int, progress: Progress) -> Knee:
    """A search of two minutes or three: a few plays, each measured for some seconds.

    Raises:
        KeyboardInterrupt: Ctrl-C.
    """
    found = search_knee(
        workload,
        lambda: NameNode(hadoop, heap="1 GB"),
        KneeOptions(
            load=Load(measure_s=_MEASURE_S),
            knee=KneeSearch(most=64, resolution=0.5, most_plays=6),
            warm_up_s=_WARM_UP_S,
            time_limit_s=_KNEE_S,
            repeats=1,
            seed=seed,
        ),
        at=first,
        progress=progress,
    )
    if found.interrupted:
        raise KeyboardInterrupt
    return found


def record_job(  # noqa: PLR0913 - the options of one run, all by name
    job: Job,
    scale: Scale,
    workspace: Workspace,
    hadoop: Hadoop,
    *,
    task: Task | None = None,
    fast: bool = True,
    replication: int = 2,
    settle_s: float | None = None,
    properties: Mapping[str, str] | None = None,
    faults: Sequence[Fault] = (),
    aged: bool | int = True,
    name: str | None = None,
    notes: Mapping[str, str] | None = None,
    command: str = "",
) -> Recorded:
    """Record one run of a job on a cluster started for it.

    Args:
        scale: the size of the run; `datanodes` says how many are started, `nodemanagers` too, where there are any.
        fast: quick start-up of the daemons instead of full speed.
        replication: copies of each block that clients are told to make.
        settle_s: how long the recording goes on after the job; None for the default of HDFS or YARN.
        faults: what happens to nodes while the job runs; noted in the Trace.
        aged: whether block, file and generation ids begin where a namespace in use has them; a number is the seed.
        name: of the Trace; by default the next free number.
        command: what the Trace's lineage says it was made by.

    Returns:
        The Trace, and how it agrees with the NameNode's audit log.

    Raises:
        TargetError: a daemon or a client failed.
    """
    options: ClusterOptions = {"aged": aged, "fast": fast, "conf": properties or {}}
    if task is not None:
        task.say("start the daemons that nodes report to")
    with _cluster(hadoop, scale, replication, options) as cluster, Scratch("job") as scratch:
        if task is not None:
            task.say(f"start {', '.join(_nodes(scale))}")
        with record(
            cluster,
            workspace,
            scale=scale,
            tags=(job.name,),
            name=name,
            notes={**(notes or {}), **{f"fault {n}": str(fault) for n, fault in enumerate(faults, 1)}},
            settle_s=(YARN_SETTLE_S if NODEMANAGERS in scale else SETTLE_S) if settle_s is None else settle_s,
            command=command,
        ) as recording:
            if task is not None:
                task.say("clients at work")
            with injected(faults, lambda name: _pid(cluster, name)):
                job.run(recording, scale, scratch)
        trace = read_trace(recording.trace)
        audit = (cluster.hdfs if isinstance(cluster, YarnCluster) else cluster).namenode.audit_log
        assert audit is not None
        checked = closure(trace, audit)
    return Recorded(recording.trace, trace, checked)


def _cluster(
    hadoop: Hadoop, scale: Mapping[str, Quantity], replication: int, options: ClusterOptions
) -> Cluster | YarnCluster:
    """What a Scale asks for; it does not run yet."""
    datanodes = int(scale[DATANODES].value)
    if NODEMANAGERS not in scale:
        return Cluster(hadoop, datanodes=datanodes, replication=replication, **options)
    nodemanagers = int(scale[NODEMANAGERS].value)
    return YarnCluster(
        hadoop, datanodes=datanodes, nodemanagers=nodemanagers, replication=replication, **options
    )


def _pid(cluster: Cluster | YarnCluster, name: str) -> int:
    """The process of a node's daemon."""
    daemons = (
        [*cluster.hdfs.datanodes, *cluster.nodemanagers]
        if isinstance(cluster, YarnCluster)
        else cluster.datanodes
    )
    return next(daemon.pid for daemon in daemons if daemon.name == name)


def _nodes(scale: Mapping[str, Quantity]) -> list[str]:
    """How many nodes of each kind, in words."""
    return [
        counted(int(scale[name].value), kind.removesuffix("s"))
        for name, kind in NODES.items()
        if name in scale
    ]
