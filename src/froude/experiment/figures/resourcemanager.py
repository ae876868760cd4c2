"""The ResourceManager's inside while a play ran: nodes, applications, containers, its scheduler and its calls."""

from __future__ import annotations

from froude.emulation.run.bottleneck import MASTER, RESOURCEMANAGER
from froude.emulation.run.readings import Readings
from froude.emulation.run.run import Run
from froude.experiment.figures.inside import Inside, Line, charts_of, gauge, mean, rate
from froude.experiment.figures.namenode import cpu_chart
from froude.experiment.figures.stops import stop_blocks
from froude.render import Axis, Block, ChartKind, Section, Text, ValueKind

_MS, _NS = 1e-3, 1e-9
_PORTS = (("application masters", 8030), ("NodeManagers", 8031), ("clients", 8032))
"""Whom its RPC servers answer, by port: Hadoop's own defaults."""


def _queue(title: str, name: str) -> Line:
    return gauge(title, f"{MASTER}QueueMetrics.{name}")


def _cluster(title: str, name: str) -> Line:
    return gauge(title, f"{MASTER}ClusterMetrics.{name}")


_INSIDE: tuple[Inside, ...] = (
    Inside(
        "Applications",
        Axis("applications", unit="applications"),
        (
            _queue("running", "AppsRunning"),
            _queue("waiting", "AppsPending"),
            _queue("completed", "AppsCompleted"),
        ),
        kind=ChartKind.STEP,
    ),
    Inside(
        "Containers",
        Axis("containers", unit="containers"),
        (_queue("allocated", "AllocatedContainers"), _queue("asked for and not given", "PendingContainers")),
        kind=ChartKind.STEP,
    ),
    Inside(
        "Containers given",
        Axis("a second", unit="1/s"),
        (
            rate("on the node of their input", f"{MASTER}QueueMetrics.AggregateNodeLocalContainersAllocated"),
            rate("in its rack", f"{MASTER}QueueMetrics.AggregateRackLocalContainersAllocated"),
            rate("anywhere", f"{MASTER}QueueMetrics.AggregateOffSwitchContainersAllocated"),
        ),
    ),
    Inside(
        "How long an application waits",
        Axis("mean of an application", ValueKind.DURATION, log=True),
        (
            mean(
                "for its first container",
                f"{MASTER}QueueMetrics.AppAttemptFirstContainerAllocationDelay",
                _MS,
            ),
            mean("for its master's container", f"{MASTER}ClusterMetrics.AMContainerAllocationDelay", _MS),
            mean("for its master's start", f"{MASTER}ClusterMetrics.AMLaunchDelay", _MS),
            mean("for its master's registration", f"{MASTER}ClusterMetrics.AMRegisterDelay", _MS),
        ),
        "Means of the applications of a second, as the ResourceManager measures them.",
    ),
    Inside(
        "How long the scheduler takes",
        Axis("mean of an operation", ValueKind.DURATION, log=True),
        (
            mean("placing containers on a node", f"{MASTER}CapacitySchedulerMetrics.Allocate", _NS),
            mean("a node's heartbeat", f"{MASTER}CapacitySchedulerMetrics.NodeUpdate", _NS),
            mean("giving a container", f"{MASTER}CapacitySchedulerMetrics.CommitSuccess", _NS),
        ),
    ),
    Inside(
        "Events waiting",
        Axis("events", unit="events"),
        (
            _cluster("of the ResourceManager", "RmDispatcherEventQueueSize"),
            _cluster("of the scheduler", "SchedulerDispatcherEventQueueSize"),
        ),
        kind=ChartKind.STEP,
    ),
    Inside(
        "Calls waiting in the ResourceManager's queues",
        Axis("calls", unit="calls"),
        tuple(gauge(who, f"{MASTER}RpcActivityForPort{port}.CallQueueLength") for who, port in _PORTS),
        kind=ChartKind.STEP,
    ),
    Inside(
        "How long the ResourceManager works on a call",
        Axis("mean of a call", ValueKind.DURATION, log=True),
        tuple(mean(who, f"{MASTER}RpcActivityForPort{port}.RpcProcessingTime", _MS) for who, port in _PORTS),
    ),
    Inside(
        "Time in the ResourceManager's garbage collector",
        Axis("share of the time", ValueKind.SHARE),
        (rate("garbage collector", f"{MASTER}JvmMetrics.GcTimeMillis", _MS),),
    ),
    Inside(
        "The ResourceManager's memory",
        Axis("memory", ValueKind.BYTES),
        (
            gauge("heap used", f"{MASTER}process.heap_used_bytes"),
            gauge("heap committed", f"{MASTER}process.heap_committed_bytes"),
            gauge("process", f"{MASTER}process.rss_bytes"),
        ),
    ),
    Inside(
        "Live NodeManagers",
        Axis("NodeManagers", unit="nodes"),
        (_cluster("live", "NumActiveNMs"), _cluster("lost", "NumLostNMs")),
        kind=ChartKind.STEP,
    ),
)


def resourcemanager_sections(run: Run) -> tuple[Section, ...]:
    """What a ResourceManager says of itself, as charts; nothing where none was watched."""
    readings = Readings(run.metrics)
    if not any(name.startswith(MASTER) for name in readings.names):
        return ()
    queues = tuple(
        gauge(path, f"{MASTER}Queues.{path}.AllocatedMB", float(1 << 20)) for path in readings.queues()
    )
    inside = (*_INSIDE, Inside("Memory of queues", Axis("allocated", ValueKind.BYTES), queues))
    charts, still = charts_of(inside, readings, run)
    alone = run.daemons == (RESOURCEMANAGER,)
    own = [*cpu_chart(readings, run), *stop_blocks(run)] if alone else []
    blocks: list[Block] = [*own, *charts, *([Text(f"Did not change: {'; '.join(still)}.")] if still else [])]
    intro = "Sampled each second over JMX and from the process while the play ran."
    return (Section("The ResourceManager", tuple(blocks), intro),)
