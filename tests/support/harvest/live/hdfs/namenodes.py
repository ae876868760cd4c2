"""What answers as a NameNode does to the few calls that placement makes; for forms and for faults."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from froude.hadoop.rpc.events import Request
from froude.hadoop.rpc.server import ServerConnection
from froude.harvest.live.hdfs.datanodes import DataNode
from froude.harvest.live.hdfs.plugin import POLICY
from froude.messages.schema import Schema
from tests.support.hadoop.rpc.double import daemon

DATANODE = "org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol"
CLIENT = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
SETTINGS = "org.apache.hadoop.hdfs.protocol.ReconfigurationProtocol"
REPLICATION = 4
NODES = tuple(DataNode(f"10.0.0.{n}", 9866, f"s{n}", f"uuid-{n}", "/r", 100, 10, 90) for n in range(3))


def _said(schema: Schema, nodes: tuple[DataNode, ...], refused: dict[str, str]) -> dict[str, Any]:
    version: Any = schema.method(DATANODE, "versionRequest").response()
    info = version.info
    info.buildVersion, info.unused, info.blockPoolID, info.softwareVersion = "x", 0, "BP-1", "3.5.0"
    storage = info.storageInfo
    storage.layoutVersion, storage.namespceID, storage.clusterID, storage.cTime = 66, 1, "CID-1", 0
    report: Any = schema.method(CLIENT, "getDatanodeReport").response()
    for node in nodes:
        entry = report.di.add(location=node.rack, capacity=node.capacity, dfsUsed=node.used)
        entry.remaining = node.remaining
        entry.id.ipAddr, entry.id.hostName, entry.id.datanodeUuid = node.ip, node.host, node.uuid
        entry.id.xferPort, entry.id.infoPort, entry.id.ipcPort = node.port, 0, 0
    status: Any = schema.method(SETTINGS, "getReconfigurationStatus").response(startTime=1, endTime=2)
    for name, error in refused.items():
        status.changes.add(name=name, oldValue="a", newValue="b", errorMessage=error)
    defaults: Any = schema.method(CLIENT, "getServerDefaults").response()
    values = defaults.serverDefaults
    values.blockSize, values.bytesPerChecksum, values.writePacketSize = 1 << 27, 512, 1 << 16
    values.replication, values.fileBufferSize = REPLICATION, 4096
    return {
        "getServerDefaults": defaults,
        "versionRequest": version,
        "getDatanodeReport": report,
        "getReconfigurationStatus": status,
    }


@contextmanager
def namenode(
    schema: Schema,
    nodes: tuple[DataNode, ...] = NODES,
    refused: dict[str, str] | None = None,
    reports: tuple[str, ...] = (POLICY,),
) -> Iterator[tuple[str, int, list[str]]]:
    """One with the id CID-1.

    Args:
        schema: of its messages.
        nodes: its DataNodes.
        refused: settings that it cannot take up, and why.
        reports: settings that it finds changed, and takes up.

    Yields:
        Host, port, and the calls that came.
    """
    said, calls = _said(schema, nodes, dict.fromkeys(reports, "") | (refused or {})), []

    def respond(core: ServerConnection, call: Request) -> bytes:
        calls.append(call.method)
        answer = said.get(call.method)
        return core.respond(call.call_id, b"" if answer is None else answer.SerializeToString())

    with daemon(respond) as (host, port):
        yield host, port, calls
