"""What happens to a program and what it asks for: the whole vocabulary between an emulated node and its driver.

A program is a state machine of one node: `handle(event, now_s)` gives instructions. It sees no socket and no
clock, so a test plays it by hand and a simulation plays thousands. Events and instructions are tuples, because
a player makes tens of thousands of them a second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol

from froude.hadoop.rpc.sasl import Token
from froude.hadoop.rpc.target import UNKNOWN, Target
from froude.workload.types import Moment

LOST = "ConnectionLost"
"""Error class of a call whose connection was lost, and could not be made again."""

FALSE = b"\x08\x00"
"""A response whose only field is a false."""
DECLINED = "AnsweredFalse"
"""Error class of a call that was answered with false, and with true whenever it was recorded."""


class NodeId(NamedTuple):
    """One emulated node."""

    type: str
    number: int
    """Its number within the type, from 0."""


class Endpoint(NamedTuple):
    """Which connection a call takes; calls with equal ones share it."""

    protocol: str
    """Protocol that the connection is opened for."""
    user: str | None = None
    source: str | None = None
    """Own address to connect from; None for any."""
    slot: int = 0
    """Number within a pool."""
    target: Target = UNKNOWN
    real_user: str | None = None
    """Who stands in for the user; None for nobody."""
    token: Token | None = None
    """By which the connection is authenticated; None for one that says who it is."""


class Started(NamedTuple):
    """The node's start rule let it begin."""

    intended_s: float
    """When it should have begun; `now_s` may be later."""


class Reply(NamedTuple):
    """A call was answered."""

    token: int
    body: bytes | memoryview


class Failed(NamedTuple):
    """A call was answered with an error, or not at all."""

    token: int
    error: str
    message: str


class Timer(NamedTuple):
    """A moment asked for by `WakeAt` has come."""

    token: int
    intended_s: float


class MessageReceived(NamedTuple):
    """Another node sent a message, beside the target: what a real cluster sends between its nodes."""

    message: object
    """A value of the receiving program's module."""


class Ticket(NamedTuple):
    """A call that somebody outside the play made to a node, and waits for its answer."""

    connection: int
    """Number of the connection that it came on."""
    call_id: int


class Called(NamedTuple):
    """Somebody outside the play called the node: a real ResourceManager an emulated NodeManager."""

    ticket: Ticket
    protocol: str
    method: str
    body: bytes


class Ended(NamedTuple):
    """A message of the player's own: a node that this one let `Begin` has finished."""

    node: NodeId


class Interrupted(NamedTuple):
    """The call of a `Repeat` is not repeated any more, because of the event that comes next."""

    due_s: float
    """When the call is due next, on the play's clock."""
    calling: bool
    """Whether it is on its way: its answer comes as a `Reply` or `Failed`."""


Event = Started | Reply | Failed | Timer | MessageReceived | Called | Interrupted


class Send(NamedTuple):
    """Make a call."""

    protocol: str
    method: str
    body: bytes
    token: int
    intended_s: float
    """When the call should have been sent: latency is counted from here too."""
    service: str = ""
    """The service that is called; empty where a play has one target."""
    expected_s: float = 0.0
    """Seconds until the node's next call is due, where that waits for this one's answer; 0 where it does not. A call
    that takes longer holds up others, which the correction for coordinated omission counts."""


class Repeat(NamedTuple):
    """Make a call now and then at a fixed rate, without asking the node, until something happens to it.

    An answer that is not plain, an error, a call that takes longer than the interval, and any other event end the
    repetition: the node gets an `Interrupted`, then the event.
    """

    send: Send
    """The first call."""
    every_s: float
    again: Callable[[Send, bytes], Send | None]
    """From a call and the bytes of its answer, the next call, apart from when it is due; None where the answer gives the
    node something to do."""


class WakeAt(NamedTuple):
    """Send a `Timer` at a time; one that has passed comes at once."""

    time_s: float
    """On the play's clock."""
    token: int


class SendMessage(NamedTuple):
    """Send a message to another node."""

    node: NodeId
    """Who gets it; one for a node that is not in the play is dropped and counted."""
    message: object
    """A value of the receiving program's module."""


class Answer(NamedTuple):
    """Answer a call from outside."""

    ticket: Ticket
    body: bytes
    """The response message; of a refusal its text."""
    error: str = ""
    """Exception class that it is refused with; empty where it is not."""


class Begin(NamedTuple):
    """Let another node begin, as a NodeManager starts a process; it sends an `Ended` when that has finished."""

    node: NodeId
    """One of a type whose nodes begin when they are told (`Family.told`)."""


class Stop(NamedTuple):
    """End another node where it stands, as a NodeManager kills a process; it may begin anew."""

    node: NodeId
    """Which; nothing happens where it is not at work."""


class Forgone(NamedTuple):
    """A node that was to begin when told will not, or not again: nobody shall wait for its end."""

    node: NodeId


class Reached(NamedTuple):
    """The node has come to a moment that others may wait for; `FINISHED` is its last word."""

    moment: Moment


class Note(NamedTuple):
    """Something worth counting in the Run."""

    what: str
    """For example `command ignored: KEY_UPDATE`."""


class Declined(NamedTuple):
    """A call was answered, and the answer says that nothing was done, though it was when it was recorded."""

    method: str
    message: str
    path: str | None


class Granted(NamedTuple):
    """A container was granted that was asked for."""

    delay_s: float
    """From the call that first asked for it, seconds."""


Instruction = (
    Granted
    | Send
    | Repeat
    | WakeAt
    | SendMessage
    | Reached
    | Note
    | Declined
    | Answer
    | Begin
    | Stop
    | Forgone
)


class Program(Protocol):
    """One emulated node."""

    def handle(self, event: Event, now_s: float) -> Sequence[Instruction]:
        """Take an event at a time of the play's clock, and say what to do.

        Args:
            now_s: seconds on the play's clock.

        Returns:
            What to do, in this order; empty for nothing.
        """
        ...

    def overdue(self, now_s: float) -> Iterable[tuple[str, float]]:
        """The calls that should have been sent by now and were not, with when each was due.

        Args:
            now_s: seconds on the play's clock.
        """
        ...


class Nodes(Protocol):
    """Who plays; `programs.population.Population` for a plan."""

    def program(self, node: NodeId) -> Program:
        """A fresh program for a node that begins."""
        ...

    def endpoint(self, node: NodeId, protocol: str, service: str) -> Endpoint:
        """The connection that a node's calls of a protocol to a service take."""
        ...

    def client_id(self, node: NodeId) -> bytes | None:
        """The 16 bytes that a node calls itself; None to go by its connection's."""
        ...

    def caller_context(self, node: NodeId) -> str | None:
        """What a node says it is, for the audit log."""
        ...
