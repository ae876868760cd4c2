"""NodeManagers that only say what is in use on their machines: a real ResourceManager takes them, they run nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from froude.hadoop.rpc.connection import Connection
from froude.messages.schema import Schema

_PROTOCOL = "org.apache.hadoop.yarn.server.api.ResourceTrackerPB"
MACHINE_MB, MACHINE_CORES = 16_000, 4


def register(tracker: tuple[str, int], schema: Schema, used: Mapping[str, tuple[float, float]]) -> None:
    """Register nodes of 8 GiB and 8 virtual cores on machines of 4 cores, each with one heartbeat.

    Args:
        tracker: where the ResourceManager takes NodeManagers.
        schema: of its release.
        used: by host, cores of the machine that are in use, and virtual cores that its containers use of them.
    """
    with Connection(*tracker, schema, _PROTOCOL, user="root") as connection:
        for host, (cores, by_containers) in used.items():
            node: Any = schema.method(_PROTOCOL, "registerNodeManager").request(http_port=1)
            node.node_id.host, node.node_id.port = host, 1
            node.resource.memory, node.resource.virtual_cores = 8192, 8
            node.physicalResource.memory, node.physicalResource.virtual_cores = MACHINE_MB, MACHINE_CORES
            connection.call("registerNodeManager", node)
            beat: Any = schema.method(_PROTOCOL, "nodeHeartbeat").request()
            status = beat.node_status
            status.node_id.host, status.node_id.port, status.response_id = host, 1, 0
            status.nodeHealthStatus.is_node_healthy = True
            status.nodeHealthStatus.last_health_report_time = 1
            status.node_utilization.pmem, status.node_utilization.cpu = 4000, cores
            status.containers_utilization.cpu = by_containers
            connection.call("nodeHeartbeat", beat)
