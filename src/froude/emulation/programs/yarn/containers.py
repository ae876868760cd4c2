"""Containers as an emulated NodeManager holds them, and what starts and ends them: values and messages between nodes."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from froude.emulation.programs.events import Instruction, NodeId
from froude.emulation.programs.yarn.localisation import Fetch
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
    """As it is in a heartbeat now; empty until it is asked for."""
    cause: str = ""
    """Id of the template of the call that started it; empty for none."""
    fetches: deque[Fetch] = field(default_factory=deque)
    """What is still to be fetched before its process comes up."""
    under_way: Fetch | None = None

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
