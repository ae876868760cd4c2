"""What a play is given beside its plan, each field declared once: for Python, scenarios, and flags of the command line.

Light to import, since help shows the fields.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated, ClassVar

from froude.documents.forms import Number, Place, Seconds, Size
from froude.documents.model import Example, Flag, Model

SLOWEST, SLOWEST_RAMP = 0.001, 0.01
"""The least speed, and the fewest nodes that may begin in a second."""
FASTEST = 1e6
"""Of both, and of the factor by which a load is raised: beyond it no machine does what was asked."""
MOST_PLAYERS = 64
"""More than keep one NameNode busy."""
_MOST = 10**9


class Pacing(Enum):
    """How calls are paced."""

    CLOSED = "closed"
    """After the answer before, and a pause."""
    SCHEDULED = "scheduled"
    """At times that follow from the plan."""


class Mode(Enum):
    """How long a load lasts, and what brings its clients."""

    ONCE = "once"
    """The planned clients, each once."""
    POPULATION = "population"
    """As many clients as planned are at work: the end of one is the start of the next."""
    ARRIVALS = "arrivals"
    """Clients begin at a rate, at random times, or as recorded."""


class Leftovers(Enum):
    """What becomes of the files and folders that clients of a sustained load have made and not deleted."""

    KEEP = "keep"
    """They stay."""
    REMOVE = "remove"
    """Clients that follow delete them, next to their own calls."""


class Record(Enum):
    """How much of a play is written down."""

    SUMMARY = "summary"
    SAMPLED = "sampled"
    """The calls of the first three nodes of each type and of one in twenty others."""
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Turnover:
    """How the clients of a play follow each other."""

    mode: Mode = Mode.ONCE
    per_s: float = 0.0
    """Clients that begin in a second, of arrivals; 0 for as many as were recorded."""
    spread_s: float = 0.0
    """The most over which the first clients of a population begin, seconds, so that each is at another place of its
    work: as long as one of them takes, where that is less."""
    leftovers: Leftovers = Leftovers.KEEP


class Connections(Model):
    """How emulated nodes share connections."""

    pool: Annotated[int, Number(0, 10_000, whole=True)] = 4
    """Connections by protocol, user and source address; 0 gives each node its own, as real ones have."""
    user: Annotated[str | None, Example("hdfs")] = None
    """User of nodes whose workload names none; who runs this by default."""


class DatanodeSettings(Model):
    """What emulated DataNodes have in common."""

    kind: ClassVar[str] = "datanode"
    """What a workload calls the program."""
    heartbeat_s: Annotated[float | None, Seconds(), Example("3 s")] = None
    """Between heartbeats; the recorded period, else 3 s (`dfs.heartbeat.interval`), by default."""
    full_report_s: Annotated[float, Seconds()] = 21600.0
    """Between full block reports (`dfs.blockreport.intervalMsec`)."""
    split_blocks: Annotated[int, Number(1, _MOST, whole=True)] = 1_000_000
    """Above so many replicas each storage is reported in a call of its own."""
    storages: Annotated[int, Number(1, 1000, whole=True)] = 1
    """Storages of a node."""
    capacity_bytes: Annotated[int, Size()] = 1 << 40
    """What a storage holds."""
    per_address: Annotated[int, Number(1, 60_000, whole=True)] = 60_000
    """Nodes that share a source address; 1 gives each its own."""
    stagger: Flag = True
    """Whether heartbeats fall anywhere in their interval; false: those of all nodes fall at the same moments."""
    blocks: Annotated[Place | None, Example("blocks")] = None
    """Folder of `froude image blocks`, with as many storages: the replicas that each node holds from the start."""


class NodemanagerSettings(Model):
    """What emulated NodeManagers have in common."""

    kind: ClassVar[str] = "nodemanager"
    """What a workload calls the program."""
    heartbeat_s: Annotated[float | None, Seconds(), Example("1 s")] = None
    """Between heartbeats; what the ResourceManager asks for by default."""
    memory_mb: Annotated[int | None, Number(1, _MOST, whole=True), Example(8192)] = None
    """Memory for containers, MiB; what was recorded, else 8 GiB, by default."""
    cores: Annotated[int | None, Number(1, _MOST, whole=True), Example(8)] = None
    """Virtual cores for containers; what was recorded, else 8, by default."""


class LogClientSettings(Model):
    """What the clients of a log are taken to do where the log does not say."""

    kind: ClassVar[str] = "audit"
    """What a workload calls the program."""
    file_length_bytes: Annotated[int, Size()] = 64 << 20
    """Length of a file that is created or appended to."""
    blocks: Annotated[int, Number(0, 10_000, whole=True)] = 1
    """Blocks of such a file; none without DataNodes."""
    block_size_bytes: Annotated[int, Size()] = 128 << 20
    """Block size of such a file."""
    replication: Annotated[int, Number(1, 512, whole=True)] = 3
    """Replicas of such a file."""
