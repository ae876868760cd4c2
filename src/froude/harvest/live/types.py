"""What a ResourceManager says of its nodes, and what is to be changed there: plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from froude.documents.forms import Number
from froude.documents.model import Model

ATTRIBUTE = "rm.yarn.io/harvest-class"
"""The node attribute that names a node's class; its prefix is that of attributes that are set at the ResourceManager."""
RUNNING = "RUNNING"
"""State of a node that takes containers."""


class Resource(Model):
    """What containers of a node may use."""

    memory_mb: Annotated[int, Number(whole=True)]
    vcores: Annotated[int, Number(whole=True)]

    def within(self, other: Resource) -> bool:
        """Whether another holds it."""
        return self.memory_mb <= other.memory_mb and self.vcores <= other.vcores


_NOTHING = Resource(memory_mb=0, vcores=0)


@dataclass(frozen=True, slots=True)
class Node:
    """One NodeManager as the ResourceManager sees it."""

    id: str
    """`host:port`."""
    host: str
    state: str
    """`RUNNING`, `LOST`, …"""
    total: Resource
    """What its containers may use now."""
    containers: int = 0
    label: str = ""
    """Its partition; empty for the default one."""
    cpu_share: float | None = None
    """CPU of the machine that is in use, 0 to 1; None where the node does not say."""
    containers_vcores: float = 0.0
    """Of that, by containers, in the node's own virtual cores."""
    memory_used_mb: int | None = None
    """Memory of the machine that is in use."""
    machine_mb: int | None = None
    containers_memory_mb: int = 0
    """Of what is in use, by containers."""
    allocated: Resource = _NOTHING
    attribute: str = ""
    """The value of its attribute `ATTRIBUTE`; empty where it has none."""


@dataclass(frozen=True, slots=True)
class ClusterState:
    """What a ResourceManager has now."""

    id: str
    """The time stamp of its start."""
    nodes: tuple[Node, ...]
    labels: Mapping[str, bool]
    """Whether each label is exclusive."""
    scheduler: Mapping[str, str] | None
    """The scheduler's properties; None where they cannot be changed by REST."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What is to be changed: nothing that is so already."""

    add_labels: tuple[str, ...] = ()
    scheduler: Mapping[str, str | None] = field(default_factory=dict)
    """Properties of queues; None removes one."""
    node_labels: Mapping[str, str] = field(default_factory=dict)
    """By node; empty takes its label away."""
    resources: Mapping[str, Resource] = field(default_factory=dict)
    """By node."""
    remove_labels: tuple[str, ...] = ()
    spared: frozenset[str] = frozenset()
    """Of the nodes in `resources`, those on which nothing is killed: containers there go on to their ends."""
    node_attributes: Mapping[str, str] = field(default_factory=dict)
    """By host, the class as the value of `ATTRIBUTE`; empty takes the attribute away."""

    def __bool__(self) -> bool:
        return any(getattr(self, name) for name in self.__slots__)


class Prior(Model):
    """What was there before Froude changed it: enough to restore it."""

    address: str
    """`host:port` of the ResourceManager's web server."""
    id: str
    labels_added: tuple[str, ...] = ()
    scheduler: Mapping[str, str | None] = {}
    """Properties as they were; None for one that was not there."""
    node_labels: Mapping[str, str] = {}
    resources: Mapping[str, Resource] = {}
    node_attributes: Mapping[str, str] = {}
    """By host; empty for one that had no such attribute."""
