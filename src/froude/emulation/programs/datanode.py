"""The emulated DataNode: everything a NameNode sees of one, and no data behind it.

One call at a time, as the real node's service actor makes them: register, then heartbeats when due, what was
received or deleted since, recoveries, full block reports. Calls that become due meanwhile wait, and their
latency counts from when they were due.

Source: `spec` of DatanodeProtocol; Hadoop's BPServiceActor and BPOfferService for the order.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from enum import IntEnum
from typing import Any, NamedTuple

from froude.emulation.programs.blocks import Block, Inventory
from froude.emulation.programs.events import (
    Event,
    Failed,
    Instruction,
    NodeId,
    Note,
    Reached,
    Reply,
    Send,
    Started,
    Tell,
    Timer,
    Told,
    WakeAt,
)
from froude.emulation.programs.fleet import DELETED, PROTOCOL, RECEIVED, Fleet
from froude.workload.types import Moment


class BlockWritten(NamedTuple):
    """A replica arrived at this node: from a client, or from another node's transfer."""

    block: Block
    """With the length it was closed at."""
    storage: str
    """Id of the storage that the NameNode chose."""


class ReplicaRecovered(NamedTuple):
    """A recovery that another node led changed this node's replica."""

    block: Block
    """As it is now."""


class _Call(IntEnum):
    VERSION = 1
    REGISTER = 2
    HEARTBEAT = 3
    INCREMENTAL = 4
    REPORT = 5
    SYNCHRONIZE = 6


_METHODS = {
    _Call.VERSION: "versionRequest",
    _Call.REGISTER: "registerDatanode",
    _Call.HEARTBEAT: "sendHeartbeat",
    _Call.INCREMENTAL: "blockReceivedAndDeleted",
    _Call.REPORT: "blockReport",
    _Call.SYNCHRONIZE: "commitBlockSynchronization",
}
_HEARTBEAT_DUE, _REPORT_DUE = 1, 2
# DatanodeCommandProto.Type
_BLOCK, _RECOVERY, _REGISTER = 1, 2, 5
_IGNORED = {0: "bandwidth", 3: "finalize", 4: "key update", 7: "null", 8: "block id (cache)"}
_TRANSFER, _INVALIDATE = 1, 2  # BlockCommandProto.Action
_DEAD = ("DisallowedDatanodeException", "IncorrectVersionException")  # a real node shuts down on these
_UNKNOWN_HERE = "UnregisteredNodeException"


class EmulatedDatanode:
    """One emulated DataNode; see the module."""

    __slots__ = (
        "_body", "_busy", "_changes", "_due_s", "_fleet", "_held", "_number", "_recoveries", "_registered",
        "_report_s", "_reports", "_started", "_stored",
    )  # fmt: skip

    def __init__(self, fleet: Fleet, number: int, stored: Sequence[Sequence[Block]] | None = None) -> None:
        """A node that has not started.

        Args:
            fleet: the type it belongs to.
            number: its number in it.
            stored: the replicas it holds from the start, by storage; None for none.
        """
        self._fleet = fleet
        self._number = number
        self._stored: list[Inventory | None] = [None] * fleet.settings.storages
        for index, blocks in enumerate(stored or ()):
            self._stored[index] = Inventory(blocks)
        self._busy = True
        self._registered = False
        self._started = False
        self._held = False
        self._due_s: float | None = None
        self._report_s: float | None = None
        self._body: bytes | None = None
        self._changes: list[tuple[int, Block, int]] | None = None
        self._reports: deque[bytes] | None = None
        self._recoveries: deque[bytes] | None = None

    def handle(self, event: Event, now_s: float) -> Sequence[Instruction]:
        """Take an event; see `Program`."""
        if type(event) is Reply:
            return self._answered(_Call(event.token), bytes(event.body), now_s)
        if type(event) is Timer:
            return self._timer(event, now_s)
        if type(event) is Told:
            return self._told(event.message, now_s)
        if type(event) is Failed:
            return self._failed(_Call(event.token), event, now_s)
        assert type(event) is Started
        return [self._call(_Call.VERSION, self._fleet.version_request, event.intended_s)]

    @property
    def blocks(self) -> int:
        """Replicas held."""
        return sum(len(inventory) for inventory in self._stored if inventory is not None)

    # --- answers ----------------------------------------------------------------------------------------

    def _answered(self, call: _Call, body: bytes, now_s: float) -> Sequence[Instruction]:
        self._busy = False
        if call is _Call.HEARTBEAT:
            out = self._obey(self._fleet.commands("sendHeartbeat", body), now_s)
        elif call is _Call.INCREMENTAL or call is _Call.SYNCHRONIZE:
            out = []
        elif call is _Call.REPORT:
            out = self._obey(self._fleet.commands("blockReport", body), now_s)
            out += self._reported(now_s)
        elif call is _Call.VERSION:
            self._fleet.learn_namespace(body)
            out = [self._call(_Call.REGISTER, self._fleet.register(self._number), now_s)]
        else:
            out = self._on_registered(now_s)
        return self._go_on(out, now_s)

    def _on_registered(self, now_s: float) -> list[Instruction]:
        first = not self._registered
        self._registered = True
        self._body = None
        self._due_s = self._report_s = now_s
        if not first:
            return []
        return [
            WakeAt(
                self._after(now_s, self._fleet.phase(self._number) * self._fleet.heartbeat_s), _HEARTBEAT_DUE
            )
        ]

    def _reported(self, now_s: float) -> list[Instruction]:
        if self._reports:
            return []
        self._reports = None
        out: list[Instruction] = [WakeAt(now_s + self._fleet.settings.full_report_s, _REPORT_DUE)]
        if not self._started:
            self._started = True
            out.append(Reached(Moment.STARTED))
        return out

    def _failed(self, call: _Call, failure: Failed, now_s: float) -> Sequence[Instruction]:
        self._busy = False
        kind = failure.error.rpartition(".")[2]
        out: list[Instruction] = []
        if kind in _DEAD or call in (_Call.VERSION, _Call.REGISTER):
            self._busy = True  # it never speaks again
            return [Note(f"datanode refused: {kind}"), Reached(Moment.FINISHED)]
        if kind == _UNKNOWN_HERE:
            return [self._call(_Call.VERSION, self._fleet.version_request, now_s)]
        if call is _Call.REPORT:
            self._reports, self._report_s = None, now_s
        # What failed is tried again after the next heartbeat: a target in trouble is not hammered.
        self._held = call is not _Call.HEARTBEAT
        return self._go_on(out, now_s)

    # --- what is due -------------------------------------------------------------------------------------

    def _timer(self, timer: Timer, now_s: float) -> Sequence[Instruction]:
        if timer.token == _REPORT_DUE:
            self._report_s = timer.intended_s
            return self._go_on([], now_s)
        if self._due_s is None:
            self._due_s = timer.intended_s
        interval_s = self._fleet.heartbeat_s
        behind = max(0, math.floor((now_s - timer.intended_s) / interval_s))
        return self._go_on([WakeAt(timer.intended_s + interval_s * (behind + 1), _HEARTBEAT_DUE)], now_s)

    def _go_on(self, out: list[Instruction], now_s: float) -> Sequence[Instruction]:
        """Add the next call that is due, if none is under way."""
        if self._busy or not self._registered:
            return out
        if self._due_s is not None:
            intended_s, self._due_s, self._held = self._due_s, None, False
            if self._body is None:
                self._body = self._fleet.heartbeat(
                    self._number, [i.used_bytes if i else 0 for i in self._stored]
                )
            out.append(self._call(_Call.HEARTBEAT, self._body, intended_s))
        elif self._held:
            return out
        elif self._changes:
            changes, self._changes = self._changes, None
            out.append(
                self._call(_Call.INCREMENTAL, self._fleet.incremental_report(self._number, changes), now_s)
            )
        elif self._recoveries:
            out.append(self._call(_Call.SYNCHRONIZE, self._recoveries.popleft(), now_s))
        elif self._report_s is not None or self._reports:
            out.append(self._next_report(now_s))
        return out

    def _next_report(self, now_s: float) -> Send:
        if not self._reports:
            self._report_s = None
            report_id = (self._number + 1) << 20 | int(now_s) & 0xFFFFF
            self._reports = deque(self._fleet.full_reports(self._number, self._stored, report_id))
        return self._call(_Call.REPORT, self._reports.popleft(), now_s)

    def _call(self, call: _Call, body: bytes, intended_s: float) -> Send:
        self._busy = True
        return Send(PROTOCOL, _METHODS[call], body, int(call), intended_s)

    def _after(self, now_s: float, delay_s: float) -> float:
        grid_s = self._fleet.settings.grid_s
        return math.ceil((now_s + delay_s) / grid_s) * grid_s

    # --- blocks and commands -------------------------------------------------------------------------------

    def _told(self, message: object, now_s: float) -> Sequence[Instruction]:
        if isinstance(message, BlockWritten):
            index = self._fleet.storage_index(message.storage)
            self._inventory(index).put(message.block)
            self._changed(index, message.block, RECEIVED)
        elif isinstance(message, ReplicaRecovered):
            for inventory in self._stored:
                if inventory is not None and inventory.get(message.block.id) is not None:
                    inventory.put(message.block)
        return self._go_on([], now_s)

    def _obey(self, commands: Sequence[Any], now_s: float) -> list[Instruction]:
        out: list[Instruction] = []
        for command in commands:
            kind = command.cmdType
            if kind == _BLOCK and command.blkCmd.action == _INVALIDATE:
                self._invalidate(command.blkCmd)
            elif kind == _BLOCK and command.blkCmd.action == _TRANSFER:
                out += self._transfer(command.blkCmd)
            elif kind == _RECOVERY:
                for recovering in command.recoveryCmd.blocks:
                    out += self._recover(recovering)
            elif kind == _REGISTER:
                out.append(Note("command obeyed: register"))
                if not self._busy:
                    out.append(self._call(_Call.VERSION, self._fleet.version_request, now_s))
            else:
                name = _IGNORED.get(kind)
                out.append(Note(f"command ignored: {name}" if name else f"command unknown: {kind}"))
        return out

    def _invalidate(self, command: Any) -> None:
        for block in command.blocks:
            for index, inventory in enumerate(self._stored):
                removed = inventory.remove(block.blockId) if inventory is not None else None
                if removed is not None:
                    self._changed(index, removed, DELETED)

    def _transfer(self, command: Any) -> list[Instruction]:
        out: list[Instruction] = []
        for position, block in enumerate(command.blocks):
            copy = self._find(block.blockId)
            if copy is None:
                out.append(Note("transfer of a block that is not here"))
                continue
            nodes = command.targets[position].datanodes
            named = command.targetStorageUuids[position].storageUuids if command.targetStorageUuids else ()
            for place, target in enumerate(nodes):
                number = self._fleet.number(target.id.datanodeUuid)
                if number is None:
                    out.append(Note("transfer to a node that is not emulated"))
                    continue
                storage = named[place] if place < len(named) else self._fleet.storage(number)
                out.append(Tell(NodeId(self._fleet.type_name, number), BlockWritten(copy, storage)))
        return out

    def _recover(self, recovering: Any) -> list[Instruction]:
        held = self._find(recovering.block.b.blockId)
        body = self._fleet.synchronization(self._number, recovering, held.length if held else None)
        if self._recoveries is None:
            self._recoveries = deque()
        self._recoveries.append(body)
        if held is None:
            return []
        recovered = ReplicaRecovered(Block(held.id, held.length, recovering.newGenStamp))
        numbers = (self._fleet.number(location.id.datanodeUuid) for location in recovering.block.locs)
        return [Tell(NodeId(self._fleet.type_name, n), recovered) for n in numbers if n is not None]

    def _find(self, block_id: int) -> Block | None:
        found = (inventory.get(block_id) for inventory in self._stored if inventory is not None)
        return next((block for block in found if block is not None), None)

    def _inventory(self, index: int) -> Inventory:
        inventory = self._stored[index]
        if inventory is None:
            inventory = self._stored[index] = Inventory()
        return inventory

    def _changed(self, index: int, block: Block, status: int) -> None:
        self._body = None
        if self._changes is None:
            self._changes = []
        self._changes.append((index, block, status))
