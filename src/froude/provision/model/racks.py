"""What leaves a rack: bytes of reads, of the replication pipeline, of calls, at the servers where they pass.

With HDFS's default placement the second replica of a block goes to another rack, the third stays there: one crossing
a block. Further replicas are taken to cross each (they may). What one task reads of all servers, or sends to all, leaves
its rack but for the part that lies in it: (R - 1) / R of it with R racks. Fragments of an erasure code stand all over.

Servers of a rack share its uplink in proportion to their network, as if all were the widest that can be bought: so any
of them fill a rack that its uplink carries. That is safe (never too little bought), exact where all servers do the same.

Source: Hadoop's BlockPlacementPolicyDefault and BlockPlacementPolicyRackFaultTolerant.
"""

from __future__ import annotations

from collections.abc import Iterable

from froude.provision.model.copies import Redundancy, Role, client_bytes
from froude.provision.model.service import Access
from froude.provision.types import Catalog, Op


def away(catalog: Catalog, racks: int | None) -> float:
    """Share of what goes to all servers alike that leaves a rack: 0 where racks do not matter.

    Args:
        racks: how many the cluster has; None for any number.
    """
    if catalog.rack is None:
        return 0.0
    if racks is None:
        return 1.0
    return (racks - 1) / racks


def uplink_weight(catalog: Catalog) -> float:
    """Bytes on a server's network that a byte across racks counts as: a full rack's networks over its uplink."""
    if catalog.rack is None:
        return 0.0
    widest = max((server.bandwidth for server in catalog.servers), default=0.0)
    return catalog.rack.servers * widest / catalog.rack.uplink


def leaving(catalog: Catalog, redundancy: Redundancy, access: Access, share: float) -> float:
    """Share of an access's records that leave the task's rack, or come from another.

    Args:
        catalog: what a service keeps always comes from outside.
        redundancy: fragments are never all in one rack.
        access: says what part has a replica in the task's rack.
    """
    if any(unit.service for unit in catalog.units):
        return 1.0
    if not redundancy.pipelined:
        return share
    return share * (1 - access.io.rack_local)


def host_crossing(
    catalog: Catalog, role: Role, direction: str, phase: Iterable[Access], share: float
) -> float:
    """Bytes per second across racks through the servers that hold a copy.

    Args:
        direction: `in`, `out`, or `both` for their sum.
    """
    inward = outward = 0.0
    for access in phase:
        crossed = access.logical_bytes * leaving(catalog, role.redundancy, access, share)
        if access.io.op is Op.WRITE:
            further = access.logical_bytes * _further(role.redundancy)
            inward += crossed * role.redundancy.sent + further
            outward += further
        else:
            inward += access.logical_bytes * role.fills * share
            outward += crossed * role.reads
    return {"in": inward, "out": outward, "both": inward + outward}[direction]


def client_crossing(
    catalog: Catalog, redundancy: Redundancy, direction: str, access: Access, share: float
) -> float:
    """Bytes per second of one operation across racks through the servers of its task.

    Args:
        direction: `in`, `out`, or `both` for their sum.
    """
    return client_bytes(redundancy, direction, access) * leaving(catalog, redundancy, access, share)


def _further(redundancy: Redundancy) -> float:
    """How often a block crosses racks after its first replica."""
    if not redundancy.pipelined or redundancy.pieces == 1:
        return 0.0
    return float(max(1, redundancy.pieces - 2))
