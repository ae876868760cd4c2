"""What a draft is made of: accesses as they were seen, and the application that they tell, as far as they tell it.

A number that nothing tells is None here and stands as `blank` in the file that is written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from froude.provision.types import Op

REST = "other"
"""The dataset, or the task, of all that carries too little for one of its own."""


class TaskBy(Enum):
    """What makes two calls part of one task."""

    AUTO = "auto"
    """The job's name where there is one, else the caller context, else the user."""
    USER = "user"
    CONTEXT = "context"
    """The caller context with its numbers left out; the user where there is none."""
    COMMAND = "command"
    """The call itself: `open`, `create`, `append`."""


class Unit(Enum):
    """What one execution of a task is."""

    JOB = "job"
    """All calls that carry, or whose paths carry, one job's or application's id."""
    SESSION = "session"
    """All calls of one client process."""
    CALL = "call"
    """A single call: nothing tells which belong together."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who made a call."""

    user: str
    """Short name: realm and host are left out."""
    context: str | None
    """As the client called itself."""
    sender: str | None
    """Identity of its process, where the source could see it."""


@dataclass(frozen=True, slots=True)
class Access:
    """One file read or written: what the many calls about it come to."""

    time_s: float | None
    """Seconds since the epoch; None where the source gives no time."""
    caller: Caller
    op: Op
    command: str
    """Of the audit log: `open`, `create`, `append`."""
    path: str
    bytes: float | None = None
    """Length of the file read, or what was written; None where nothing tells it."""
    blocks: int = 1
    """Of the file read: a reader of one of several blocks may read that alone."""
    copies: int = 0
    """Replicas of the file read, or asked for the file written; 0 where nothing tells."""


@dataclass(frozen=True, slots=True)
class Number:
    """A value and where it comes from."""

    value: float | None
    """None: nothing tells it."""
    note: str
    """How many observations, over what; or why there are none."""


@dataclass(frozen=True, slots=True)
class DraftDataset:
    """A path prefix."""

    name: str
    prefix: str
    size: Number
    """Bytes."""
    replication: Number
    """Copies of each block."""
    why: str
    """Why this prefix is a dataset."""


@dataclass(frozen=True, slots=True)
class DraftIo:
    """Reads, or writes, of a dataset by a task."""

    op: Op
    dataset: str
    num_records: float
    """Files per execution, of those that do it."""
    record_size: Number
    """Bytes of one file."""
    probability: float
    """Share of the executions that do it."""
    note: str
    rack_local: float = 0.0
    """Share that has a replica in the task's rack."""


@dataclass(frozen=True, slots=True)
class DraftCall:
    """Invocations of another task, with what goes to it."""

    task: str
    num_invocations: float
    """Per execution."""
    bytes: float
    """Per invocation."""
    note: str


@dataclass(frozen=True, slots=True)
class DraftTask:
    """A job type."""

    name: str
    unit: Unit
    executions: int
    rate: Number
    """Executions per second at the peak."""
    compute: Number
    """Seconds on one core per execution."""
    operations: tuple[DraftIo, ...]
    note: str
    memory: Number = Number(None, "of one execution; traces do not tell it")
    """Bytes per execution."""
    calls: tuple[DraftCall, ...] = ()
    called: bool = False
    """Whether its rate follows from those who call it."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An application as far as traces tell it."""

    datasets: tuple[DraftDataset, ...]
    tasks: tuple[DraftTask, ...]
    sources: tuple[str, ...]
    """What it was drafted from, in words."""
    notes: tuple[str, ...] = field(default=())
    """What holds of the whole, such as the telemetry's total."""
