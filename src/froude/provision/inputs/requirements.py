"""From elements to values of what a cluster is for: `application`, `sla`, `batch`, `growth`; and `options`.

Names and defaults of every field are here.
"""

from __future__ import annotations

import re

from froude.provision.inputs.fields import Fields, at_least_one, at_most_one, distinct, every
from froude.provision.inputs.tree import Element, Flaws
from froude.provision.inputs.units import Dimension
from froude.provision.types import (
    Application,
    Batch,
    BatchTarget,
    CacheMedia,
    Compute,
    Dataset,
    Dependency,
    Duplex,
    Growth,
    Io,
    Isolation,
    Lost,
    Op,
    Operation,
    Options,
    Persistence,
    Placement,
    RackLoss,
    RateTarget,
    ReReplication,
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


def read_target(element: Element, flaws: Flaws) -> RateTarget | None:
    """`sla`; ours: `latency` and its `quantile`.

    Args:
        element: an `sla`.
        flaws: takes what is wrong with it.

    Returns:
        The target; None where anything about it is wrong.
    """
    fields = Fields(element, flaws)
    task, rate = fields.text("task"), fields.number("rate", _COUNT)
    latency = fields.optional_number("latency", _TIME, above_zero=True)
    quantile = fields.optional_number("quantile", _SHARE, above_zero=True)
    fields.finish()
    return fields.make(lambda: RateTarget(task, rate, latency, quantile))


def read_batch(element: Element, flaws: Flaws) -> Batch | None:
    """`batch` (ours): `time`, `job task executions`, `split phase share`.

    Args:
        element: a `batch`.
        flaws: takes what is wrong with it and its children.

    Returns:
        The job of the children that are sound; None where anything else about it is wrong.
    """
    fields = Fields(element, flaws)
    time = fields.number("time", _TIME, above_zero=True)
    jobs = every(fields, "job", _job, flaws)
    splits = every(fields, "split", _split, flaws)
    at_least_one(fields, "job")
    fields.finish("job", "split")
    return fields.make(lambda: Batch(time, tuple(jobs), dict(splits)))


def _job(fields: Fields, _flaws: Flaws) -> BatchTarget | None:
    task, executions = fields.text("task"), fields.number("executions", _COUNT)
    fields.finish()
    return fields.make(lambda: BatchTarget(task, executions))


def _split(fields: Fields, _flaws: Flaws) -> tuple[str, float] | None:
    phase, share = fields.text("phase"), fields.number("share", _SHARE, above_zero=True)
    fields.finish()
    return fields.make(lambda: (phase, share))


def read_growth(element: Element, flaws: Flaws) -> Growth | None:
    """`growth` (ours): `load` and `data` a year, until `lead_time` has passed.

    Args:
        element: a `growth`.
        flaws: takes what is wrong with it.

    Returns:
        The growth; None where anything about it is wrong.
    """
    fields = Fields(element, flaws)
    load, data = fields.number("load", _NUMBER, 0.0), fields.number("data", _NUMBER, 0.0)
    lead_time = fields.number("lead_time", _TIME)
    fields.finish()
    return fields.make(lambda: Growth(load, data, lead_time))


def read_re_replication(element: Element, flaws: Flaws) -> ReReplication | None:
    """`re_replication` (ours): `time` to re-replicate what a server or rack held, and what HDFS may use for it.

    Args:
        element: a `re_replication`.
        flaws: takes what is wrong with it.

    Returns:
        The constraint; None where anything about it is wrong.
    """
    fields, default = Fields(element, flaws), ReReplication(1.0)
    time, of = fields.number("time", _TIME, above_zero=True), fields.one_of("of", Lost, default.of)
    share = fields.number("share", _SHARE, default.share, above_zero=True)
    streams = fields.whole("max_streams", default.max_streams)
    block = fields.number("block_size", Dimension.SIZE, default.block_size, above_zero=True)
    heartbeat = fields.number("heartbeat", _TIME, default.heartbeat, above_zero=True)
    fields.finish()
    return fields.make(lambda: ReReplication(time, of, share, streams, block, heartbeat))


def read_options(element: Element, flaws: Flaws) -> Options | None:
    """`options` (ours).

    Args:
        element: an `options`; what it leaves out has its default.
        flaws: takes what is wrong with it.

    Returns:
        The options; None where anything about them is wrong.
    """
    fields = Fields(element, flaws)
    isolation = fields.one_of("isolation", Isolation, Isolation.NONE)
    placement = fields.one_of("placement", Placement, Placement.WEIGHTED)
    media = fields.one_of("cache_media", CacheMedia, CacheMedia.ANY)
    duplex = fields.one_of("duplex", Duplex, Duplex.HALF)
    busy = fields.number("peak_utilization", _SHARE, 1.0, above_zero=True)
    memory = fields.optional_text("memory_unit")
    fill = fields.number("peak_fill", _SHARE, 1.0, above_zero=True)
    failing = fields.whole("survive_hosts", 0)
    rack = fields.one_of("survive_rack", RackLoss, RackLoss.NONE)
    fields.finish()
    return fields.make(
        lambda: Options(isolation, placement, media, duplex, busy, memory, fill, failing, rack)
    )
