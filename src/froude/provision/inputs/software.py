"""From the elements of `application` to values; names and defaults of every field stand here."""

from __future__ import annotations

import re

from froude.provision.inputs.fields import Fields, at_least_one, at_most_one, distinct, every
from froude.provision.inputs.tree import Element, Flaws
from froude.provision.inputs.units import Dimension
from froude.provision.types import (
    Application,
    Compute,
    Dataset,
    Dependency,
    Io,
    Op,
    Operation,
    Persistence,
    Scope,
    Task,
)

_SIZE, _TIME = Dimension.SIZE, Dimension.TIME
_COUNT, _NUMBER, _SHARE = Dimension.COUNT, Dimension.NUMBER, Dimension.SHARE
_ERASURE = re.compile(r"(\d{1,4})\s*\+\s*(\d{1,4})")


def read_application(element: Element, flaws: Flaws) -> Application | None:
    """`application`.

    Args:
        element: an `application`.
        flaws: takes what is wrong with it and all in it.

    Returns:
        The application of what is sound in it; None where its values contradict each other.
    """
    fields = Fields(element, flaws)
    datasets = every(fields, "dataset", _dataset, flaws)
    tasks = every(fields, "task", _task, flaws)
    hosts = every(fields, "host", _host, flaws)
    at_least_one(fields, "task")
    at_most_one(fields, "host")
    distinct(fields, flaws, "dataset", "task")
    fields.finish("dataset", "task", "host")
    cores, memory = hosts[0] if hosts else (0, 0.0)
    return fields.make(lambda: Application(tuple(datasets), tuple(tasks), cores, memory))


def _host(fields: Fields, _flaws: Flaws) -> tuple[int, float]:
    """Ours: what the storage system needs on each server that holds remote units."""
    cores, memory = fields.whole("cores", 0), fields.number("memory", _SIZE, 0.0)
    fields.finish()
    return cores, memory


def _dataset(fields: Fields, _flaws: Flaws) -> Dataset | None:
    name, size = fields.text("name"), fields.number("size", _SIZE)
    persistent = fields.one_of("persistent", Persistence)
    remote = fields.flag("remote")
    cache_size = fields.optional_number("cache_size", _SIZE, above_zero=True)
    hit_ratio = fields.number("hit_ratio", _SHARE, 1.0)
    local_to = fields.optional_text("local_to")
    scope = fields.one_of("scope", Scope, Scope.REPLICATED)
    profile = fields.optional_text("profile")
    replication, erasure = fields.whole("replication", 1), _erasure(fields)
    host_time = fields.number("host_time", _TIME, 0.0)
    fields.finish()
    return fields.make(
        lambda: Dataset(
            name,
            size,
            persistent,
            remote,
            cache_size,
            hit_ratio,
            local_to,
            scope,
            profile,
            replication,
            erasure,
            host_time,
        )
    )


def _erasure(fields: Fields) -> tuple[int, int] | None:
    """Ours: data and parity fragments of a record, as `6+3`."""
    text = fields.optional_text("erasure")
    match = _ERASURE.fullmatch(text) if text else None
    if text and match is None:
        fields.flaw("is no erasure code", "erasure", allowed="data and parity fragments, such as 6+3")
    return (int(match[1]), int(match[2])) if match else None


def _task(fields: Fields, flaws: Flaws) -> Task | None:
    name, phase = fields.text("name"), fields.text("phase")
    memory = fields.number("memory", _SIZE)
    kinds = {"io": _io, "compute": _compute, "dependency": _dependency}
    operations: list[Operation] = []
    for child in fields.children(*kinds):
        operation = kinds[child.tag](Fields(child, flaws), flaws)
        if operation is not None:
            operations.append(operation)
    fields.finish(*kinds)
    return fields.make(lambda: Task(name, phase, memory, tuple(operations)))


def _io(fields: Fields, _flaws: Flaws) -> Operation | None:
    op, dataset = fields.one_of("op", Op), fields.text("dataset")
    records, size = fields.number("num_records", _COUNT), fields.number("record_size", _SIZE)
    probability = fields.number("probability", _SHARE, 1.0)
    blocking, parallel = fields.flag("blocking", True), fields.flag("parallel", False)
    amplification = fields.number("amplification", _NUMBER, 1.0, above_zero=True)
    rack_local = fields.number("rack_local", _SHARE, 0.0)
    fields.finish()
    return fields.make(
        lambda: Io(op, dataset, records, size, probability, blocking, parallel, amplification, rack_local)
    )


def _compute(fields: Fields, flaws: Flaws) -> Operation | None:
    """With children `on` (ours): `cpu` and the `time` there."""
    time, blocking = fields.number("time", _TIME), fields.flag("blocking", True)
    probability = fields.number("probability", _SHARE, 1.0)
    times = tuple(every(fields, "on", _on, flaws))
    distinct(fields, flaws, "on", by="cpu")
    fields.finish("on")
    return fields.make(lambda: Compute(time, blocking, probability, times))


def _on(fields: Fields, _flaws: Flaws) -> tuple[str, float] | None:
    cpu, time = fields.text("cpu"), fields.number("time", _TIME)
    fields.finish()
    return fields.make(lambda: (cpu, time))


def _dependency(fields: Fields, _flaws: Flaws) -> Operation | None:
    task, calls = fields.text("task"), fields.number("num_invocations", _COUNT, 1.0)
    parallel, blocking = fields.flag("parallel", False), fields.flag("blocking", True)
    probability = fields.number("probability", _SHARE, 1.0)
    size = fields.number("bytes", _SIZE, 0.0)
    fields.finish()
    return fields.make(lambda: Dependency(task, calls, parallel, blocking, probability, size))
