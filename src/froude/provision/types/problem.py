"""How the inputs are read where the paper leaves it open, and the Problem of all of them.

Everything is in SI units: bytes, seconds, dollars, watts, bytes per second. Names are those of the paper's
XML; what the paper says only in prose, and what is ours, is said at the attribute.

Source: scc (FAST 2012), section 3 and Figure 2.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from froude.provision.types.demand import Sla
from froude.provision.types.hardware import Catalog
from froude.provision.types.hdfs import RackLoss
from froude.provision.types.ranges import not_negative
from froude.provision.types.software import Application


class Placement(Enum):
    """How load is spread over the units of a dataset and the instances of a task."""

    UNIFORM = "uniform"
    """The paper's: exactly the computed number of units and instances, all with equal traffic."""
    WEIGHTED = "weighted"
    """Shares of any size per server; at least the computed number of units."""


class Isolation(Enum):
    """Whether tasks may run on servers that hold remote storage."""

    NONE = "none"
    COMPUTE_STORAGE = "compute-storage"


class CacheMedia(Enum):
    """Which units may cache another."""

    VOLATILE = "volatile"
    ANY = "any"
    """Any unit that reads records faster than the one it caches."""
    OFF = "off"


class Duplex(Enum):
    """How a server's network bandwidth is spent."""

    HALF = "half"
    """Both directions share the one number (conservative)."""
    FULL = "full"
    """The number holds for each direction."""


@dataclass(frozen=True, slots=True)
class Options:
    """How the inputs are read where the paper leaves it open."""

    isolation: Isolation = Isolation.NONE
    placement: Placement = Placement.WEIGHTED
    cache_media: CacheMedia = CacheMedia.ANY
    duplex: Duplex = Duplex.HALF
    peak_utilization: float = 1.0
    """Largest share of its time that a storage unit may be busy."""
    memory_unit: str | None = None
    """The unit that tasks' memory is bought as; None means the volatile unit that is cheapest per byte; of
    several as cheap the fastest."""
    peak_fill: float = 1.0
    """Largest share of its capacity that a storage unit may be filled to."""
    survive_hosts: int = 0
    """Any so many servers may fail at once, and the rest still meets the SLA."""
    survive_rack: RackLoss = RackLoss.NONE
    """Any one rack may be lost instead, and what the rest must do then."""

    def __post_init__(self) -> None:
        for name in ("peak_utilization", "peak_fill"):
            if not 0 < getattr(self, name) <= 1:
                raise ValueError(f"{name} must lie in (0, 1], got {getattr(self, name):g}")
        not_negative("survive_hosts", self.survive_hosts)


@dataclass(frozen=True, slots=True)
class Problem:
    """Everything that a cluster is compiled from."""

    catalog: Catalog
    application: Application
    sla: Sla
    options: Options = field(default_factory=Options)
