"""What agents tell the controller, and what it tells them: the JSON of their REST interface, checked field by field.

Counters begin anywhere and only grow while `instance` is the same; rates are made of their differences (`window`).
"""

from __future__ import annotations

import json
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from froude.base.errors import TargetError
from froude.cache.monitor.limits import MOST, Limits

_NAME = 200
MOST_CHANGES = 1 << 50
"""Numbers of changes that agents may tell of: one a microsecond for thirty years. What one of them makes up leaves more
numbers above it than there will ever be changes."""
_LIST = 10_000
"""Most items of any list that a peer may send."""

Name = Annotated[str, Field(min_length=1, max_length=_NAME)]
Word = Annotated[str, Field(max_length=_NAME)]
Count = Annotated[int, Field(ge=0, le=MOST)]
Amount = Annotated[float, Field(ge=0, le=float(MOST), allow_inf_nan=False)]


class Message(BaseModel):
    """Any of them; fields of a report that are not known here are passed over, as a newer agent may send them."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Request(Message):
    """What a server is asked to do; with a field that it does not know it would do something else."""

    model_config = ConfigDict(extra="forbid", strict=True)


M = TypeVar("M", bound=Message)


class Apply(Request):
    """One change of one VM's limits."""

    number: Count
    """Of the change: larger than that of any change before it, or it is refused as late."""
    instance: Name | None = None
    """Of the agent, as it was when the change was made; another one refuses it as late. Null for any."""
    limits: Limits
    """All of them; null lifts a cap."""


class ProcessSample(Message):
    """A process of an application that is known by its role."""

    role: Name
    """Such as `DataNode`."""
    pid: Count
    cpu_s: Amount = 0.0
    """Processor time so far."""
    io_s: Amount | None = None
    """Time that it waited for disks so far; null where the kernel does not count it."""
    read_bytes: Count = 0
    """From disks so far."""
    write_bytes: Count = 0
    """To disks so far."""


class PeerSample(Message):
    """What was exchanged with one address so far."""

    address: Name
    sent_bytes: Count = 0
    received_bytes: Count = 0
    incoming: bool = False
    """Whether connections come from there to a server here."""
    role: Word = ""
    """Of the process here; empty where it has none."""


class JobSample(Message):
    """A job of Hadoop."""

    id: Name
    name: Word = ""
    kind: Word = ""
    """Such as `MAPREDUCE`."""
    running: bool = True
    progress: Annotated[float, Field(ge=0, le=1)] = 0.0
    elapsed_s: Amount = 0.0
    """Since its start; of an ended job, to its end."""
    hosts: Annotated[tuple[Name, ...], Field(max_length=_LIST)] = ()
    """Where its tasks run, as far as that is known."""


class Transfers(Message):
    """What was read and written so far."""

    model_config = ConfigDict(use_attribute_docstrings=True)  # metrics are described by them
    reads: Count = 0
    """Reads of the VM."""
    writes: Count = 0
    """Writes of the VM."""
    read_bytes: Count = 0
    """Bytes that the VM has read."""
    write_bytes: Count = 0
    """Bytes that the VM has written."""


class CacheCounters(Transfers):
    """What a cached disk did so far."""

    hits: Count = 0
    """Chunks read that were cached."""
    misses: Count = 0
    """Chunks read that were not."""
    io_s: Amount = 0.0
    """Sum of the times that its requests took."""
    held: Count = 0
    """Requests that a cap held back."""
    ssd_written_bytes: Count = 0
    """Bytes written to the SSD for the VM's cache."""


class VmReport(Transfers):
    """Counters of a virtual machine, by the agent on it."""

    name: Name
    instance: Name
    """Another one whenever counters begin anew."""
    uptime_s: Amount
    """Of the agent, on a clock that never goes back: the time of this sample."""
    cores: Annotated[int, Field(ge=1, le=4096)] = 1
    cpu_s: Amount = 0.0
    """Processor time of the whole machine so far."""
    io_s: Amount = 0.0
    """Time that its processes waited for disks so far."""
    io_by: Word = ""
    """How that is known: `delays` of processes, `pressure` of the machine, or `disks` that were busy."""
    addresses: Annotated[tuple[Name, ...], Field(max_length=_LIST)] = ()
    """By which other machines know it."""
    processes: Annotated[tuple[ProcessSample, ...], Field(max_length=_LIST)] = ()
    peers: Annotated[tuple[PeerSample, ...], Field(max_length=_LIST)] = ()
    jobs: Annotated[tuple[JobSample, ...], Field(max_length=_LIST)] = ()


class CachedVm(CacheCounters):
    """A VM as its hypervisor sees it."""

    name: Name
    instance: Name
    """Another one whenever counters begin anew."""
    limits: Limits
    """In force, read back."""
    controls: Annotated[tuple[Name, ...], Field(max_length=10)] = ()
    """Which of `cache_bytes`, `iops` and `bytes_per_s` can be changed."""
    used_bytes: Count = 0
    """Of its cache."""
    chunk_bytes: Annotated[int, Field(ge=1, le=1 << 40)] = 65536
    curve: dict[str, Any] | None = None
    """Its miss-ratio curve so far; null before its first read, or where there is none."""
    error: Word = ""
    """Why nothing else is known, where its back-end did not answer."""


class FindingMessage(Message):
    """What came of measuring a back-end's cap."""

    vm: Word
    backend: Name
    resource: Name
    verdict: Name
    note: Annotated[str, Field(max_length=2000)] = ""
    asked: Count | None = None
    free_rate: Amount | None = None
    held_rate: Amount | None = None


class HypervisorReport(Message):
    """The SSD of a hypervisor and its VMs, by the agent on it."""

    name: Name
    instance: Name
    uptime_s: Amount
    """Of the agent, on a clock that never goes back: the time of this sample."""
    supply: Limits
    """What the SSD has."""
    last_number: Annotated[int, Field(ge=0, le=MOST_CHANGES)] = 0
    """Of the last change that it carried out."""
    vms: Annotated[tuple[CachedVm, ...], Field(max_length=_LIST)] = ()
    findings: Annotated[tuple[FindingMessage, ...], Field(max_length=_LIST)] = ()


def parsed(kind: type[M], document: object, *, peer: str) -> M:
    """A message out of what a peer sent.

    Raises:
        TargetError: it is none, with the first field that is wrong.
    """
    try:
        return kind.model_validate_json(json.dumps(document), strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        message = f"sends what it may not ({first['msg'].lower()})"
        raise TargetError(message, file=peer, place=place or None, found=first.get("input")) from error
