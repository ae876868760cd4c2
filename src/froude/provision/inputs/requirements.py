"""What the elements of an application, of what it must sustain, and of options hold; what is ours is said."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from froude.provision.inputs.fields import Fields
from froude.provision.inputs.kinds import FLAG, TEXT, WHOLE, Children, Field, Kind, choice, number
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
    Options,
    Persistence,
    Placement,
    RackLoss,
    RateTarget,
    ReReplication,
    Scope,
    Task,
)

_SIZE, _TIME = number(Dimension.SIZE), number(Dimension.TIME)
_SIZE_ABOVE, _TIME_ABOVE = number(Dimension.SIZE, above_zero=True), number(Dimension.TIME, above_zero=True)
_COUNT, _GROWTH = number(Dimension.COUNT), number(Dimension.NUMBER, always=True)
_SHARE, _SHARE_ABOVE = number(Dimension.SHARE), number(Dimension.SHARE, above_zero=True)
_ALWAYS_FLAG = Field(FLAG.read, FLAG.show, always=True)
_ERASURE = re.compile(r"(\d{1,4})\s*\+\s*(\d{1,4})")


def _erasure(fields: Fields, name: str, _: Any) -> tuple[int, int] | None:
    text = fields.optional_text(name)
    match = _ERASURE.fullmatch(text) if text else None
    if text and match is None:
        fields.flaw("is no erasure code", name, allowed="data and parity fragments, such as 6+3")
    return (int(match[1]), int(match[2])) if match else None


@dataclass(frozen=True, slots=True)
class _Host:
    """Ours: what the storage system needs on each server that holds remote units."""

    cores: int = 0
    memory: float = 0.0


_DATASET = Kind(
    "dataset",
    Dataset,
    {
        "name": TEXT,
        "size": _SIZE,
        "persistent": choice(Persistence),
        "remote": FLAG,
        "cache_size": _SIZE_ABOVE,
        "hit_ratio": _SHARE,
        "local_to": TEXT,
        "scope": choice(Scope),
        "profile": TEXT,
        "replication": WHOLE,
        "erasure": Field(_erasure, lambda fragments: "{}+{}".format(*fragments)),
        "host_time": _TIME,
    },
)
_IO = Kind(
    "io",
    Io,
    {
        "op": choice(Op),
        "dataset": TEXT,
        "num_records": _COUNT,
        "record_size": _SIZE,
        "parallel": FLAG,
        "amplification": number(Dimension.NUMBER, above_zero=True),
        "rack_local": _SHARE,
        "probability": _SHARE,
        "blocking": _ALWAYS_FLAG,
    },
)
_COMPUTE = Kind(
    "compute",
    Compute,
    {"time": _TIME, "probability": _SHARE, "blocking": _ALWAYS_FLAG},
    (Children("times", (Kind("on", tuple, {"cpu": TEXT, "time": _TIME}),), by="cpu"),),  # ours
)
_DEPENDENCY = Kind(
    "dependency",
    Dependency,
    {
        "task": TEXT,
        "num_invocations": number(Dimension.COUNT, always=True),
        "parallel": _ALWAYS_FLAG,
        "bytes": _SIZE,
        "probability": _SHARE,
        "blocking": _ALWAYS_FLAG,
    },
)
_TASK = Kind(
    "task",
    Task,
    {"name": TEXT, "phase": TEXT, "memory": _SIZE},
    (Children("operations", (_IO, _COMPUTE, _DEPENDENCY)),),
)
_HOST = Kind(
    "host",
    _Host,
    {"cores": Field(WHOLE.read, WHOLE.show, always=True), "memory": number(Dimension.SIZE, always=True)},
)


def _application(*, host: _Host | None, **parts: Any) -> Application:
    host = host or _Host()
    return Application(**parts, host_cores=host.cores, host_memory=host.memory)


def _host_of(application: Application) -> Mapping[str, Any]:
    host = _Host(application.host_cores, application.host_memory)
    return {"host": None if host == _Host() else host}


APPLICATION = Kind(
    "application",
    Application,
    {},
    (
        Children("datasets", (_DATASET,), by="name"),
        Children("tasks", (_TASK,), by="name", needed=True),
        Children("host", (_HOST,), one=True),
    ),
    make=_application,
    parts=_host_of,
)
TARGET = Kind(
    "sla",
    RateTarget,
    {"task": TEXT, "rate": _COUNT, "latency": _TIME_ABOVE, "quantile": _SHARE_ABOVE},  # the last two ours
)
BATCH = Kind(  # ours, as all that follows
    "batch",
    Batch,
    {"time": _TIME_ABOVE},
    (
        Children("targets", (Kind("job", BatchTarget, {"task": TEXT, "executions": _COUNT}),), needed=True),
        Children("split", (Kind("split", tuple, {"phase": TEXT, "share": _SHARE_ABOVE}),)),
    ),
    make=lambda time, targets, split: Batch(time, targets, dict(split)),
)
GROWTH = Kind(
    "growth",
    Growth,
    {"load": _GROWTH, "data": _GROWTH, "lead_time": number(Dimension.TIME, required=True, always=True)},
)
RE_REPLICATION = Kind(
    "re_replication",
    ReReplication,
    {
        "time": _TIME_ABOVE,
        "of": choice(Lost),
        "share": _SHARE_ABOVE,
        "max_streams": WHOLE,
        "block_size": _SIZE_ABOVE,
        "heartbeat": _TIME_ABOVE,
    },
)
OPTIONS = Kind(
    "options",
    Options,
    {
        "isolation": choice(Isolation),
        "placement": choice(Placement),
        "cache_media": choice(CacheMedia),
        "duplex": choice(Duplex),
        "peak_utilization": _SHARE_ABOVE,
        "memory_unit": TEXT,
        "peak_fill": _SHARE_ABOVE,
        "survive_hosts": WHOLE,
        "survive_rack": choice(RackLoss),
    },
)
