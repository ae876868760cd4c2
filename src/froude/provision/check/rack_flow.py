"""Bytes per second that one server of a plan sends out of its rack and takes in from others, for the check."""

from __future__ import annotations

from froude.provision.check.demand import Demand
from froude.provision.check.pieces import racks_for
from froude.provision.types import Dataset, Dependency, Duplex, Io, Op
from froude.provision.types.plan import Group


def racks_of(demand: Demand, lost: int = 0) -> int:
    """How many racks its servers fill, one after the other; 0 where racks do not matter.

    Args:
        lost: servers that failed, whose racks are still there.
    """
    return racks_for(demand.problem.catalog, lost + sum(group.count for group in demand.plan.groups))


def rack_bytes(demand: Demand, group: Group, phase: str, racks: int) -> dict[str, float]:
    """Bytes per second of one server that cross racks in a phase, per direction that is counted.

    Args:
        group: of equal servers; the result is for one of them.
        racks: of the whole cluster, 1 or more.

    Returns:
        By `in` and `out`, or by `both` where they share the line.
    """
    elsewhere = 1 - 1 / racks
    inward = outward = 0.0
    for held in group.held:
        dataset = demand.problem.application.dataset(held.dataset)
        for _, io, n in demand.on(dataset, phase):
            took, gave = _held(demand, dataset, io, held.cache, elsewhere)
            inward += held.share * n * io.record_size * took
            outward += held.share * n * io.record_size * gave
    calls = 0.0
    for running in group.running:
        took, gave, called = _ran(demand, running.task, phase, elsewhere)
        inward, outward = inward + running.share * took, outward + running.share * gave
        calls += running.share * called * elsewhere
    if racks == 1:
        inward = outward = calls = 0.0
    if demand.problem.options.duplex is Duplex.FULL:
        return {"in": inward + calls, "out": outward + calls}
    return {"both": inward + outward + calls}


def _outside(demand: Demand, io: Io, elsewhere: float, *, fragments: bool) -> float:
    """Part of an operation's records that are not in the rack of who asks for them."""
    if any(unit.service for unit in demand.problem.catalog.units):
        return 1.0  # a service stands in no rack
    near = 0.0 if fragments else io.rack_local
    return elsewhere - elsewhere * near


def _held(demand: Demand, dataset: Dataset, io: Io, cache: bool, elsewhere: float) -> tuple[float, float]:
    """(in, out) of a copy's host per byte that a task asks for."""
    layout = demand.layout(dataset.name, cache=cache)
    fragments = dataset.erasure is not None and layout.servers > 1
    outside = _outside(demand, io, elsewhere, fragments=fragments)
    if io.op is Op.WRITE:
        if fragments:
            return outside * layout.sent, 0.0
        # The second replica is in another rack, the third beside it; each further one may be anywhere.
        pipeline = {1: 0, 2: 1, 3: 1}.get(layout.servers, layout.servers - 2)
        return outside + pipeline, float(pipeline)
    if len(demand.plan.choices[dataset.name]) == 1:
        return 0.0, outside
    missed = 1 - dataset.hit_ratio
    return (missed * elsewhere, dataset.hit_ratio * outside) if cache else (0.0, missed * outside)


def _ran(demand: Demand, name: str, phase: str, elsewhere: float) -> tuple[float, float, float]:
    """(in, out, calls) of all of a task; calls as they are, the others across racks."""
    took = gave = calls = 0.0
    application = demand.problem.application
    for dataset in application.datasets:
        owner = None if dataset.remote else demand.owner(dataset.name)
        parity = demand.layout(dataset.name, cache=False).sent if dataset.erasure is not None else 1.0
        for task, io, n in demand.on(dataset, phase):
            outside = _outside(demand, io, elsewhere, fragments=dataset.erasure is not None)
            crossed = n * io.record_size * outside
            crossed *= parity if io.op is Op.WRITE else 1.0
            if owner != name and task.name == name:
                took, gave = (took + crossed, gave) if io.op is Op.READ else (took, gave + crossed)
            elif owner == name and task.name != name:
                took, gave = (took, gave + crossed) if io.op is Op.READ else (took + crossed, gave)
    for task in application.tasks:
        for op in task.operations:
            if task.phase == phase and isinstance(op, Dependency):
                ends = (task.name == name) + (op.task == name)
                calls += ends * demand.rates[task.name] * op.probability * op.num_invocations * op.bytes
    return took, gave, calls
