"""Play a Plan against real daemons: guard, player, the target's metrics, and the Run at the end."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

from froude.base.clock import Clock, RealClock
from froude.base.errors import InputError
from froude.base.files import folder_beside
from froude.base.limits import spare_cores
from froude.base.parallel import Workers
from froude.base.progress import Progress, Silent
from froude.base.scratch import Scratch
from froude.base.summary import counted
from froude.base.units import seconds_text
from froude.documents.artifact import Origin
from froude.emulation.abort import Watch, parse_condition
from froude.emulation.engine import Crew, Order, PlayJob, PlayOutcome, Status, fresh_nonce, play_apart
from froude.emulation.facts import PlanFacts
from froude.emulation.limits import parse_limit
from froude.emulation.notes import REMOVED, ROUND_BEGUN
from froude.emulation.pacing import pacing_of
from froude.emulation.programs.audit.lines import read_head
from froude.emulation.programs.population import PlaySettings
from froude.emulation.run.bottleneck import Measured
from froude.emulation.run.files import state_of, write_run
from froude.emulation.run.run import ABORTED, PARTIAL, PLAYERS, TARGET, WORKERS, Run
from froude.emulation.settings import MOST_PLAYERS, Leftovers, Mode, Pacing, Record
from froude.emulation.steadiness import is_steady
from froude.emulation.sustained import begun_text, kept_up_text, longest_warm_up_s, sustained
from froude.experiment.play.admission import Started, TargetLike, Targets, admit, by_service, daemon_services
from froude.experiment.play.live import Live
from froude.experiment.play.observation import Observed
from froude.experiment.play.playable import check_play, limits_of, replayed_nonce
from froude.experiment.play.played_trace import trace_of
from froude.experiment.scenario.options import Load, PlayOptions, Running, parse_web
from froude.hadoop.cluster import resourcemanager
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.cluster.resourcemanager import ResourceManager
from froude.hadoop.metrics.jmx import Sampler, Together, Watched, Web
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.release.yarn_jars import YarnJars
from froude.hadoop.rpc.connection import current_user
from froude.hadoop.rpc.identity import asked_methods, asked_protocols
from froude.hadoop.rpc.target import answers_for, daemon_name
from froude.messages.schema import Schema, UnknownMethodError
from froude.trace.files import write_trace
from froude.workload.plan import Plan, expected_s
from froude.workload.plan_file import plan_hash
from froude.workload.remarks import remarks_on_scale

RESOURCEMANAGER = "resourcemanager"
_YARN = "org.apache.hadoop.yarn."
"""What the names of YARN's protocols begin with."""
_REASON_S = 2.0
"""Between two questions why a target does not serve yet."""


def play(  # noqa: PLR0913 - how, where, and who looks on, all by name
    plan: Plan,
    target: TargetLike | Mapping[str, TargetLike],
    options: PlayOptions | None = None,
    *,
    folder: Path | None = None,
    progress: Progress | None = None,
    schema: Schema | None = None,
    clock: Clock | None = None,
    command: str = "",
    live: Live | None = None,
    workers: Workers = 1,
) -> Run:
    """Play a plan.

    Args:
        target: whom to play against: a NameNode that Froude started, or `Running`, a daemon with its typed id, or its
            address alone; by service (`{"namenode": nn, "resourcemanager": "HOST:PORT"}`) where the plan calls several.
            Calls of a service without a target are left out and counted.
        options: how: `PlayOptions(record="full", load=Load(speed=2))`. One of a scenario is kept in the run's folder.
        folder: where the run is kept; None keeps it in memory, without a trace.
        progress: shows what goes on.
        schema: of the target's release; None takes the NameNode's own, or the default release's.
        clock: the time; the machine's by default.
        command: the command line that plays, as typed; without one, the run's lineage names this call.
        live: is told what goes on (`prometheus.served`).
        workers: `tcp://HOST:PORT` of a dask.distributed scheduler, whose workers play, one player each: `load.players`
            of them, or all. A number has no effect.

    Returns:
        The run; a target that failed, and an interrupt, end it early and stand in it.

    Raises:
        InputError: the plan cannot be played, or never ends; the run's folder exists; or no scheduler answers, or it has
            too few workers.
        GuardError: a target is refused.
        TargetError: one does not say who it is.
    """
    options = options or PlayOptions()
    load = options.load
    facts = check_play(plan, load, limits_of(options), here=not isinstance(workers, str))
    abort = Watch([parse_condition(text) for text in options.abort_when])
    if folder is not None and folder.exists():
        raise InputError("already exists", file=folder, remedy="Choose another folder")
    nonce = replayed_nonce(options)
    targets = by_service(target, facts.services)
    schema = _spoken(schema, next(iter(targets.values())), facts, daemon_services(targets))
    called = admit(targets, plan.workload.recorded.source_ids, schema)
    paced, remark = pacing_of(facts.untimed, load.pacing)
    settings = PlaySettings(
        called,
        load.connections.replaced(user=load.connections.user or current_user()),
        paced,
        load.speed,
        load.ramp,
        load.turnover,
        programs=options.nodes.programs,
        nonce=fresh_nonce() if nonce is None else nonce,
    )
    with Scratch("play") as scratch, _crew(plan, load, workers) as crew:
        recorded = options.record if folder else Record.SUMMARY
        live = live or Live()
        job = PlayJob(
            plan,
            schema,
            settings,
            options.seed,
            load.duration_s,
            load.measure_s,
            recorded,
            scratch / "spool",
            tell_all=live.watched or bool(abort.conditions),
            players=load.players or min(spare_cores(), MOST_PLAYERS),
            crew=crew,
        )
        observed = _observed(targets, check_counts=options.check_counts, clock=clock or RealClock())
        run, outcome = _play(job, observed, progress or Silent(), live, abort)
        run.remarks = [
            *run.remarks,
            *([remark] if remark else []),
            *remarks_on_scale(plan.workload),
            *(each.what for each in plan.refusals if plan.log is not None and not each.fatal),
            *_kept_up(job, run),
            *_left_out(plan, load.mode),
        ]
        started = next((each for each in targets.values() if not isinstance(each, Running)), None)
        if started is not None:  # a ResourceManager does not say its release in JMX
            run.environment = {"Hadoop": started.hadoop.version, **run.environment}
        run.limits = [parse_limit(text).check(run) for text in options.limits]
        run.inputs = (plan_hash(plan),)
        if folder is not None:
            origin = Origin(command or _call(job, workers), run.inputs, options.seed)
            _keep(run, outcome, job, folder, origin, options.kept(folder))
    return run


def _crew(plan: Plan, load: Load, workers: Workers) -> AbstractContextManager[Crew | None]:
    """Who plays on other machines; None for nobody."""
    if not isinstance(workers, str):
        return nullcontext()
    from froude.experiment.play.placement import placed

    return placed(workers, load.players, max(plan.counts.values()))


def _kept_up(job: PlayJob, run: Run) -> list[str]:
    """What kept a sustained load up."""
    turnover = job.settings.turnover
    text = kept_up_text(turnover, job.plan)
    begun = f", {begun_text(job.plan, run.load[-1].nodes)}" if text and run.load else ""
    left = "what they made and did not delete stays"
    if turnover.leftovers is Leftovers.REMOVE:
        removed = counted(run.notes.get(REMOVED, 0), "call")
        left = f"{removed} of delete were for what those before had left"
    if job.plan.log is not None:
        begun = f"; the log began again {counted(run.notes.get(ROUND_BEGUN, 0), 'time')}"
    return [f"The load was kept up: {text}{begun}; {left}"] * bool(text)


def _left_out(plan: Plan, mode: Mode) -> list[str]:
    """That nodes do not begin which wait for the end of a sustained load."""
    names = () if mode is Mode.ONCE else sorted(sustained(plan).left_out)
    return [
        f"Not played, since it waits for the end of clients that are followed by others: {', '.join(names)}"
    ] * bool(names)


def _observed(targets: Targets, *, check_counts: bool, clock: Clock) -> Observed:
    """Every target, as far as it can be watched, a NameNode first."""
    targets = dict(sorted(targets.items(), key=lambda each: each[0] not in {"", "namenode"}))
    first = next(iter(targets.values()))
    watched = [each for each in map(_watched, targets, targets.values()) if each is not None]
    seen = list({id(each): each for each in watched}.values())
    # Closure compares with one target's counts; what asked who it is came a moment ago.
    return Observed(
        first if isinstance(first, NameNode) and len(seen) == 1 else Together(seen) if seen else None,
        webs={
            daemon_name(service or "namenode"): web
            for service, each in targets.items()
            if (web := _http(each)) is not None
        },
        gc_log=None if isinstance(first, ResourceManager) else first.gc_log,
        check_counts=check_counts and len(targets) == 1,
        asked=first.asked if isinstance(first, NameNode) else asked_methods(targets),
        clock=clock,
    )


def _http(target: Started | Running) -> tuple[str, int] | None:
    """Its web server, where that is known."""
    if not isinstance(target, Running):
        return target.http
    return None if target.http is None else parse_web(target.http)


def _watched(service: str, target: Started | Running) -> Watched | None:
    """A target whose metrics can be asked for; None for one that cannot."""
    http = _http(target)
    if http is None or not isinstance(target, Running):
        return None if isinstance(target, Running) else target
    return resourcemanager.Web(http) if answers_for(service) == RESOURCEMANAGER else Web(http)


def _call(job: PlayJob, workers: Workers) -> str:
    """The call that makes such a run, for a lineage without a command line."""
    settings = job.settings
    named = ", ".join(each.address for each in settings.targets.values())
    return (
        f"froude.play(plan, {named!r}, PlayOptions(record={job.record.value!r}, seed={job.seed}, "
        f"load=Load(pacing={settings.pacing.value!r}, speed={settings.speed:g}, ramp={settings.ramp_per_s:g}, "
        f"players={job.players}, duration_s={job.duration_s!r}))"
        f"{f', workers={workers!r}' if isinstance(workers, str) else ''})"
    )


def _play(
    job: PlayJob, observed: Observed, progress: Progress, live: Live, abort: Watch
) -> tuple[Run, PlayOutcome]:
    observed.counts_before(progress)
    environment = observed.environment()
    planned = float(sum(job.plan.counts.values()))
    seconds = _expected_s(job)
    expected = _shorter(seconds, job.duration_s)
    label = "Playing" if expected is None else f"Playing, about {expected:,.0f} s"
    with (
        observed.sampled() as sampler,
        live.play(sampler),
        progress.task(label, total=expected or planned) as task,
    ):
        shown, reason, order = [0.0], _Reason(observed, job), live.order or _WarmUp(job).order

        def watch(status: Status) -> int:
            waits_for, now_s = reason.at(status), status.load.time_s
            left = _shorter(
                None if seconds is None else seconds - (now_s - reason.waited_s),
                None if job.duration_s is None else job.duration_s - now_s,
            )
            done = float(status.load.nodes) if left is None or expected is None else expected - left
            task.advance(done - shown[0])
            shown[0] = done
            live.tell(status, waits_for)
            task.say(waits_for or _live(status, left, job))
            return Order.DONE if not waits_for and abort.look(status) else order(status, sampler)

        outcome = play_apart(job, watch)
    run = _run_of(job, outcome)
    if abort.reason and run.failure is None:
        run.failure = f"{ABORTED}{abort.reason}"
    called = " and ".join(map(daemon_name, run.daemons))
    run.environment = environment | ({} if called in {"", "NameNode"} else {TARGET: called})
    run.environment |= {PLAYERS: str(outcome.players)} if outcome.players > 1 else {}
    run.environment |= {} if job.crew is None else {WORKERS: ", ".join(job.crew.names)}
    observed.stops(run)
    if sampler is not None:
        start_s = outcome.begun_at_s - observed.clock.wall() + sampler.clock.now()
        run.metrics = [Measured(sample.time_s - start_s, sample.values) for sample in sampler.samples]
    try:
        run.differences = observed.differences(run)
    except KeyboardInterrupt:  # nobody waits for the counts: what was played is kept all the same
        run.interrupted = True
    return run, outcome


def _shorter(*lengths: float | None) -> float | None:
    return min((length for length in lengths if length is not None), default=None)


def _expected_s(job: PlayJob) -> float | None:
    """About how long a play takes; None where it is not known."""
    settings, log = job.settings, job.plan.log
    if settings.turnover.mode is not Mode.ONCE:
        return job.duration_s
    if log is None:
        return expected_s(job.plan, speed=settings.speed, ramp_per_s=settings.ramp_per_s)
    scheduled = settings.pacing is Pacing.SCHEDULED
    return (read_head(log).lasts_s / settings.speed or None) if scheduled else None


class _WarmUp:
    """The part of a sustained load that is not measured."""

    def __init__(self, job: PlayJob) -> None:
        self._over = job.settings.turnover.mode is Mode.ONCE
        self._latest_s = longest_warm_up_s(job.duration_s or math.inf, job.measure_s)
        self._rates: list[float] = []

    def order(self, status: Status, sampler: Sampler | None) -> Order:
        """What becomes of the play: it is measured once it is steady, or where there would be no time for it later."""
        if self._over:
            return Order.GO_ON
        self._rates.append(status.calls_per_s)
        samples = [] if sampler is None else list(sampler.samples)
        self._over = is_steady(self._rates, [Measured(each.time_s, each.values) for each in samples])
        if self._over or status.load.time_s >= self._latest_s:
            self._over = True
            return Order.MEASURE
        return Order.GO_ON


class _Reason:
    """Why the clients of a log do not begin yet, asked now and then."""

    def __init__(self, observed: Observed, job: PlayJob) -> None:
        self._observed, self._waiting = observed, job.plan.log is not None
        self._asked_s, self._text = -_REASON_S, ""
        self.waited_s = 0.0
        """How long they have waited, as far as is known."""

    def at(self, status: Status) -> str:
        """In the target's own words; empty when they have begun."""
        if self._waiting and status.load.time_s - self._asked_s >= _REASON_S:
            self._asked_s, self._text = status.load.time_s, self._observed.waits_for()
            self._waiting = bool(self._text)
        if self._text:
            self.waited_s = status.load.time_s
        return self._text


def _live(status: Status, left_s: float | None, job: PlayJob) -> str:
    """What goes on, in a line: phase, rate, the slowest method, errors, what is left."""
    nodes = status.load.nodes
    if job.settings.turnover.mode is Mode.ONCE:
        phase = f"ramp, {nodes:,} nodes" if status.ramping else "load"
    else:
        phase = f"{'warm-up' if status.ramping else 'measured'}, {begun_text(job.plan, nodes)}"
    parts = [phase, f"{status.calls_per_s:,.0f} calls/s"]
    if status.slowest:
        parts.append(f"p99 {seconds_text(status.p99_ms / 1e3)} {status.slowest}")
    if status.errors:
        parts.append(f"{status.errors:,} errors")
    if left_s is not None:
        parts.append(f"{max(0.0, left_s):,.0f} s left")
    return ", ".join(parts)


def _run_of(job: PlayJob, outcome: PlayOutcome) -> Run:
    targets = list(job.settings.targets.values())
    return Run(
        outcome.tally,
        ", ".join(target.address for target in targets),
        ", ".join(target.id for target in targets),
        outcome.begun_at_s,
        outcome.elapsed_s,
        scale={name: str(quantity) for name, quantity in job.plan.scale.items()},
        nodes=dict(job.plan.counts),
        record=job.record.value,
        load=outcome.load,
        failure=None if outcome.failure is None else f"{PARTIAL * outcome.partial}{outcome.failure}",
        interrupted=outcome.interrupted,
        seed=job.seed,
        nonce=job.settings.nonce,
        speed=job.settings.speed,
        pacing=job.settings.pacing.value,
        mode=job.settings.turnover.mode.value,
        cores=outcome.cores,
        remarks=outcome.remarks,
    )


def _keep(  # noqa: PLR0917 - all that a run's folder holds
    run: Run, outcome: PlayOutcome, job: PlayJob, folder: Path, origin: Origin, scenario: str | None = None
) -> None:
    with folder_beside(folder) as beside:
        if job.spool is not None and job.record is not Record.SUMMARY:
            trace = trace_of(job.spool, run, outcome, job)
            run.trace = beside / "trace"
            write_trace(run.trace, trace, replace(origin, state=state_of(run)))
        write_run(folder, run, origin, scenario=scenario)


def _spoken(
    schema: Schema | None, target: Started | Running, facts: PlanFacts, targets: Iterable[str]
) -> Schema:
    """The part of a release's schema that a play needs, to ask targets who they are too; YARN's if the plan speaks it.

    Raises:
        InputError: a call is of no protocol that the release speaks, as in a plan of an imported table of calls.
        MissingError: the release's YARN cannot be had.
    """
    protocols = sorted(facts.protocols | asked_protocols(targets))
    if schema is None:
        hadoop = Hadoop.find() if isinstance(target, Running) else target.hadoop
        yarn = any(protocol.startswith(_YARN) for protocol in protocols)
        schema = YarnJars.find(hadoop).schema() if yarn else hadoop.schema()
    try:
        return schema.subset(protocols, facts.messages)
    except UnknownMethodError as error:
        remedy = "A plan mined from tables of calls can be extrapolated and compared; playing needs Hadoop's protocols"
        raise InputError(
            "cannot be played: the target's release does not speak a protocol of its calls",
            found=error.found,
            allowed=error.allowed,
            remedy=remedy,
        ) from error
