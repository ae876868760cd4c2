"""Play a Plan against a real daemon: guard, player, the target's metrics, and the Run at the end."""

from __future__ import annotations

import getpass
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from froude.base.clock import RealClock
from froude.base.errors import InputError, TargetError
from froude.base.progress import Progress, Silent
from froude.base.units import parse_quantity
from froude.emulation.engine import Job, Outcome, play_apart
from froude.emulation.guard import Target, decide, identify, parse_target
from froude.emulation.population import Connections
from froude.emulation.programs.cast import DATANODE
from froude.emulation.programs.fleet import FleetSettings
from froude.emulation.recorder import Record
from froude.emulation.run import Difference, Load, Measured, Run, closure, counted_as
from froude.emulation.run_files import write_run
from froude.experiment.played_trace import trace_of
from froude.hadoop.metrics import Sampler, Watched, Web, settled_counts
from froude.hadoop.namenode import NameNode
from froude.hadoop.schema import Schema
from froude.trace.files import write_trace
from froude.workload.plan import Plan

_SUBSET = (
    "org.apache.hadoop.hdfs.protocol.ClientProtocol",
    "org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol",
)


def play(  # noqa: PLR0913 - each is one choice of a play, all by name
    plan: Plan,
    target: NameNode | str,
    *,
    record: str = "sampled",
    speed: float = 1.0,
    duration: float | str | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    folder: Path | None = None,
    schema: Schema | None = None,
    target_is: str | None = None,
    http: tuple[str, int] | None = None,
    connections: Connections | None = None,
    fleet: FleetSettings | None = None,
    check_counts: bool = True,
) -> Run:
    """Play a plan.

    Args:
        plan: what to play.
        target: a NameNode that Froude started, or `hdfs://HOST:PORT` of another one.
        record: calls to write down: `full`, `sampled` or `summary`.
        speed: 2 halves every recorded pause.
        duration: the longest time, seconds or a text such as `5 min`; a plan of DataNodes alone needs one.
        seed: of every random choice.
        progress: shows what goes on.
        folder: where the run is kept; None keeps it in memory, without a trace.
        schema: of the target's release; None takes the NameNode's own, or the default release's.
        target_is: the target's cluster id, typed by the user; needed for a target that Froude did not start.
        http: web address of a target given as a URI, for its metrics; without it they are not recorded.
        connections: how nodes share connections.
        fleet: what emulated DataNodes have in common.
        check_counts: whether to compare with the target's own counts afterwards; takes up to 12 s.

    Returns:
        The run; a target that failed, and an interrupt, end it early and stand in it.

    Raises:
        InputError: the plan cannot be played, or never ends; or the run's folder exists.
        GuardError: the target is refused.
        TargetError: it does not say who it is.
    """
    limit_s = None if duration is None else _seconds(duration)
    _check(plan, limit_s)
    if folder is not None and folder.exists():
        raise InputError("already exists", file=folder, remedy="Choose another folder")
    namenode = None if isinstance(target, str) else target
    address = parse_target(target) if isinstance(target, str) else target.address
    schema = (schema or _schema_for(namenode)).subset(_protocols(plan))
    user = getpass.getuser()
    who = identify(address, schema, user=user) if namenode is None else Target(*address, namenode.cluster_id)
    decide(who, ours=namenode is not None, typed=target_is, source_ids=plan.workload.recorded.source_ids)
    with tempfile.TemporaryDirectory(prefix="froude-play-") as scratch:
        job = Job(
            plan, schema, address, seed, speed, limit_s, Record(record) if folder else Record.SUMMARY,
            Path(scratch) / "spool", connections or Connections(user=user), fleet or FleetSettings(),
        )  # fmt: skip
        asked = {} if namenode is not None else {"versionRequest": 1}  # by the guard, a moment ago
        watched = namenode if namenode is not None else None if http is None else Web(http)
        run, outcome = _play(job, who, watched, progress or Silent(), check_counts=check_counts, asked=asked)
        if folder is not None:
            _keep(run, outcome, job, folder)
    return run


def _play(
    job: Job,
    who: Target,
    watched: Watched | None,
    progress: Progress,
    *,
    check_counts: bool,
    asked: dict[str, int],
) -> tuple[Run, Outcome]:
    before = _counts_before(watched, asked) if watched is not None and check_counts else None
    with _sampled(watched) as sampler, progress.task("Playing", total=_planned(job.plan)) as task:
        begun = [0]

        def watch(load: Load) -> bool:
            task.advance(load.nodes - begun[0])
            begun[0] = load.nodes
            task.say(f"{load.nodes:,} nodes begun, {load.in_flight:,} calls in flight")
            return True

        outcome = play_apart(job, watch)
    run = Run(
        outcome.tally, who.name, who.id, outcome.begun_at_s, outcome.elapsed_s,
        scale={name: str(quantity) for name, quantity in job.plan.scale.items()}, nodes=dict(job.plan.counts),
        record=job.record.value, load=outcome.load, failure=None if outcome.failure is None else str(outcome.failure),
        interrupted=outcome.interrupted, seed=job.seed, speed=job.speed, cores=os.cpu_count() or 1,
        remarks=outcome.remarks,
    )  # fmt: skip
    if sampler is not None:
        start_s = outcome.begun_at_s - RealClock().wall() + sampler.clock.now()
        run.metrics = [Measured(each.time_s - start_s, each.values) for each in sampler.samples]
    if watched is not None and before is not None and run.failure is None:
        try:
            run.differences = _closure(run, watched, before)
        except KeyboardInterrupt:  # nobody waits for the counts: what was played is kept all the same
            run.interrupted = True
    return run, outcome


def _counts_before(watched: Watched, asked: dict[str, int]) -> dict[str, int]:
    """What it counted so far; of one that was used already only once its cache has turned over."""
    counts = watched.rpc_counts()
    return settled_counts(watched.rpc_counts, sleep=time.sleep) if counts else asked


def _closure(run: Run, watched: Watched, before: dict[str, int]) -> list[Difference] | None:
    expect = {method: before.get(method, 0) + sent for method, sent in counted_as(run).items()}
    try:
        after = settled_counts(watched.rpc_counts, sleep=time.sleep, expect=expect)
    except TargetError:
        return None
    return closure(run, before, after)


def _keep(run: Run, outcome: Outcome, job: Job, folder: Path) -> None:
    place = folder.with_name(f".{folder.name}.trace")
    try:
        if job.spool is not None and job.spool.exists() and job.record is not Record.SUMMARY:
            trace = trace_of(job.spool, run, outcome, job)
            write_trace(place, trace, command="froude play", replace=True)
            run.trace = place
        write_run(folder, run, inputs=tuple(job.plan.workload.recorded.traces), command="froude play")
    finally:
        shutil.rmtree(place, ignore_errors=True)  # moved into the run's folder, unless that failed


@contextmanager
def _sampled(watched: Watched | None) -> Iterator[Sampler | None]:
    sampler = None if watched is None else Sampler(watched.sample, RealClock())
    with sampler or nullcontext():
        yield sampler


def _check(plan: Plan, limit_s: float | None) -> None:
    for refusal in plan.refusals:
        if refusal.fatal:
            raise InputError(
                "the plan cannot be played", place=refusal.node_type or "plan", found=refusal.what
            )
    types = plan.workload.node_types
    if not sum(plan.counts.values()):
        raise InputError("the plan has no nodes", place="plan")
    if limit_s is None and not any(plan.counts.get(t.name) and t.program != DATANODE for t in types):
        remedy = "Say how long to play with --duration"
        raise InputError("the plan has only nodes that never end", place="plan", remedy=remedy)


def _protocols(plan: Plan) -> list[str]:
    named = {template.protocol for each in plan.workload.node_types for template in each.templates()}
    return sorted(named | set(_SUBSET))


def _planned(plan: Plan) -> float:
    return float(sum(plan.counts.values()))


def _schema_for(namenode: NameNode | None) -> Schema:
    if namenode is not None:
        return namenode.hadoop.schema()
    from froude.hadoop.distribution import Hadoop

    return Hadoop.find().schema()


def _seconds(duration: float | str) -> float:
    seconds = (
        float(duration)
        if isinstance(duration, (int, float))
        else parse_quantity(duration, place="duration").value
    )
    if seconds <= 0:
        raise InputError("is no duration", place="duration", found=duration, allowed="more than zero seconds")
    return seconds
