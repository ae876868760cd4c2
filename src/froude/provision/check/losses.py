"""What a cluster must get over: servers and racks lost, and how soon their data has all its copies again.

Recomputed from the plan for the check: the servers with the most are lost, and the slowest are left.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from froude.provision.check.demand import Demand
from froude.provision.check.device_load import seconds
from froude.provision.check.rack_flow import rack_bytes, racks_of
from froude.provision.check.violation import Violation
from froude.provision.types import Dataset, Duplex, Lost, Op, Persistence, RackLoss, ReReplication, Scope
from froude.provision.types.plan import Group

_SLACK = 1e-6


def rack_flaws(demand: Demand) -> Iterator[Violation]:
    """What is wrong with the racks of a cluster whatever the load: too little is left to hold all data."""
    rack, options = demand.problem.catalog.rack, demand.problem.options
    if options.survive_rack is RackLoss.NONE or rack is None:
        return
    for dataset in demand.problem.application.datasets:
        where = f"dataset {dataset.name}"
        if rack_share(demand, dataset) == 0:
            yield Violation("data that a lost rack takes along", where)
        for name, cache in demand.copies(dataset):
            unit = demand.units_of(name)[int(cache)]
            filled, _ = demand.need_parts(name, cache=cache)
            units = _after(((g.count, _units(g, name, cache)) for g in demand.plan.groups), rack.servers)
            if filled > units * (1 + _SLACK):
                yield Violation(f"units of {unit.name} after a lost rack", where, math.ceil(filled), units)


def load_flaws(demand: Demand) -> Iterator[Violation]:
    """What a plan's load asks of the uplinks, and its losses of what is left."""
    yield from _uplinks(demand)
    yield from _one_rack(demand)
    re_replication = demand.problem.sla.re_replication
    if re_replication is not None:
        for what, where, taken in re_replication_times(demand, re_replication):
            if not taken <= re_replication.time * (1 + _SLACK):
                yield Violation(f"seconds to re-replicate ({what})", where, taken, re_replication.time)


def _uplinks(demand: Demand) -> Iterator[Violation]:
    """Any servers that fill a rack, those that send the most too, fit its uplink."""
    rack, racks = demand.problem.catalog.rack, racks_of(demand)
    if rack is None or racks < 2:
        return
    for phase in demand.phases:
        flows = [(g.count, rack_bytes(demand, g, phase, racks)) for g in demand.plan.groups]
        for direction in flows[0][1]:
            busiest = _most(((count, flow[direction]) for count, flow in flows), rack.servers)
            if busiest * demand.reserve > rack.uplink * (1 + _SLACK):
                where = "the fullest rack"
                yield Violation(
                    f"rack uplink ({direction}) in {phase}", where, busiest * demand.reserve, rack.uplink
                )


def _one_rack(demand: Demand) -> Iterator[Violation]:
    """Any servers that fill a rack have so little of a dataset that placement can keep a piece in another rack."""
    rack = demand.problem.catalog.rack
    for dataset in demand.problem.application.datasets if rack is not None else ():
        assert rack is not None
        most = rack_share(demand, dataset)
        if dataset.remote and 0 < most < 1:
            share = _most(((g.count, _share(g, dataset.name)) for g in demand.plan.groups), rack.servers)
            if share > most * (1 + _SLACK):
                yield Violation("share of a rack", f"dataset {dataset.name}", share, most)


def rack_share(demand: Demand, dataset: Dataset) -> float:
    """Largest share of a dataset in one rack, so that the others have enough of every record; 0 for none."""
    loss = demand.problem.options.survive_rack
    persistent = dataset.persistent is Persistence.REQUIRED and not demand.units_of(dataset.name)[0].service
    if loss is RackLoss.NONE or demand.problem.catalog.rack is None or not persistent:
        return 1.0
    if not dataset.remote:
        return float(loss is RackLoss.SERVICE and dataset.scope is Scope.REPLICATED)
    if dataset.erasure is not None:
        return dataset.erasure[1] / sum(dataset.erasure)
    return 1 - 1 / dataset.replication


def least_spread(demand: Demand, name: str) -> int:
    """Servers over which a dataset is spread at least, so that any rack of them has no more than `rack_share`."""
    rack, most = demand.problem.catalog.rack, rack_share(demand, demand.problem.application.dataset(name))
    return 1 if rack is None or not 0 < most < 1 else math.ceil(rack.servers / most * (1 - _SLACK))


def re_replication_times(demand: Demand, re_replication: ReReplication) -> Iterator[tuple[str, str, float]]:
    """(bottleneck, where, seconds) until all that the fullest server or rack held is re-replicated.

    Args:
        re_replication: what is lost, and what may be used.
    """
    problem, groups = demand.problem, demand.plan.groups
    rack = problem.catalog.rack
    lost = rack.servers if re_replication.of is Lost.RACK and rack is not None else 1
    moved: dict[int, float] = dict.fromkeys(range(len(groups)), 0.0)
    for dataset in problem.application.datasets:
        layout = demand.layout(dataset.name, cache=False)
        if not dataset.remote or layout.servers < 2:
            continue
        needed = 1 if dataset.erasure is None else dataset.erasure[0]
        stored = demand.stored(dataset.name)
        for number, group in enumerate(groups):
            moved[number] += _share(group, dataset.name) * stored * needed
        gone = _most(((g.count, _share(g, dataset.name)) for g in groups), lost) * stored
        units = _after(((g.count, _units(g, dataset.name, False)) for g in groups), lost)
        unit, block = demand.units_of(dataset.name)[0], re_replication.block_size
        reading = seconds(unit, Op.READ, block, dataset.profile) * needed
        each = (reading + seconds(unit, Op.WRITE, block, dataset.profile)) / block
        yield unit.name, f"dataset {dataset.name}", _over(gone * each, units * re_replication.share)
    hosts = [(g.count, problem.catalog.server(g.server).bandwidth) for g in groups if _holds(g)]
    total = _most(((g.count, moved[number]) for number, g in enumerate(groups)), lost)
    ends = 2 if problem.options.duplex is Duplex.HALF else 1
    network = sum(count * width for count, width in hosts) - _most(hosts, lost)
    yield "network", "the servers left", _over(total * ends, network * re_replication.share)
    sent = re_replication.max_streams * re_replication.block_size / re_replication.heartbeat
    left = max(0, sum(count for count, _ in hosts) - lost)
    yield "streams", "the servers left", _over(total, left * sent)
    racks = racks_of(demand)
    if rack is not None and racks > 1:
        uplinks = (racks - (re_replication.of is Lost.RACK)) * rack.uplink
        yield "uplinks", "the racks left", _over(total * ends, uplinks * re_replication.share)


def _share(group: Group, dataset: str) -> float:
    return sum(held.share for held in group.held if held.dataset == dataset and not held.cache)


def _units(group: Group, dataset: str, cache: bool) -> int:
    return sum(held.units for held in group.held if held.dataset == dataset and held.cache == cache)


def _holds(group: Group) -> bool:
    return any(held.units for held in group.held)


def _most(servers: Iterable[tuple[int, float]], lost: int) -> float:
    """Of so many servers, those with the most of it, together."""
    total, left = 0.0, lost
    for count, each in sorted(servers, key=lambda pair: -pair[1]):
        total += min(count, left) * each
        left -= min(count, left)
    return total


def _after(servers: Iterable[tuple[int, float]], lost: int) -> float:
    """Of all servers without so many of those with the most of it, together."""
    pairs = list(servers)
    return sum(count * each for count, each in pairs) - _most(pairs, lost)


def _over(work: float, rate: float) -> float:
    if not work:
        return 0.0
    return work / rate if rate > 0 else math.inf
