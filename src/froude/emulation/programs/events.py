"""What a program is told and what it asks for: the whole vocabulary between an emulated node and its driver.

A program is a state machine of one node: `handle(event, now_s)` gives instructions. It sees no socket and no
clock, so a test plays it by hand and a simulation plays thousands. Events and instructions are tuples, because
a player makes tens of thousands of them a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from froude.workload.types import Moment


class NodeId(NamedTuple):
    """One emulated node."""

    type: str
    """Name of its node type."""
    number: int
    """Its number within the type, from 0."""


class Started(NamedTuple):
    """The node's start rule let it begin."""

    intended_s: float
    """When it should have begun; `now_s` may be later."""


class Reply(NamedTuple):
    """A call was answered."""

    token: int
    """The token of its `Send`."""
    body: bytes | memoryview
    """The response message."""


class Failed(NamedTuple):
    """A call was answered with an error, or not at all."""

    token: int
    """The token of its `Send`."""
    error: str
    """Exception class the target named."""
    message: str
    """Its message."""


class Timer(NamedTuple):
    """A moment asked for by `WakeAt` has come."""

    token: int
    """The token of the `WakeAt`."""
    intended_s: float
    """The time it asked for."""


class Told(NamedTuple):
    """Another node said something, beside the target: what a real cluster sends between its nodes."""

    message: object
    """A value of the receiving program's module."""


Event = Started | Reply | Failed | Timer | Told


class Send(NamedTuple):
    """Make a call."""

    protocol: str
    """Declared protocol name."""
    method: str
    """Method of the protocol."""
    body: bytes
    """The request message."""
    token: int
    """Comes back with the answer."""
    intended_s: float
    """When the call should have been sent: latency is counted from here too."""


class WakeAt(NamedTuple):
    """Send a `Timer` at a time; one that has passed comes at once."""

    time_s: float
    """On the play's clock."""
    token: int
    """Comes back with the timer."""


class Tell(NamedTuple):
    """Say something to another node."""

    node: NodeId
    """Who hears it; a node that is not in the play hears nothing, and that is counted."""
    message: object
    """What it is told."""


class Reached(NamedTuple):
    """The node has come to a moment that others may wait for; `FINISHED` is its last word."""

    moment: Moment
    """Which moment."""


class Note(NamedTuple):
    """Something worth counting in the Run."""

    what: str
    """For example `command ignored: KEY_UPDATE`."""


Instruction = Send | WakeAt | Tell | Reached | Note


class Program(Protocol):
    """One emulated node."""

    def handle(self, event: Event, now_s: float) -> Sequence[Instruction]:
        """Take an event at a time of the play's clock, and say what to do."""
        ...
