"""Wipes of servers' disks, from what a NameNode says of its DataNodes at two moments; nothing is asked here.

A DataNode keeps its uuid on its disks: where another one answers at an address, the disks are new. Where the uuid is the
same and what it held is gone, they were emptied, unless files were deleted everywhere.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from froude.base.errors import InputError
from froude.harvest.live.hdfs.datanodes import DataNode

_GONE = 0.05
"""Share of what was held that is left, at most, after a wipe."""
_HELD = 0.01
"""Share of the capacity that must have been in use for its loss to tell anything."""
_ELSEWHERE = 0.5
"""Share that all DataNodes together must still hold: less is a deletion."""


def wiped(before: Sequence[DataNode], now: Sequence[DataNode]) -> tuple[DataNode, ...]:
    """DataNodes whose disks were wiped since, in the order of `now`.

    Args:
        now: as they are; one that is new was not wiped.
    """
    known = {node.address: node for node in before}
    together = [(known[node.address].used, node.used) for node in now if node.address in known]
    deleted = sum(used for _, used in together) < _ELSEWHERE * sum(used for used, _ in together)
    return tuple(
        node
        for node in now
        if node.address in known and _is_wiped(known[node.address], node, deleted=deleted)
    )


def _is_wiped(before: DataNode, now: DataNode, *, deleted: bool) -> bool:
    if now.uuid != before.uuid:
        return True
    emptied = before.used > _HELD * before.capacity and now.used <= _GONE * before.used
    return emptied and not deleted and now.capacity > 0


def seen_text(nodes: Sequence[DataNode]) -> str:
    """What must be remembered of DataNodes until they are looked at again."""
    rows = [[node.ip, node.port, node.host, node.uuid, node.capacity, node.used] for node in nodes]
    return json.dumps({"froude": "datanodes-seen/1", "datanodes": rows}, indent=0) + "\n"


def read_seen(text: str, *, name: str) -> tuple[DataNode, ...]:
    """The same back.

    Raises:
        InputError: it is none.
    """
    try:
        found = json.loads(text)
        if found["froude"] != "datanodes-seen/1":
            raise ValueError(found["froude"])
        return tuple(
            DataNode(str(ip), int(port), str(host), str(uuid), "", int(capacity), int(used))
            for ip, port, host, uuid, capacity, used in found["datanodes"]
        )
    except (KeyError, TypeError, ValueError) as error:
        remedy = "Remove it: wipes are then seen from the next look on"
        raise InputError("is no record of DataNodes", file=name, found=error, remedy=remedy) from error


def merged(before: Sequence[DataNode], now: Sequence[DataNode]) -> tuple[DataNode, ...]:
    """What to remember: a DataNode that is not there now, or says nothing of itself, as it was."""
    kept = {node.address: node for node in before}
    kept |= {node.address: node for node in now if node.capacity > 0 or node.address not in kept}
    return tuple(kept.values())
