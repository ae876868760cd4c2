"""Warm a NameNode up: a fresh JVM runs interpreted code, and would be measured in place of the NameNode.

Client calls in a folder of their own, as fast as they are answered, and the folder deleted at the end: the RPC
server, the namespace and the edit log are compiled then. Blocks need DataNodes, which come with the play.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from froude.emulation.controller import Controller, Group
from froude.emulation.core import Core
from froude.emulation.driver import Driver
from froude.emulation.engine import connect
from froude.emulation.programs.events import Endpoint, NodeId, Program
from froude.emulation.programs.stream import Ready, Stream
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.rpc.connection import Connection, current_user
from froude.hadoop.rpc.target import Target, target_at
from froude.messages.schema import Schema
from froude.workload.types import StartRule

_PROTOCOL = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
_FOLDER = "/froude-warm-up"
_STEPS = ("create", "getFileInfo", "complete", "getListing", "rename", "delete")
_QUESTIONS = ("getFileInfo", "getListing")
_STREAMS, _WINDOW = 4, 16
"""Connections, and calls in flight on each: as many as wait for a busy NameNode's handlers."""


def warm_up(namenode: NameNode, seconds: float, *, changes: bool = True) -> int:
    """Call a NameNode for a while.

    Args:
        seconds: how long; 0 for not at all.
        changes: whether its namespace may be changed; one in safe mode is only asked.

    Returns:
        How many calls it answered.

    Raises:
        TargetError: it does not answer.
    """
    if seconds <= 0:
        return 0
    schema = namenode.hadoop.schema().subset([_PROTOCOL])
    streams = _Streams(
        schema,
        target_at("namenode", namenode.address, namenode.cluster_id),
        _STEPS if changes else _QUESTIONS,
    )
    core = Core(streams, Controller([Group("stream", _STREAMS, StartRule())]), connect=connect)
    Driver(core).run(duration_s=seconds)
    with Connection(*namenode.address, schema, _PROTOCOL, user=current_user()) as connection:
        if changes:
            connection.call("delete", connection.message("delete", src=_FOLDER, recursive=True))
        else:  # what is still in its queue is answered before
            connection.call("getFileInfo", connection.message("getFileInfo", src=_FOLDER))
    return _answered(core)


def _answered(core: Core) -> int:
    return sum(answered for _, answered in core.tally.counts.values())


@dataclass(frozen=True, slots=True)
class _Streams:
    """The streams of a warm-up, each with a connection of its own."""

    schema: Schema
    target: Target
    steps: Sequence[str] = _STEPS

    def program(self, node: NodeId) -> Program:
        return Stream(self._calls(node.number), window=_WINDOW)

    def endpoint(self, node: NodeId, protocol: str, service: str) -> Endpoint:  # noqa: ARG002 - there is one
        return Endpoint(protocol, current_user(), slot=node.number, target=self.target)

    def client_id(self, node: NodeId) -> bytes | None:  # noqa: ARG002 - the connection's own
        return None

    def caller_context(self, node: NodeId) -> str | None:  # noqa: ARG002 - none
        return None

    def _calls(self, stream: int) -> Iterator[Ready]:
        """Files that are created, looked at, closed, moved and deleted.

        Each step comes half of the window after the one before, so that its file is there.
        """
        for turn in count():
            for late, method in enumerate(self.steps):
                number = turn - late * _WINDOW // 2
                if number >= 0:
                    yield self._ready(method, f"{_FOLDER}/{stream}/{number % 8}/{number}")

    def _ready(self, method: str, path: str) -> Ready:
        fields: dict[str, dict[str, Any]] = {
            "create": {
                "masked": {"perm": 0o644}, "clientName": _FOLDER, "createFlag": 3, "createParent": True,
                "replication": 1, "blockSize": 1 << 20,
            },
            "complete": {"clientName": _FOLDER},
            "rename": {"src": path, "dst": f"{path}-moved"},
            "delete": {"src": f"{path}-moved", "recursive": False},
            "getListing": {"src": path.rpartition("/")[0], "startAfter": b"", "needLocation": False},
        }  # fmt: skip
        request = self.schema.method(_PROTOCOL, method).request
        return Ready(
            _PROTOCOL, method, request(**{"src": path, **fields.get(method, {})}).SerializeToString()
        )
