"""What the plays of one search are played on: a NameNode that stays warm, emptied between them, or fresh targets.

A NameNode stays where that changes nothing but its JVM: it begins with an empty namespace, is the only target, and no
emulated daemon of the plays before is missing in the next one, for a NameNode goes on giving blocks to a DataNode that
has fallen silent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from typing import Any

from froude.experiment.play.admission import TargetLike
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.cluster.resourcemanager import ResourceManager
from froude.hadoop.metrics.environment import busy_cores
from froude.hadoop.rpc.connection import Connection, current_user
from froude.workload.plan import Plan
from froude.workload.types import SCRIPTED

Start = Callable[[], AbstractContextManager[NameNode | Mapping[str, TargetLike]]]
"""Makes the targets of a play, not entered yet."""
_PROTOCOL = "org.apache.hadoop.hdfs.protocol.ClientProtocol"


class Stage:
    """The targets of a search; a context manager that stops them."""

    def __init__(self, start: Start, *, keeps: bool) -> None:
        """Nothing is started before the first play.

        Args:
            start: makes the targets of a play.
            keeps: whether a NameNode may stay up; its plays must not depend on what was played on it before.
        """
        self._start = start
        self._keeps = keeps
        self._stack = ExitStack()
        self._target: NameNode | Mapping[str, TargetLike] | None = None
        self._daemons: Mapping[str, int] = {}
        self.started = 0
        """How often targets were started."""
        self.played = 0
        """Plays on the present one."""

    def __enter__(self) -> Stage:
        """Begin."""
        return self

    def __exit__(self, *error: object) -> None:
        """Stop what runs."""
        self._stack.close()

    def target(self, plan: Plan) -> NameNode | Mapping[str, TargetLike]:
        """What a plan is played on.

        Raises:
            TargetError: it does not come up, or does not answer any more.
        """
        daemons = {
            each.name: plan.counts.get(each.name, 0)
            for each in plan.workload.node_types
            if each.program != SCRIPTED
        }
        missing = any(daemons.get(name, 0) < number for name, number in self._daemons.items())
        if self._target is None or missing or not self._emptied(self._target):
            self._stack.close()
            self._target = self._stack.enter_context(self._start())
            self.started, self.played = self.started + 1, 0
            self._keeps = self._keeps and isinstance(self._target, NameNode) and not _entries(self._target)
        self._daemons, self.played = daemons, self.played + 1
        return self._target

    def drop(self) -> None:
        """Start afresh for the next play: the target has failed."""
        self._stack.close()
        self._target = None

    def others(self) -> float:
        """Cores that other work on this machine uses over a second in which nothing is played."""
        target = self._target
        daemons = [*target.values()] if isinstance(target, Mapping) else [target]
        ours = [each for each in daemons if isinstance(each, (NameNode, ResourceManager))]

        def used_s() -> float:
            return sum(each.daemon.cpu_seconds() for each in ours)

        before_s = used_s()
        busy = busy_cores()
        return max(0.0, busy - (used_s() - before_s))

    def _emptied(self, target: NameNode | Mapping[str, TargetLike]) -> bool:
        """Whether a target can stay: what was played on it is deleted."""
        if not self._keeps or not isinstance(target, NameNode):
            return False
        with _client(target) as client:
            for name in _entries(target):
                client.call("delete", client.message("delete", src=f"/{name}", recursive=True))
        return True


def _client(namenode: NameNode) -> Connection:
    schema = namenode.hadoop.schema().subset([_PROTOCOL])
    return Connection(*namenode.address, schema, _PROTOCOL, user=current_user())


def _entries(namenode: NameNode) -> list[str]:
    """The names in its root folder."""
    asked: dict[str, Any] = {"src": "/", "startAfter": b"", "needLocation": False}
    with _client(namenode) as client:
        answer: Any = client.call("getListing", client.message("getListing", **asked))
    return [entry.path.decode() for entry in answer.dirList.partialListing]
