"""Who was seen in a Trace: how many clients, DataNodes and others, and how to record those that should be there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from froude.trace.columns import calls_to_table
from froude.trace.files import CALLS, open_calls
from froude.trace.types import Trace

_ROLES = {
    "DatanodeProtocol": "DataNode",
    "DatanodeLifelineProtocol": "DataNode",
    "ResourceTrackerPB": "NodeManager",
    "ApplicationMasterProtocolPB": "application master",
    "ContainerManagementProtocolPB": "ResourceManager",  # which starts application masters
    "NamenodeProtocol": "other NameNode or balancer",
    "ClientProtocol": "client",
    "ApplicationClientProtocolPB": "client",
}
"""By the last part of a protocol's name; of a sender that speaks several, the first here counts."""
_COLUMNS = ("client_id", "connection", "protocol")
CLIENT, DATANODE, OTHER = "client", "DataNode", "other sender"


def seen(trace: Trace | Path) -> dict[str, int]:
    """Senders by what they are; clients and DataNodes always, in this order, then those that there are.

    Args:
        trace: a Trace, or its folder: then only three columns are read.
    """
    if isinstance(trace, Trace):
        table = calls_to_table(trace.calls).select(list(_COLUMNS))
    else:
        with open_calls(trace / CALLS) as file:
            table = file.read(columns=list(_COLUMNS))
    groups = table.group_by(list(_COLUMNS)).aggregate([])
    protocols: dict[object, set[str]] = {}
    for sender, connection, protocol in zip(
        *(groups.column(name).to_pylist() for name in _COLUMNS), strict=True
    ):
        protocols.setdefault(sender or connection, set()).add(str(protocol).rpartition(".")[2])
    counts = Counter(_role(spoken) for spoken in protocols.values())
    return {CLIENT: counts.pop(CLIENT, 0), DATANODE: counts.pop(DATANODE, 0), **dict(counts.most_common())}


def _role(protocols: Iterable[str]) -> str:
    spoken = set(protocols)
    return next((role for protocol, role in _ROLES.items() if protocol in spoken), OTHER)


def in_words(counts: Mapping[str, int]) -> str:
    """`12 clients, 3 DataNodes`."""
    return ", ".join(f"{number:,} {role if number == 1 else f'{role}s'}" for role, number in counts.items())


def advice(counts: Mapping[str, int], services: Iterable[str]) -> str | None:
    """What keeps those away who should be there, and how to record them; None where nobody is missed.

    Args:
        counts: as `seen` gives them.
        services: of the daemons that were recorded.
    """
    if not set(services) & {"", "namenode"}:
        return None
    if not counts[DATANODE]:
        return (
            "No DataNode was seen: they speak to the NameNode directly. To record them, set "
            "dfs.namenode.servicerpc-address to the proxy's address in the DataNodes' hdfs-site.xml, and restart "
            "them while it listens"
        )
    if not counts[CLIENT]:
        return (
            "No client was seen: set fs.defaultFS to hdfs:// and the proxy's address in the core-site.xml that your "
            "job reads"
        )
    return None
