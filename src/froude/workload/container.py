"""Nodes that are processes in containers of YARN: who has them started, and when they are asked for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Container:
    """The container that a node runs in.

    Where a ResourceManager plays along, the node begins when that has been allocated and started, whatever its start
    rule says; without one, its start rule stands for all of this.
    """

    of: str
    """The node type that has it started: of a task its application master, of an application master the client that
    submits the application."""
    priority: int | None = None
    """Priority at which an application master asks for it; None for an application master's own."""
    delay_s: float = 0.0
    """From the start of the container to the node's first call, seconds: a process comes up."""
    after: float = 0.0
    """Share of the containers that were asked for before which must have ended before this one is asked for."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.after <= 1.0 or self.delay_s < 0.0:
            raise ValueError("a share from 0 to 1, and a delay from 0")


@dataclass(frozen=True, slots=True)
class Awaited:
    """What an application master waits for before a step: a container, or the end of what runs in some.

    It counts where a ResourceManager plays along; without one, the step's think time stands for it.
    """

    ended: tuple[str, ...] = ()
    """Node types in containers that it has had started, all of which must have ended; none where a first container
    must have been given."""
    pause_s: float = 0.0
    """Median seconds from then to the call."""

    def __post_init__(self) -> None:
        if self.pause_s < 0.0:
            raise ValueError("a pause from 0")
