"""All emulated DataNodes of a play: their names as functions of their number, both ways, and their messages.

Whatever is the same for every node lives here once, so that a node is small: ten thousand fit in a few tens of
megabytes.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from google.protobuf.message_factory import GetMessageClass

from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.emulation.programs.addresses import node_address
from froude.emulation.programs.beats import on_grid
from froude.emulation.programs.events import Send
from froude.emulation.programs.hdfs.blocks import Block, Inventory, report_buffers
from froude.emulation.programs.hdfs.stalls import Stall
from froude.emulation.settings import DatanodeSettings
from froude.messages.encoder import Slot, encoding
from froude.messages.schema import Schema
from froude.messages.wire import delimited

if TYPE_CHECKING:
    from froude.hadoop.fsimage.replicas import BlockLists

KIND = DatanodeSettings.kind
PROTOCOL = "org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol"
_LAYOUT = -57 & 0xFFFFFFFF  # the DataNode layout of 3.x; the NameNode does not look at it
_HEARTBEAT_S = 3.0
_FIRST_PORT = 1024
"""Data port that node 0 names; a NameNode tells nodes apart by address and port."""
_BLOCKS = 3  # number of a field of BlockReceivedAndDeletedRequestProto
_CHANGE = ("block.blockId", "block.genStamp", "block.numBytes", "status")
_UNSIGNED = (1 << 64) - 1
_IP_ADDRESS = 1
"""Field of DatanodeIDProto."""
_MOST_HEADS = 4096
"""Nodes whose part of incremental reports is kept: 100 bytes each."""
RECEIVED, DELETED = 2, 3
"""Status of a block in an incremental report (`ReceivedDeletedBlockInfoProto.BlockStatus`)."""


class Datanodes:
    """Names, numbers and messages of one type of emulated DataNodes."""

    def __init__(
        self,
        schema: Schema,
        settings: DatanodeSettings | None = None,
        *,
        seeds: Seeds,
        type_name: str = KIND,
        recorded_s: float | None = None,
        named: bool = False,
        stalls: Sequence[Stall] = (),
    ) -> None:
        """Prepare the messages.

        Args:
            seeds: two plays with one seed have nodes of the same names.
            recorded_s: period of the heartbeats that were recorded.
            named: whether each calls itself by an address of its own, that of the NodeManager beside it, wherever it
                connects from.
            stalls: nodes whose disks stand still for a while; of several for one node the first counts.
        """
        self.settings, self.stalls = settings or DatanodeSettings(), stalls
        self.heartbeat_s = self.settings.heartbeat_s or recorded_s or _HEARTBEAT_S
        """Between heartbeats, seconds."""
        self.type_name = type_name
        self._named = named
        self._family = f"{seeds.child('datanodes', type_name).value >> 16:012x}"
        self._seeds = seeds.child("phase", type_name)
        self._namespace: Any = None
        self._namespace_body: bytes | None = None
        self._schema = schema
        storage: Any = schema.message("hadoop.hdfs.DatanodeStorageProto")
        kinds = storage.DESCRIPTOR.fields_by_name["storageType"].enum_type.values_by_name
        self._disk = int(kinds["DISK"].number)
        blocks, storages = self.settings.blocks, self.settings.storages
        self._lists = None if blocks is None else _lists(blocks, storages)
        request = {m: schema.method(PROTOCOL, m).request for m in schema.methods(PROTOCOL)}
        self._request: dict[str, Any] = dict(request)
        self.version_request = request["versionRequest"]().SerializeToString()
        self._registration = self._blank_registration()
        self._address = "127.0.0.1"
        """Of nodes that share it, as far as the NameNode has not named another."""
        self._heads: dict[int, bytes] = {}
        self._plain: bytes | None = None
        self._reports: dict[int, Callable[..., bytes]] = {}

    def stored(self, number: int) -> list[Inventory]:
        """What a node holds on each of its storages when it begins; empty for nothing.

        Args:
            number: which node, from 0; one beyond the lists holds nothing.
        """
        if self._lists is None or number >= self._lists.nodes:
            return []
        held = (self._lists.of(number, storage) for storage in range(self.settings.storages))
        return [Inventory.of_columns(each.ids.data, each.lengths.data, each.stamps.data) for each in held]

    # --- names ------------------------------------------------------------------------------------------

    def uuid(self, number: int) -> str:
        """The DataNode's uuid; the number can be read back from it."""
        family = self._family
        return f"{family[:8]}-{family[8:]}-4000-8000-{number:012x}"

    def number(self, datanode_uuid: str) -> int | None:
        """The number of the node with that uuid; None if it is none of these."""
        try:
            number = int(datanode_uuid[-12:], 16)
        except ValueError:
            return None
        return number if number >= 0 and self.uuid(number) == datanode_uuid else None

    def storage(self, number: int, index: int = 0) -> str:
        """The id of one of a node's storages.

        Args:
            index: which of its storages, 0 to `settings.storages - 1`.
        """
        family = self._family
        return f"DS-0000{family[:4]}-{family[4:8]}-{family[8:]}-{index:04x}-{number:012x}"

    def storage_index(self, storage_uuid: str) -> int:
        """Which of a node's storages that id is; 0 where it is none of them."""
        if self.settings.storages == 1:
            return 0
        try:
            index = (uuid.UUID(storage_uuid.removeprefix("DS-")).int >> 48) & 0xFFFF
        except ValueError:
            return 0
        return index if index < self.settings.storages else 0

    def port(self, number: int) -> int:
        """The data port that a node names."""
        return _FIRST_PORT + number % self.settings.per_address

    def source(self, number: int) -> str | None:
        """The loopback address that a node calls from; None for whichever the system takes."""
        group = number // self.settings.per_address
        if self.settings.per_address > 1 and group == 0:
            return None
        group += 1
        return node_address(group - 1)

    def hostname(self, number: int) -> str:
        """What a node calls itself, by which clients are told where blocks lie."""
        return node_address(number) if self._named else self.source(number) or "127.0.0.1"

    def first_beat_s(self, number: int, now_s: float) -> float:
        """When a node's first heartbeat is due.

        Args:
            number: which node, from 0.
            now_s: when it has registered, seconds on the play's clock.
        """
        if not self.settings.stagger:
            return math.ceil(now_s / self.heartbeat_s) * self.heartbeat_s
        return on_grid(now_s + self._seeds.child(number).value / 2**64 * self.heartbeat_s)

    # --- what the NameNode says ---------------------------------------------------------------------------

    def learn_namespace(self, body: bytes) -> None:
        """Take the answer to versionRequest: what registrations must name exactly.

        Raises:
            InputError: it does not decode, or lacks a field.
        """
        if body == self._namespace_body:
            return
        response: Any = self._schema.decode_response(PROTOCOL, "versionRequest", body)
        if not response.IsInitialized():
            missing = ", ".join(response.FindInitializationErrors())
            raise InputError("an answer lacks a field", place="versionRequest", found=missing or None)
        self._namespace = response.info
        self._namespace_body = body
        self._heads.clear()
        storage = self._registration.storageInfo
        storage.CopyFrom(self._namespace.storageInfo)
        storage.layoutVersion = _LAYOUT
        self._registration.softwareVersion = self._namespace.softwareVersion

    def learn_address(self, number: int, body: bytes) -> None:
        """Take the answer to registerDatanode: the address from which the NameNode was called, which it knows nodes by.

        Source: DatanodeManager.registerDatanode, which replaces the address of a registration; a heartbeat with another
        one is answered with the order to register again.

        Raises:
            InputError: it does not decode.
        """
        if self.source(number) is not None or delimited(_IP_ADDRESS, self._address.encode()) in body:
            return
        response: Any = self._schema.decode_response(PROTOCOL, "registerDatanode", body)
        self._address = response.registration.datanodeID.ipAddr
        self._heads.clear()

    def commands(self, method: str, body: bytes) -> Sequence[Any]:
        """The commands in an answer to a heartbeat or a report.

        Args:
            method: `sendHeartbeat`, or one of the reports.

        Returns:
            Messages of DatanodeCommandProto; none where the NameNode wants nothing.

        Raises:
            InputError: it does not decode.
        """
        response: Any = self._schema.decode_response(PROTOCOL, method, body)
        if method == "sendHeartbeat":
            return response.cmds  # type: ignore[no-any-return]
        return (response.cmd,) if response.HasField("cmd") else ()

    def again(self, beat: Send, answer: bytes) -> Send | None:
        """The heartbeat after one whose answer has no commands: the same; None after any other one.

        Raises:
            InputError: the answer does not decode.
        """
        if answer != self._plain:
            if self.commands("sendHeartbeat", answer):
                return None
            self._plain = bytes(answer)  # most answers until the next edit of the namespace are equal
        return beat

    # --- what a node says -----------------------------------------------------------------------------------

    def registration(self, number: int) -> Any:
        """A node's DatanodeRegistrationProto; the same object is filled anew at every call."""
        identity = self._registration.datanodeID
        identity.datanodeUuid = self.uuid(number)
        identity.ipAddr, identity.hostName = self.source(number) or self._address, self.hostname(number)
        identity.xferPort = identity.ipcPort = self.port(number)
        return self._registration

    def register(self, number: int) -> bytes:
        """The body of registerDatanode."""
        return self._request["registerDatanode"](registration=self.registration(number)).SerializeToString()  # type: ignore[no-any-return]

    def heartbeat(self, number: int, used: Sequence[int]) -> bytes:
        """The body of sendHeartbeat; `used` in bytes by storage.

        Args:
            used: bytes in use on each of its storages, by index.
        """
        message = self._request["sendHeartbeat"](registration=self.registration(number))
        capacity = self.settings.capacity_bytes
        for index, used_bytes in enumerate(used):
            report = message.reports.add(
                failed=False, capacity=capacity, dfsUsed=used_bytes, blockPoolUsed=used_bytes
            )
            report.remaining = max(0, capacity - used_bytes)
            report.storageUuid = self._fill_storage(report.storage, number, index)
        message.xmitsInProgress = message.failedVolumes = message.cacheCapacity = message.cacheUsed = 0
        message.xceiverCount = 1
        return message.SerializeToString()  # type: ignore[no-any-return]

    def full_reports(self, number: int, stored: Sequence[Inventory | None], report_id: int) -> list[bytes]:
        """The bodies of blockReport: one call for all storages, or one a storage when there is much to say.

        Args:
            stored: what lies on each of its storages, by index; None for an empty one.
            report_id: the same for the calls of one report, so that the NameNode knows them as one.
        """
        storages = list(enumerate(stored))
        total = sum(len(blocks or ()) for blocks in stored)
        calls = [storages] if total <= self.settings.split_blocks else [[storage] for storage in storages]
        bodies = []
        for current, part in enumerate(calls):
            message = self._request["blockReport"](registration=self.registration(number))
            message.blockPoolId = self._namespace.blockPoolID
            for index, blocks in part:
                report = message.reports.add(numberOfBlocks=len(blocks or ()))
                self._fill_storage(report.storage, number, index)
                report.blocksBuffers.extend(report_buffers(blocks or Inventory()))
            message.context.totalRpcs, message.context.curRpc = len(calls), current
            message.context.id, message.context.leaseId = report_id, 0
            bodies.append(message.SerializeToString())
        return bodies

    def incremental_report(self, number: int, changes: Sequence[tuple[int, Block, int]]) -> bytes:
        """The body of blockReceivedAndDeleted for (storage index, block, status) triples.

        Args:
            changes: index of the storage, the block, and `RECEIVED` or `DELETED`.
        """
        parts = [self._head(number)]
        for index in dict.fromkeys(index for index, _, _ in changes):
            values = [
                value
                for at, block, status in changes
                if at == index
                for value in (block.id & _UNSIGNED, block.stamp, block.length, status)
            ]
            storage = self.storage(number, index)
            part = self._storage_report(len(values) // 4)(storage, storage, *values)
            parts.append(delimited(_BLOCKS, part))
        return b"".join(parts)

    def _head(self, number: int) -> bytes:
        """What every incremental report of a node begins with: its registration, and the pool."""
        head = self._heads.get(number)
        if head is None:
            if len(self._heads) >= _MOST_HEADS:
                self._heads.clear()
            kind = self._request["blockReceivedAndDeleted"]
            message = kind(registration=self.registration(number), blockPoolId=self._namespace.blockPoolID)
            head = self._heads[number] = message.SerializeToString()
        return head

    def _storage_report(self, changes: int) -> Callable[..., bytes]:
        """The encoder of what is reported of one storage, for a number of changes."""
        known = self._reports.get(changes)
        if known is None:
            kind = self._request["blockReceivedAndDeleted"].DESCRIPTOR.fields_by_name["blocks"].message_type
            leaves: dict[str, Any] = {"storageUuid": Slot(0), "storage.storageUuid": Slot(1)}
            leaves |= {"storage.state": 0, "storage.storageType": self._disk}
            for change, path in product(range(changes), _CHANGE):
                leaves[f"blocks[{change}].{path}"] = Slot(2 + 4 * change + _CHANGE.index(path))
            known = self._reports[changes] = encoding(GetMessageClass(kind), leaves, 2 + 4 * changes)
        return known

    def synchronization(self, number: int, recovering: Any, length: int | None) -> bytes:
        """The body of commitBlockSynchronization; a length of None says that no replica is left.

        Args:
            recovering: the RecoveringBlockProto of the NameNode's command.
            length: bytes that the recovered block has; None deletes it.
        """
        located = recovering.block
        message = self._request["commitBlockSynchronization"](closeFile=True, deleteBlock=length is None)
        message.block.CopyFrom(located.b)
        message.newGenStamp, message.newLength = recovering.newGenStamp, length or 0
        if length is not None:
            for position, location in enumerate(located.locs):
                message.newTaragets.add().CopyFrom(location.id)
                named = position < len(located.storageIDs)
                message.newTargetStorages.append(
                    located.storageIDs[position] if named else self.storage(number)
                )
        return message.SerializeToString()  # type: ignore[no-any-return]

    # --- parts ----------------------------------------------------------------------------------------------

    def _blank_registration(self) -> Any:
        blank = self._request["registerDatanode"]().registration
        blank.datanodeID.infoPort = 0
        keys = blank.keys
        keys.isBlockTokenEnabled, keys.keyUpdateInterval, keys.tokenLifeTime = False, 0, 0
        keys.currentKey.keyId, keys.currentKey.expiryDate, keys.currentKey.keyBytes = 0, 0, b""
        return blank

    def _fill_storage(self, storage: Any, number: int, index: int) -> str:
        storage.storageUuid = name = self.storage(number, index)
        storage.state, storage.storageType = 0, self._disk
        return name


def _lists(folder: Path, storages: int) -> BlockLists:
    """Mapped into memory; what reads them is loaded only by players that need it."""
    from froude.hadoop.fsimage.replicas import read_columns

    return read_columns(folder, storages)
