"""What a NameNode reads of tenants, classes and constraints: the plug-in's map, or a table of racks without it.

The form of the map is that of `TenantMap.java`: tabs between fields, a head, then a line a DataNode.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from froude.base.errors import InputError
from froude.harvest.live.hdfs.datanodes import DataNode, servers_of, space_of
from froude.harvest.place.grid import Grid, grid_of
from froude.harvest.place.layout import Layout
from froude.harvest.place.policies import Attribute, Kind, Policy
from froude.harvest.telemetry.datacenter import Datacenter, Ints

FORM = "froude-placement\t1\t"
"""How a map begins."""
_FIELD = re.compile(r"[^\t\n\r]+")
_DEFAULT_RACK = "/default-rack"
"""Where Hadoop puts those that a table does not name."""
_NO_RACK = re.compile(r"[^A-Za-z0-9._-]")


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """DataNodes with what is known of their servers."""

    datacenter: Datacenter
    grid: Grid
    nodes: tuple[DataNode, ...]
    server: Ints
    """Shape (nodes,): each DataNode's server; all are known."""
    unknown: tuple[DataNode, ...]
    """DataNodes of no server of the datacenter: the plug-in gives them no replicas."""

    def tenant(self, number: int) -> int:
        """The tenant of a DataNode, by its number among the known ones."""
        return int(self.datacenter.server_tenant[self.server[number]])

    def environment(self, number: int) -> str:
        """The environment of a DataNode, by its number among the known ones."""
        return self.datacenter.environments[int(self.datacenter.tenant_environment[self.tenant(number)])]

    @property
    def layout(self) -> Layout:
        """The same for counting and simulating: a DataNode is a server, racks are the NameNode's."""
        tenant = self.datacenter.server_tenant[self.server]
        racks = {rack: n for n, rack in enumerate(dict.fromkeys(node.rack for node in self.nodes))}
        rack = np.array([racks[node.rack] for node in self.nodes], np.int32)
        environment = self.datacenter.tenant_environment[tenant]
        grid = self.grid
        return Layout(
            tenant, environment, rack, grid.row[tenant], grid.column[tenant], grid.rows, grid.columns
        )


def placed(datacenter: Datacenter, nodes: Sequence[DataNode], months: float = 3.0) -> Placed:
    """The DataNodes whose servers are known, and the classes of their tenants.

    Classes are by the reimages and peaks until the end of the utilisation, and hold equal shares of the space that
    HDFS may still take.

    Raises:
        InputError: no DataNode is on a known server.
    """
    server = servers_of(datacenter, nodes)
    known = np.flatnonzero(server >= 0)
    if not len(known):
        raise InputError(
            "has no server that any DataNode is on",
            file=datacenter.name,
            found=nodes[0].address if nodes else "no DataNode",
            allowed="servers called by address or host, as `dfsadmin -report` names them",
        )
    space = space_of(datacenter, nodes, server)
    room = space if space.any() else np.bincount(server[known], minlength=len(space)).astype(np.float64)
    grid = grid_of(datacenter, datacenter.slots * datacenter.slot_s, months, room)
    unknown = tuple(node for node, number in zip(nodes, server, strict=True) if number < 0)
    return Placed(datacenter, grid, tuple(nodes[n] for n in known.tolist()), server[known], unknown)


def map_text(found: Placed, policy: Policy, busy: Collection[str] = ()) -> str:
    """The map that the plug-in reads.

    Args:
        busy: addresses of DataNodes that get nothing new.

    Raises:
        InputError: the policy is another, or a name holds a tab or the end of a line.
    """
    if policy.kind is not Kind.CONSTRAINED:
        allowed = "one of constraints, such as history or environment"
        raise InputError("is none that the plug-in has", place="policy", found=policy.name, allowed=allowed)
    marks = [each.value + "?" * (each in policy.constraints.soft) for each in policy.constraints.distinct]
    head = (str(found.grid.rows), str(found.grid.columns), policy.draw.value, *marks)
    lines = [FORM + "\t".join(head)]
    for number, node in enumerate(found.nodes):
        tenant = found.tenant(number)
        fields = (
            node.address,
            "busy" if node.address in busy else "idle",
            str(found.grid.row[tenant]),
            str(found.grid.column[tenant]),
            found.environment(number),
            node.rack,
            found.datacenter.tenants[tenant],
        )
        for field in fields:
            if not _FIELD.fullmatch(field):
                allowed = "at least a character, none of them a tab or the end of a line"
                raise InputError(
                    "cannot stand in a map", file=node.address, found=repr(field), allowed=allowed
                )
        lines.append("\t".join(fields))
    return "\n".join(lines) + "\n"


def rack_table(found: Placed) -> str:
    """A table for Hadoop's TableMapping that makes a rack of each environment."""
    names: dict[str, str] = {}
    taken = {_DEFAULT_RACK}
    for number in range(len(found.nodes)):
        environment = found.environment(number)
        if environment not in names:
            plain = "/" + _NO_RACK.sub("_", environment)
            free = itertools.chain([plain], (f"{plain}.{n}" for n in itertools.count(1)))
            names[environment] = next(name for name in free if name not in taken)
            taken.add(names[environment])
    lines = dict.fromkeys(
        f"{name} {names[found.environment(number)]}"
        for number, node in enumerate(found.nodes)
        for name in (node.ip, node.host)
    )
    return "\n".join(lines) + "\n"


def too_few(found: Placed, policy: Policy, replicas: int) -> str | None:
    """Why no block can have so many replicas, as far as counts tell, all reasons; None where they do not."""
    layout = found.layout
    values = {
        Attribute.ENVIRONMENT: (layout.environment, replicas),
        Attribute.RACK: (layout.rack, replicas),
        Attribute.PEAK_ROW: (layout.row, min(replicas, layout.rows)),
        Attribute.REIMAGE_COLUMN: (layout.column, min(replicas, layout.columns)),
    }
    reasons = [
        f"{each.value}, of which DataNodes have {there}"
        for each in policy.constraints.distinct
        if each not in policy.constraints.soft
        and (there := len(np.unique(values[each][0]))) < values[each][1]
    ]
    return f"{replicas} replicas must differ in {'; in '.join(reasons)}" if reasons else None
