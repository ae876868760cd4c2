"""What the plays of one search are played on: daemons that stay warm, emptied between plays, or fresh ones.

They stay where that changes nothing but their JVMs: a NameNode begins with an empty namespace, and no emulated daemon
of the plays before is missing in the next one, for a NameNode goes on giving blocks to a DataNode that has fallen
silent. Of a play a NameNode keeps files, which are deleted, and a ResourceManager applications whose masters have fallen
silent, which would hold their containers for ten minutes: they are killed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from typing import Any

from froude.base.clock import Clock, RealClock
from froude.base.errors import TargetError
from froude.base.summary import counted
from froude.emulation.programs.yarn.protocols import CLIENT
from froude.experiment.knee.pinning import pinned
from froude.experiment.play.admission import TargetLike
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.cluster.resourcemanager import ResourceManager
from froude.hadoop.metrics.environment import busy_cores
from froude.hadoop.rpc.connection import Connection, current_user
from froude.workload.plan import Plan
from froude.workload.types import SCRIPTED

Start = Callable[[], AbstractContextManager[NameNode | Mapping[str, TargetLike]]]
"""Makes the targets of a play, not entered yet."""
_UNENDED = (1, 2, 3, 4, 5)
"""Of YarnApplicationStateProto: NEW, NEW_SAVING, SUBMITTED, ACCEPTED, RUNNING."""
_ENDED_S, _LOOK_S = 60.0, 0.2
"""Longest wait until applications that are killed have ended, and between two looks."""
_PROTOCOL = "org.apache.hadoop.hdfs.protocol.ClientProtocol"


class Stage:
    """The targets of a search; a context manager that stops them."""

    def __init__(
        self,
        start: Start,
        *,
        keeps: bool,
        clock: Clock | None = None,
        processors: frozenset[int] | None = None,
    ) -> None:
        """Nothing is started before the first play.

        Args:
            keeps: whether daemons may stay up; plays must not depend on what was played on them before.
            processors: that targets run on; None for any.
        """
        self._start, self._clock, self._processors = start, clock or RealClock(), processors
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
            with pinned(self._processors):
                self._target = self._stack.enter_context(self._start())
            self.started, self.played = self.started + 1, 0
            self._keeps = self._keeps and all(
                isinstance(each, ResourceManager) or (isinstance(each, NameNode) and not _entries(each))
                for each in _each(self._target)
            )
        self._daemons, self.played = daemons, self.played + 1
        return self._target

    def drop(self) -> None:
        """Start afresh for the next play: the target has failed."""
        self._stack.close()
        self._target = None

    def others(self) -> float:
        """Cores that other work on this machine uses over a second in which nothing is played."""
        ours = [each for each in _each(self._target) if isinstance(each, (NameNode, ResourceManager))]

        def used_s() -> float:
            return sum(each.daemon.cpu_seconds() for each in ours)

        before_s = used_s()
        busy = busy_cores()
        return max(0.0, busy - (used_s() - before_s))

    def _emptied(self, target: NameNode | Mapping[str, TargetLike]) -> bool:
        """Whether a target can stay: what was played on it is deleted, or killed."""
        for each in _each(target) if self._keeps else ():
            if isinstance(each, NameNode):
                with _client(each) as client:
                    for name in _entries(each):
                        client.call("delete", client.message("delete", src=f"/{name}", recursive=True))
            elif isinstance(each, ResourceManager):
                _end_applications(each, self._clock)
        return self._keeps


def _each(target: NameNode | Mapping[str, TargetLike] | None) -> list[object]:
    """The daemons of a target; none before it was started."""
    if isinstance(target, Mapping):
        return [*target.values()]
    return [] if target is None else [target]


def _end_applications(master: ResourceManager, clock: Clock) -> None:
    """Kill what an earlier play left at work, and wait until it has ended.

    Raises:
        TargetError: some applications do not end.
    """
    until_s = clock.now() + _ENDED_S
    with _client(master) as client:
        killed: set[int] = set()
        while left := _at_work(client):
            if clock.now() > until_s:
                found = counted(len(left), "application")
                raise TargetError(
                    "does not end what an earlier play left", file="ResourceManager", found=found
                )
            for application in left:
                if application.id not in killed:
                    client.call(
                        "forceKillApplication",
                        client.message("forceKillApplication", application_id=application),
                    )
                    killed.add(application.id)
            clock.sleep(_LOOK_S)


def _at_work(client: Connection) -> list[Any]:
    """Ids of the applications that have not ended."""
    asked = client.message("getApplications", application_states=_UNENDED)
    answer: Any = client.call("getApplications", asked)
    return [each.applicationId for each in answer.applications]


def _client(target: NameNode | ResourceManager) -> Connection:
    if isinstance(target, ResourceManager):
        schema, protocol, address = target.jars.schema(), CLIENT, target.address("resourcemanager")
    else:
        schema, protocol, address = target.hadoop.schema(), _PROTOCOL, target.address
    return Connection(*address, schema.subset([protocol]), protocol, user=current_user())


def _entries(namenode: NameNode) -> list[str]:
    """The names in its root folder."""
    asked: dict[str, Any] = {"src": "/", "startAfter": b"", "needLocation": False}
    with _client(namenode) as client:
        answer: Any = client.call("getListing", client.message("getListing", **asked))
    return [entry.path.decode() for entry in answer.dirList.partialListing]
