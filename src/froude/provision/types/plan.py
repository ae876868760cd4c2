"""A Plan: a cluster by groups of identical servers, with the bounds on its cost; everything by name.

It refers to the inputs by the names that stand in them, so that it can be checked, evaluated and read
without the optimiser that made it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum


class Status(Enum):
    """What is known about a plan."""

    PROVED = "proved"
    """Within the gap that was asked for."""
    GAP = "gap not reached"
    """Feasible, but its gap is larger than asked for."""
    INFEASIBLE = "infeasible"
    """No cluster meets the SLA; `ProvisionPlan.conflict` names the constraints."""
    UNDECIDED = "undecided"
    """The time was over before any plan was found."""


@dataclass(frozen=True, slots=True)
class Held:
    """Units of one copy of a remote dataset on one server."""

    dataset: str
    unit: str
    units: int
    share: float
    """Of the copy's records and load, in [0, 1]."""
    cache: bool = False
    """True for the caching copy of a pair."""


@dataclass(frozen=True, slots=True)
class LocalHeld:
    """Units of a local dataset on one server, for all the instances of its task there."""

    dataset: str
    unit: str
    units: int
    """instances * units per instance."""


@dataclass(frozen=True, slots=True)
class Running:
    """Instances of one task on one server."""

    task: str
    instances: int
    share: float
    """Of the task's executions, in [0, 1]."""


@dataclass(frozen=True, slots=True)
class Group:
    """`count` servers with the same contents; contents and shares are of one server."""

    server: str
    count: int
    held: tuple[Held, ...] = ()
    local: tuple[LocalHeld, ...] = ()
    running: tuple[Running, ...] = ()
    cores: int = 0
    """Bought, with those of the storage system."""
    dimms: int = 0
    """Memory units bought for tasks and storage system; data in memory counts in `held`."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A constraint of those that cannot hold together."""

    constraint: str
    """Such as `network of Server1`, `slots of SAS`, `memory of task web`."""
    needed: float | None = None
    allowed: float | None = None
    unit: str = ""

    def __str__(self) -> str:
        if self.needed is None or self.allowed is None:
            return self.constraint
        unit = f" {self.unit}" if self.unit else ""
        return (
            f"{self.constraint}: needs {self.needed:.4g}{unit}, at most {self.allowed:.4g}{unit} can be had"
        )


@dataclass(frozen=True, slots=True)
class ProvisionPlan:
    """A cluster and what is proved about its cost."""

    status: Status
    groups: tuple[Group, ...] = ()
    choices: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Unit names per dataset, services too: (unit,), or (persistent unit, caching unit)."""
    lower: float = 0.0
    """No cluster costs less, dollars."""
    upper: float = math.inf
    """Cost of this one, dollars."""
    conflict: tuple[Conflict, ...] = ()
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    """What a reader should know: which bound won, what was skipped."""
    split: dict[str, float] = field(default_factory=dict)
    """Share of a batch job's time per phase, where the plan decided it."""
    cpus: dict[str, str] = field(default_factory=dict)
    """Core type per task, where the catalog has more than one."""
    spread: int | None = None
    """H of a cluster that survives hosts: no server has more than 1/H of any copy or task."""
    spares: dict[str, int] = field(default_factory=dict)
    """Pieces bought beyond those in the servers, by name: a discount can make more cost less."""

    @property
    def gap(self) -> float:
        """(upper - lower) / upper, in [0, 1]; 1 when there is no cluster."""
        if not math.isfinite(self.upper):
            return 1.0
        return max(0.0, (self.upper - self.lower) / self.upper) if self.upper else 0.0

    @property
    def found(self) -> bool:
        """Whether there is a cluster; one whose data services keep and whose tasks have no load has no servers."""
        return math.isfinite(self.upper)

    @property
    def in_brief(self) -> str:
        """Its cost and what is proved, beside the progress of those that are still to come."""
        return f"${self.upper:,.2f}, {self.status.value}" if self.found else self.status.value

    @property
    def servers(self) -> int:
        """How many servers it has."""
        return sum(group.count for group in self.groups)
