"""A NameNode by RPC: who it is, its DataNodes, and two things it is told: to read its settings, and its hosts, anew.

Source: ClientProtocol, ReconfigurationProtocol; NameNode.reconfigurePropertyImpl of Hadoop 3.3.6, 3.4.2 and 3.5.0, which
takes up another `dfs.block.replicator.classname` while it runs.
"""

from __future__ import annotations

from typing import Any

from froude.base.clock import Clock
from froude.base.errors import GuardError, TargetError
from froude.hadoop.rpc.connection import Connection
from froude.hadoop.rpc.identity import ask_identity, identity_on
from froude.harvest.live.hdfs.datanodes import DataNode
from froude.messages.schema import Schema

_CLIENT = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
_SETTINGS = "org.apache.hadoop.hdfs.protocol.ReconfigurationProtocol"
_ALL = 1
"""DatanodeReportTypeProto: dead ones, too."""
_WAIT_S, _POLL_S = 30.0, 0.1


class NameNodeCalls:
    """Calls to one NameNode."""

    def __init__(self, host: str, port: int, schema: Schema, *, user: str | None = None) -> None:
        """Nothing is sent yet.

        Args:
            schema: of a release near its own.
            user: who asks; must be an administrator.
        """
        self.address = f"{host}:{port}"
        self._at = (host, port)
        self._schema = schema
        self._user = user
        self._id: str | None = None

    def identity(self) -> str:
        """Its cluster id; later calls go to no other NameNode.

        Raises:
            TargetError: it does not answer.
        """
        self._id = ask_identity("namenode", self._at, self._schema, user=self._user).id
        return self._id

    def datanodes(self) -> tuple[DataNode, ...]:
        """Its DataNodes, those that are dead too, in the order of their addresses.

        Raises:
            TargetError: it does not answer, or refuses.
        """
        answer: Any = self._call(_CLIENT, "getDatanodeReport", type=_ALL)
        return tuple(sorted(map(_datanode, answer.di), key=lambda node: (node.ip, node.port)))

    def replication(self) -> int:
        """Replicas of a file whose writer wants no other number: its `dfs.replication`.

        Raises:
            TargetError: it does not answer, or refuses.
        """
        answer: Any = self._call(_CLIENT, "getServerDefaults")
        return int(answer.serverDefaults.replication)

    def refresh_hosts(self) -> None:
        """Let it read its file of hosts anew.

        Raises:
            TargetError: it does not answer, or refuses.
        """
        self._call(_CLIENT, "refreshNodes")

    def read_settings(self, clock: Clock) -> dict[str, str]:
        """Let it read its settings anew.

        Returns:
            By property that it found changed and can change while it runs, why it could not; empty where it has.

        Raises:
            TargetError: it does not answer, refuses, or does not come to an end.
        """
        self._call(_SETTINGS, "startReconfiguration")
        deadline = clock.now() + _WAIT_S
        while clock.now() < deadline:
            status: Any = self._call(_SETTINGS, "getReconfigurationStatus")
            if status.HasField("endTime"):
                return {each.name: each.errorMessage for each in status.changes}
            clock.sleep(_POLL_S)
        raise TargetError(f"did not read its settings anew in {_WAIT_S:g} s", file=self.address)

    def _call(self, protocol: str, method: str, **fields: object) -> Any:
        with Connection(*self._at, self._schema, protocol, user=self._user) as connection:
            found = None if self._id is None else identity_on(connection, "namenode").id
            if found != self._id:
                raise GuardError("is another NameNode now", file=self.address, found=found, allowed=self._id)
            return connection.call(method, connection.message(method, **fields))


def _datanode(info: Any) -> DataNode:
    states = info.DESCRIPTOR.fields_by_name["adminState"].enum_type.values_by_number
    return DataNode(
        ip=info.id.ipAddr,
        port=info.id.xferPort,
        host=info.id.hostName,
        uuid=info.id.datanodeUuid,
        rack=info.location,
        capacity=info.capacity,
        used=info.dfsUsed,
        remaining=info.remaining,
        state=states[info.adminState].name,
    )
