"""Emulated DataNodes as a kind of program, and what they learn from clients: the blocks that are written to them.

A client writes a block's bytes to its DataNodes, which no RPC shows. Here the client's addBlock answer sends each of
them a message instead, with the length that the client will itself report when it closes the block, since a NameNode
takes a replica of another length for corrupt.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from froude.emulation.notes import FOREIGN_DATANODE
from froude.emulation.programs.events import Instruction, NodeId, Note, Program, SendMessage
from froude.emulation.programs.family import Family, PlainFamily, ScriptedView
from froude.emulation.programs.hdfs.blocks import Block
from froude.emulation.programs.hdfs.datanode import METHODS, BlockWritten, EmulatedDatanode
from froude.emulation.programs.hdfs.datanodes import KIND, PROTOCOL, Datanodes
from froude.emulation.programs.hdfs.stalls import StalledDatanode
from froude.emulation.programs.population import SCHEDULER, Population
from froude.emulation.settings import DatanodeSettings
from froude.workload.rules import Special, Value, stand_in
from froude.workload.types import CallTemplate, NodeType

_ADD_BLOCK = "addBlock"
_LENGTHS = {_ADD_BLOCK: "previous.numBytes", "complete": "last.numBytes"}
"""Where the length of the block before stands in a client's next call."""


class DatanodeFamily(PlainFamily):
    """The emulated DataNodes of one type."""

    autonomous = True
    watches: Collection[str] = (_ADD_BLOCK,)

    def __init__(self, datanodes: Datanodes) -> None:
        """Play DataNodes of these names and messages."""
        self.datanodes = datanodes

    def program(self, number: int) -> Program:
        """A DataNode that has not started, with what it holds from the start."""
        stalls = (each for each in self.datanodes.stalls if number in each.nodes)
        stall = next(stalls, None)
        # The heartbeats of a stalled one wait with all else that it does.
        stored = self.datanodes.stored(number)
        datanode = EmulatedDatanode(self.datanodes, number, stored, repeats=stall is None)
        return datanode if stall is None else StalledDatanode(datanode, stall)

    def source(self, number: int) -> str | None:
        """Its own loopback address, once so many nodes cannot share one."""
        return self.datanodes.source(number)

    def fact(self, number: int, name: str) -> Value:
        """What a real one would read from its machine; UNRESOLVED for what no DataNode has.

        Args:
            number: which node, from 0.
            name: `storage`, `uuid`, `port`, `ipc_port`, `info_port`, `address` or `hostname`.
        """
        datanodes = self.datanodes
        match name:
            case "storage":
                return datanodes.storage(number)
            case "uuid":
                return datanodes.uuid(number)
            case "port" | "ipc_port":
                return datanodes.port(number)
            case "info_port":
                return 0
            case "address":
                return datanodes.source(number) or "127.0.0.1"
            case "hostname":
                return datanodes.hostname(number)
        return Special.UNRESOLVED

    def owner(self, name: str) -> int | None:
        """The DataNode of a uuid."""
        return self.datanodes.number(name)

    def answered(self, node: ScriptedView, call: CallTemplate, response: Any) -> Sequence[Instruction]:  # noqa: ARG002
        """The DataNodes of a new block get it, at the length it will be closed with.

        Args:
            call: not asked: all watched methods answer alike.
            response: the answer, with the new block and its places; None where there is none.
        """
        if response is None:
            return []
        length = _length_ahead(node)
        unknown = [] if length is not None else [Note("length of a block unknown")]
        return [*unknown, *self.placed(response.block, length or 0)]

    def placed(self, located: Any, length: int, writer: NodeId | None = None) -> list[Instruction]:
        """The DataNodes of a new block get it.

        Args:
            length: that it is closed with, bytes.
            writer: who is sent a BlockReported once the NameNode knows of the first replica; None for nobody.
        """
        out: list[Instruction] = []
        storages = located.storageIDs
        block = Block(located.b.blockId, length, located.b.generationStamp)
        for position, location in enumerate(located.locs):
            number = self.datanodes.number(location.id.datanodeUuid)
            if number is None:
                out.append(Note(FOREIGN_DATANODE))
                continue
            storage = storages[position] if position < len(storages) else self.datanodes.storage(number)
            written = BlockWritten(block, storage, writer)
            writer = None
            out.append(SendMessage(NodeId(self.datanodes.type_name, number), written))
        return out


def _length_ahead(node: ScriptedView) -> int | None:
    """The length that the client's next addBlock or complete will give the block; it is bound to that from here on."""
    for step in node.ahead():
        path = _LENGTHS.get(step.call.method)
        rule = step.call.arguments.get(path) if path is not None else None
        if rule is not None and path is not None:
            length = stand_in(rule, step.context)
            if isinstance(length, int):
                node.promise(step.call, path, length)
                return length
    return None


class DatanodeKind:
    """The kind `datanode`."""

    name = KIND
    called = False
    endless = True
    needed_first = True
    protocols: Collection[str] = (PROTOCOL,)
    messages: Collection[str] = ()

    def methods(self, node_type: NodeType) -> Collection[str]:  # noqa: ARG002 - all DataNodes call the same
        """See `ProgramKind`."""
        return METHODS

    def family(self, node_type: NodeType, population: Population) -> Family:
        """See `ProgramKind`; heartbeats come in the recorded period unless the play's settings say otherwise."""
        settings = population.settings.programs.get(KIND)
        beats = (p.every_s for p in node_type.periodic if p.call.method == "sendHeartbeat")
        period_s = next(beats, None)
        return DatanodeFamily(
            Datanodes(
                population.schema,
                settings if isinstance(settings, DatanodeSettings) else None,
                seeds=population.seeds,
                type_name=node_type.name,
                recorded_s=None if period_s is None else max(0.1, round(period_s, 1)),
                named=population.target(SCHEDULER) is not None,
                stalls=population.settings.stalls,
            )
        )
