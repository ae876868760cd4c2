"""What HDFS's users size a cluster by beyond servers: racks with their uplinks, and the time to re-replicate.

Bytes, seconds, dollars, watts. Names are those of Hadoop's documentation where it has one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from froude.provision.types.ranges import not_negative, positive, share


class RackLoss(Enum):
    """What the rest of a cluster must still do when one rack is lost."""

    NONE = "none"
    DATA = "data"
    """Hold all data, every replica and fragment of it."""
    SERVICE = "service"
    """And meet the SLA."""


class Lost(Enum):
    """What is lost before its data is re-replicated."""

    SERVER = "server"
    RACK = "rack"


@dataclass(frozen=True, slots=True)
class Rack:
    """A rack with its switch: servers fill one after the other, and share what leads out of it."""

    servers: int
    """How many each takes."""
    uplink: float
    """Bytes per second out of a rack and into it; `duplex` says whether together or each."""
    price: float = 0.0
    """Dollars, its switch included."""
    power: float = 0.0
    """Watts of the rack and its switch alone."""
    idle_power: float | None = None

    def __post_init__(self) -> None:
        if self.servers < 1:
            raise ValueError(f"servers must be 1 or more, got {self.servers}")
        positive("uplink", self.uplink)
        for name in ("price", "power"):
            not_negative(name, getattr(self, name))
        if self.idle_power is not None and not 0 <= self.idle_power <= self.power:
            raise ValueError(f"idle_power must lie in [0, power={self.power:g}], got {self.idle_power:g}")


@dataclass(frozen=True, slots=True)
class ReReplication:
    """How soon all that a lost server or rack held must have all its replicas or fragments again."""

    time: float
    """Seconds."""
    of: Lost = Lost.SERVER
    share: float = 1.0
    """Of network, uplinks and storage units that re-replication may use."""
    max_streams: int = 2
    """Blocks that a server sends per heartbeat (`dfs.namenode.replication.max-streams`)."""
    block_size: float = 128 * 2**20
    """Bytes (`dfs.blocksize`)."""
    heartbeat: float = 3.0
    """Seconds (`dfs.heartbeat.interval`)."""

    def __post_init__(self) -> None:
        for name in ("time", "share", "max_streams", "block_size", "heartbeat"):
            positive(name, getattr(self, name))
        share("share", self.share)
