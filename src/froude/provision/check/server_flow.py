"""Bytes and accesses per second on the buses of one server of a plan, and bytes through its network.

For the checker and `evaluate`.
"""

from __future__ import annotations

from froude.provision.check.demand import Demand
from froude.provision.types import Dataset, Dependency, Duplex, Io, Op
from froude.provision.types.plan import Group


def bus_flow(demand: Demand, group: Group, bus: str, phase: str) -> tuple[float, float]:
    """Bytes and accesses per second of one server's bus in a phase.

    Args:
        group: of equal servers; the result is for one of them.
    """
    bytes_ = accesses = 0.0
    for held in group.held:
        if demand.problem.catalog.unit(held.unit).bus == bus:
            streams = demand.streams(held.dataset, phase, cache=held.cache)
            bytes_ += held.share * sum(stream.rate * stream.size for stream in streams)
            accesses += held.share * sum(stream.rate for stream in streams)
    for name in {local.dataset for local in group.local if local.units}:
        if demand.units_of(name)[0].bus == bus:
            share = sum(r.share for r in group.running if r.task == demand.owner(name))
            streams = demand.streams(name, phase)
            bytes_ += share * sum(stream.rate * stream.size for stream in streams)
            accesses += share * sum(stream.rate for stream in streams)
    return bytes_, accesses


def network_bytes(demand: Demand, group: Group, phase: str) -> dict[str, float]:
    """Bytes per second through one server's network in a phase, per direction that is counted.

    Args:
        group: of equal servers; the result is for one of them.

    Returns:
        By `in` and `out`, or by `both` where they share the line.
    """
    flow = {"in": 0.0, "out": 0.0}
    for held in group.held:
        dataset = demand.problem.application.dataset(held.dataset)
        for _, io, n in demand.on(dataset, phase):
            inward, outward = _host_part(demand, dataset, io, cache=held.cache)
            flow["in"] += held.share * n * io.record_size * inward
            flow["out"] += held.share * n * io.record_size * outward
    calls = 0.0
    for running in group.running:
        inward, outward, called = _task_flow(demand, running.task, phase)
        flow["in"] += running.share * inward
        flow["out"] += running.share * outward
        calls += running.share * called
    if demand.problem.options.duplex is Duplex.FULL:
        return {direction: bytes_ + calls for direction, bytes_ in flow.items()}
    return {"both": flow["in"] + flow["out"] + calls}


def _task_flow(demand: Demand, name: str, phase: str) -> tuple[float, float, float]:
    """(in, out, calls) bytes per second of all of a task."""
    inward = outward = calls = 0.0
    for dataset in demand.problem.application.datasets:
        owner = None if dataset.remote else demand.owner(dataset.name)
        # A task cuts its records into fragments itself, parity too; replicas are passed on by the hosts.
        fragments = demand.layout(dataset.name, cache=False).sent if dataset.erasure is not None else 1.0
        for task, io, n in demand.on(dataset, phase):
            amount = n * io.record_size * (fragments if io.op is Op.WRITE else 1.0)
            asks, serves = task.name == name and owner != name, owner == name and task.name != name
            if asks or serves:
                # What the one takes in, the other gives out.
                if asks == (io.op is Op.READ):
                    inward += amount
                else:
                    outward += amount
    for task in demand.problem.application.tasks:
        for op in task.operations:
            if task.phase == phase and isinstance(op, Dependency):
                amount = demand.rates[task.name] * op.probability * op.num_invocations * op.bytes
                calls += amount * ((task.name == name) + (op.task == name))
    return inward, outward, calls


def _host_part(demand: Demand, dataset: Dataset, io: Io, *, cache: bool) -> tuple[float, float]:
    """(in, out): how often each record asked for crosses the network of the servers that hold a copy."""
    if io.op is Op.WRITE:
        how = demand.layout(dataset.name, cache=cache)
        return how.sent, how.forwarded
    if len(demand.plan.choices[dataset.name]) == 1:
        return 0.0, 1.0
    return (1 - dataset.hit_ratio, dataset.hit_ratio) if cache else (0.0, 1 - dataset.hit_ratio)
