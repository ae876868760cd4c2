"""DataNodes in maintenance for as long as they are busy, in the file of hosts that a NameNode reads.

A NameNode names nodes in maintenance to nobody, neither for a read nor for a write, and copies none of their blocks as
long as another replica is there; at a time that the file says they are in service again by themselves. Only what was
set here is taken back.

Source: CombinedHostsFileReader and DatanodeAdminProperties of Hadoop 3.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from froude.base.errors import InputError
from froude.harvest.live.hdfs.datanodes import NORMAL, DataNode

PROVIDER = "org.apache.hadoop.hdfs.server.blockmanagement.CombinedHostFileManager"
"""What must stand in `dfs.namenode.hosts.provider.classname`."""
_STATE, _UNTIL, _AWAY = "adminState", "maintenanceExpireTimeInMS", "IN_MAINTENANCE"


def with_maintenance(
    text: str, nodes: Sequence[DataNode], busy: Collection[str], before: Collection[str], until_s: float
) -> tuple[str, tuple[str, ...]]:
    """The file with busy DataNodes in maintenance, and those of before in service again.

    Args:
        busy: addresses of those to be left alone.
        before: addresses that were set so before.
        until_s: when they are in service again at the latest, seconds since 1970.

    Returns:
        The file's text, and the addresses that are set in it now. One that somebody else took out of service, or
        that the file does not name, is not among them.

    Raises:
        InputError: the file is no list of hosts.
    """
    entries = _entries(text)
    owner = {id(entry): _node_of(entry, nodes) for entry in entries}
    now = []
    for entry in entries:
        node = owner[id(entry)]
        if node is None:
            continue
        ours = node.address in before and entry.get(_STATE) == _AWAY
        if entry.get(_STATE, NORMAL) != NORMAL and not ours:
            continue
        if node.address in busy:
            entry[_STATE], entry[_UNTIL] = _AWAY, round(until_s * 1000)
            now.append(node.address)
        elif ours:
            del entry[_STATE]
            entry.pop(_UNTIL, None)
    return json.dumps(entries, indent=1) + "\n", tuple(now)


def _entries(text: str) -> list[dict[str, Any]]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise InputError(
            "is no file of hosts", file="dfs.hosts", found=error, allowed="a list in JSON"
        ) from error
    good = isinstance(found, list) and all(
        isinstance(each, dict) and isinstance(each.get("hostName"), str) for each in found
    )
    if not good:
        raise InputError("is no file of hosts", file="dfs.hosts", allowed='[{"hostName": "…"}, …]')
    return list(found)


def _node_of(entry: Mapping[str, Any], nodes: Sequence[DataNode]) -> DataNode | None:
    """The only DataNode that an entry is about; None where there is none, or several."""
    name, port = entry["hostName"], entry.get("port", 0)
    found = [node for node in nodes if name in {node.host, node.ip} and port in {0, node.port}]
    return found[0] if len(found) == 1 else None
