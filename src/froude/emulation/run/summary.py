"""A run in numbers that a script can rely on: `run.json`, and what `froude play --json` prints.

Flat: one level of plain values, and lists of flat rows. Fields are added, never renamed or given another meaning,
within one version of the form; what nobody measured is null, never 0. The JSON Schema is made from this class.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from froude.base.version import __version__
from froude.documents.artifact import stamp
from froude.emulation.run.bottleneck import MASTER, RESOURCEMANAGER, LimitedBy
from froude.emulation.run.core_time import (
    call_queue_ms,
    core_shares,
    cpu_per_call_s,
    method_cpu_us,
    prefix_of,
    thread_shares,
    waits,
)
from froude.emulation.run.readings import Readings, mean_of
from froude.emulation.run.run import HEAP_USED, LOCK_QUEUE, Latency, Run
from froude.emulation.run.tally import Percentiles
from froude.emulation.run.verdict import Colour, verdict_of
from froude.emulation.steadiness import thread_share
from froude.hadoop.metrics.gc_log import put_together
from froude.hadoop.metrics.threads import COLLECTOR

KIND = "run-summary/1"


def _moment(text: str) -> str:
    """The text of a moment, refused where it is none."""
    try:
        aware = datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        aware = False
    if not aware:
        raise ValueError("not a time by ISO 8601 in UTC, such as 2026-01-31T12:00:00+00:00")
    return text


def _limited(text: str) -> str:
    """What was the limit, refused where it is none of `LimitedBy`."""
    known = [each.value for each in LimitedBy]
    if text not in known:
        raise ValueError(f"not one of {', '.join(known)}")
    return text


class _Flat(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class MethodRow(_Flat):
    """One RPC method, in the steady phase."""

    method: str
    daemon: str = ""
    """The daemon called, such as `namenode`; empty where it is not known."""
    sent: int
    answered: int
    failed: int
    """Calls that failed though they did not when recorded; of the whole run."""
    p50_ms: float | None
    """Of the answered calls, as every latency; null where none was answered."""
    p90_ms: float | None
    p99_ms: float | None
    p999_ms: float | None
    max_ms: float | None
    service_p99_ms: float | None
    """From when a call was sent."""
    corrected_p99_ms: float | None
    """From when it was sent, with the calls added that slow ones kept from being made (coordinated omission)."""
    cpu_us: float | None = None
    """CPU time of the target for a call, microseconds, without its compiler's and collector's; null without a base. Of a
    ResourceManager, whose other threads serve no single call, that of its handlers."""


class DaemonRow(MethodRow):
    """All methods of one daemon; `method` is empty."""

    verdict: Colour
    """On its calls alone."""
    cpu_share: float | None
    """Of one core, in its busiest half."""


class LimitRow(_Flat):
    """A limit that was asked for."""

    limit: str
    value: float | None
    """What was measured, in `unit`; null where nobody knows."""
    unit: str
    """`s`, `share`, or empty for a number."""
    held: bool


class FailureRow(_Flat):
    """Calls that failed alike; failures that were recorded, and calls that were made again, are among them."""

    method: str
    error: str
    """Exception class, or `Unanswered`, or `ConnectionLost`."""
    message: str
    """Without the paths and numbers in which single messages differ."""
    count: int
    first_s: float
    """Seconds since the play began."""
    last_s: float
    example: str
    path: str | None


class RunSummary(_Flat):
    """One play of a plan."""

    froude: str = Field(default=KIND)
    froude_version: str = Field(default=__version__)
    verdict: Colour
    """By the rules of `froude.emulation.run.verdict`."""
    reasons: list[str]
    """Of the verdict, the gravest first."""
    bottleneck: Annotated[str, AfterValidator(_limited)]
    """`player`, `target`, `machine` (other work on it), `neither` or `unknown`."""
    bottleneck_reason: str
    bottleneck_daemon: str = ""
    """Which target was the limit, such as `namenode`; empty where none was."""
    failure: str | None
    """What ended the run before its time."""
    interrupted: bool
    target: str
    target_id: str
    begun_at: Annotated[str, AfterValidator(_moment)]
    """ISO 8601, UTC."""
    elapsed_s: float
    ramp_s: float | None
    """Until every emulated daemon had started, and a sustained load was steady; null where the run ended before."""
    steady_s: float
    """The phase that counts and latencies are of."""
    pacing: str
    """`closed` or `scheduled`."""
    mode: str = "once"
    """Whether its load was sustained, and by what: `once`, `population` or `arrivals`."""
    latency: str
    """What latencies count: `response time` from when a call was due, `service time` from when it was sent."""
    speed: float
    seed: int
    nonce: str = ""
    """Random digits from which, with the seed, client ids were made: `froude play --replay-ids` takes them again."""
    record: str
    scale: dict[str, str]
    nodes: int
    """Emulated nodes."""
    calls_sent: int
    calls_answered: int
    calls_per_s: float
    calls_failed: int
    """Of the whole run; without those that failed when recorded and those that were made again."""
    calls_left_out: int
    """Never sent, because an argument had no value."""
    calls_unsent: int
    """Due and not sent before the end."""
    calls_in_ramp: int
    p50_ms: float | None
    p90_ms: float | None
    p99_ms: float | None
    p999_ms: float | None
    max_ms: float | None
    corrected_p99_ms: float | None
    lateness_p99_ms: float | None
    containers_per_s: float | None = None
    """Granted to application masters; null where none asked for any."""
    allocation_p50_ms: float | None = None
    """From the call by which an application master first asked for a container to its grant by the ResourceManager."""
    allocation_p99_ms: float | None = None
    applications_per_s: float | None = None
    """Application masters that began; null where none asked for any container."""
    applications_running: float | None = None
    """Mean number, as the ResourceManager's root queue states it; null where that was not sampled, as what follows."""
    node_heartbeats_per_s: float | None = None
    scheduler_allocate_ms: float | None = None
    """Mean time of the scheduler to place containers on a node, where it placed any."""
    scheduler_node_update_ms: float | None = None
    """The same for a NodeManager's heartbeat."""
    scheduler_events_max: float | None = None
    """The most events that waited for the scheduler."""
    containers_pending_max: float | None = None
    """The most containers that were asked for and not granted yet."""
    memory_allocated_share: float | None = None
    """The most of the NodeManagers' memory that was allocated at once."""
    queue_shares: dict[str, float] = Field(default={})
    """Of all memory that was allocated over time, what each queue had, by its path."""
    player_cpu_share: float | None
    """Of one core, in its busiest half."""
    target_cpu_share: float | None
    """Of one core, in its busiest half; of several targets the busiest one's."""
    compiler_share: float | None = None
    """Of the target's CPU time, what its JIT compiler used in the steady phase."""
    collector_share: float | None = None
    """The same of its garbage collector."""
    target_cpu_us: float | None = None
    """CPU time of the target for a call, microseconds, without its compiler's and its collector's; null where it was not
    seen."""
    target_cores: int = 0
    """Cores that the target's JVM has; 0 for a run that did not note them."""
    computed_limit: float | None = None
    """Calls in a second that those cores would allow at that CPU time, with no player on them: an estimate, since calls
    take less CPU time at a higher load."""
    core_time: dict[str, float] = Field(default={})
    """Shares of the time of those cores by what used it (`calls`, `compiler`, `collector`, `player`, `other work`,
    `idle`), which add up to 1; empty where something was not seen."""
    waits: dict[str, float] = Field(default={})
    """What calls waited for: `queue`, of a call's time in the target; in a NameNode `lock`, of the time of its busy
    handlers, and `edit log sync`, of all time that in which the log was being synced; in a ResourceManager `scheduler`,
    of all time that in which it worked on heartbeats of nodes. Empty where that was not seen."""
    thread_time: dict[str, float] = Field(default={})
    """Shares of one core that single threads of a ResourceManager used: `scheduler`, `event dispatcher` and, where
    containers are placed between heartbeats, `asynchronous scheduler`; empty where that was not seen."""
    call_queue_ms: float | None = None
    """Mean time for which a call waited for a handler."""
    call_queue_max: float | None
    lock_queue_max: float | None
    """Threads that waited for the NameNode's lock at once."""
    heap_used_max_bytes: float | None
    """Of the target's JVM; of several targets that of the one with the most calls."""
    gc_pauses: int | None
    """Stops for the garbage collector in the steady phase; this and what follows of them is null without its log."""
    gc_pause_share: float | None
    """Of the time."""
    gc_pause_p50_ms: float | None
    gc_pause_p99_ms: float | None
    gc_pause_max_ms: float | None
    heap_after_gc_max_bytes: int | None
    """The most that was in use after a collection: what the target needs at least."""
    other_stops: int | None
    """Stops of the target's JVM for something else than the garbage collector."""
    other_stop_max_ms: float | None
    datanodes_lost: float | None
    """DataNodes of this play that were stale or dead at once; null where others may be among them, or nobody looked."""
    counted_differently: int | None
    """Methods of which the target counted other numbers of calls than were sent; null where nobody looked."""
    daemons: list[DaemonRow] = Field(default=[])
    """Most calls first."""
    methods: list[MethodRow]
    limits: list[LimitRow]
    failures: list[FailureRow]
    environment: dict[str, str]
    remarks: list[str]


def summarise(run: Run) -> RunSummary:
    """The numbers of a run."""
    bottleneck, all_calls, counts, failed = run.bottleneck, run.latency(), run.counts, run.failed
    verdict, core_time, by_method = verdict_of(run, bottleneck), core_shares(run), method_cpu_us(run)
    cpu_s = cpu_per_call_s(run, next(iter(run.daemons), "")) if core_time else None
    return RunSummary(
        verdict=verdict.colour,
        reasons=list(verdict.reasons),
        bottleneck=bottleneck.by.value,
        bottleneck_reason=bottleneck.reason,
        bottleneck_daemon=bottleneck.daemon,
        failure=run.failure,
        interrupted=run.interrupted,
        target=run.target,
        target_id=run.target_id,
        begun_at=stamp(run.begun_at_s),
        elapsed_s=run.elapsed_s,
        ramp_s=run.steady_from_s,
        steady_s=run.steady_s,
        pacing=run.pacing,
        mode=run.mode,
        latency=run.main_latency.value,
        speed=run.speed,
        seed=run.seed,
        nonce=run.nonce,
        record=run.record,
        scale=dict(run.scale),
        nodes=sum(run.nodes.values()),
        calls_sent=sum(sent for sent, _ in counts.values()),
        calls_answered=run.answered(),
        calls_per_s=run.throughput(),
        calls_failed=failed.total(),
        calls_left_out=sum(run.left_out.values()),
        calls_unsent=sum(run.unsent.values()),
        calls_in_ramp=sum(sent for sent, _ in run.tally.ramp.counts.values()),
        **_latencies(all_calls),
        corrected_p99_ms=_latencies(run.latency(of=Latency.CORRECTED))["p99_ms"],
        lateness_p99_ms=_latencies(run.lateness)["p99_ms"],
        **_scheduling(run),
        player_cpu_share=bottleneck.player_share,
        target_cpu_share=bottleneck.target_share,
        compiler_share=run.compiler_share,
        collector_share=thread_share(run.steady_metrics, COLLECTOR, prefix=prefix_of(run)),
        target_cpu_us=None if cpu_s is None else cpu_s * 1e6,
        target_cores=run.target_cores,
        computed_limit=run.target_cores / cpu_s if cpu_s else None,
        core_time=core_time,
        waits=waits(run),
        thread_time=thread_shares(run),
        call_queue_ms=call_queue_ms(run),
        call_queue_max=run.call_queue,
        lock_queue_max=run.most(LOCK_QUEUE),
        heap_used_max_bytes=run.most(HEAP_USED, *run.daemons[:1]),
        **_stops(run),
        datanodes_lost=run.datanodes_lost,
        counted_differently=None if run.differences is None else len(run.differences),
        daemons=[
            DaemonRow(
                **_row(part, daemon, part.failed),
                verdict=part.verdict.colour,
                cpu_share=part.bottleneck.target_share,
            )
            for daemon, part in ((daemon, run.part(daemon)) for daemon in run.daemons)
        ],
        methods=[
            MethodRow(**_row(run, run.tally.series[name].daemon, failed, name), cpu_us=by_method.get(name))
            for name in counts
        ],
        limits=[LimitRow(**asdict(result)) for result in run.limits],
        failures=[FailureRow(**asdict(group)) for group in run.failures],
        environment=dict(run.environment),
        remarks=list(run.remarks),
    )


def _stops(run: Run) -> dict[str, Any]:
    """What the log of the garbage collector tells of the steady phase; all null without one."""
    log = run.steady_gc
    if log is None:
        names = ("gc_pauses", "gc_pause_share", "gc_pause_p50_ms", "gc_pause_p99_ms", "gc_pause_max_ms")
        return dict.fromkeys((*names, "heap_after_gc_max_bytes", "other_stops", "other_stop_max_ms"))
    pauses, others = put_together(log.collections), put_together(log.others)
    return {
        "gc_pauses": pauses.count,
        "gc_pause_share": pauses.total_s / run.steady_s if run.steady_s > 0 else None,
        "gc_pause_p50_ms": pauses.p50_s * 1e3,
        "gc_pause_p99_ms": pauses.p99_s * 1e3,
        "gc_pause_max_ms": pauses.longest_s * 1e3,
        "heap_after_gc_max_bytes": max((each.after_bytes for each in log.heap), default=None),
        "other_stops": others.count,
        "other_stop_max_ms": others.longest_s * 1e3,
    }


def _scheduling(run: Run) -> dict[str, Any]:
    """What a ResourceManager granted, and its scheduler's own figures; null where none was called, or asked."""
    if RESOURCEMANAGER not in run.daemons:
        return {}
    readings, allocation = Readings(run.steady_metrics), _latencies(run.allocation)
    took_ms = {
        operation: readings.mean(f"{MASTER}CapacitySchedulerMetrics.{operation}", 1e-6)
        for operation in ("Allocate", "NodeUpdate")  # nanoseconds
    }
    asked = run.containers_per_s is not None
    return {
        "containers_per_s": run.containers_per_s,
        "allocation_p50_ms": allocation["p50_ms"],
        "allocation_p99_ms": allocation["p99_ms"],
        "applications_per_s": run.throughput("registerApplicationMaster") if asked else None,
        "applications_running": mean_of(readings.gauge(f"{MASTER}QueueMetrics.AppsRunning")),
        "node_heartbeats_per_s": run.throughput("nodeHeartbeat"),
        "scheduler_allocate_ms": took_ms["Allocate"],
        "scheduler_node_update_ms": took_ms["NodeUpdate"],
        "scheduler_events_max": run.most("ClusterMetrics.SchedulerDispatcherEventQueueSize", RESOURCEMANAGER),
        "containers_pending_max": run.most("QueueMetrics.PendingContainers", RESOURCEMANAGER),
        "memory_allocated_share": _allocated_share(run),
        "queue_shares": readings.queue_shares(),
    }


def _allocated_share(run: Run) -> float | None:
    names = [f"{MASTER}QueueMetrics.{what}MB" for what in ("Allocated", "Available")]
    seen = [[m.values[name] for name in names] for m in run.steady_metrics if set(names) <= set(m.values)]
    return max((used / (used + free) for used, free in seen if used + free > 0), default=None)


def _latencies(found: Percentiles) -> dict[str, Any]:
    """By field; all null of no call."""
    values = asdict(found)
    return values if values.pop("count") else dict.fromkeys(values)


def _row(run: Run, daemon: str, failed: Counter[str], method: str | None = None) -> dict[str, Any]:
    """The row of a method; without one, that of all calls to a daemon."""
    counts = [counts for name, counts in run.counts.items() if method in {None, name}]
    return {
        "method": method or "",
        "daemon": daemon,
        "sent": sum(sent for sent, _ in counts),
        "answered": run.answered(method),
        "failed": failed.total() if method is None else failed[method],
        **_latencies(run.latency(method)),
        "service_p99_ms": _latencies(run.latency(method, Latency.SERVICE))["p99_ms"],
        "corrected_p99_ms": _latencies(run.latency(method, Latency.CORRECTED))["p99_ms"],
    }


def summary_text(summary: RunSummary) -> str:
    """The summary as the JSON text that `run.json` holds."""
    return summary.model_dump_json(indent=2) + "\n"
