"""Messages of a release with ids in them."""

from __future__ import annotations

from typing import Any

from froude.emulation.programs.audit.commands import CLIENT
from froude.messages.schema import Schema


def message(schema: Schema, method: str, *, request: bool = False) -> Any:
    """An empty one of a method."""
    of = schema.method(CLIENT, method)
    return of.request() if request else of.response()


def placed(schema: Schema, block: int, stamp: int, pool: str, *nodes: str) -> Any:
    """An answer to addBlock."""
    answer = message(schema, "addBlock")
    located = answer.block
    located.offset, located.corrupt = 0, False
    located.b.poolId, located.b.blockId, located.b.generationStamp = pool, block, stamp
    token = located.blockToken
    token.identifier, token.password, token.kind, token.service = b"", b"", "", ""
    for node in nodes:
        identity = located.locs.add(location="/r").id
        identity.ipAddr = identity.hostName = node
        identity.datanodeUuid, identity.xferPort, identity.infoPort, identity.ipcPort = node, 1, 1, 1
        located.storageIDs.append(f"DS-{node}")
    return answer
