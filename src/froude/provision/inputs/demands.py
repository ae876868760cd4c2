"""From the elements of demand to values: `sla`, `batch`, `growth`; and `options`."""

from __future__ import annotations

from froude.provision.inputs.fields import Fields, at_least_one, every
from froude.provision.inputs.tree import Element, Flaws
from froude.provision.inputs.units import Dimension
from froude.provision.types import (
    Batch,
    BatchTarget,
    CacheMedia,
    Duplex,
    Growth,
    Isolation,
    Lost,
    Options,
    Placement,
    RackLoss,
    RateTarget,
    ReReplication,
)

_TIME, _COUNT, _SHARE = Dimension.TIME, Dimension.COUNT, Dimension.SHARE
_NUMBER = Dimension.NUMBER


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
