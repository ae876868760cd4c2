"""The emulated DataNode: everything a NameNode sees of one, and no data behind it.

One call at a time, as the real node's service actor makes them: register, then heartbeats when due, what was
received or deleted since, recoveries, full block reports. Calls that become due meanwhile wait, and their
latency counts from when they were due.

Source: `spec` of DatanodeProtocol; Hadoop's BPServiceActor and BPOfferService for the order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from enum import IntEnum
from typing import Any, NamedTuple

from froude.emulation.notes import REFUSED
from froude.emulation.programs.beats import next_due
from froude.emulation.programs.events import (
    LOST,
    Event,
    Failed,
    Instruction,
    Interrupted,
    MessageReceived,
    NodeId,
    Note,
    Reached,
    Repeat,
    Reply,
    Send,
    SendMessage,
    Started,
    Timer,
    WakeAt,
)
from froude.emulation.programs.hdfs.blocks import Block, Inventory
from froude.emulation.programs.hdfs.datanodes import DELETED, PROTOCOL, RECEIVED, Datanodes
from froude.workload.types import Moment


class BlockWritten(NamedTuple):
    """A replica arrived at this node: from a client, or from another node's transfer."""

    block: Block
    """With the length it was closed at."""
    storage: str
    """Id of the storage that the NameNode chose."""
    writer: NodeId | None = None
    """Who is told when the NameNode knows of it; None for nobody."""


class BlockReported(NamedTuple):
    """The NameNode knows of a replica, for whoever wrote it."""

    block_id: int


class ReplicaRecovered(NamedTuple):
    """A recovery that another node led changed this node's replica."""

    block: Block
    """As it is now."""
    before: int
    """Id of the block that it was made from: another one, which stays, where a snapshot holds a truncated file."""


class _Call(IntEnum):
    VERSION = 1
    REGISTER = 2
    HEARTBEAT = 3
    INCREMENTAL = 4
    REPORT = 5
    SYNCHRONIZE = 6


_SERVICE = "namenode"
_METHODS = {
    _Call.VERSION: "versionRequest",
    _Call.REGISTER: "registerDatanode",
    _Call.HEARTBEAT: "sendHeartbeat",
    _Call.INCREMENTAL: "blockReceivedAndDeleted",
    _Call.REPORT: "blockReport",
    _Call.SYNCHRONIZE: "commitBlockSynchronization",
}
METHODS = frozenset(_METHODS.values())
_HEARTBEAT_DUE, _REPORT_DUE, _RETRY_DUE = 1, 2, 3
_RETRY_S = 5.0  # as BPServiceActor waits before it registers again
# DatanodeCommandProto.Type
_BLOCK, _RECOVERY, _REGISTER = 1, 2, 5
_IGNORED = {0: "bandwidth", 3: "finalize", 4: "key update", 7: "null", 8: "block id (cache)"}
_TRANSFER, _INVALIDATE = 1, 2  # BlockCommandProto.Action
_NO_ACK = (
    1 << 63
) - 1  # BlockCommand.NO_ACK: the length of a block whose file is gone; its end is not reported
_DEAD = ("DisallowedDatanodeException", "IncorrectVersionException")  # a real node shuts down on these
_UNKNOWN_HERE = "UnregisteredNodeException"


class EmulatedDatanode:
    """One emulated DataNode; see the module."""

    __slots__ = (
        "_beaten", "_body", "_busy", "_changed_s", "_changes", "_datanodes", "_due_s", "_held", "_number", "_recoveries",
        "_registered", "_repeats", "_report_s", "_reporting", "_reports", "_started", "_stored", "_writers",
    )  # fmt: skip

    def __init__(
        self, datanodes: Datanodes, number: int, stored: Sequence[Inventory] = (), *, repeats: bool = True
    ) -> None:
        """A node that has not started.

        Args:
            stored: the replicas it holds from the start, by storage.
            repeats: whether the player repeats its heartbeats while there is nothing else to do.
        """
        self._repeats = repeats
        self._datanodes = datanodes
        self._number = number
        self._stored: list[Inventory | None] = [None] * datanodes.settings.storages
        for index, inventory in enumerate(stored):
            self._stored[index] = inventory
        self._busy = True
        self._registered = False
        self._started = False
        self._held = False
        self._beaten = False
        self._due_s: float | None = None
        self._report_s: float | None = None
        self._body: bytes | None = None
        self._changes: list[tuple[int, Block, int]] | None = None
        self._changed_s = 0.0
        self._reporting: list[tuple[int, Block, int]] | None = None
        self._writers: dict[int, NodeId] | None = None
        self._reports: deque[bytes] | None = None
        self._recoveries: deque[bytes] | None = None

    def handle(self, event: Event, now_s: float) -> Sequence[Instruction]:
        """Take an event; see `Program`."""
        if type(event) is Reply:
            return self._answered(_Call(event.token), bytes(event.body), now_s)
        if type(event) is Timer:
            return self._timer(event, now_s)
        if type(event) is MessageReceived:
            return self._received(event.message, now_s)
        if type(event) is Failed:
            return self._failed(_Call(event.token), event, now_s)
        if type(event) is Interrupted:
            self._busy = event.calling
            return [WakeAt(event.due_s, _HEARTBEAT_DUE)]
        assert type(event) is Started
        return [self._call(_Call.VERSION, self._datanodes.version_request, event.intended_s)]

    @property
    def blocks(self) -> int:
        """Replicas held."""
        return sum(len(inventory) for inventory in self._stored if inventory is not None)

    # --- answers ----------------------------------------------------------------------------------------

    def _answered(self, call: _Call, body: bytes, now_s: float) -> Sequence[Instruction]:
        self._busy = False
        if call is _Call.HEARTBEAT:
            self._beaten = True
            out = self._obey(self._datanodes.commands("sendHeartbeat", body), now_s)
        elif call is _Call.INCREMENTAL:
            out = self._tell_writers()
        elif call is _Call.SYNCHRONIZE:
            out = []
        elif call is _Call.REPORT:
            out = self._obey(self._datanodes.commands("blockReport", body), now_s)
            out += self._reported(now_s)
        elif call is _Call.VERSION:
            self._datanodes.learn_namespace(body)
            out = [self._call(_Call.REGISTER, self._datanodes.register(self._number), now_s)]
        else:
            self._datanodes.learn_address(self._number, body)
            out = self._on_registered(now_s)
        return self._go_on(out, now_s)

    def _tell_writers(self) -> list[Instruction]:
        """Those who wrote what the NameNode has just been told of."""
        if not self._writers:
            return []
        blocks = (block.id for _, block, _ in self._reporting or ())
        told = ((block_id, self._writers.pop(block_id, None)) for block_id in blocks)
        return [
            SendMessage(writer, BlockReported(block_id)) for block_id, writer in told if writer is not None
        ]

    def _on_registered(self, now_s: float) -> list[Instruction]:
        first = not self._registered
        self._registered = True
        self._body = None
        self._beaten = False
        self._due_s = self._report_s = now_s
        if not first:
            return []
        return [WakeAt(self._datanodes.first_beat_s(self._number, now_s), _HEARTBEAT_DUE)]

    def _reported(self, now_s: float) -> list[Instruction]:
        if self._reports:
            return []
        self._reports = None
        out: list[Instruction] = [WakeAt(now_s + self._datanodes.settings.full_report_s, _REPORT_DUE)]
        if not self._started:
            self._started = True
            out.append(Reached(Moment.STARTED))
        return out

    def _failed(self, call: _Call, failure: Failed, now_s: float) -> Sequence[Instruction]:
        self._busy = False
        kind = failure.error.rpartition(".")[2]
        out: list[Instruction] = []
        if failure.error == LOST and call in (_Call.VERSION, _Call.REGISTER):
            return [WakeAt(now_s + _RETRY_S, _RETRY_DUE)]
        if kind in _DEAD or call in (_Call.VERSION, _Call.REGISTER):
            self._busy = True  # it never speaks again
            return [Note(f"{REFUSED}{kind}"), Reached(Moment.FINISHED)]
        if kind == _UNKNOWN_HERE:
            return [self._call(_Call.VERSION, self._datanodes.version_request, now_s)]
        if call is _Call.REPORT:
            self._reports, self._report_s = None, now_s
        elif call is _Call.INCREMENTAL:
            self._changes = [*(self._reporting or ()), *(self._changes or ())]
        # What failed is tried again after the next heartbeat: a target in trouble is not hammered.
        self._held = call is not _Call.HEARTBEAT
        return self._go_on(out, now_s)

    # --- what is due -------------------------------------------------------------------------------------

    def overdue(self, now_s: float) -> Sequence[tuple[str, float]]:  # noqa: ARG002 - see `Program`
        """The heartbeat that waits for the call under way; later ones are skipped, as a real DataNode's are."""
        return () if self._due_s is None else (("sendHeartbeat", self._due_s),)

    def _timer(self, timer: Timer, now_s: float) -> Sequence[Instruction]:
        if timer.token == _RETRY_DUE:
            return [self._call(_Call.VERSION, self._datanodes.version_request, timer.intended_s)]
        if timer.token == _REPORT_DUE:
            self._report_s = timer.intended_s
            return self._go_on([], now_s)
        interval_s = self._datanodes.heartbeat_s
        if self._repeats and not self._busy and not self._held:  # all else that waits is sent before
            return [Repeat(self._heartbeat(timer.intended_s), interval_s, self._datanodes.again)]
        if self._due_s is None:
            self._due_s = timer.intended_s
        return self._go_on([WakeAt(next_due(timer.intended_s, interval_s, now_s), _HEARTBEAT_DUE)], now_s)

    def _heartbeat(self, intended_s: float) -> Send:
        if self._body is None:
            used = [inventory.used_bytes if inventory else 0 for inventory in self._stored]
            self._body = self._datanodes.heartbeat(self._number, used)
        return self._call(_Call.HEARTBEAT, self._body, intended_s)

    def _go_on(self, out: list[Instruction], now_s: float) -> Sequence[Instruction]:
        """Add the next call that is due, if none is under way."""
        if self._busy or not self._registered:
            return out
        waits = self._changes or self._recoveries or self._report_s is not None or self._reports
        # One other call goes between two heartbeats: where answers take longer than an interval, the next one is always
        # due, and a real DataNode's loop goes on to its reports all the same.
        if self._due_s is not None and (self._held or not (self._beaten and waits)):
            intended_s, self._due_s, self._held = self._due_s, None, False
            out.append(self._heartbeat(intended_s))
            return out
        if self._held or not waits:
            return out
        self._beaten = False
        if self._changes:
            self._reporting, self._changes = self._changes, None
            body = self._datanodes.incremental_report(self._number, self._reporting)
            out.append(self._call(_Call.INCREMENTAL, body, self._changed_s))
        elif self._recoveries:
            out.append(self._call(_Call.SYNCHRONIZE, self._recoveries.popleft(), now_s))
        else:
            out.append(self._next_report(now_s))
        return out

    def _next_report(self, now_s: float) -> Send:
        intended_s = now_s
        if not self._reports:
            intended_s, self._report_s = self._report_s or now_s, None
            report_id = (self._number + 1) << 20 | int(now_s) & 0xFFFFF
            self._reports = deque(self._datanodes.full_reports(self._number, self._stored, report_id))
        return self._call(_Call.REPORT, self._reports.popleft(), intended_s)

    def _call(self, call: _Call, body: bytes, intended_s: float) -> Send:
        self._busy = True
        expected_s = self._datanodes.heartbeat_s if call is _Call.HEARTBEAT else 0.0
        return Send(PROTOCOL, _METHODS[call], body, int(call), intended_s, _SERVICE, expected_s)

    # --- blocks and commands -------------------------------------------------------------------------------

    def _received(self, message: object, now_s: float) -> Sequence[Instruction]:
        if isinstance(message, BlockWritten):
            index = self._datanodes.storage_index(message.storage)
            self._inventory(index).put(message.block)
            self._changed(index, message.block, RECEIVED, now_s)
            if message.writer is not None:
                self._writers = self._writers or {}
                self._writers[message.block.id] = message.writer
        elif isinstance(message, ReplicaRecovered):
            for inventory in self._stored:
                if inventory is not None and inventory.get(message.before) is not None:
                    inventory.put(message.block)
        return self._go_on([], now_s)

    def _obey(self, commands: Sequence[Any], now_s: float) -> list[Instruction]:
        out: list[Instruction] = []
        for command in commands:
            kind = command.cmdType
            if kind == _BLOCK and command.blkCmd.action == _INVALIDATE:
                self._invalidate(command.blkCmd, now_s)
            elif kind == _BLOCK and command.blkCmd.action == _TRANSFER:
                out += self._transfer(command.blkCmd)
            elif kind == _RECOVERY:
                for recovering in command.recoveryCmd.blocks:
                    out += self._recover(recovering)
            elif kind == _REGISTER:
                out.append(Note("command obeyed: register"))
                if not self._busy:
                    out.append(self._call(_Call.VERSION, self._datanodes.version_request, now_s))
            else:
                name = _IGNORED.get(kind)
                out.append(Note(f"command ignored: {name}" if name else f"command unknown: {kind}"))
        return out

    def _invalidate(self, command: Any, now_s: float) -> None:
        for block in command.blocks:
            for index, inventory in enumerate(self._stored):
                removed = inventory.remove(block.blockId) if inventory is not None else None
                if removed is not None:
                    self._body = None  # of heartbeats, which say what is used
                    if block.numBytes != _NO_ACK:
                        self._changed(index, removed, DELETED, now_s)

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
                number = self._datanodes.number(target.id.datanodeUuid)
                if number is None:
                    out.append(Note("transfer to a node that is not emulated"))
                    continue
                storage = named[place] if place < len(named) else self._datanodes.storage(number)
                out.append(
                    SendMessage(NodeId(self._datanodes.type_name, number), BlockWritten(copy, storage))
                )
        return out

    def _recover(self, recovering: Any) -> list[Instruction]:
        held = self._find(recovering.block.b.blockId)
        cut = recovering.truncateBlock if recovering.HasField("truncateBlock") else None
        length = None if held is None else held.length if cut is None else cut.numBytes
        body = self._datanodes.synchronization(self._number, recovering, length)
        self._recoveries = self._recoveries or deque()
        self._recoveries.append(body)
        if held is None or length is None:
            return []
        block = Block(held.id if cut is None else cut.blockId, length, recovering.newGenStamp)
        recovered = ReplicaRecovered(block, held.id)
        numbers = (self._datanodes.number(location.id.datanodeUuid) for location in recovering.block.locs)
        return [
            SendMessage(NodeId(self._datanodes.type_name, n), recovered) for n in numbers if n is not None
        ]

    def _find(self, block_id: int) -> Block | None:
        replicas = (inventory.get(block_id) for inventory in self._stored if inventory is not None)
        return next((block for block in replicas if block is not None), None)

    def _inventory(self, index: int) -> Inventory:
        inventory = self._stored[index]
        if inventory is None:
            inventory = self._stored[index] = Inventory()
        return inventory

    def _changed(self, index: int, block: Block, status: int, now_s: float) -> None:
        """Report a change when the node is free; the report is due now."""
        self._body = None
        if self._changes is None:
            self._changes = []
            self._changed_s = now_s
        self._changes.append((index, block, status))
