"""Containers as an emulated NodeManager holds them, and what starts and ends them: values and messages between nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from froude.emulation.programs.events import Instruction, NodeId
from froude.emulation.programs.yarn.protocols import (
    COMPLETE,
    NO_EXIT,
    RUNNING,
    SUB_DONE,
    SUB_RUNNING,
    SUB_SCHEDULED,
)


class ContainerKey(NamedTuple):
    """A container's id; in this order a heartbeat tells of them."""

    application: int
    attempt: int
    container: int

    @classmethod
    def of(cls, message: Any) -> ContainerKey:
        """From a ContainerIdProto.

        Args:
            message: of whichever file of the schema.
        """
        attempt = message.app_attempt_id
        return cls(attempt.application_id.id, attempt.attemptId, message.id)


class Process(NamedTuple):
    """What runs in a container."""

    node: NodeId
    delay_s: float = 0.0
    """How long it takes to come up."""


class StartContainer(NamedTuple):
    """An application master of the play has a container started: a call that no other process sees."""

    master: NodeId | None
    """Who is told of it; None for an application master's own container."""
    key: ContainerKey
    id: bytes
    resource: bytes
    launch: Any
    process: Process | None
    """What runs in it; None for nothing: it ends at once."""
    waits: bool = False
    """Whether the process begins its work only when it `MayBegin`, as a reduce when the maps have ended."""
    cause: str = ""
    """Id of the template of the call that starts it, by which others know what is fetched for it; empty for none."""


class MayBegin(NamedTuple):
    """From an application master: what a process waits for has come."""

    key: ContainerKey


class Launched(NamedTuple):
    """What a call from outside to a node comes to."""

    body: bytes
    """The answer, or the text of a refusal."""
    error: str = ""
    """Exception class of a refusal; empty for none."""
    started: Sequence[StartContainer] = ()
    stopped: Sequence[ContainerKey] = ()
    told: Sequence[Instruction] = ()


class ContainerStarted(NamedTuple):
    """To an application master: a NodeManager has taken a container."""

    key: ContainerKey
    id: bytes


class ContainerOver(NamedTuple):
    """To an application master, before the ResourceManager knows: what ran in a container has ended.

    A task says so to its application master itself, by a protocol that no recording holds.
    """

    key: ContainerKey
    process: Process | None
    killed: bool
    """Whether it was ended before its end."""


@dataclass(slots=True)
class Held:
    """A container on a node, from its start until its end was reported."""

    key: ContainerKey
    id: bytes
    resource: bytes
    process: Process | None
    master: NodeId | None
    """Who is told of its end; None for an application master's own container."""
    state: int = RUNNING
    sub_state: int = SUB_SCHEDULED
    exit_status: int = NO_EXIT
    waits: bool = False
    """Whether its process may not begin yet."""
    up: bool = False
    begun: bool = False
    status: bytes = b""
    """The ContainerStatusProto as it is now; empty until it is asked for."""

    def runs(self) -> None:
        """Its process comes up."""
        self.sub_state, self.status = SUB_RUNNING, b""

    def ends(self, exit_status: int) -> None:
        """It is over."""
        self.state, self.sub_state, self.exit_status, self.status = COMPLETE, SUB_DONE, exit_status, b""

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.state == COMPLETE


@dataclass(slots=True)
class Containers:
    """All containers of one node."""

    held: dict[ContainerKey, Held] = field(default_factory=dict)
    unheard: set[ContainerKey] = field(default_factory=set)
    """Those that have ended, and whose end the ResourceManager may not know."""

    def reported(self) -> list[Held]:
        """What a heartbeat tells of: all that have started and whose end was not told yet, by id."""
        return [each for key, each in sorted(self.held.items()) if not each.over or key in self.unheard]

    def told(self, ended: Iterable[ContainerKey]) -> list[Held]:
        """The ResourceManager has heard of the ends of some, which are forgotten.

        Returns:
            Those that were not forgotten before.
        """
        self.unheard.difference_update(ended := list(ended))
        return [held for key in ended if (held := self.held.pop(key, None)) is not None]

    def end(self, key: ContainerKey, exit_status: int) -> Held | None:
        """A container ends.

        Returns:
            It; None where it is not held, or has ended already.
        """
        held = self.held.get(key)
        if held is None or held.over:
            return None
        held.ends(exit_status)
        self.unheard.add(key)
        return held
