"""A model of a NameNode: a namespace, blocks and DataNodes, just true enough to catch a player that is wrong."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from froude.messages.schema import Schema
from tests.support.emulation.programs.block_reports import read_buffers

POOL = "BP-model"
CLUSTER = "CID-model"
_PACKAGE = "java.io."


class ModelError(Exception):
    """A call fails; `args` are Java class and message."""


@dataclass
class File:
    """One file."""

    id: int
    client: str
    blocks: list[int] = field(default_factory=list)
    closed: bool = False


@dataclass
class Node:
    """One registered DataNode."""

    registration: Any
    storages: set[str] = field(default_factory=set)
    reported: bool = False
    commands: list[Any] = field(default_factory=list)


@dataclass
class Stored:
    """One block."""

    stamp: int
    length: int | None = None
    """Once committed."""
    replicas: dict[str, int] = field(default_factory=dict)
    """Length by DataNode uuid."""


class ModelNameNode:
    """Answers calls; see the module."""

    def __init__(
        self, schema: Schema, rng: random.Random, replication: int = 2, cluster: str = CLUSTER
    ) -> None:
        """An empty namespace."""
        self._cluster = cluster
        self.received: Counter[str] = Counter()
        self.corrupt = 0
        self.violations: list[str] = []
        self.files: dict[str, File] = {}
        self.blocks: dict[int, Stored] = {}
        self.nodes: dict[str, Node] = {}
        self.leases: Counter[str] = Counter()
        self._schema = schema
        self._rng = rng
        self._replication = replication
        self._next = 1_073_741_824

    def call(self, protocol: str, method: str, body: bytes) -> bytes:
        """One call's answer.

        Raises:
            ModelError: it fails.
        """
        self.received[method] += 1
        kinds = self._schema.method(protocol, method)
        request, response = kinds.request.FromString(body), kinds.response()
        answer: Callable[[Any, Any], None] | None = getattr(self, f"_{method}", None)
        if answer is None:
            raise ModelError("org.apache.hadoop.ipc.RpcNoSuchMethodException", method)
        answer(request, response)
        return response.SerializeToString()

    # --- DataNodes --------------------------------------------------------------------------------------

    def _versionRequest(self, _request: Any, response: Any) -> None:
        info = response.info
        info.buildVersion, info.unused, info.blockPoolID, info.softwareVersion = "model", 0, POOL, "3.5.0"
        storage = info.storageInfo
        storage.layoutVersion, storage.namespceID, storage.clusterID, storage.cTime = (
            4294967229,
            7,
            self._cluster,
            0,
        )

    def _registerDatanode(self, request: Any, response: Any) -> None:
        registration = request.registration
        if registration.storageInfo.clusterID != CLUSTER:
            raise ModelError(_PACKAGE + "IOException", "wrong cluster")
        uuid = registration.datanodeID.datanodeUuid
        address = (registration.datanodeID.ipAddr, registration.datanodeID.xferPort)
        for other, node in self.nodes.items():
            identity = node.registration.datanodeID
            if other != uuid and (identity.ipAddr, identity.xferPort) == address:
                self.violations.append(f"{uuid} took the place of {other}")
        self.nodes[uuid] = Node(registration)
        response.registration.CopyFrom(registration)

    def _sendHeartbeat(self, request: Any, response: Any) -> None:
        node = self._node(request)
        node.storages = {report.storage.storageUuid for report in request.reports}
        response.haStatus.state, response.haStatus.txid = 0, len(self.files)
        if self._rng.random() < 0.01:
            response.cmds.add(cmdType=5).registerCmd.SetInParent()
            return
        if self._rng.random() < 0.05:
            response.cmds.add(cmdType=4)
        for command in node.commands:
            response.cmds.add().CopyFrom(command)
        node.commands.clear()

    def _blockReport(self, request: Any, _response: Any) -> None:
        node = self._node(request)
        uuid = request.registration.datanodeID.datanodeUuid
        for report in request.reports:
            blocks = read_buffers(report.blocksBuffers)
            if [b.id for b in blocks] != sorted(b.id for b in blocks) or len(blocks) != report.numberOfBlocks:
                self.violations.append("a block report out of order or of another length than it says")
            for block in blocks:
                self._stored(uuid, block.id, block.length, block.stamp)
        node.reported = True

    def _blockReceivedAndDeleted(self, request: Any, _response: Any) -> None:
        self._node(request)
        uuid = request.registration.datanodeID.datanodeUuid
        for part in request.blocks:
            for entry in part.blocks:
                if entry.status == 3:
                    if entry.block.blockId in self.blocks:
                        self.violations.append("a block was deleted that still belongs to a file")
                else:
                    self._stored(uuid, entry.block.blockId, entry.block.numBytes, entry.block.genStamp)

    def _stored(self, uuid: str, block_id: int, length: int, stamp: int) -> None:
        block = self.blocks.get(block_id)
        if block is None:
            return
        if stamp != block.stamp or (block.length is not None and block.length != length):
            self.corrupt += 1
        block.replicas[uuid] = length

    def _node(self, request: Any) -> Node:
        node = self.nodes.get(request.registration.datanodeID.datanodeUuid)
        if node is None:
            raise ModelError("org.apache.hadoop.hdfs.protocol.UnregisteredNodeException", "who are you")
        return node

    # --- clients ----------------------------------------------------------------------------------------

    def _create(self, request: Any, response: Any) -> None:
        if request.src in self.files:
            raise ModelError(_PACKAGE + "FileAlreadyExistsException", request.src)
        file = self.files[request.src] = File(len(self.files) + 16386, request.clientName)
        self.leases[request.clientName] += 1
        self._status(response.fs, file)

    def _addBlock(self, request: Any, response: Any) -> None:
        file = self._open(request.src, request.clientName, request.fileId)
        live = [n for n in self.nodes.values() if n.reported and n.storages]
        if not live:
            raise ModelError(_PACKAGE + "IOException", "no DataNode")
        if file.blocks:
            self._commit(file, request.previous)
        self._next += 1
        file.blocks.append(self._next)
        self.blocks[self._next] = Stored(self._next % 1000 + 1000)
        located = response.block
        located.b.poolId, located.b.blockId, located.b.generationStamp = (
            POOL,
            self._next,
            self._next % 1000 + 1000,
        )
        located.offset, located.corrupt = 0, False
        token = located.blockToken
        token.identifier, token.password, token.kind, token.service = b"", b"", "", ""
        for node in self._rng.sample(live, min(self._replication, len(live))):
            location = located.locs.add(location="/default-rack")
            location.id.ParseFromString(node.registration.datanodeID.SerializeToString())
            located.storageIDs.append(min(node.storages))

    def _complete(self, request: Any, response: Any) -> None:
        file = self._open(request.src, request.clientName, request.fileId)
        if file.blocks:
            self._commit(file, request.last)
        response.result = all(self.blocks[block].replicas for block in file.blocks)
        file.closed = response.result

    def _commit(self, file: File, said: Any) -> None:
        block = self.blocks[file.blocks[-1]]
        if said.blockId != file.blocks[-1] or said.generationStamp != block.stamp:
            self.violations.append("another block than the last was closed")
        block.length = said.numBytes
        self.corrupt += sum(length != said.numBytes for length in block.replicas.values())

    def _getFileInfo(self, request: Any, response: Any) -> None:
        file = self.files.get(request.src)
        if file is not None:
            self._status(response.fs, file)

    def _getListing(self, _request: Any, response: Any) -> None:
        response.dirList.remainingEntries = 0

    def _setSafeMode(self, _request: Any, response: Any) -> None:
        response.result = False

    def _renewLease(self, _request: Any, _response: Any) -> None:
        """Nothing to do."""

    def _delete(self, request: Any, response: Any) -> None:
        file = self.files.pop(request.src, None)
        response.result = file is not None
        for block_id in file.blocks if file is not None else ():
            block = self.blocks.pop(block_id)
            for uuid in sorted(block.replicas):
                command = self._command()
                command.blkCmd.action, command.blkCmd.blockPoolId = 2, POOL
                command.blkCmd.blocks.add(blockId=block_id, genStamp=block.stamp, numBytes=block.length or 0)
                self.nodes[uuid].commands.append(command)

    def _command(self) -> Any:
        kind = self._schema.method(
            "org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol", "sendHeartbeat"
        ).response
        return kind().cmds.add(cmdType=1)  # type: ignore[attr-defined]

    def _open(self, src: str, client: str, file_id: int) -> File:
        file = self.files.get(src)
        if file is None or file.closed or file.client != client or file.id != file_id:
            raise ModelError(_PACKAGE + "FileNotFoundException", f"{src} is not open for {client}")
        return file

    def _status(self, status: Any, file: File) -> None:
        status.fileType, status.path, status.length, status.owner, status.group = 2, b"", 0, "a", "b"
        status.permission.perm, status.modification_time, status.access_time = 420, 0, 0
        status.fileId = file.id
