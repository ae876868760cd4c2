"""The Trace: what happened, one `Call` a row, and what its source could see of it.

A Trace is a folder (`files`); these are its values in memory. Nothing here reads or writes.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from enum import Enum

from google.protobuf.message import Message

from froude.base.summary import Summarised, counted
from froude.base.units import Quantity
from froude.documents.artifact import Lineage, State
from froude.hadoop.rpc.target import UNKNOWN, Target
from froude.messages.schema import Schema

_ENDED = {State.INTERRUPTED: "was interrupted", State.FAILED: "failed"}


class Status(Enum):
    """How a call ended, as Hadoop's RpcStatusProto says it, or that no answer was seen."""

    SUCCESS = "success"
    ERROR = "error"
    FATAL = "fatal"
    UNANSWERED = "unanswered"


@dataclass(frozen=True, slots=True)
class Fidelity:
    """What a trace's source could see; a consumer that needs more says so instead of guessing."""

    payload: bool = True
    """Request bytes are there."""
    response: bool = True
    """Response bytes are there."""
    duration: bool = True
    """Each call's duration is known."""
    sender: bool = True
    """clientId and connection are known."""


@dataclass(frozen=True, slots=True)
class Call:
    """One remote procedure call as seen at the target's door."""

    start_s: float
    """When the request's last byte passed, in seconds since the trace began."""
    duration_s: float | None
    """Until the response's last byte passed; None when unanswered or unseen."""
    connection: int
    """Number of the connection within the trace."""
    peer: str
    """Source address of the connection, without port; empty when unseen."""
    client_id: bytes
    """Hadoop's 16-byte id of the sending process; empty when unseen."""
    call_id: int
    """Number of the call within its client."""
    retry: int
    """0 for a first attempt, then counting; -1 when the sender gave none."""
    user: str | None
    """Effective user of the connection."""
    real_user: str | None
    """Who impersonates the user, where one does."""
    caller_context: str | None
    """What the sender called itself (`CLI`, `mr_attempt_…`)."""
    protocol: str
    """The declaring class's protocol name, for example `org.apache.hadoop.hdfs.protocol.ClientProtocol`."""
    method: str
    """Method name within the protocol."""
    request: bytes | None
    """The request message's bytes, secrets redacted."""
    response: bytes | None
    """The response message's bytes, secrets redacted; None unless the status is SUCCESS."""
    status: Status
    error: str | None = None
    """Exception class of an ERROR or FATAL answer."""
    error_message: str | None = None
    """Its message, first line."""
    target: Target = UNKNOWN


@dataclass(frozen=True, slots=True)
class Loss:
    """What the capture could not keep; all zeros for a whole trace."""

    undecodable_frames: int = 0
    """Frames passed through that no call could be read from."""
    torn_connections: int = 0
    """Connections that ended in the middle of a frame."""
    unanswered_calls: int = 0
    """Calls whose answer never came."""
    dropped_bytes: int = 0
    """Bytes passed through but not recorded, because the recorder could not keep up."""
    protected_connections: int = 0
    """Connections whose payload is protected (SASL's integrity or privacy): all their frames are undecodable."""

    @property
    def unreadable(self) -> str | None:
        """What to know of connections of which nothing could be read, in words; None where there are none."""
        if not self.protected_connections:
            return None
        return (
            f"{counted(self.protected_connections, 'connection')} could not be read: SASL protects the payload "
            "(QOP integrity or privacy), and what was called there is not in the Trace. Record with "
            "hadoop.rpc.protection=authentication on a test cluster"
        )

    def __add__(self, other: Loss) -> Loss:
        """Both together."""
        return Loss(*map(operator.add, astuple(self), astuple(other)))

    @property
    def total(self) -> int:
        """Everything lost that makes a trace incomplete (unanswered calls are the peers' doing)."""
        return self.undecodable_frames + self.torn_connections + self.dropped_bytes


@dataclass(frozen=True, slots=True)
class TraceMeta:
    """What is true of a whole trace."""

    scale: Mapping[str, Quantity]
    """The scale it ran at, by variable name."""
    started_at_s: float
    """Wall time of its beginning, seconds since the epoch."""
    source_id: str
    """Identity of what was recorded: HDFS cluster id, or start stamp and address of a ResourceManager."""
    release: str = ""
    """The Hadoop release recorded, where known."""
    fidelity: Fidelity = field(default_factory=Fidelity)
    """What the source could see."""
    loss: Loss = field(default_factory=Loss)
    """What was not kept."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """Free facts, such as the job that ran."""


@dataclass(frozen=True, slots=True, repr=False)
class Trace(Summarised):
    """Calls in order of their start, with the schema to decode them."""

    meta: TraceMeta
    schema: Schema
    calls: Sequence[Call]
    lineage: Lineage | None = field(default=None, compare=False)
    """Where it comes from, and whether its recording ended well; None for one that was not read from a folder."""

    def summary(self) -> Mapping[str, str]:
        """How many calls, of which run."""
        return {
            "calls": f"{len(self.calls):,}",
            "scale": ", ".join(f"{name}={quantity}" for name, quantity in self.meta.scale.items()),
            "release": self.meta.release,
            "lost": f"{self.meta.loss.total:,}" if self.meta.loss.total else "",
            "not whole": self.incomplete or "",
        }

    @property
    def incomplete(self) -> str | None:
        """What to know of a trace whose recording did not end well, in words; None for a whole one."""
        if self.lineage is None or self.lineage.state is State.COMPLETE:
            return None
        return f"its recording {_ENDED[self.lineage.state]}: it holds what was seen until then"

    def request(self, call: Call) -> Message:
        """The decoded request.

        Raises:
            UnknownMethodError: the schema does not have the method.
            InputError: the bytes are absent or do not decode.
        """
        return self.schema.decode_request(call.protocol, call.method, call.request)

    def response(self, call: Call) -> Message:
        """The decoded response; raises as `request` does."""
        return self.schema.decode_response(call.protocol, call.method, call.response)

    def by_method(self) -> Iterator[tuple[str, int]]:
        """Each method's number of calls, most frequent first."""
        counts: dict[str, int] = {}
        for call in self.calls:
            counts[call.method] = counts.get(call.method, 0) + 1
        yield from sorted(counts.items(), key=lambda item: (-item[1], item[0]))
