"""HDFS asked plainly: capacity, replication, throughput → an application; what may be a DataNode; what a plan has.

Clients read and write whole blocks, from within the cluster: each byte passes the network of a DataNode and of a client.
What clients compute is not in it, nor are the NameNodes. Disks of a cloud's instances, which forget when those stop,
count as lasting: to HDFS an instance that stops is a lost host, and the replicas are on others.

Source: limits of a DataNode from Cloudera's hardware requirements of HDFS (CDP Private Cloud Base 7.1.3 and latest): at
least 4 cores, 4 to 24 disks, not more than 100 TB, 4 GB of heap up to 4 million replicas. The shares are ours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from froude.base.summary import counted
from froude.provision.check.demand import Demand
from froude.provision.check.losses import re_replication_times
from froude.provision.check.pieces import memory_of
from froude.provision.check.server_flow import network_bytes
from froude.provision.draft.namespace import BLOCK_BYTES, Namespace
from froude.provision.inputs.read import Parts
from froude.provision.types import (
    Application,
    CacheMedia,
    Catalog,
    Dataset,
    Io,
    Lost,
    Op,
    Options,
    Persistence,
    Problem,
    RackLoss,
    RateTarget,
    ReReplication,
    Server,
    Sla,
    StorageUnit,
    Task,
)
from froude.provision.types.plan import Group, Held, ProvisionPlan

DATASET = "hdfs"
_TB = 1e12
_RECORD = 128e6
"""Bytes of a read or write: about a block."""
_STREAMS = " of DataNodes, dfs.namenode.replication.max-streams {}"
_NAMED = 4
"""Types of servers that a note names."""


@dataclass(frozen=True, slots=True)
class DataNodeLimits:
    """What a DataNode may be, whatever is cheapest."""

    size: float = 100 * _TB
    """Bytes of disks, at most."""
    least_volumes: int = 4
    volumes: int = 24
    """At most."""
    cores: int = 4
    """For the DataNode alone, at least."""
    memory: float = 4e9
    """Likewise, bytes."""
    fill: float = 0.8
    """Largest share of a disk that data fills."""
    busy: float = 0.7
    """Largest share of its time that a disk is busy."""
    rebuild: float = 0.3
    """Share of disks and networks that re-replication may use."""

    def __str__(self) -> str:
        return (
            f"at most {self.size / _TB:g} TB in a DataNode, with {self.least_volumes} to {self.volumes} volumes; "
            f"{self.cores} cores and {self.memory / 1e9:g} GB for it; disks at most {self.fill:.0%} full and "
            f"{self.busy:.0%} busy; {self.rebuild:.0%} of disks and networks for re-replication"
        )


@dataclass(frozen=True, slots=True)
class HdfsDemand:
    """What an HDFS must do."""

    capacity: float
    """Bytes of files, without replicas."""
    replication: int
    read: float
    """Bytes a second of all clients together, as `write`."""
    write: float
    lost: Lost | None
    """What may be lost, so that the rest still does it; None for nothing."""
    rebuild: float | None
    """Seconds until all that was lost has its replicas again; None for any time."""


def parts_of(wanted: HdfsDemand, limits: DataNodeLimits) -> Parts:
    """The application, its SLA and the options; without a catalog."""
    rack = wanted.lost is Lost.RACK
    dataset = Dataset(
        DATASET, wanted.capacity, Persistence.REQUIRED, remote=True, replication=wanted.replication
    )
    rates = {("read", Op.READ): wanted.read, ("write", Op.WRITE): wanted.write}
    size = min(_RECORD, wanted.capacity)
    tasks = tuple(Task(name, "serve", 0.0, (Io(op, DATASET, 1, size),)) for name, op in rates)
    again = wanted.rebuild and ReReplication(wanted.rebuild, wanted.lost or Lost.SERVER, limits.rebuild)
    return Parts(
        application=Application((dataset,), tasks, limits.cores, limits.memory),
        sla=Sla(
            tuple(RateTarget(name, rate / size) for (name, _), rate in rates.items()),
            re_replication=again or None,
        ),
        options=Options(
            cache_media=CacheMedia.OFF,
            peak_utilization=limits.busy,
            peak_fill=limits.fill,
            survive_hosts=int(wanted.lost is Lost.SERVER),
            survive_rack=RackLoss.SERVICE if rack else RackLoss.NONE,
        ),
    )


def within(catalog: Catalog, memory: StorageUnit, limits: DataNodeLimits) -> tuple[Catalog, list[str]]:
    """The servers that may be DataNodes, with no more slots than they may fill, and lasting disks; what was left out.

    Slots that are not filled by what the price includes are counted as of the largest disk that fits them.

    Args:
        memory: the unit that memory is bought as.
    """
    left: dict[str, list[str]] = {}
    servers = []
    for server in catalog.servers:
        fewer, why = _limited(catalog, server, memory, limits)
        if why:
            left.setdefault(why, []).append(server.name)
        if fewer is not None:
            servers.append(fewer)
    notes = [
        f"{counted(len(names), 'type')} {what} ({', '.join(names[:_NAMED])}{', …' * (len(names) > _NAMED)})"
        for what, names in left.items()
    ]
    buses = {bus.name for server in servers for bus in server.buses}
    units = [unit for unit in catalog.units if unit.bus in buses]
    lasting = [replace(unit, volatile=unit.volatile and unit.bus == memory.bus) for unit in units]
    if lasting != units:
        notes.append("disks of instances count as lasting: one that stops loses its data, and all lose all")
    return replace(catalog, servers=tuple(servers), units=tuple(lasting)), notes


def _limited(
    catalog: Catalog, server: Server, memory: StorageUnit, limits: DataNodeLimits
) -> tuple[Server | None, str]:
    """A server as it may be a DataNode, None where it may not; and what was changed."""
    pairs = [(catalog.unit(name), count) for name, count in (server.bundle.units if server.bundle else ())]
    disks = [(unit, count) for unit, count in pairs if unit.bus != memory.bus]
    size = limits.size - sum(unit.capacity * count for unit, count in disks)
    places = limits.volumes - sum(count for _, count in disks)
    buses = []
    for bus in server.buses:
        largest = max((unit.capacity for unit in catalog.units if unit.bus == bus.name), default=math.inf)
        taken = sum(count for unit, count in disks if unit.bus == bus.name)
        free = bus.slots - taken
        if bus.name != memory.bus and free:
            free = max(0, min(free, places, int(size // largest)))
            size, places = size - (free and free * largest), places - free
        buses.append(replace(bus, slots=taken + free))
    least = sum(count for _, count in disks) or limits.volumes - places
    why = (
        f"left out: fewer than {limits.cores} cores" * (server.cpus < limits.cores)
        or f"left out: disks of more than {limits.size / _TB:g} TB" * (size < 0)
        or f"left out: more than {limits.volumes} disks" * (places < 0)
        or f"left out: fewer than {limits.least_volumes} disks" * (least < limits.least_volumes)
    )
    fewer = replace(server, buses=tuple(buses))
    return (
        (None, why) if why else (fewer, "with fewer slots, by the limits of a DataNode" * (fewer != server))
    )


def memory_unit(parts: Parts, catalog: Catalog) -> StorageUnit:
    """The unit that memory is bought as."""
    return memory_of(replace(parts, catalog=catalog).problem("the inputs"))


def datanodes(problem: Problem, plan: ProvisionPlan) -> list[tuple[str, ...]]:
    """A table of a plan's DataNodes, its head first: a row a group of equal ones."""
    demand = Demand(problem, plan)
    rows: list[tuple[str, ...]] = [
        ("DataNodes", "count", "disks each", "TB each", "full", "busy", "cores for it", "network in use")
    ]
    _, busy = demand.need_parts(DATASET, cache=False)
    for group in plan.groups:
        for held in group.held:
            server, unit = problem.catalog.server(group.server), problem.catalog.unit(held.unit)
            flow = max(max(network_bytes(demand, group, phase).values()) for phase in demand.phases)
            units = _disks(problem, group, held)
            time = busy * held.share / units * problem.options.peak_utilization
            size = units * unit.capacity
            rows.append((
                group.server, f"{group.count}", f"{units} x {unit.name}", f"{size / _TB:,.1f}",
                f"{demand.stored(DATASET) * held.share / size:.0%}", f"{time:.0%}",
                f"{problem.application.host_cores} of {server.cpus}", f"{flow / server.bandwidth:.0%}",
            ))  # fmt: skip
    return rows


def too_few(problem: Problem, plan: ProvisionPlan) -> str:
    """Why what is lost cannot have its replicas again, though the SLA asks for it; empty where it can, or need not."""
    again, replication = problem.sla.re_replication, problem.application.dataset(DATASET).replication
    hosts = sum(group.count for group in plan.groups)
    if again is None or hosts > replication:
        return ""
    return (
        f"a lost {again.of.value} does not have its replicas again: that takes {replication + 1} DataNodes or more, and "
        f"the plan has {hosts}"
    )


def facts(problem: Problem, plan: ProvisionPlan, limits: DataNodeLimits) -> Iterator[str]:
    """What a buyer wants to know of a plan, a line each."""
    demand, dataset = Demand(problem, plan), problem.application.dataset(DATASET)
    stored = demand.stored(DATASET)
    sizes = [
        sum(_disks(problem, group, held) * problem.catalog.unit(held.unit).capacity for held in group.held)
        for group in plan.groups
    ]
    raw = sum(size * group.count for size, group in zip(sizes, plan.groups, strict=True))
    left = raw - max(sizes)
    yield (
        f"{_tb(dataset.size)} x {dataset.replication} replicas: {_tb(stored)} on {_tb(raw)} of disks, "
        f"{stored / raw:.0%} full" + (f"; {stored / left:.0%} with the largest DataNode lost" if left else "")
    )
    if (again := problem.sla.re_replication) is not None and not too_few(problem, plan):
        what, _, taken_s = max(re_replication_times(demand, again), key=lambda each: each[2])
        yield (
            f"a lost {again.of.value} has its replicas again in {taken_s / 3600:.2g} h of {again.time / 3600:.2g} h "
            f"(slowest: {what}{_STREAMS.format(again.max_streams) * (what == 'streams')}), "
            "from when the NameNode takes it for dead: 10.5 min after its last heartbeat by default"
        )
    months = problem.catalog.hours / 730
    yield f"${plan.upper / months:,.2f} a month, over {months:g} months"
    yield f"limits: {limits}"
    blocks = dataset.size / BLOCK_BYTES
    heap = Namespace(blocks, 0, blocks, None, "").heap
    yield (
        f"not in it: two or three NameNodes, each with {heap / 1e9:,.1f} GB of heap for {blocks:,.0f} blocks of 128 MiB "
        "(more where files are smaller), JournalNodes, volumes to boot from, traffic out, and what clients compute"
    )


def _disks(problem: Problem, group: Group, held: Held) -> int:
    """Of one server, those that its price includes too: HDFS fills all alike."""
    bundle = problem.catalog.server(group.server).bundle
    return max(held.units, dict(bundle.units if bundle else ()).get(held.unit, 0))


def _tb(size: float) -> str:
    return f"{size / _TB:,.1f} TB" if size >= _TB else f"{size / 1e9:,.1f} GB"
