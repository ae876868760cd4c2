"""How much of each resource a plan leaves at the SLA, server group by server group, and what binds it.

Recomputed from the inputs and the plan through `froude.provision.check.demand`, as the checker does. Where servers may
fail, what the others must keep free for their load counts as used.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from froude.provision.check.as_built import as_built, says_shares
from froude.provision.check.demand import Demand
from froude.provision.check.evaluate import Evaluation, evaluate
from froude.provision.check.pieces import memory_of
from froude.provision.check.rack_flow import rack_bytes, racks_of
from froude.provision.check.server_flow import bus_flow, network_bytes
from froude.provision.types import Problem, StorageUnit
from froude.provision.types.plan import Group, ProvisionPlan

_FULL = 1 - 1e-6


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource of a server."""

    name: str
    """Such as `cores busy`, `slots of SAS`, `network`, `time of SSD (thumbs)`."""
    used: float
    """In the busiest phase."""
    available: float
    unit: str
    """`cores`, `slots`, `B/s`, `1/s`, `B`, `units`, `instances`."""

    @property
    def share(self) -> float:
        """Used of available; 1 where nothing is available."""
        return self.used / self.available if self.available else 1.0

    @property
    def left(self) -> float:
        """In the resource's unit."""
        return max(0.0, self.available - self.used)

    @property
    def binds(self) -> bool:
        """Whether nothing is left."""
        return self.share >= _FULL


@dataclass(frozen=True, slots=True)
class GroupSlack:
    """The resources of one server of a group."""

    name: str
    """`group 2: 3 x Server1`."""
    resources: tuple[Resource, ...]

    @property
    def tightest(self) -> Resource:
        """Of which the least is left, relative."""
        return self.resources[0]


@dataclass(frozen=True, slots=True)
class Slack:
    """What a plan leaves."""

    groups: tuple[GroupSlack, ...]
    """Empty where the cluster does not say how its load is spread."""
    growth: Evaluation
    """`fraction` - 1 is how much all rates could grow, load spread anew, before `limits` hold it back."""


def slack(problem: Problem, plan: ProvisionPlan) -> Slack:
    """The slack of every group, and of the plan as a whole.

    Args:
        problem: the inputs; the split of a batch job decided.
        plan: with shares, as `compile_plan` makes it; without any, only the whole is known.
    """
    demand = Demand(problem, as_built(problem, plan)) if says_shares(plan) else None
    groups = tuple(
        GroupSlack(
            f"group {number}: {group.count} x {group.server}",
            tuple(sorted(filter(_there, _resources(problem, demand, group)), key=lambda each: -each.share)),
        )
        for number, group in enumerate(demand.plan.groups if demand is not None else (), 1)
        if demand is not None
    )
    return Slack(groups, evaluate(problem, plan))


def _there(resource: Resource) -> bool:
    """Of what neither is there nor used, no share is in use."""
    return resource.available > 0 or resource.used > 0


def _resources(problem: Problem, demand: Demand, group: Group) -> Iterator[Resource]:
    yield from _cores_and_memory(problem, demand, group)
    server = problem.catalog.server(group.server)
    phases = problem.application.phases
    for bus in server.buses:
        used = sum(count for unit, count in _bought(problem, group) if unit.bus == bus.name)
        yield Resource(f"slots of {bus.name}", used, bus.slots, "slots")
        on_bus = [bus_flow(demand, group, bus.name, phase) for phase in phases]
        flow = max((bytes_ for bytes_, _ in on_bus), default=0.0)
        yield Resource(f"bandwidth of {bus.name}", flow * demand.reserve, bus.bandwidth, "B/s")
        if math.isfinite(bus.iops):
            most = max((accesses for _, accesses in on_bus), default=0.0)
            yield Resource(f"IOPS of {bus.name}", most * demand.reserve, bus.iops, "1/s")
    flows = [network_bytes(demand, group, phase) for phase in phases]
    for direction in flows[0] if flows else ():
        name = "network" if direction == "both" else f"network ({direction})"
        yield Resource(name, max(flow[direction] for flow in flows) * demand.reserve, server.bandwidth, "B/s")
    yield from _uplink(demand, group)
    yield from _units(demand, group)
    for running in group.running:
        wanted = demand.parallelism(running.task) * running.share * demand.reserve
        yield Resource(f"instances of {running.task}", wanted, running.instances, "instances")


def _uplink(demand: Demand, group: Group) -> Iterator[Resource]:
    """Its part of a full rack's."""
    rack, racks = demand.problem.catalog.rack, racks_of(demand)
    if rack is None or racks < 2:
        return
    flows = [rack_bytes(demand, group, phase, racks) for phase in demand.phases]
    for direction in flows[0]:
        name = "part of the rack uplink" if direction == "both" else f"part of the rack uplink ({direction})"
        used = max(flow[direction] for flow in flows) * demand.reserve
        yield Resource(name, used, rack.uplink / rack.servers, "B/s")


def _bought(problem: Problem, group: Group) -> Iterator[tuple[StorageUnit, int]]:
    pairs = [(held.unit, held.units) for held in group.held]
    for name, count in pairs + [(local.unit, local.units) for local in group.local]:
        yield problem.catalog.unit(name), count
    yield memory_of(problem), group.dimms


def _cores_and_memory(problem: Problem, demand: Demand, group: Group) -> Iterator[Resource]:
    application = problem.application
    host = any(held.units for held in group.held)
    cores = memory = 0.0
    for phase in application.phases:
        here = [r for r in group.running if application.task(r.task).phase == phase]
        work = sum(demand.cores(r.task) * r.share for r in here)
        work += sum(demand.host_cores(h.dataset, phase, cache=h.cache) * h.share for h in group.held)
        cores = max(cores, work * demand.reserve)
        memory = max(memory, sum(application.task(r.task).memory * r.instances for r in here))
    if host:
        cores, memory = cores + application.host_cores, memory + application.host_memory
    yield Resource("time of the cores bought", cores, group.cores, "cores")
    yield Resource("places for cores", group.cores, problem.catalog.server(group.server).cpus, "cores")
    if group.dimms:
        yield Resource("memory bought", memory, group.dimms * memory_of(problem).capacity, "B")


def _units(demand: Demand, group: Group) -> Iterator[Resource]:
    for held in group.held:
        filled, busy = demand.need_parts(held.dataset, cache=held.cache)
        what = f"{held.unit} ({held.dataset}{', cache' if held.cache else ''})"
        yield Resource(f"time of {what}", busy * held.share * demand.reserve, held.units, "units")
        yield Resource(f"room of {what}", filled * held.share, held.units, "units")
    for local in group.local:
        task = demand.owner(local.dataset)
        share = sum(r.share for r in group.running if r.task == task) * demand.reserve
        busy = demand.local_load(local.dataset) * share / demand.problem.options.peak_utilization
        yield Resource(f"time of {local.unit} ({local.dataset}, local)", busy, local.units, "units")
