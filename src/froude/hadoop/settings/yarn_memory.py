"""Whether a cluster with YARN fits into a machine's memory: arithmetic, nothing is asked of the machine here."""

from __future__ import annotations

from dataclasses import dataclass

from froude.base.errors import InputError
from froude.hadoop.settings.yarn import Containers

MASTERS_MB = {"NameNode": 300, "ResourceManager": 350, "JobHistoryServer": 250}
"""What each holds when it has run some jobs, rounded up; measured on 3.4.2 and 3.5.0 with their default heaps here."""
DATANODE_MB = 200
NODEMANAGER_MB = 275
"""The same for each node; what stands between us and it (10 MiB) counted."""
_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Nodes:
    """What is counted."""

    datanodes: int
    nodemanagers: int
    containers: Containers

    @property
    def daemons_mb(self) -> int:
        """What the daemons hold."""
        nodes = self.datanodes * DATANODE_MB + self.nodemanagers * NODEMANAGER_MB
        return sum(MASTERS_MB.values()) + nodes

    @property
    def containers_mb(self) -> int:
        """What containers may hold when every node is full."""
        return self.nodemanagers * self.containers.node_mb

    @property
    def arithmetic(self) -> str:
        """How it adds up, in words."""
        return (
            f"masters {sum(MASTERS_MB.values()):,} + {self.datanodes} DataNodes x {DATANODE_MB}"
            f" + {self.nodemanagers} NodeManagers x {NODEMANAGER_MB} = {self.daemons_mb:,} MiB,"
            f" and containers {self.nodemanagers} x {self.containers.node_mb:,} = {self.containers_mb:,} MiB"
        )


def check_memory(nodes: Nodes, available: int) -> str | None:
    """Refuse what cannot run, and say what may become too much.

    Args:
        available: bytes that this machine can give.

    Returns:
        A warning, where the daemons fit but full containers would not; None where all does.

    Raises:
        InputError: not even the daemons and one job of two containers fit.
    """
    job = nodes.containers.master_mb + nodes.containers.task_mb
    free = available // _MIB
    if nodes.daemons_mb + job > free:
        raise InputError(
            "does not fit into this machine's memory",
            place=f"{nodes.datanodes} DataNodes and {nodes.nodemanagers} NodeManagers",
            found=nodes.arithmetic,
            allowed=f"{free:,} MiB available, of which one small job takes {job}",
            remedy="Start fewer nodes",
        )
    if nodes.daemons_mb + nodes.containers_mb > free:
        return f"Full containers may need more memory than the {free:,} MiB that are available: {nodes.arithmetic}"
    return None
