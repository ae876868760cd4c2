"""Ids that a target gives anew: blocks, their generation stamps, files, DataNodes, storages.

A call of a Trace names what earlier answers gave. In its replay the same calls get other answers; what these give stands
in place of what was recorded. Ids that no answer in the Trace gave are the image's own and stay as they are, and so do
names of leases, which clients choose themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from froude.messages.schema import Schema

_BLOCK, _NODES = "ExtendedBlockProto", {"DatanodeInfoProto", "DatanodeIDProto"}
_STORAGES = {"storageIDs", "existingStorageUuids"}
_FILE = "fileId"


class Ids:
    """What stands in place of what was recorded."""

    def __init__(self, schema: Schema, tell: Callable[[Any, Any], None] = lambda *_: None) -> None:
        """Nothing is known yet.

        Args:
            tell: lets other players `take` what this one learns.
        """
        self._schema = schema
        self._tell = tell
        self._numbers: dict[int, int] = {}
        """Of files and of blocks."""
        self._stamps: dict[tuple[int, int], int] = {}
        """By block and generation stamp as recorded."""
        self._pool = ""
        self._places: dict[tuple[int, str], Any] = {}
        """By block (0 for any) and uuid of a DataNode or a storage: its DatanodeInfoProto, or its uuid."""

    def request(self, protocol: str, method: str, recorded: bytes) -> tuple[Any, bytes]:
        """A request with the target's ids.

        Args:
            recorded: the request's bytes.

        Returns:
            The message, and its bytes.

        Raises:
            InputError: the release has no such method, or the bytes are no such message.
        """
        message: Any = self._schema.decode_request(protocol, method, recorded)
        if not _holds_ids(message):
            return message, recorded
        block = 0
        for each, value in message.ListFields():
            kind = None if each.message_type is None else each.message_type.name
            if each.name == _FILE:
                message.fileId = self._numbers.get(value, value)
            elif kind == _BLOCK:
                block = 0 if each.name == "previous" else value.blockId
                self._replace(value)
            elif kind in _NODES:
                self._replace_nodes(value, block, whole=kind == "DatanodeInfoProto")
            elif each.name in _STORAGES:
                value[:] = [place for name in value if (place := self._place(block, name))]
        return message, message.SerializeToString()

    def _replace(self, block: Any) -> None:
        recorded, stamp = block.blockId, block.generationStamp
        block.poolId = self._pool or block.poolId
        block.blockId = self._numbers.get(recorded, recorded)
        block.generationStamp = self._stamps.get((recorded, stamp), stamp)

    def _replace_nodes(self, nodes: Any, block: int, *, whole: bool) -> None:
        """Each by that which the target has named in its place; left out where it has named none."""
        found = [self._place(block, each.id.datanodeUuid if whole else each.datanodeUuid) for each in nodes]
        del nodes[:]
        for place in found:
            if place is not None:
                nodes.add().CopyFrom(place if whole else place.id)

    def _place(self, block: int, name: str) -> Any:
        return self._places.get((block, name)) or self._places.get((0, name))

    def learn(self, recorded: Any, given: Any) -> None:
        """Take two answers to a call, as recorded and as given now."""
        self._tell(recorded, given)
        self.take(recorded, given)

    def take(self, recorded: Any, given: Any) -> tuple[()]:
        """The same, of a client of any player; nothing follows for others."""
        for name in ("fs", "stat"):
            if _has(recorded, name) and _has(given, name):
                self._numbers[getattr(recorded, name).fileId] = getattr(given, name).fileId
        if not (_has(recorded, "block") and _has(given, "block")):
            return ()
        then, now = recorded.block, given.block
        block = then.b.blockId
        self._pool = now.b.poolId
        self._numbers[block] = now.b.blockId
        self._stamps[block, then.b.generationStamp] = now.b.generationStamp
        for node, place in zip(then.locs, now.locs, strict=False):
            for number in (0, block):
                self._places[number, node.id.datanodeUuid] = place
        for storage, place in zip(then.storageIDs, now.storageIDs, strict=False):
            for number in (0, block):
                self._places[number, storage] = place
        return ()


def _has(message: Any, name: str) -> bool:
    return name in message.DESCRIPTOR.fields_by_name and message.HasField(name)


def _holds_ids(message: Any) -> bool:
    return any(
        each.name == _FILE or (each.message_type is not None and each.message_type.name == _BLOCK)
        for each in message.DESCRIPTOR.fields
    )
