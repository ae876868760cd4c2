"""Ways to daemons: where one listens for callers, which daemon that leads to, and who the callers seem to be.

What stands there is a plain relay, or the proxy of a recording; only `relay` and `trace.capture` listen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from froude.hadoop.rpc.target import Target, target_at
from froude.hadoop.settings import yarn as yarn_settings

_SERVICES = {
    yarn_settings.SCHEDULER: "resourcemanager-scheduler",
    yarn_settings.TRACKER: "resourcemanager-tracker",
    yarn_settings.CLIENT: "resourcemanager",
    yarn_settings.ADMIN: "resourcemanager-admin",
}


@dataclass(frozen=True, slots=True)
class Route:
    """One of them."""

    listen: tuple[str, int]
    """Where callers find it."""
    target: Target
    """Who is called, by the address that its callers know."""
    source: str | None = None
    """The address that calls go onward from; None lets the system choose."""
    onward: tuple[str, int] | None = None
    """Where the daemon really listens, where that is not the target's address."""


@dataclass(frozen=True, slots=True)
class Masters:
    """The daemons that all nodes call."""

    namenode: Target
    resourcemanager: str
    """The ResourceManager's address, without a port."""
    started: str = ""
    """Who the ResourceManager is: its start time; empty where unknown."""

    def targets(self) -> list[Target]:
        """One for each of their RPC servers."""
        host = self.resourcemanager
        identity = f"{self.started}@{host}:{yarn_settings.CLIENT}" if self.started else ""
        servers = [target_at(service, (host, port), identity) for port, service in _SERVICES.items()]
        return [self.namenode, *servers]

    def ways(self, address: str, *, source: str | None = None) -> list[Route]:
        """To all of them by one address: the NameNode's first.

        Args:
            address: where callers find them, each at its own port.
            source: the address that calls go onward from; None lets the system choose.
        """
        return [
            Route((address, target.port), target, source)
            for target in self.targets()
            if target.port is not None
        ]


def ways_of_nodes(
    masters: Masters, *, nodemanagers: Sequence[str], datanodes: Sequence[str], jobhistory: str
) -> list[Route]:
    """How nodes and the JobHistoryServer reach the masters: each at its own address, and seen to come from it.

    Args:
        nodemanagers: addresses of nodes with a NodeManager.
        datanodes: addresses of nodes with a DataNode; they share those of the NodeManagers as far as there are both.
    """
    ways = [way for address in nodemanagers for way in masters.ways(address, source=address)]
    others = [address for address in (*datanodes, jobhistory) if address not in set(nodemanagers)]
    return [*ways, *(masters.ways(address, source=address)[0] for address in others)]


def ways_to_nodemanagers(addresses: Sequence[str], behind: Sequence[str]) -> list[Route]:
    """How everyone reaches NodeManagers that listen behind the addresses by which they are known."""
    port = yarn_settings.NODE_PORTS[0]
    return [
        Route((address, port), target_at("nodemanager", (address, port), ""), None, (at, port))
        for address, at in zip(addresses, behind, strict=True)
    ]
