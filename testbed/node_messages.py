"""Messages of emulated nodes as protobuf builds them, field by field: what encoders are to equal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from froude.emulation.programs.yarn.asks import Ask
from froude.emulation.programs.yarn.containers import Held
from froude.messages.schema import Schema

TRACKER = "org.apache.hadoop.yarn.server.api.ResourceTrackerPB"
SCHEDULER = "org.apache.hadoop.yarn.api.ApplicationMasterProtocolPB"


def beat_builder(schema: Schema, like: bytes) -> Callable[[str, int, Sequence[Held], bytes], bytes]:
    """What builds the heartbeats of NodeManagers: from address, response id, containers and a heartbeat with the load.

    Args:
        like: a heartbeat, whose keys and constant parts the others have.
    """
    kind: Any = schema.method(TRACKER, "nodeHeartbeat").request
    beat = kind.FromString(like)
    status = beat.node_status

    def build(host: str, response_id: int, held: Sequence[Held], loaded: bytes) -> bytes:
        load = kind.FromString(loaded).node_status
        status.node_id.host, status.response_id = host, response_id
        del status.containersStatuses[:]
        for each in held:
            told = status.containersStatuses.add(
                state=each.state, exit_status=each.exit_status, diagnostics="", executionType=1
            )
            told.container_id.ParseFromString(each.id)
            told.capability.ParseFromString(each.resource)
            told.container_sub_state = each.sub_state
        for name in ("containers_utilization", "node_utilization"):
            status.ClearField(name)
            if load.HasField(name):
                getattr(status, name).CopyFrom(getattr(load, name))
        data: bytes = beat.SerializeToString()
        return data

    return build


def allocate(
    schema: Schema, like: bytes, asks: Sequence[tuple[Ask, bytes]], released: Sequence[bytes]
) -> bytes:
    """A call of an application master.

    Args:
        like: one that asks for nothing.
        asks: each with a ResourceRequestProto that has all but place and number.
        released: ids of containers, as ContainerIdProto.
    """
    request: Any = schema.method(SCHEDULER, "allocate").request.FromString(like)
    for ask, constant in asks:
        message = request.ask.add()
        message.ParseFromString(constant)
        message.resource_name, message.num_containers = ask.place, ask.number
    for container in released:
        request.release.add().ParseFromString(container)
    data: bytes = request.SerializeToString()
    return data
