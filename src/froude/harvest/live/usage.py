"""What a primary tenant uses of its server, and what that leaves to containers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from froude.harvest.live.types import Node, Resource

_STEP_MB = 256
"""Memory is given in multiples of this: an answer to every MiB that comes and goes would be one a minute and node."""


@dataclass(frozen=True, slots=True)
class Reserve:
    """What is kept free on every server for its primary tenant (section 5.1 of the paper)."""

    cpu: float = 4 / 12
    """Share of its cores."""
    memory: float = 10 / 32
    """Share of its memory."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a server's primary tenant uses."""

    cpu_share: float
    """Of the server's CPU, 0 to 1."""
    memory_mb: int | None = None
    """None where not known: memory is then left as it is."""


def allowance(own: Resource, used: Usage, reserve: Reserve, machine_mb: int | None = None) -> Resource:
    """What containers of a node may use beside its primary tenant.

    Args:
        own: what they may use on a server without one; its virtual cores stand for the server's cores.
        used: by the primary tenant; rounded up to whole cores.
        machine_mb: memory of the server; None leaves memory as it is.

    Source: sections 5.1 and 5.3 of the paper (NM-H).
    """
    cores = (
        own.vcores
        - math.ceil(own.vcores * used.cpu_share - 1e-9)
        - math.ceil(own.vcores * reserve.cpu - 1e-9)
    )
    memory = own.memory_mb
    if machine_mb is not None and used.memory_mb is not None:
        left = machine_mb - used.memory_mb - math.ceil(machine_mb * reserve.memory)
        memory = memory if left >= memory else left // _STEP_MB * _STEP_MB
    return Resource(memory_mb=max(0, memory), vcores=max(0, cores))


def usage_of(node: Node) -> Usage | None:
    """What the primary tenant of a node uses, from what the node reports: all that is in use less its containers'.

    Args:
        node: as the ResourceManager sees it. Its containers' CPU is told in virtual cores of those that they may use
            now, which stand for the whole server.

    Returns:
        None where the node does not say.

    Source: NodeStatusUpdaterImpl.updateNMResource and ContainersMonitorImpl of Hadoop 3.
    """
    if node.cpu_share is None or (node.containers_vcores and not node.total.vcores):
        return None
    containers = node.containers_vcores / node.total.vcores if node.containers_vcores else 0.0
    cpu = max(0.0, node.cpu_share - containers)
    memory = None if node.memory_used_mb is None else max(0, node.memory_used_mb - node.containers_memory_mb)
    return Usage(min(1.0, cpu), memory)


def used_by(node: Node, measured: Mapping[str, Usage] | None) -> Usage | None:
    """What the primary tenant of a node uses, as somebody measured it, or else as the node reports it.

    Args:
        measured: by node or host; None where nobody did.
    """
    return usage_of(node) if measured is None else measured.get(node.id, measured.get(node.host))
