"""Classes as the nodes of a cluster have them: with names that last, and with the room that each has now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import linear_sum_assignment

from froude.harvest.classify.classes import Classification
from froude.harvest.live.types import RUNNING, ClusterState, Node, Resource
from froude.harvest.live.usage import Usage, used_by
from froude.harvest.schedule.selection import ClassRoom
from froude.harvest.telemetry.datacenter import Datacenter
from froude.harvest.telemetry.profiles import Pattern


@dataclass(frozen=True, slots=True)
class KnownClass:
    """What is known of a class, its servers apart."""

    name: str
    pattern: Pattern
    average: float
    """Mean utilisation, 0 to 1."""
    peak: float
    """99th percentile of it."""


@dataclass(frozen=True, slots=True)
class Classes:
    """Which servers are of which class."""

    known: tuple[KnownClass, ...] = ()
    of_server: Mapping[str, str] = field(default_factory=dict)
    """Name of the class by server; servers whose class could not be told are absent."""

    def of(self, node: Node) -> str | None:
        """The class of a node; None where it is not known.

        Args:
            node: called as its server is, `host:port` or `host`.
        """
        return self.of_server.get(node.id, self.of_server.get(node.host))


def classes_of(datacenter: Datacenter, found: Classification, before: Classes | None = None) -> Classes:
    """The classes of servers, called as they were before where most of their servers are the same.

    A label is what jobs wait for: without this, the numbers of classes would change from day to day with their averages.

    Args:
        before: of the day before; None for the names that they have.

    Returns:
        Every class, in the order in which they were found. Of each pattern, names go where they keep the most servers;
        a class that shares none with one before gets a number that none had.
    """
    members = [
        {
            datacenter.servers[n]
            for n in np.flatnonzero(np.isin(datacenter.server_tenant, each.tenants)).tolist()
        }
        for each in found.classes
    ]
    names = [each.name for each in found.classes] if before is None else _lasting(found, members, before)
    known = tuple(
        KnownClass(name, each.pattern, each.average, each.peak)
        for name, each in zip(names, found.classes, strict=True)
    )
    return Classes(
        known, {server: name for name, own in zip(names, members, strict=True) for server in sorted(own)}
    )


def rooms_of(
    classes: Classes,
    state: ClusterState,
    own_of: Mapping[str, Resource],
    measured: Mapping[str, Usage] | None = None,
) -> list[ClassRoom]:
    """What room each class has now, for `select`.

    Args:
        own_of: by node, what its containers may use on a server without a primary tenant; nodes that are absent have
            what they have now.
        measured: by node or host, what primary tenants use; None takes what nodes report.

    Returns:
        A room a class, of its running nodes; one without any has none. In use is what primary tenants use, and what
        containers were given, as in NM-H (section 5.1); a tenant whose use is not told uses its class's average.
    """
    members: dict[str, list[Node]] = {}
    for node in state.nodes:
        name = classes.of(node)
        if name is not None and node.state == RUNNING:
            members.setdefault(name, []).append(node)
    return [
        _room(
            each,
            [
                (node, own_of.get(node.id, node.total), used_by(node, measured))
                for node in members.get(each.name, [])
            ],
        )
        for each in classes.known
    ]


def _room(known: KnownClass, nodes: Sequence[tuple[Node, Resource, Usage | None]]) -> ClassRoom:
    cores = memory_mb = busy_cores = busy_mb = 0.0
    for node, own, told_use in nodes:
        used = told_use or Usage(known.average)
        cores += own.vcores
        busy_cores += min(own.vcores, used.cpu_share * own.vcores + node.allocated.vcores)
        # Where the machine's memory is not told, containers' own memory is all that there is to go by.
        told = node.machine_mb is not None and used.memory_mb is not None
        whole = float(node.machine_mb or 0) if told else float(own.memory_mb)
        memory_mb += whole
        busy_mb += min(whole, (used.memory_mb or 0 if told else 0) + node.allocated.memory_mb)
    count = max(1, len(nodes))
    return ClassRoom(
        known.name,
        known.pattern,
        len(nodes),
        known.average,
        known.peak,
        busy_cores / cores if cores else 1.0,
        busy_mb / memory_mb if memory_mb else 1.0,
        cores / count,
        memory_mb / count,
    )


def _lasting(found: Classification, members: Sequence[set[str]], before: Classes) -> list[str]:
    names = [""] * len(members)
    old: dict[str, set[str]] = {}
    for server, name in before.of_server.items():
        old.setdefault(name, set()).add(server)
    taken = {each.name for each in before.known}
    for pattern in Pattern:
        new = [n for n, each in enumerate(found.classes) if each.pattern is pattern]
        earlier = [each.name for each in before.known if each.pattern is pattern]
        shared = np.array([[len(members[n] & old.get(name, set())) for name in earlier] for n in new])
        if shared.size:
            for row, column in zip(*linear_sum_assignment(shared, maximize=True), strict=True):
                if shared[row, column]:
                    names[new[row]] = earlier[column]
        number = 0
        for n in new:
            while not names[n]:
                number += 1
                if (free := f"{pattern.value}-{number:02}") not in taken:
                    names[n] = free
                    taken.add(free)
    return names
